#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Installs what is missing, builds with gcc, and with clang for the sanitizers, and runs the tests: plain, at the levels of
# instructions that the processor has, with several numbers of threads and orders of queued work, under the address and
# undefined behaviour sanitizers and under the thread sanitizer. The last lines say what each step took, and how many tests
# passed and failed; the exit status is 0 when none failed.
#
#   scripts/test.sh            everything
#   scripts/test.sh gcc        only the named parts: format gcc address thread
# What takes long and rarely finds anything is no part of everything:
#   scripts/test.sh long       more than twenty times as many random cases, all pairs of 16 bits, other processors in an
#                              emulator, the kernels as they are released, planted faults in copies of some,
#                              clang's kernels, each order of work with all of the tests, all levels under the address
#                              sanitizer, and under both sanitizers what everything leaves out there
#   scripts/test.sh tidy       clang-tidy over the sources
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
passed=0
failed=0
logs=$(mktemp -d)
ahead= # the process group that compiles ahead; nothing: there is none
trap '[ -z "$ahead" ] || kill -- -"$ahead" 2>/dev/null; rm -rf "$logs"' EXIT
# Variables that steer the library or the loader would make the results depend on who runs this.
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_|HCCL_|MASTER_)') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done

# What each step took: by the clock, and of the processors' time, which does not depend on who else works on the machine.
steps=()
step=
# processor_time VARIABLE: the seconds that all children so far have worked, in hundredths.
processor_time() {
    times >"$logs/times"
    local hundredths
    hundredths=$(sed -n 2p "$logs/times" | tr 'ms' '  ' | awk '{ printf "%.0f", 100 * ($1 * 60 + $2 + $3 * 60 + $4) }')
    printf -v "$1" %s "$hundredths"
}
# end_step, and heading TITLE: a step ends, the next one begins.
end_step() {
    local worked
    processor_time worked
    [ -z "$step" ] || steps+=("$(printf '%5d s %6d s  %s' $((SECONDS - began)) $(((worked - worked_before + 50) / 100)) "$step")")
    step=
}
heading() {
    end_step
    step=$1
    began=$SECONDS
    processor_time worked_before
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

# programs FOLDER PATTERN [EXCEPT]: the programs of a configured build that tests of such names run.
programs() {
    find "$1" -name CTestTestfile.cmake -exec sed -nE 's/^add_test\(\[=\[(.*)\]=\] (.*)\)$/\1 \2/p' {} + |
        awk -v pattern="$2" -v except="${3:-^\$}" '$1 ~ pattern && $1 !~ except' |
        grep -oE "$1/bin/[^\"; )]+" | sed "s|^$1/||" | sort -u
}

# compile PRESET [PATTERN [EXCEPT]]: configures, with $options, and builds build-PRESET, all of it or what tests of such names
# run; what it says lies in $logs/PRESET.
options=()
compile() {
    local targets=()
    cmake --preset "$1" "${options[@]}" >"$logs/$1" 2>&1 &&
        { [ $# -eq 1 ] || mapfile -t targets < <(echo src/all && programs "$PWD/build-$1" "${@:2}"); } &&
        cmake --build --preset "$1" -j "$jobs" ${targets:+--target "${targets[@]}"} >>"$logs/$1" 2>&1
}

# build PRESET [PATTERN [EXCEPT]]: compiles what has not been compiled ahead; what fails counts as one failed test.
build() {
    heading "build: $1"
    [ -z "$ahead" ] || wait "$ahead"
    ahead=
    if compile "$@"; then
        tail -n 1 "$logs/$1"
        passed=$((passed + 1))
        return 0
    fi
    tail -n 60 "$logs/$1"
    failed=$((failed + 1))
    echo "FAILED: build $1"
    return 1
}

# compile_ahead: while a build's tests run, which wait for ranks and for their last program, the build of the part after it
# begins, with what of the processors nobody else wants. It is a process group of its own, which ends with this script.
compile_ahead() {
    local next=${parts##*"$part"} what=()
    next=${next# }
    next=${next%% *}
    case $next in
    address) what=(. "$numbers|$again)\$") ;;
    thread) what=("$racing" "$alone") ;;
    *) return ;; # its build is not one of those, or there is none
    esac
    set -m
    (
        renice -n 19 "$BASHPID" >/dev/null
        compile "$next" "${what[@]}"
    ) &
    ahead=$!
    set +m
}

# tests TITLE PRESET [CTEST ARGUMENT...]: runs tests and adds their number to the totals.
tests() {
    local title=$1 preset=$2 summary
    shift 2
    heading "tests: $title"
    # Two more than there are processors: tests of ranks wait for tens of seconds and work for less than one.
    ${wrapper:-} ctest --test-dir "build-$preset" -j "$((jobs + 2))" --output-on-failure --no-tests=error "$@" >"$logs/tests" 2>&1
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

# sanitized TITLE PRESET [CTEST ARGUMENT...]: tests of a build with the address and undefined behaviour sanitizers.
sanitized() {
    TEST_EFFORT=${effort:-0.06} ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
        BELAY_THREADS=8 tests "$@"
}

# raced PATTERN EXCEPT: the build with the thread sanitizer, and tests of it.
raced() {
    build thread "$@" || return
    # The runtime of older thread sanitizers cannot place its shadow under strong address randomisation.
    wrapper=
    setarch "$(uname -m)" -R true 2>/dev/null && wrapper="setarch $(uname -m) -R"
    # A process that ends waits a second for races by default, which is most of the time of most tests here.
    TEST_EFFORT=${effort:-0.1} BELAY_THREADS=3 \
        TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=50:suppressions=$PWD/tests/hccl/thread_sanitizer.txt \
        tests "thread sanitizer" thread -R "$1" -E "$2"
    wrapper=
}

# That clang's kernels compute the same at each level; all else the sanitizers' builds, which are clang's, see and try.
same_with_clang() {
    local same='^numerics/(proved_digests|proved_digests_mixed|levels_agree)$'
    build clang "$same" && tests "clang" clang -R "$same"
}

check_format() {
    # Another version of clang-format lays out some lines differently, so only the one in use is asked.
    local program=clang-format
    command -v clang-format-14 >/dev/null && program=clang-format-14
    if ! $program --version | grep -q ' 14\.'; then
        echo "not checked: the tree is formatted with clang-format 14, and this is $($program --version)"
        return 0
    fi
    git ls-files '*.c' '*.h' '*.cpp' ':!third_party' | xargs -r -P "$jobs" -n 100 $program --dry-run -Werror
}

check_tidy() {
    if ! command -v clang-tidy >/dev/null; then
        echo "clang-tidy is not installed" >&2
        return 1
    fi
    cmake --preset clang -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null &&
        git ls-files 'src/*.c' | xargs -P "$jobs" -n 1 clang-tidy -p build-clang --quiet 2>/dev/null
}

# has FEATURE...: the processor has each.
has() {
    local feature
    for feature; do
        grep -qw "$feature" /proc/cpuinfo || return 1
    done
}

# What depends on levels, threads and the order of work, but for what goes through all levels by itself, and for layouts
# and overlaps, which compare a call with itself and which the address sanitizer's build tries on the lowest level.
changing='^(runtime|tensor|ops|examples|programs|clients)/'
alike='^(ops/(convert_pairs|contraction|layouts|overlapping|special_.*)|programs/(build_tree|moved_install|other_toolkit)'
# And what several processes or an interpreter take most of the time of.
alike+='|runtime/(ipc_memory|log_places)|clients/(expandable_segments|memory)|examples/(activations|training_loop_python))$'
# Of operators what more than one thread works for most.
sharing='elementwise|moving|move|index_.*|reduce|amax|rows|contraction|product|composite|foreach|random|sorting|window|repeat'
# Of collectives what takes a few seconds; the others move more data in the same ways.
collectives='errors|lifetime|making|mesh_impostor|mesh_loss|order|point_to_point|rank_table'
# What runs more than one thread, and what of it does not: values, texts and single objects.
racing="^((runtime|tensor|programs|clients)/|kernel/blocks|fuzz/race|(ops/($sharing)|hccl/($collectives))\$)"
alone='^(runtime/(capability|cgroup|compile_option|configuration|data_buffer|data_type_size|float16|json|late_open|local_time|memory_info|processor|product|system_parameter|tensor_desc|unlisted.*|version)|tensor/(array|copies|list|scalar|tensor|view)|clients/(expandable_segments|memory))$'
# What the address sanitizer leaves out: what kernels compute is judged without, and so are sources, headers and the names
# that libraries export, which it does not change.
numbers='^(numerics/(references_agree|prove|environment|same_bits|proved_digests.*|unary|corners|arithmetic|pairs|levels_agree)|ops/(special_.*|convert_pairs)|api/(header_alone|places|exports_.*|layers.*|names|pages|links|hardening|macros|maths_table|planted_faults|bridge|(operators|kinds)_document|operator_signatures|prototypes|values|status_codes)'
# And programs that call the same parts of the library once more: those of other products differ by tables of dtypes.
again='clients/(expandable_segments|memory)|check/(collectives|left_behind)|tools/(trace|msprof)|ops/(check|check_message|recorded|scalar_sums)_.*'

heading "packages"
scripts/install-packages.sh || exit 1
[[ " $* " != *" long "* ]] || scripts/install-packages.sh scripts/packages-long.txt || exit 1

parts=${*:-format gcc address thread}
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
        # Kernels are optimised less, for a third of the compiler's time: what they compute does not depend on it, and tests,
        # whose tensors are small, take as long. The long run builds them as they are released.
        options=("-DBELAY_KERNEL_FLAGS=-O1;-fno-tree-loop-optimize;-fno-tree-dominator-opts;-fira-region=one")
        # Those that no test here can run are left out; api/avx512_syntax reads what they have of their own.
        has avx512f avx512bw avx512dq avx512vl || options+=(-DBELAY_AVX512=OFF)
        build gcc
        built=$?
        options=()
        if [ "$built" -eq 0 ]; then
            compile_ahead
            # At once, on the highest level, with as many threads as there are processors.
            TEST_EFFORT=0.2 tests "gcc" gcc -LE '^long$' -E '^check/guarded_'
            # The rest takes a part of what this one drew at random.
            export TEST_EFFORT=0.1
            tests "gcc, memory with closed pages around it" gcc -R '^check/guarded_'
            # Each level, number of threads and order at least once, not each beside each: a result has one reference.
            # The tables of calls, whose tensors are small, have the address sanitizer's build for the lowest level.
            BELAY_ISA=baseline BELAY_THREADS=1 BELAY_SCHEDULE=lazy \
                tests "gcc, lowest level, one thread, lazy" gcc -R "$changing" -E "$alike" -LE '^(long|table)$'
            # This one is about threads and order.
            level=baseline
            has avx2 fma f16c && level=avx2
            BELAY_ISA=$level BELAY_THREADS=3 BELAY_SCHEDULE=random:1 \
                tests "gcc, $level, three threads, random order" gcc -R "^(runtime|tensor|programs)/|^ops/($sharing)\$" \
                -E "$alike" -LE '^(long|table)$'
            unset TEST_EFFORT
        fi
        ;;
    address)
        # Programs' calls and the positions of kernels' memory.
        if build address . "$numbers|$again)\$"; then
            compile_ahead
            sanitized "address and undefined behaviour sanitizers, eight threads" address -LE '^long$' -E "$numbers|$again)\$"
        fi
        ;;
    thread)
        # Of a build with one level's kernels what runs more than one thread; the tables of calls take small tensors.
        raced "$racing" "$alone"
        ;;
    clang)
        same_with_clang
        ;;
    long)
        if build gcc; then
            TEST_EFFORT=8 tests "long" gcc
            TEST_EFFORT=0.5 BELAY_ISA=baseline BELAY_THREADS=1 BELAY_SCHEDULE=lazy \
                tests "gcc, lowest level, one thread, lazy" gcc -R "$changing" -LE '^long$'
            level=baseline
            has avx2 fma f16c && level=avx2
            TEST_EFFORT=0.5 BELAY_ISA=$level BELAY_THREADS=3 BELAY_SCHEDULE=random:1 \
                tests "gcc, $level, three threads, random order" gcc -R "$changing" -LE '^long$'
        fi
        same_with_clang
        effort=0.2
        build address-levels && sanitized "all levels under the address sanitizer" address-levels -LE '^long$' -E "$numbers)\$"
        raced "$racing" '^$'
        effort=
        ;;
    *)
        echo "test.sh: $part is not a part; format, gcc, clang, address, thread, long and tidy are" >&2
        exit 2
        ;;
    esac
done

heading "all"
printf '%7s %8s\n' clock worked
printf '%s\n' "${steps[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
