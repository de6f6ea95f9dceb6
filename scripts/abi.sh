#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Compares the binary interface of the three libraries with that of the last release (the newest tag v*), or of
# the commit that is named: functions, types and sizes, by abidiff (Debian's abigail-tools) from debug information.
# What is added is shown; the exit status is 1 when something was changed or taken away, which programs that exist
# would notice.
#
#   scripts/abi.sh            against the last release
#   scripts/abi.sh COMMIT     against a commit
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
command -v abidiff >/dev/null || { echo "abi.sh: abidiff is not installed (abigail-tools)" >&2 && exit 2; }
old=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)}
if [ -z "$old" ]; then
    echo "There is no release yet to compare with."
    exit 0
fi
build=$PWD/build-abi
rm -rf "$build"
mkdir -p "$build/old"
git archive "$old" | tar -x -C "$build/old" || exit 2

# libraries SOURCE BUILD
libraries() {
    cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-g \
        -DBELAY_TESTS=OFF -DBELAY_EXAMPLES=OFF >"$2.log" 2>&1 &&
        cmake --build "$2" --target ascendcl nnopbase opapi >>"$2.log" 2>&1 && return 0
    tail -n 30 "$2.log"
    exit 2
}
libraries "$build/old" "$build/before"
libraries "$PWD" "$build/after"

# What the libraries share among themselves is no interface: they are released together.
printf '[suppress_function]\nsymbol_name_regexp = ^belay_\n[suppress_variable]\nsymbol_name_regexp = ^belay_\n' \
    >"$build/internal.suppr"
status=0
for name in ascendcl nnopbase opapi; do
    abidiff --headers-dir1 "$build/old/include" --headers-dir2 include --drop-private-types \
        --suppressions "$build/internal.suppr" \
        "$build/before/lib64/lib$name.so" "$build/after/lib64/lib$name.so"
    # Bits: 1 and 2 the program failed, 4 something changed, 8 incompatibly.
    found=$?
    if [ $((found & 8)) -ne 0 ] || [ $((found & 3)) -ne 0 ]; then
        status=1
    fi
    echo "lib$name.so against $old: $([ $found -eq 0 ] && echo 'the same' || echo "abidiff's status $found")"
done
exit $status
