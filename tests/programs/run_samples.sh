#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# run_samples.sh WAY DOCUMENTS SOURCE BUILD CXX CC
# Takes the sample program out of each document, compiles it as it is, runs it and compares what it prints with
# the documented values. WAY: build_tree, against the build tree; moved_install, against an installed tree that
# was moved to another folder; other_toolkit, linked against another toolkit, run by `belay run`.
set -euo pipefail
way=$1 documents=$2 source=$3 build=$4 cxx=$5 cc=$6

if [ ! -d "$documents" ]; then
    echo "skipped: there is no folder $documents"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The program of a document begins with its first #include and ends with the fence or the document.
take_program() {
    awk '/^#include <iostream>/ {on = 1} /^```/ {on = 0} on' "$documents/$1" >"$2.cpp"
    [ -s "$2.cpp" ] || { echo "no program in $1"; exit 1; }
}
take_program 000_63b8989ee5e9fd03.txt hardswish
take_program 001_477cdada1b26c8f3.txt hardswish_older
take_program 002_8f299996aac2b357.decoded.txt silu
take_program 003_275d2fbc1b2db0d4.txt smooth_l1
take_program 004_04824549464a80c7.txt leaky_relu

hardswish="0.000000 0.833333 2.333333 4.500000 4.000000 5.000000 6.000000 7.000000"
declare -A expected=(
    [hardswish]=$hardswish
    [hardswish_older]=$hardswish
    [silu]="0.927671 1.090784 1.088104 1.052665 1.026547 1.012326"
    [smooth_l1]="-1.000000 0.000000 1.000000 1.000000 1.000000 1.000000 1.000000 1.000000"
    [leaky_relu]="2.000000 3.000000 4.000000 5.000000"
)

checked=0
# check NAME COMMAND...: the command prints "result[0] is: ...", "result[1] is: ..." with the expected values.
check() {
    local name=$1 lines values
    shift
    if ! "$@" >output 2>&1; then
        echo "$name: $* failed:"
        cat output
        exit 1
    fi
    lines=$(sed -n 's/^\(out \)\{0,1\}result\[\([0-9]*\)\] is: \(.*\)$/\2 \3/p' output)
    values=$(awk '$1 != NR - 1 {print "index", $1} {print $2}' <<<"$lines" | paste -sd ' ')
    if [ "$values" != "${expected[$name]}" ] || [ "$(wc -l <output)" -ne "$(wc -l <<<"$lines")" ]; then
        echo "$name: $* prints"
        cat output
        echo "and not ${expected[$name]}"
        exit 1
    fi
    checked=$((checked + 1))
}

link_lines=("-lascendcl -lnnopbase -lopapi" "-lopapi_nn -lopapi_math -lascendcl -lnnopbase" "-lopapi_nn -lopapi_math -lacl_rt -lnnopbase")

# compile_and_check INCLUDE LIBRARIES COMMAND...: every program with every link line.
compile_and_check() {
    local include=$1 libraries=$2 name link
    shift 2
    for name in "${!expected[@]}"; do
        "$cxx" -std=c++11 -c "$name.cpp" -I"$include" -I"$include/aclnnop" -o "$name.o"
        for link in "${link_lines[@]}"; do
            # shellcheck disable=SC2086 # the link line is several words
            "$cxx" "$name.o" -L"$libraries" $link -o "$name"
            check "$name" "$@" "./$name"
        done
    done
}

case $way in
build_tree)
    compile_and_check "$source/include" "$build/lib64" env LD_LIBRARY_PATH="$build/lib64"
    ;;
moved_install)
    cmake --install "$build" --prefix "$work/first" >/dev/null
    mv first "second place"
    compile_and_check "$work/second place/include" "$work/second place/lib64" \
        bash -c '. "$0/second place/set_env.sh" && exec "$@"' "$work"
    ;;
other_toolkit)
    # Another toolkit: libraries with the same names whose functions all fail. A program that gets hold of one of
    # them ends with an error, so that right values show that none was used.
    mkdir -p other/lib64 absolute
    for name in ascendcl nnopbase opapi; do
        nm -D --defined-only "$build/lib64/lib$name.so" |
            awk '$2 == "T" && $3 ~ /^[aA]cl/ {print "int " $3 "(void) { return 987654; }"}' >other.c
        "$cc" -w -shared -fPIC other.c -Wl,-soname,lib$name.so -o other/lib64/lib$name.so
        # Without a soname the program records the path that it was linked with.
        "$cc" -w -shared -fPIC other.c -o absolute/lib$name.so
    done
    libraries="-lascendcl -lnnopbase -lopapi"
    for name in "${!expected[@]}"; do
        "$cxx" -std=c++11 -c "$name.cpp" -I"$source/include" -o "$name.o"
        # shellcheck disable=SC2086 # the link line is several words
        for form in "-Lother/lib64 $libraries" \
            "-Lother/lib64 $libraries -Wl,--enable-new-dtags,-rpath,$work/other/lib64" \
            "-Lother/lib64 $libraries -Wl,--disable-new-dtags,-rpath,$work/other/lib64" \
            "$work/absolute/libascendcl.so $work/absolute/libnnopbase.so $work/absolute/libopapi.so"; do
            "$cxx" "$name.o" $form -o "$name"
            if LD_LIBRARY_PATH=$work/other/lib64 "./$name" >output 2>&1 && ! grep -q 987654 output; then
                echo "$name does not notice the other toolkit, so this test would prove nothing"
                exit 1
            fi
            check "$name" "$build/bin/belay" run "./$name"
            check "$name" env LD_LIBRARY_PATH="$work/other/lib64" "$build/bin/belay" run "./$name"
            check "$name" "$build/bin/belay" run --preload "./$name"
        done
    done
    ;;
*)
    echo "run_samples.sh: $way is not a way"
    exit 2
    ;;
esac
echo "$checked runs printed the documented values"
