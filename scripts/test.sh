#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Installs what is missing, builds everything with gcc and with clang, and runs all tests: plain, at each
# instruction-set level, under each schedule of queued work, under the address and undefined behaviour sanitizers and
# under the thread sanitizer.
# The last line says how many tests passed and failed; the exit status is 0 when none failed.
#
#   scripts/test.sh            everything
#   scripts/test.sh gcc        only the named parts: format gcc clang address thread
#   scripts/test.sh tidy       clang-tidy over the sources, which takes minutes and is no part of everything
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
scripts/install-packages.sh || exit 1

jobs=$(nproc)
passed=0
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# Variables that steer the library or the loader would make the results depend on who runs this.
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done

heading() {
    printf '\n=== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

# count_step TITLE COMMAND...: one check that is a single command.
count_step() {
    local title=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $title"
    fi
}

# build PRESET: configures and builds build-PRESET; what fails to build counts as one failed test.
build() {
    heading "build: $1"
    if cmake --preset "$1" >"$logs/configure" 2>&1 && cmake --build --preset "$1" -j "$jobs" >"$logs/build" 2>&1; then
        tail -n 1 "$logs/build"
        passed=$((passed + 1))
        return 0
    fi
    tail -n 60 "$logs/configure" "$logs/build"
    failed=$((failed + 1))
    echo "FAILED: build $1"
    return 1
}

# tests TITLE PRESET [CTEST ARGUMENT...]: runs tests and adds their number to the totals.
tests() {
    local title=$1 preset=$2 summary
    shift 2
    heading "tests: $title"
    # One more than there are processors: some tests wait more than they work.
    ${wrapper:-} ctest --test-dir "build-$preset" -j "$((jobs + 1))" --output-on-failure --no-tests=error "$@" >"$logs/tests" 2>&1
    local status=$?
    summary=$(grep -E '^[0-9]+% tests passed' "$logs/tests")
    if [[ ! $summary =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
        cat "$logs/tests"
        failed=$((failed + 1))
        echo "FAILED: $title (status $status)"
        return
    fi
    local count_failed=${BASH_REMATCH[1]} count=${BASH_REMATCH[2]} skipped
    skipped=$(grep -cE '\*\*\*Skipped' "$logs/tests")
    passed=$((passed + count - count_failed - skipped))
    failed=$((failed + count_failed))
    if [ "$status" -ne 0 ]; then
        cat "$logs/tests"
    else
        sed -n '/% tests passed/,$p' "$logs/tests"
    fi
}

check_format() {
    # Another version of clang-format lays out some lines differently, so only the one in use is asked.
    local program=clang-format
    command -v clang-format-14 >/dev/null && program=clang-format-14
    if ! $program --version | grep -q ' 14\.'; then
        echo "not checked: the tree is formatted with clang-format 14, and this is $($program --version)"
        return 0
    fi
    git ls-files '*.c' '*.h' '*.cpp' | xargs -r $program --dry-run -Werror
}

check_tidy() {
    if ! command -v clang-tidy >/dev/null; then
        echo "clang-tidy is not installed" >&2
        return 1
    fi
    cmake --preset clang -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null &&
        git ls-files 'src/*.c' | xargs -P "$jobs" -n 1 clang-tidy -p build-clang --quiet 2>/dev/null
}

levels() {
    # The levels that this processor can run; BELAY_ISA refuses the others.
    case $(uname -m) in
    x86_64)
        echo baseline
        grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && grep -qw f16c /proc/cpuinfo && echo avx2
        ;;
    esac
}

# The samples once more, with the libraries in other folders: for those it does not matter who compiled them or when they
# compute. In the build's own folder the samples run each time.
toolkits='programs/(moved_install|other_toolkit)'

parts=${*:-format gcc clang address thread}
for part in $parts; do
    case $part in
    format)
        heading "format"
        count_step "clang-format" check_format
        ;;
    tidy)
        heading "tidy"
        count_step "clang-tidy" check_tidy
        ;;
    gcc)
        if build gcc; then
            # What fails of the system meets the same source under the address sanitizer, which sees leaks besides.
            tests "gcc" gcc -E '^faults/faults$'
            # The plain run used the highest level; the operators must give the same at each lower one. The tests of
            # numerics and of conversions go through all levels by themselves.
            for level in $(levels); do
                BELAY_ISA=$level tests "gcc, BELAY_ISA=$level" gcc -R '^(ops|simd)/' -E '^ops/convert_pairs'
            done
            # The plain run was eager; what the tests expect to the bit must not depend on when and where work runs.
            for schedule in lazy random:1; do
                BELAY_SCHEDULE=$schedule tests "gcc, BELAY_SCHEDULE=$schedule" gcc \
                    -R '^(runtime|tensor|ops|examples|programs)/' -E "^($toolkits|ops/convert_pairs)\$"
            done
        fi
        ;;
    clang)
        # What depends on the library's code alone, or needs an emulator, ran above. The preset leaves out planted faults
        # and AArch64.
        build clang && tests "clang" clang -E "^(faults/faults|$toolkits|numerics/(same_bits|prove_.*|references_agree|nehalem.*|haswell.*))\$"
        ;;
    address)
        if build address; then
            # The references call no kernel, header_alone only compiles, one number of threads besides the usual one is
            # enough to see how elements are shared out, and what kernels read, write and compute with is in the tests of
            # corners, positions and the same bits.
            same='^(numerics/(references_agree|prove|environment)|api/header_alone|ops/elementwise_[123])$'
            ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
                tests "address and undefined behaviour sanitizers" address -E "$same"
        fi
        ;;
    thread)
        if build thread; then
            # The runtime of older thread sanitizers cannot place its shadow under strong address randomisation.
            wrapper=
            setarch "$(uname -m)" -R true 2>/dev/null && wrapper="setarch $(uname -m) -R"
            # This build has one level's kernels, and no tests of numerics: a race on operands shows in the ranges that
            # threads are given, which are those of every level. What runs one thread at a time cannot race.
            alone='^(check/command|tools/command|ops/convert(_pairs)?|fuzz/(configuration|environment)|api/header_alone)$'
            alone+='|^ops/elementwise_[123]$' # 8 threads and the usual number stay
            # A process that ends waits a second for races by default, which is most of the time of most tests here.
            TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=50 tests "thread sanitizer" thread -E "$alone"
            wrapper=
        fi
        ;;
    *)
        echo "test.sh: $part is not a part; format, gcc, clang, address, thread and tidy are" >&2
        exit 2
        ;;
    esac
done

heading "all"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
