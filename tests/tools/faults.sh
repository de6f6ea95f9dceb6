#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay run --fault: what is refused before the program starts, what comes once in all processes or once in each, and
# the report.
#   faults.sh BELAY PROGRAM
set -u
belay=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset BELAY_FAULT BELAY_FAULT_JOURNAL RANK
wrong=0

# expect STATUS [TEXT...] -- COMMAND...: the status, and what standard output and standard error together must have.
expect() {
    local status=$1 texts=()
    shift
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    "$@" >log 2>&1
    local found=$?
    [ $found -eq "$status" ] || { echo "FAILED $*: status $found, $status is expected"; cat log; wrong=1; }
    for text in ${texts[@]+"${texts[@]}"}; do
        grep -qF -- "$text" log || { echo "FAILED $*: no '$text' in"; cat log; wrong=1; }
    done
}

# Refused before anything runs.
expect 2 "belay run: the fault 'colective=5:kill' is not understood" "did you mean 'collective'?" -- \
    "$belay" run --fault colective=5:kill touch started
expect 2 "the file of faults none cannot be read: No such file" -- "$belay" run --fault @none touch started
expect 2 "no fault is asked for" -- "$belay" run --fault '# nothing' touch started
expect 2 "--fault-report is given, but no fault: --fault or BELAY_FAULT is expected" -- \
    "$belay" run --fault-report report touch started
expect 2 "belay run: the fault 'x' is not understood" -- env BELAY_FAULT=x "$belay" run touch started
head -c 70000 /dev/zero | tr '\0' ' ' >long
expect 2 "is no text of at most" -- "$belay" run --fault @long touch started
[ ! -e started ] || { echo "FAILED: a program was started with a fault that is not understood"; wrong=1; }

# What comes, what the program saw, and the exit status.
expect 0 "numbers arrived, after 2 failures" "alloc=1:fail came once" "at aclrtMalloc of 4096 bytes, device 0" \
    "copy=5:507054 came once" ": 207001, aclrtMalloc: the fault 'alloc=1:fail' was asked for" \
    ": 507054, aclrtSynchronizeStream: aclrtMemcpyAsync: the fault" -- \
    "$belay" run --fault alloc=1:fail --fault copy=5:507054 "$program"
expect 1 "numbers arrived, after 0 failures" "alloc=5:fail did not come: of what fits there were 1 in a process at most" \
    "collective:cut did not come: nothing that the program did fits" -- \
    "$belay" run --fault 'alloc=5:fail;collective:cut' "$program"
expect 1 "no process used the library" -- "$belay" run --fault alloc=1:fail true
expect 1 "alloc:fail came 51 times" "207001 (51 times)" -- "$belay" run --fault alloc:fail "$program"
expect 1 "alloc:207001 came 51 times" "alloc:507035 did not come: what was asked for before it came in its place" -- \
    "$belay" run --fault 'alloc:207001;alloc:507035' "$program"
printf 'copy:slow=1us\n%.0s' {1..31} >often
expect 1 "copy:fail came 60 times" "there was more, for which the journal has no room" -- \
    "$belay" run --fault @often --fault copy:fail "$program"
expect 137 "signal 9 ended the program" "copy=7:kill came once" -- "$belay" run --fault copy=7:kill "$program"
expect 0 "numbers arrived, after 0 failures" "came once" "no call failed" -- "$belay" run --fault copy=3:stop=50ms "$program"

# Files of several, their report in a file, and the variable alone.
printf '# one of the first copies\nseed=4\ncopy=2..20:507053\nalloc=1:fail # and this\n' >several
expect 0 "10 of 10 numbers arrived" -- "$belay" run --fault @several --fault-report report "$program"
grep -q 'copy=2..20:507053 came once' report || { echo "FAILED: the report is"; cat report; wrong=1; }
expect 0 "alloc=1:fail came once" -- env BELAY_FAULT=alloc=1:fail "$belay" run "$program"
# A command within the program's takes the journal of the one around it.
expect 0 "alloc=1:fail came once" -- "$belay" run --fault alloc=1:fail "$belay" run "$program"

# What is started again after it was killed: once in all processes, or once in each.
again='for turn in 0 1 2; do TORCHELASTIC_RESTART_COUNT=$turn RANK=1 "$0" && exit 0; done; exit 9'
expect 0 "copy=7:kill came once" "rank 1" "numbers arrived, after 0 failures" -- \
    "$belay" run --fault copy=7:kill sh -c "$again" "$program"
expect 9 "copy=7,each:kill came 3 times" "rank 1, restart 2, at aclrtMemcpy of 4 bytes, device 0 (number 7 of" -- \
    "$belay" run --fault copy=7,each:kill sh -c "$again" "$program"
expect 1 "numbers arrived, after 1 failures" "copy=7,restart=1:kill did not come" -- \
    "$belay" run --fault copy=7,restart=1:kill --fault copy=2:507053 "$program"
expect 0 "copy,restart=0:kill came once" -- "$belay" run --fault copy,restart=0:kill sh -c "$again" "$program"

# A full disk for a timeline: the program runs, and the command says what is missing.
expect 1 "numbers arrived, after 0 failures" "came once" "No space left on device" -- \
    "$belay" run --fault file=1,name=t.json:full "$belay" trace -o t.json "$program"
rm -f t.json*
expect 1 "100000, BELAY_TRACE: no file can be made" "No space left on device" -- \
    "$belay" run --fault 'file=1,name=*.raw:full' "$belay" trace -o t.json "$program"
expect 0 "numbers arrived, after 0 failures" "t.json lacks" -- \
    "$belay" run --fault 'file=2,name=*.raw:full' "$belay" trace -o t.json "$program"

# Without faults nothing of it shows.
expect 0 "numbers arrived, after 0 failures" -- "$belay" run "$program"
[ "$(wc -l <log)" -eq 1 ] || { echo "FAILED: more than the program's line without faults"; cat log; wrong=1; }
exit $wrong
