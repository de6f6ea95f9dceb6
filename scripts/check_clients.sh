#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Programs that are right have no reports: runs them under belay check with all checks on.
#
#   scripts/check_clients.sh BUILD [PART...]     parts: examples seeds fuzz torch (all of them)
#
# examples: those of examples/ in C, C++ and Python. seeds: the sample programs of the operators' documents, where their
# folder is (../shared/seeds, or BELAY_SAMPLES). fuzz: the programs of the fuzz target api's corpus, which compute each
# result themselves, so that a race or a byte that was never written would be a fault of theirs; they free what queued
# work uses on purpose (DC-008, DC-013). torch: PyTorch for Ascend, examples/pytorch and tests/clients/torch, by the
# interpreter that BELAY_CHECK_PYTHON names (that of scripts/clients.sh). BUILD is installed to a folder of its own.
#
# A program may do on purpose what is a report: its line `# reports: RULE FUNCTION, RULE FUNCTION; WHY` says which. One line
# for each program, and a count at the end; the exit status is 0 when all passed. BELAY_CLIENTS_PROGRAMS picks programs
# by a pattern (*).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
[[ $# -ge 1 && -x $1/bin/belay ]] || { sed -n '5,19s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(realpath "$1")
shift
parts=${*:-examples seeds fuzz torch}
samples=${BELAY_SAMPLES-$PWD/../shared/seeds}
torch=${BELAY_CHECK_PYTHON-${BELAY_CLIENTS-$HOME/.cache/belay-clients}/torch_npu-2.14.0/bin/python}
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)' | grep -vE '^BELAY_(CLIENTS|CHECK_PYTHON|SAMPLES)') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done

# tell STATUS PART NAME: counts and prints it, with the reports if there are any.
tell() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'passed  %-9s %s\n' "$2" "$3"
    else
        failed=$((failed + 1))
        printf 'FAILED  %-9s %s (status %d)\n' "$2" "$3" "$1"
        { grep '^belay check: ' "$work/log" || tail -n 12 "$work/log"; } | head -n 40 | cut -c1-200 | sed 's/^/        /'
    fi
}

# is_chosen NAME
is_chosen() {
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in ${BELAY_CLIENTS_PROGRAMS-*}) ;; *) return 1 ;; esac
}

# program PART COMMAND...: under belay check; what the lines of a Python program ask for is given.
program() {
    local part=$1 name settings
    shift
    name=$(basename "${@: -1}")
    is_chosen "${name%.*}" || return 0
    : >"$work/expected"
    [[ ${*: -1} == *.py ]] && {
        sed -n 's/;.*//; s/^# reports: //p' "${@: -1}" | tr ',' '\n' >"$work/expected"
        read -ra settings < <(sed -n 's/^""".*with: \([^"]*\)"""$/\1/p' "${@: -1}" | head -1)
    }
    (cd "$work" && env BELAY_SOC=Ascend910B3 ${settings[@]+"${settings[@]}"} timeout 900 "$work/root/bin/belay" check --suppressions "$work/expected" "$@") \
        >"$work/log" 2>&1
    tell $? "$part" "$name"
}

cmake --install "$build" --prefix "$work/root" >/dev/null || exit 1
for part in $parts; do
    case $part in
    examples)
        for file in "$build"/bin/example_*; do
            # One of them shows failures on purpose.
            [[ $file == *_errors ]] || program examples "$file"
        done
        for file in "$PWD"/examples/*.py; do
            program examples "$(sh tests/python/interpreter.sh)" "$file"
        done
        ;;
    seeds)
        for file in "$samples"/[0-9]*.txt; do
            grep -q '^#include <iostream>' "$file" || continue
            name=$(basename "$file" .txt)
            awk '/^#include <iostream>/ {on = 1} /^```/ {on = 0} on' "$file" >"$work/$name.cpp"
            c++ -std=c++11 "$work/$name.cpp" -Iinclude -Iinclude/aclnnop -L"$build/lib64" -lopapi -lnnopbase -lascendcl \
                -o "$work/$name" >"$work/log" 2>&1 || { tell 1 seeds "$name"; continue; }
            program seeds "$work/$name"
        done
        ;;
    fuzz)
        is_chosen fuzz_api || continue
        BELAY_CHECK=race,init timeout 600 "$build/bin/fuzz_api" tests/fuzz/corpus/api >"$work/log" 2>&1
        status=$?
        grep -E '^belay check: DC-' "$work/log" | grep -qvE 'DC-0(08|13): aclrtFree' && status=1
        tell $status fuzz "api, $(tail -n 1 "$work/log")"
        ;;
    torch)
        [ -x "$torch" ] || { echo "left out: torch ($torch is not there; scripts/clients.sh torch makes it)"; continue; }
        for file in "$PWD"/examples/pytorch/*.py "$PWD"/tests/clients/torch/*.py; do
            if grep -q LOCAL_RANK "$file"; then # one process of several
                BELAY_DEVICES=2 program torch "$torch" -m torch.distributed.run --nproc-per-node 2 "$file"
            else
                program torch "$torch" "$file"
            fi
        done
        ;;
    *)
        echo "check_clients.sh: $part is not a part"
        exit 2
        ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
