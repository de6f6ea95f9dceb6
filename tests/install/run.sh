#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# run.sh WAY SOURCE BUILD CC CXX
# Installs the build, moves the tree, and uses it there as other projects do: cmake (find_package), pkg_config,
# plain_c (a hand-written command line), names (each library opened alone),
# places (the folders where programs look), python (both packages), shells (set_env.sh), documents (their links),
# users (what users met, by findings.sh) or
# layouts (what a distribution installs, and that a toolkit root stays out of folders that programs share).
set -euo pipefail
way=$1 source=$2 build=$3 cc=$4 cxx=$5
here=$source/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake --install "$build" --prefix "$work/first" >/dev/null
mkdir elsewhere
mv first elsewhere/toolkit
root=$work/elsewhere/toolkit
if grep -rIl -e "$work/first" -e "$build" "$root" --include='*.cmake' --include='*.pc' --include='*.sh' --include='*.info'; then
    echo "these files name the folder of the build or of the installation"
    exit 1
fi

case $way in
cmake)
    cmake -S "$here/cmake" -B out -DCMAKE_PREFIX_PATH="$root" -DCMAKE_C_COMPILER="$cc" >log 2>&1 || { cat log; exit 1; }
    cmake --build out >log 2>&1 || { cat log; exit 1; }
    out/user
    LD_LIBRARY_PATH=$root/lib64 out/user_by_path
    ;;
pkg_config)
    export PKG_CONFIG_PATH=$root/lib64/pkgconfig
    # The project's own version; those in share/info are of the toolkit whose interface this is.
    version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$root/lib64/cmake/Belay/BelayConfigVersion.cmake")
    pkg-config --exact-version="${version:?}" belay
    # shellcheck disable=SC2046 # the flags are several words
    "$cc" "$here/program.c" $(pkg-config --cflags --libs belay) -o user
    LD_LIBRARY_PATH=$root/lib64 ./user
    ;;
users)
    CC=$cc bash "$here/findings.sh" "$root" "$source"
    ;;
plain_c)
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -c "$here/program.c" -I"$root/include" -o program.o
    "$cxx" -std=c++11 -c -x c++ "$here/program.c" -I"$root/include" -o program_cxx.o
    for link in "-lascendcl -lnnopbase -lopapi" "-lopapi_nn -lopapi_math -lacl_rt -lnnopbase" \
        "-lacl_rt -lacl_op_compiler -lnnopbase -laclnn_ops_train -laclnn_ops_infer -laclnn_math"; do
        for flags in "" "-Wl,--as-needed" "-Wl,--no-as-needed" "-Wl,--no-undefined" "-Wl,--no-copy-dt-needed-entries"; do
            # shellcheck disable=SC2086 # both are several words
            "$cc" program.o -L"$root/lib64" $flags $link -o user
            LD_LIBRARY_PATH=$root/lib64 ./user
            # shellcheck disable=SC2086
            "$cxx" program_cxx.o -L"$root/lib64" $flags $link -o user
            LD_LIBRARY_PATH=$root/lib64 ./user
        done
    done
    ;;
names)
    "$cc" -D_GNU_SOURCE "$here/open_alone.c" -ldl -o open_alone
    # Under each folder where clients look. All are one set of libraries, which no loader takes for several.
    for folder in lib64 {aarch64,x86_64}-linux/lib64 latest/{lib64,{aarch64,x86_64}-linux/lib64} {acllib,compiler,fwkacllib,runtime}/lib64; do
        BELAY_DEVICES=2 ./open_alone "$root/$folder"
    done
    for library in "$root"/lib64/*.so; do
        name=$(basename "$library")
        [ -f "$library" ] && [ ! -L "$library" ] || { echo "$name is not a regular file"; exit 1; }
        readelf -d "$library" >dynamic
        grep -q "SONAME.*\[$name\]" dynamic || { echo "$name has another soname"; exit 1; }
        grep -q "RUNPATH.*\[\$ORIGIN\]" dynamic || { echo "$name does not look beside itself"; exit 1; }
        # What lets several processes meet is opened where it can be; all else needs the C library alone.
        [ "$name" = libbelay_gloo.so ] || ! grep "NEEDED.*\[lib\(gcc_s\|stdc++\|unwind\)" dynamic || { echo "$name needs a compiler's library"; exit 1; }
    done
    for need in "libopapi.so libnnopbase.so" "libopapi.so libascendcl.so" "libnnopbase.so libascendcl.so"; do
        readelf -d "$root/lib64/${need% *}" | grep -q "NEEDED.*\[${need#* }\]" || { echo "${need/ / does not need }"; exit 1; }
    done
    if "$root/bin/belay" info | grep "^library" | grep -v "$root/lib64/"; then
        echo "belay uses other libraries"
        exit 1
    fi
    ;;
places)
    if find "$root" -xtype l | grep .; then
        echo "these links lead nowhere"
        exit 1
    fi
    # The folders that build scripts and clients have built in, with the toolkit as it is and through latest.
    for top in "$root" "$root/latest"; do
        for part in . aarch64-linux x86_64-linux acllib; do
            "$cc" -Wall -Werror "$here/program.c" -I"$top/$part/include" -L"$top/$part/lib64" -lopapi -lnnopbase -lascendcl \
                -lacl_op_compiler -o user
            LD_LIBRARY_PATH=$top/$part/lib64 ./user
        done
        [ -d "$top/opp/vendors" ] && [ ! -e "$top/opp/vendors/config.ini" ] && [ -f "$top/share/info/runtime/version.info" ] && [ -f "$top/share/info/toolkit/version.info" ]
        for package in runtime toolkit ops_math opbase hcomm; do
            grep -qx "Version=8\.5\.0" "$top/share/info/$package/version.info"
        done
        [ ! -e "$top/share/info/driver" ]
        # Operator libraries are looked for by a pattern, and links are skipped.
        [ "$(find "$top/lib64/" -maxdepth 1 -type f -name 'libopapi_*.so' | wc -l)" -eq 4 ]
    done
    # And each operator's header under its older path.
    cmp <(cd "$root/include/aclnnop" && ls ./*.h) <(cd "$root/include/aclnnop/level2" && ls ./*.h)
    for header in "$root"/include/aclnnop/level2/*.h; do echo "#include \"aclnnop/level2/${header##*/}\""; done >older.c
    "$cc" -Wall -Werror -fsyntax-only -I"$root/include" older.c
    [ -f "$root/opp/built-in/op_impl/ai_core/tbe/op_api/include/aclnnop/aclnn_silu_backward.h" ]
    # What a script that follows links copies is finite, and works by itself: links to the files are as good as copies.
    cp -rLl "$root/latest" copy
    (. copy/bin/setenv.bash && LD_LIBRARY_PATH=$ASCEND_HOME_PATH/lib64 ./user)
    ;;
python)
    python=$(sh "$source/tests/python/interpreter.sh")
    [ -n "$python" ] || { echo "skipped: there is no python3"; exit 77; }
    export PYTHONDONTWRITEBYTECODE=1
    check='import acl, belay_npu, sys; assert acl.rt.set_device(0) == 0 and belay_npu.silu_backward(1.0, 0.0) == 0.5
for module in acl, belay_npu: assert module.__file__.startswith(sys.argv[1]), module
for line in open("/proc/self/maps"): assert "libopapi" not in line or sys.argv[1] in line, line'
    # With the command, with set_env.sh, with the folder alone and libraries found beside it, and as a client whose folder is built in.
    for verb in run check; do
        env -u PYTHONPATH -u LD_LIBRARY_PATH "$root/bin/belay" $verb "$python" -c "$check" "$root"
        PYTHONPATH=$work "$root/bin/belay" $verb "$python" -c "$check" "$root"
    done
    (. "$root/set_env.sh" && "$python" -c "$check" "$root")
    PYTHONPATH=$root/python/site-packages "$python" -c "$check" "$root"
    PYTHONPATH=$root/latest/python/site-packages ASCEND_HOME_PATH=$root/latest "$python" -c "$check" "$root"
    # As MindSpore asks before it makes a communicator.
    version=$("$root/bin/belay" run "$python" -c 'from hccl import sys_version as v; print("Version=" + v.__sys_version__)')
    grep -qx "$version" "$root/share/info/hccl/version.info"
    PYTHONPATH=$root/latest/python/site-packages "$python" - "$root/latest/aarch64-linux/lib64" <<'END'
import ctypes, os, sys, acl
libraries = [ctypes.CDLL(f"{sys.argv[1]}/{name}.so", os.RTLD_LOCAL)
             for name in ("libnnopbase", "libopapi", "libaclnn_ops_infer", "libaclnn_math", "libplatform", "libascendcl")]
device = ctypes.c_int32(-1)
assert acl.rt.set_device(0) == 0 and libraries[-1].aclrtGetDevice(ctypes.byref(device)) == 0 and device.value == 0
END
    ;;
shells)
    "$cc" "$here/program.c" -I"$root/include" -L"$root/lib64" -lascendcl -lnnopbase -lopapi -o user
    ln -s elsewhere/toolkit latest
    count=0
    for shell in bash dash zsh ksh mksh "busybox sh" sh; do
        command -v "${shell%% *}" >/dev/null || continue
        for file in "$root/set_env.sh" "$root/latest/set_env.sh" "$work/latest/set_env.sh" ./elsewhere/toolkit/set_env.sh; do
            # Twice, as profiles do, with nothing set before and with unset variables being errors.
            # shellcheck disable=SC2016,SC2086 # the inner shell expands; its name may be two words
            env -i PATH=/usr/bin:/bin $shell -euc '. "$1"; . "$1"; ./user
                echo "$ASCEND_HOME_PATH $ASCEND_TOOLKIT_HOME $ASCEND_OPP_PATH $LD_LIBRARY_PATH"
                command -v belay; belay info >/dev/null' "$shell" "$file" >output
            expected="$root $root $root/opp $root/latest/lib64:$root/lib64"
            grep -qxF "$expected" output && grep -qxF "$root/bin/belay" output || { echo "$shell, $file:"; cat output; exit 1; }
            count=$((count + 1))
        done
    done
    mkdir a:b
    cp -r "$root" a:b/toolkit
    for shell in bash dash zsh ksh mksh "busybox sh" sh; do
        command -v "${shell%% *}" >/dev/null || continue
        # says EXPECTED TEXT FILE: what the text, in this shell with FILE as $1, prints, standard error too.
        says() {
            # shellcheck disable=SC2086 # two words
            env -i PATH=/usr/bin:/bin $shell -uc "$2" "$shell" "$3" >output 2>&1 || echo "status $?" >>output
            case $(cat output) in
            $1) ;;
            *) echo "$shell, $3, $2:"; cat output; exit 1 ;;
            esac
        }
        # shellcheck disable=SC2016 # the inner shell expands
        for file in "$root/set_env.sh" "$root/latest/set_env.sh"; do
            says "$root" '( . "$1"; echo "$ASCEND_HOME_PATH" )' "$file"
            says "$root" 'found=$(. "$1" && echo "$ASCEND_HOME_PATH"); echo "$found"' "$file"
            says "$root" '. "$1" && echo "$ASCEND_HOME_PATH" | cat' "$file"
            says "" '. "$1" | cat' "$file"
            says "$root $root/bin:$root/tools/profiler/bin" 'PATH=; . "$1"; echo "$ASCEND_HOME_PATH $PATH"' "$file"
        done
        # Nothing is set where that would not help, and it is said.
        # shellcheck disable=SC2016
        says "*has a colon*status 1" '. "$1"; echo "${ASCEND_HOME_PATH-}"; exit 1' "$work/a:b/toolkit/set_env.sh"
        # shellcheck disable=SC2086
        env -i PATH=/usr/bin:/bin $shell "$root/set_env.sh" >output 2>&1 && { echo "$shell: a program that changes nothing succeeds"; exit 1; }
        grep -q "source it: \. $root/set_env.sh" output || { echo "$shell:"; cat output; exit 1; }
    done
    # Under another name, and in a program that is called the same.
    bash "$root/bin/setenv.bash" 2>output && { echo "setenv.bash as a program succeeds"; exit 1; }
    grep -q "source it: " output || { cat output; exit 1; }
    # shellcheck disable=SC2016
    echo '. "$1"; echo "$ASCEND_HOME_PATH"' >set_env.sh
    for shell in bash sh; do
        [ "$($shell set_env.sh "$root/set_env.sh")" = "$root" ] || { echo "$shell takes another set_env.sh for its own"; exit 1; }
    done
    echo "$count environments are right"
    ;;
documents)
    cmake -DSOURCE="$root/share/doc/belay" -P "$source/tests/api/links.cmake"
    [ -s "$root/share/doc/belay/NOTICE" ] && [ -s "$root/share/doc/belay/LICENSE" ]
    # Licences of what is built in go with it, line by line.
    for licence in "$source"/third_party/*/LICENSE; do
        for text in "$root/share/doc/belay/NOTICE" "$source/debian/copyright"; do
            missing=$(sed -n '/^Permission/,$p' "$licence" | grep -vxFf <(sed 's/^ *//' "$text") || true)
            [ -z "$missing" ] || { printf '%s does not have of %s:\n%s\n' "$text" "$licence" "$missing"; exit 1; }
            grep -qF "$(sed -n 's/^Copyright (c) //p' "$licence")" "$text"
        done
    done
    # man looks beside the folders of PATH.
    if command -v man >/dev/null; then
        [ "$(env -u MANPATH PATH="$root/bin:$PATH" man -w belay-run)" = "$root/share/man/man1/belay-run.1" ]
    fi
    ;;
layouts)
    for prefix in / /usr /usr/local/; do
        if DESTDIR=$work/refused cmake --install "$build" --prefix $prefix >log 2>&1; then
            echo "a toolkit root went to $prefix"
            exit 1
        fi
        grep -q "BELAY_LAYOUT=fhs" log || { cat log; exit 1; }
        [ ! -e refused ] || { echo "something was installed to $prefix"; exit 1; }
    done

    # The other layout, of the same libraries.
    mkdir fhs
    ln -s "$build/lib64" "$build/bin" "$build/share" "$build/tools" fhs
    cmake -S "$source" -B fhs -DBELAY_LAYOUT=fhs -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/of-this-processor \
        -DCMAKE_C_COMPILER="$cc" >log 2>&1 || { cat log; exit 1; }
    DESTDIR=$work/staged cmake --install fhs >log 2>&1 || { cat log; exit 1; }
    mv staged/usr moved
    find moved ! -type d ! -path 'moved/lib/belay/toolkit/*' ! -path 'moved/share/doc/belay/*' \
        ! -path 'moved/share/man/man1/belay-*.1' | LC_ALL=C sort >found
    cmp found - <<'END'
moved/bin/belay
moved/bin/belay-npu
moved/lib/of-this-processor/cmake/Belay/BelayConfig.cmake
moved/lib/of-this-processor/cmake/Belay/BelayConfigVersion.cmake
moved/lib/of-this-processor/pkgconfig/belay.pc
moved/share/bash-completion/completions/belay
moved/share/bash-completion/completions/belay-npu
moved/share/man/man1/belay.1
moved/share/zsh/site-functions/_belay
END
    diff -r "$root/share/man" moved/share/man
    # Below lib/belay/toolkit there is what the toolkit layout has, but for what man, shells and CMake look for elsewhere
    # and for the documents.
    files() { (cd "$1" && find . ! -type d | grep -vE '^./share/(doc|cmake|man|bash-completion|zsh)/' | LC_ALL=C sort); }
    cmp <(files "$root") <(files moved/lib/belay/toolkit)
    if find moved -xtype l | grep . || grep -rIl -e "$work" -e "$build" moved --include='*.cmake' --include='*.pc'; then
        echo "these links lead nowhere, or these files name the folder of the build"
        exit 1
    fi
    [ -s moved/share/doc/belay/LICENSE ]
    for name in belay belay-npu; do
        "moved/bin/$name" prefix | grep -qx "$work/moved/lib/belay/toolkit"
        "$root/bin/$name" prefix | grep -qx "$root"
    done
    moved/bin/belay info | grep -q "^library.*$work/moved/lib/belay/toolkit/lib64/"
    export PKG_CONFIG_PATH=$work/moved/lib/of-this-processor/pkgconfig
    # shellcheck disable=SC2046 # the flags are several words
    "$cc" "$here/program.c" $(pkg-config --cflags --libs belay) -o user
    ./user
    cmake -S "$here/cmake" -B out -DBelay_DIR="$work/moved/lib/of-this-processor/cmake/Belay" -DCMAKE_C_COMPILER="$cc" >log 2>&1 ||
        { cat log; exit 1; }
    cmake --build out >log 2>&1 || { cat log; exit 1; }
    out/user
    # shellcheck disable=SC1091 # it is made above
    (. moved/lib/belay/toolkit/set_env.sh && [ "$ASCEND_HOME_PATH" = "$work/moved/lib/belay/toolkit" ] && out/user_by_path)
    ;;
*)
    echo "run.sh: $way is not a way"
    exit 2
    ;;
esac
