#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Compares the binary interface of the libraries that have functions of their own, with types and sizes, with that of
# the last release, which abi/VERSION keeps as abidw (Debian's abigail-tools) reads it from debug information, on x86-64.
# What is added is shown; the exit status is 1 when something was changed or taken away, which programs that exist would
# notice.
#
#   scripts/abi.sh            against the last release
#   scripts/abi.sh COMMIT     against a commit
#   scripts/abi.sh --keep     the same, and keeps this tree's as that of its version (docs/releasing.md); refused where
#                             programs would notice and the version is no major one, or, before 1.0, no minor one
#   scripts/abi.sh --kept     whether what is kept is this tree's, and its version's
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
for program in abidiff abidw xz; do
    command -v $program >/dev/null || { echo "abi.sh: $program is not installed (abigail-tools, xz-utils)" >&2 && exit 2; }
done
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/acl/__init__.py)
released=$(cd abi && ls)
libraries=(ascendcl nnopbase opapi hccl c_sec)
build=$PWD/build-abi
rm -rf "$build"
mkdir -p "$build"
# What the libraries share among themselves is no interface: they are released together.
printf '[suppress_function]\nsymbol_name_regexp = ^belay_\n[suppress_variable]\nsymbol_name_regexp = ^belay_\n' \
    >"$build/internal.suppr"

# describe SOURCE NAME: builds the tree and writes NAME/libraries.abi. No kernel is part of the interface, so one level's do,
# without debug information. gcc 12 ends in a segmentation fault where -O3 of a source meets what was precompiled at -O1.
describe() {
    local name
    mkdir -p "$build/$2"
    if ! { cmake -S "$1" -B "$build/$2.build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS='-g -O1' -DBELAY_WERROR=OFF \
        -DBELAY_TESTS=OFF -DBELAY_EXAMPLES=OFF -DBELAY_BASELINE_ALONE=ON -DBELAY_KERNEL_FLAGS=-g0 \
        -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON &&
        cmake --build "$build/$2.build" --target src/all; } >"$build/$2.log" 2>&1; then
        tail -n 30 "$build/$2.log"
        exit 2
    fi
    for name in "${libraries[@]}"; do
        [ -e "$build/$2.build/lib64/lib$name.so" ] || continue
        abidw --headers-dir "$1/include" --drop-private-types --suppressions "$build/internal.suppr" --no-show-locs \
            --no-corpus-path --no-comp-dir-path --no-elf-needed --out-file "$build/$2/$name.abi" \
            "$build/$2.build/lib64/lib$name.so" || exit 2
    done
}

case ${1-} in
--keep | --kept | "")
    old=${released:?abi.sh: there is no release to compare with}
    mkdir "$build/before"
    for file in abi/"$old"/*.abi.xz; do
        xz -dc "$file" >"$build/before/$(basename "$file" .xz)" || exit 2
    done
    ;;
-*)
    sed -n '5,15s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
*)
    old=$1
    mkdir "$build/old"
    git archive "$old" | tar -x -C "$build/old" || exit 2
    describe "$build/old" before
    ;;
esac
describe "$PWD" after
# What libopapi said of functions that it lacked (src/absent) has no parameters: what has become a function broke no program.
awk -F"'" '/<function-decl /{ name = $2; next } /<return / && name ~ /^aclnn/{ names = names "|" name } { name = "" }
    END { if (names) printf "[suppress_function]\nname_regexp = ^(%s)$\nchange_kind = function-subtype-change\n", substr(names, 2) }' \
    "$build/before/opapi.abi" >>"$build/internal.suppr"

# compared NAME OPTION...: abidiff of one library.
compared() {
    abidiff --suppressions "$build/internal.suppr" "${@:2}" "$build/before/$1.abi" "$build/after/$1.abi"
}
differs=0
breaks=0
for name in "${libraries[@]}"; do
    answer="the same"
    if [ ! -e "$build/before/$name.abi" ]; then
        differs=1
        answer="new"
    elif ! compared $name; then
        differs=1
        answer="something was added"
        # Its status does not tell another parameter of the same size from a new function.
        compared $name --no-added-syms >"$build/changed" || { breaks=1 && answer="something was changed or taken away"; }
    fi
    echo "lib$name.so against $old: $answer"
done

case ${1-} in
--keep)
    # major.minor before 1.0, major from then on: of one such series programs need not be built again.
    series() { sed -E 's/^(0\.[0-9]+|[1-9][0-9]*)\..*/\1/' <<<"$1"; }
    if [ $breaks -ne 0 ] && [ "$(series "$version")" = "$(series "$old")" ]; then
        echo "abi.sh: $version would break programs of $old; raise the $([[ $version = 0.* ]] && echo minor || echo major) version" >&2
        exit 1
    fi
    rm -rf abi
    mkdir -p "abi/$version"
    for name in "${libraries[@]}"; do
        xz -9e <"$build/after/$name.abi" >"abi/$version/$name.abi.xz"
    done
    ;;
--kept)
    if [ "$old" != "$version" ] || [ $differs -ne 0 ]; then
        echo "abi.sh: what abi/$old keeps is not the interface of $version: scripts/abi.sh --keep" >&2
        exit 1
    fi
    ;;
*) exit $breaks ;;
esac
