#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Branch coverage of everything but the kernels by the normal suite, with clang's instrumentation: a line for
# each file, the least covered last, and the sum. The exit status is 1 when the sum is below 95 %.
#
#   scripts/coverage.sh                             the table
#   scripts/coverage.sh runtime/streams/event.c     the branches of a file that no test took, one a line
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=build-coverage

# Kernels, compiled for each level and proved by tests/numerics, are none of this, nor is what others wrote.
others='(tests|bench|examples|simd|include|third_party)/|/(convert|linear|strided)\.c'

report() {
    # The libraries, and programs that link parts of them.
    local command=$1 objects=($build/lib64/libascendcl.so)
    shift
    for file in $build/lib64/lib{nnopbase,opapi}.so $build/bin/test_* $build/bin/belay; do
        [[ $file == */test_numerics_* ]] || objects+=(-object "$file")
    done
    llvm-cov "$command" -instr-profile $build/all.profdata "${objects[@]}" "$@" 2>/dev/null
}

if [ $# -gt 0 ] && [ -e $build/all.profdata ]; then
    # "Branch (LINE:COLUMN): [True: COUNT, False: COUNT]"; a branch counts in the copy that was taken most.
    for file; do
        report show -show-branches=count "$PWD/src/$file" |
            sed -nE 's/.*Branch \(([0-9]+):([0-9]+)\): \[True: ([^,]+), False: ([^]]+)\].*/\1 \2 \3 \4/p' |
            awk '{ key = $1 ":" $2; if ($3 != "0") yes[key] = 1; if ($4 != "0") no[key] = 1; all[key] = $1 }
                 END { for (key in all) { if (!yes[key]) print all[key], key, "never true"; if (!no[key]) print all[key], key, "never false" } }' |
            sort -n | while read -r line key what; do
            printf '%s:%s: %s: %s\n' "$file" "$key" "$what" "$(sed -n "${line}s/^ *//p" "src/$file")"
        done
    done
    exit
fi

# All but the proof of the kernels, which takes longer to compile than everything else.
targets=(src/all examples/all)
for folder in tests/*/CMakeLists.txt; do
    folder=${folder%/CMakeLists.txt}
    [ "$folder" = tests/numerics ] || targets+=("$folder/all")
done
# The counters are in shared memory (%c), so that children that never return to main count too; several processes and
# threads write them.
flags="-O1 -fprofile-update=atomic -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation -Wno-unused-command-line-argument"
kernel_flags="-fno-profile-instr-generate;-fno-coverage-mapping"
if ! { cmake -S . -B $build -G Ninja -DBELAY_TESTS=ON -DBELAY_EXAMPLES=ON \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DBELAY_KERNEL_FLAGS="$kernel_flags" && cmake --build $build --target "${targets[@]}"; } \
    >$build.log 2>&1; then
    tail -n 40 $build.log
    exit 1
fi
rm -rf $build.log $build/profiles
mkdir $build/profiles
# Without the proof of the kernels and what builds or reads the libraries from outside.
LLVM_PROFILE_FILE="$PWD/$build/profiles/%c%m.profraw" ctest --test-dir $build -j "$(nproc)" \
    -E '^(numerics|install|headers)/|api/(links|exports|hardening|header)|programs/(soak|build|moved|other)' \
    >$build/tests.log 2>&1 || { tail -n 30 $build/tests.log && exit 1; }
llvm-profdata merge -sparse $build/profiles/*.profraw -o $build/all.profdata || exit 1
report report -ignore-filename-regex="$others" |
    awk 'NF >= 12 { missed = $(NF - 1); share = $NF + 0; printf "%5d branches %4d missed %6.2f %%  %s\n", $(NF - 2), missed, share, $1
                    if ($1 == "TOTAL") sum = share }
         END { exit !(sum >= 95) }' | sort -k4 -n -r
exit "${PIPESTATUS[1]}"
