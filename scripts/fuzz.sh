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
#   FUZZ_JOBS=2 scripts/fuzz.sh ...           two processes at a time for each target
#   BELAY_SCHEDULE=lazy scripts/fuzz.sh ...   in another order of work
#
# The processor time that a target has had on this machine, from run to run, is kept in build-fuzz/found/*/spent.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-20}
shift $(($# > 0))
targets=${*:-api configuration environment}

cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DBELAY_TESTS=ON \
    -DBELAY_FUZZ=ON -DBELAY_SANITIZE=address,undefined,fuzzer-no-link >/dev/null || exit 1
TIMEFORMAT='%U %S'
status=0
for target in $targets; do
    cmake --build build-fuzz --target "fuzz_$target" "fuzz_${target}_engine" >build-fuzz/log 2>&1 ||
        { tail -n 40 build-fuzz/log && exit 1; }
    found=build-fuzz/found/$target
    mkdir -p "$found/corpus" "$found/faults"
    # A process of its own for every few thousand inputs, so that a crash or a hang ends one input only.
    { time ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 nice -n 19 "build-fuzz/bin/fuzz_${target}_engine" \
        -fork="${FUZZ_JOBS:-1}" -timeout=30 -rss_limit_mb=6000 -max_len=1500 -len_control=0 -max_total_time="$seconds" \
        -artifact_prefix="$found/faults/" "$found/corpus" "tests/fuzz/corpus/$target" >"$found/log" 2>&1; } 2>"$found/time"
    ended=$?
    used=$(awk '{ print int($1 + $2) }' "$found/time")
    spent=$(($(cat "$found/spent" 2>/dev/null || echo 0) + used))
    echo "$spent" >"$found/spent"
    if [ $ended -ne 0 ]; then
        status=1
        grep -vE '^#|NEW_FUNC|^INFO' "$found/log" | tail -n 60
    fi
    printf '%s: status %d; %d s of processor time, %d in all; %s\n' "$target" $ended "$used" "$spent" \
        "$(grep -E '^#[0-9]+: cov' "$found/log" | tail -n 1)"
done
exit $status
