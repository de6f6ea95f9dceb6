#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check finds each planted mistake, by its rule and once, and nothing in the examples.
#
#   command.sh BELAY MISUSE EXAMPLE...
set -uo pipefail
belay=$1
misuse=$2
shift 2
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# check STATUS COMMAND...: runs it under belay check, its standard error in $output.
check() {
    local expected=$1 status
    shift
    "$belay" check "$@" >/dev/null 2>"$output"
    status=$?
    [ "$status" -eq "$expected" ] || complain "$* ended with $status instead of $expected"
}

while read -r mistake words; do
    rule=${mistake:0:6}
    check 1 "$misuse" "$mistake"
    grep -qE "^belay check: $rule: .*$words.* \([0-9]+\)\$" "$output" || complain "$mistake is not reported"
    grep -qx 'belay check: 1 report' "$output" || complain "$mistake is not the only report"
    grep -qE "^belay check:   $rule +1  [A-Za-z]" "$output" || complain "$mistake is not in the summary"
done <<'END'
DC-001 aclrtSynchronizeStream: argument stream is not a handle
DC-002 aclDestroyTensor: tensor was destroyed
DC-003 aclnnSiluBackward: executor was made by aclnnHardswishBackward
DC-004 aclnnHardswishBackward: workspace 0x.* is not memory of this library
DC-005 the view of gradOutput reaches element
DC-006 gradOutput 0x.* is not memory of this library
DC-008 aclrtFree: devPtr
DC-009 aclrtMemcpy: .*past the end of a block
DC-014 out overlaps itself
DC-015 aclrtRecordEvent: argument stream belongs to another context
DC-016 aclrtEventElapsedTime: .*was never recorded
DC-019 is not a multiple of its element size
DC-021 aclrtSynchronizeDevice: the current context
DC-021-fork this process is a child
DC-021-callback aclrtSynchronizeStream: argument stream is the one that the calling callback belongs to
END

check 0 "$misuse" none
grep -qx 'belay check: 0 reports' "$output" || complain "a program without mistakes has reports"
check 7 "$misuse" exit
check 134 "$misuse" abort
grep -qx 'belay check: 1 report' "$output" || complain "a crash loses the reports before it"
check 127 /does/not/exist

# Beside other checks; and the report alone, without the command.
BELAY_CHECK=leak check 1 "$misuse" DC-002
BELAY_CHECK=report "$misuse" DC-002 2>"$output" || complain "BELAY_CHECK=report changes the exit status"
grep -q '^belay check: DC-002: ' "$output" || complain "BELAY_CHECK=report prints nothing"
for counts in /dev/null /does/not/exist "$0"; do
    BELAY_CHECK=report BELAY_CHECK_COUNTS=$counts "$misuse" none 2>"$output" &&
        complain "a wrong file to count in is accepted: $counts"
done
# Where there is nothing to print to, or no room.
BELAY_CHECK=report "$misuse" DC-002 2>&- || complain "a closed standard error ends the program"
BELAY_CHECK=report "$misuse" DC-002 2>/dev/full || complain "a full device ends the program"
"$misuse" DC-002 2>"$output"
[ -s "$output" ] && complain "without belay check something is printed"

for example in "$@"; do
    # One of them shows failures on purpose.
    case $example in
    *errors) continue ;;
    esac
    check 0 "$example"
    grep -qx 'belay check: 0 reports' "$output" || complain "$example has reports"
done
exit "$failed"
