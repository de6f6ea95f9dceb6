#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The long rows of docs/reliability.md, which take from minutes to hours; each ends with a line that gives its
# figure. The exit status is 1 when one of them failed.
#
#   scripts/soak.sh                  all rows
#   scripts/soak.sh soak large       only the named ones, of
#     soak       mixed work on 16 streams for 30 minutes (SOAK_SECONDS=1800)
#     large      tensors of more than 2^31 elements: 9 GiB of memory
#     helgrind   lock order and the use of locks, conditions and threads, with valgrind
#     memcheck   the suite of the runtime, the tensors and the operators' rules under valgrind
#     coverage   branch coverage of everything but the kernels (scripts/coverage.sh)
#     mutants    small faults in everything but the kernels, which tests must notice (MUTANTS=500; scripts/mutants.py)
#     abi        the binary interface against the last release (scripts/abi.sh)
#     fuzz       the fuzz targets under sanitizers (FUZZ_SECONDS=9600 for each of three)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
rows=${*:-soak large helgrind memcheck coverage mutants abi fuzz}
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done
failed=0
mkdir -p build-soak

# build TARGET...: in build-soak, as releases are built, with lines for the reports of scripts/memcheck.py.
build() {
    if ! { cmake -S . -B build-soak -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-g1 -DBELAY_TESTS=ON &&
        cmake --build build-soak --target "$@"; } >build-soak.log 2>&1; then
        tail -n 40 build-soak.log
        return 1
    fi
    rm -f build-soak.log
}

# row NAME STATUS FIGURE
row() {
    printf '%-9s %s  %s\n' "$1" "$([ "$2" -eq 0 ] && echo passed || echo FAILED)" "$3"
    [ "$2" -eq 0 ] || failed=1
}

need_valgrind() {
    command -v valgrind >/dev/null && return 0
    echo "valgrind is not installed" >&2
    return 1
}

for name in $rows; do
    case $name in
    soak)
        build soak && build-soak/bin/soak "${SOAK_SECONDS:-1800}" | tee build-soak/soak.log
        row soak $? "$(grep turns build-soak/soak.log)"
        ;;
    large)
        build large && build-soak/bin/large >build-soak/large.log
        row large $? "$(grep '^[0-9]* elements' build-soak/large.log)"
        ;;
    helgrind)
        # It takes C11 atomics for plain accesses, so its races are no races; those are the thread sanitizer's.
        need_valgrind && build test_programs_streams_and_threads &&
            valgrind --tool=helgrind --error-limit=no build-soak/bin/test_programs_streams_and_threads \
                >build-soak/helgrind.log 2>&1
        status=$?
        found=$(grep -cE '^==[0-9]+== (Thread #[0-9]+: |Exiting thread)' build-soak/helgrind.log)
        row helgrind $((status + found)) "$found reports about locks, conditions and threads"
        ;;
    memcheck)
        need_valgrind && build src/all tests/{runtime,tensor,ops}/all &&
            scripts/memcheck.py build-soak '^(runtime|tensor|ops)/' >build-soak/memcheck.log
        row memcheck $? "$(tail -n 1 build-soak/memcheck.log)"
        ;;
    coverage)
        scripts/coverage.sh >build-soak/coverage.txt
        row coverage $? "$(grep TOTAL build-soak/coverage.txt)"
        ;;
    mutants)
        scripts/mutants.py --count "${MUTANTS:-500}" >build-soak/mutants.txt
        row mutants $? "$(tail -n 1 build-soak/mutants.txt)"
        ;;
    abi)
        scripts/abi.sh >build-soak/abi.log
        row abi $? "$(tail -n 1 build-soak/abi.log)"
        ;;
    fuzz)
        scripts/fuzz.sh "${FUZZ_SECONDS:-9600}"
        row fuzz $? "${FUZZ_SECONDS:-9600} s for each target"
        ;;
    *)
        echo "soak.sh: $name is no row" >&2
        exit 2
        ;;
    esac
done
exit $failed
