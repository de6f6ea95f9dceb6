#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Builds the fuzz targets with clang's libFuzzer under the address, leak and undefined behaviour sanitizers and
# runs each for some time, from its corpus in tests/fuzz/corpus and what earlier runs found in build-fuzz. A
# finding ends the run; the input that shows it is named, and fuzz_<target> FILE repeats it.
#
#   scripts/fuzz.sh                  20 seconds for each target
#   scripts/fuzz.sh 600              as many seconds for each
#   scripts/fuzz.sh 600 api          only the named targets: api configuration environment
#   BELAY_SCHEDULE=lazy scripts/fuzz.sh ...   in another order of work
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-20}
shift $(($# > 0))
targets=${*:-api configuration environment}

cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DBELAY_EXAMPLES=OFF \
    -DBELAY_FUZZ=ON -DBELAY_SANITIZE=address,undefined,fuzzer-no-link >/dev/null || exit 1
status=0
for target in $targets; do
    cmake --build build-fuzz --target "fuzz_$target" "fuzz_${target}_engine" >build-fuzz/log 2>&1 ||
        { tail -n 40 build-fuzz/log && exit 1; }
    found=build-fuzz/found/$target
    mkdir -p "$found/corpus" "$found/faults"
    # A process of its own for every few thousand inputs, so that a crash or a hang ends one input only.
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 nice -n 19 "build-fuzz/bin/fuzz_${target}_engine" \
        -fork=1 -timeout=30 -rss_limit_mb=6000 -max_len=1500 -len_control=0 -max_total_time="$seconds" \
        -artifact_prefix="$found/faults/" "$found/corpus" "tests/fuzz/corpus/$target" >"$found/log" 2>&1
    ended=$?
    if [ $ended -ne 0 ]; then
        status=1
        grep -vE '^#|NEW_FUNC|^INFO' "$found/log" | tail -n 60
    fi
    printf '%s: status %d; %s\n' "$target" $ended "$(grep -E '^#[0-9]+: cov' "$found/log" | tail -n 1)"
done
exit $status
