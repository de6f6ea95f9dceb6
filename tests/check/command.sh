#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check finds each planted mistake, by its rule and once, and nothing in the examples; and it does not pass for
# clean what it could not look at.
#
#   command.sh BELAY MISUSE EXAMPLE...
set -uo pipefail
belay=$1
misuse=$2
shift 2
include=$(cd "$(dirname "$0")/../../include" && pwd)
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# What these programs leave behind is for left_behind.sh.
only=(--only report)

# check STATUS COMMAND...: runs it under belay check, its standard error in $output.
check() {
    local expected=$1 status
    shift
    "$belay" check "${only[@]}" "$@" >/dev/null 2>"$output"
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
DC-001-null aclnnHardswishBackward: gradOutput is NULL
DC-001-operand aclnnHardswishBackward: gradOutput is not a handle
DC-001-kind aclnnHardswishBackward: self is a scalar
DC-001-scalar aclnnLeakyRelu: negativeSlope is a tensor
DC-001-executor aclnnHardswishBackward: executor is NULL
DC-001-event aclrtRecordEvent: argument event is a stream
DC-001-context aclrtSetCurrentContext: argument context is not a handle
DC-001-list aclDestroyTensorList: array is not a handle
DC-002 aclDestroyTensor: tensor was destroyed
DC-002-short aclDestroyTensor: tensor was destroyed
DC-002-operand aclnnHardswishBackward: self was destroyed
DC-002-scalar aclDestroyScalar: scalar was destroyed
DC-002-stream aclnnHardswishBackward: argument stream was destroyed
DC-002-event aclrtStreamWaitEvent: argument event was destroyed
DC-002-context aclrtSetCurrentContext: argument context was destroyed
DC-003 aclnnSiluBackward: executor was made by aclnnHardswishBackward
DC-003-forged aclnnHardswishBackward: executor is not a handle
DC-003-twice aclnnHardswishBackward: executor .*has run
DC-004 aclnnHardswishBackward: workspace 0x.* is not memory of this library
DC-004-null aclnnHardswishBackward: workspace is NULL, but workspaceSize is 64
DC-004-less aclnnHardswishBackward: workspaceSize is 0; the 64 bytes
DC-004-past aclnnHardswishBackward: workspaceSize is 128, but workspace has 64 bytes
DC-004-over aclnnHardswishBackward: workspace 0x.* of 64 bytes overlaps gradOutput
DC-004-align aclnnHardswishBackward: workspace 0x.* is not aligned; a multiple of 32 bytes
DC-004-freed aclnnHardswishBackward: workspace 0x.* was already freed
DC-004-device aclnnHardswishBackward: workspace 0x.* is memory of device 1
DC-005 the view of gradOutput reaches element
DC-005-never gradOutput has shape \[4\], strides \[-1\]
DC-005-wraps the view of gradOutput reaches element 2305843009213693955 of 4 bytes
DC-006 gradOutput 0x.* is not memory of this library
DC-006-null gradOutput has no address
DC-006-freed gradOutput 0x.* was already freed
DC-006-device gradOutput at 0x.* is memory of device 1
DC-006-kind aclrtMemcpyAsync: kind is ACL_MEMCPY_HOST_TO_DEVICE, but dst is device memory and src is device memory
DC-008 aclrtFree: devPtr 0x.* is 64 bytes inside a block
DC-008-twice aclrtFree: devPtr 0x.* was already freed
DC-008-host aclrtFree: devPtr 0x.* is not memory of this library
DC-008-null aclrtFree: devPtr is NULL
DC-008-copy aclrtMemcpy: src 0x.* was already freed
DC-009 aclrtMemcpy: .*past the end of a block
DC-009-most aclrtMemcpy: count is 64; at most destMax, 63
DC-009-set aclrtMemset: .*past the end of a block
DC-009-rows aclrtMemcpy2d: .*past the end of a block
DC-014 out overlaps itself
DC-015 aclrtRecordEvent: argument stream belongs to another context
DC-015-event aclrtRecordEvent: argument event belongs to another context
DC-015-stream aclrtDestroyStream: argument stream is the default stream
DC-015-context aclrtDestroyContext: argument context is the primary context
DC-016 aclrtEventElapsedTime: .*was never recorded
DC-016-time aclrtEventGetTimestamp: argument event has no flag
DC-016-reusable aclrtQueryEvent: argument event was made by aclrtCreateEventExWithFlag
DC-019 is not a multiple of its element size
DC-021 aclrtSynchronizeDevice: the current context
DC-021-fork this process is a child
DC-021-callback aclrtSynchronizeStream: argument stream is the one that the calling callback belongs to
DC-021-device aclrtSynchronizeDevice: the calling callback belongs to work of device 0
DC-021-own aclrtSynchronizeStream: the work that is waited for waits for a callback that the calling thread is to process
DC-021-mode aclrtSetStreamFailureMode: argument stream is NULL and the calling thread has no current context
DC-021-operator aclnnHardswishBackward: the current context
DC-023 aclrtSetDevice: device 1000 does not exist
DC-023-bytes aclrtMalloc: size is 0
DC-023-memory aclrtMalloc: size is 4611686018427387903
DC-023-binary aclrtBinaryLoadFromFile is not supported
DC-023-aborted aclrtSynchronizeStream: the stream was aborted
DC-023-dtype aclnnHardswishBackward: self has dtype INT32
DC-023-shape aclnnHardswishBackward: out has shape \[5\]
DC-023-attribute aclnnSmoothL1LossBackward: reduction is 7
DC-023-result aclnnHardswishBackward.*: workspaceSize is NULL
DC-023-tensor aclCreateTensor: viewDims is NULL
END

# A hundred thousand equal ones are one line with its place, and a number.
check 1 "$misuse" loop
[ "$(grep -c '^belay check: DC-008: ' "$output")" -eq 1 ] || complain "equal reports are not folded"
[ "$(grep -c '^belay check:     at test_check_misuse+0x[0-9a-f]*, call 1$' "$output")" -eq 1 ] || complain "there is no place"
grep -qx 'belay check: 100000 reports' "$output" || complain "folded reports are not counted"
grep -qE '^belay check:   DC-008 of aclrtFree at test_check_misuse\+0x[0-9a-f]+: and 99999 more$' "$output" ||
    complain "what was folded is not in the summary"

for right in none none-ask; do
    check 0 "$misuse" "$right"
    grep -qx 'belay check: 0 reports' "$output" || complain "a program without mistakes has reports: $right"
done
check 7 "$misuse" exit
grep -qx 'belay check: 0 reports' "$output" || complain "a program that fails by itself has reports"
grep -q signal "$output" && complain "a signal is made up"
check 134 "$misuse" abort
grep -qx 'belay check: 1 report' "$output" || complain "a crash loses the reports before it"
grep -qx 'belay check: signal 6 ended the program: Aborted' "$output" || complain "the signal is not named"
# shellcheck disable=SC2016 # the inner shell expands
check 143 sh -c '"$0" none; kill -TERM $$' "$misuse"
grep -qx 'belay check:   no thread is in a call of the library' "$output" || complain "who gives up on a program is not told where it is"
check 134 "$misuse" abort
grep -q 'the program was here' "$output" && complain "a crash is taken for a program that hangs"

# What ends the command is for the program, which says its last words, and is counted; what it ignores, too.
# shellcheck disable=SC2016 # the inner shell expands
waits='trap "echo $1 arrived >&2; kill \$!; exit 9" $1; echo $$ >"$2.pid"; sleep 60 & wait'
# started COMMAND...: begins it and waits until the program is there; its process is in $command, the program's in $program.
started() {
    rm -f "$output.pid"
    "$@" >/dev/null 2>"$output" &
    command=$!
    for _ in $(seq 3000); do
        [ -s "$output.pid" ] && break
        sleep 0.01
    done
    program=$(cat "$output.pid")
}
for signal in TERM HUP USR1; do
    started "$belay" check bash -c "$waits" - $signal "$output"
    kill -$signal "$command"
    wait "$command"
    [ $? -eq 9 ] && grep -qx "$signal arrived" "$output" || complain "$signal is not handed on"
    grep -q '^belay check: no process used the library' "$output" || complain "$signal ends the command before its summary"
done
# Those that a terminal sends; in the background, shells start programs that ignore them.
for signal in INT QUIT; do
    started env --default-signal=$signal "$belay" check bash -c "$waits" - $signal "$output"
    kill -$signal "$command"
    wait "$command"
    [ $? -eq 9 ] && grep -qx "$signal arrived" "$output" || complain "$signal is not handed on"
done
started "$belay" check bash -c "$waits" - INT "$output"
kill -INT "$command"
kill -KILL "$command"
{ wait "$command"; } 2>/dev/null
for _ in $(seq 3000); do
    kill -0 "$program" 2>/dev/null || break
    sleep 0.01
done
kill -0 "$program" 2>/dev/null && { complain "the program outlives the command"; kill "$program"; }
grep -q 'INT arrived' "$output" && complain "an ignored signal is handed on"
rm -f "$output.pid"

# No clean bill of what was not seen: another program, one that the libraries were not to watch, none at all.
unseen() {
    check "$@"
    grep -q '^belay check: no process used the library' "$output" || complain "nothing was checked, unsaid: $*"
    grep -q 'reports$' "$output" && complain "reports of nothing are counted: $*"
}
unseen 1 true
unseen 7 sh -c 'exit 7'
unseen 1 env -u BELAY_CHECK "$misuse" none
# What is not there needs no other explanation.
check 127 /does/not/exist
[ "$(cat "$output")" = "belay check: /does/not/exist: No such file or directory" ] || complain "more is said of what is not there"
# shellcheck disable=SC2016 # the inner shell expands
check 0 sh -c 'true; "$0" none; true' "$misuse"
grep -qx 'belay check: 0 reports' "$output" || complain "one process among others is not seen"

# Lines of C and C++ are looked up at the end, where the program has them.
sanitized=$(nm -D "$("$belay" prefix)/lib64/libascendcl.so" | grep -c '__[at]san_init')
if command -v addr2line >/dev/null && command -v cc >/dev/null && [ "$sanitized" -eq 0 ]; then
    lines=$(mktemp -d)
    printf '%s\n' '#include "acl/acl.h"' 'int main(void)' '{' '    return aclrtSetDevice(99) == 0;' '}' >"$lines/line.c"
    if ! cc -g "$lines/line.c" -o "$lines/line" -I"$include" -L"$("$belay" prefix)/lib64" -lascendcl; then
        complain "a program in C cannot be built"
    else
        "$belay" check --json "$lines/line.json" "$lines/line" >/dev/null 2>"$output"
        grep -q '^belay check:   line+0x[0-9a-f]* is line.c:4 (main)$' "$output" || complain "the line of a call in C is not told"
        grep -q '"line": "line.c:4 (main)"' "$lines/line.json" || complain "the line of a call in C is not in the JSON"
    fi
    rm -r "$lines"
fi

# A belay check within another one: the reports are both ones'.
"$belay" check --only report "$belay" check --only report "$misuse" loop >/dev/null 2>"$output"
[ $? -eq 1 ] && [ "$(grep -cx 'belay check: 100000 reports' "$output")" -eq 2 ] || complain "a check in a check is not counted"
"$belay" check --only report "$belay" check --only report "$misuse" none >/dev/null 2>"$output"
[ $? -eq 0 ] && [ "$(grep -cx 'belay check: 0 reports' "$output")" -eq 2 ] || complain "a check in a check is not clean"

# An environment in which every call fails: the command's own, and one that is made later.
for bad in BELAY_DEVICES=none BELAY_CHECK=garbage BELAY_CHECK=report,garbage BELAY_SOC=garbage; do
    env "$bad" "$belay" check touch "$output.ran" 2>"$output"
    [ $? -eq 1 ] || complain "$bad is accepted"
    grep -qF "${bad%%=*}: " "$output" || complain "$bad is not named"
    grep -qE '(reports?|checked)$' "$output" && complain "$bad has a summary"
    [ ! -e "$output.ran" ] || complain "$bad does not keep the program from running"
    rm -f "$output.ran"
done
# shellcheck disable=SC2016
check 3 sh -c 'BELAY_SOC=garbage "$0" none' "$misuse"
grep -qE '^belay check: DC-023: BELAY_SOC: .* \(100000\)$' "$output" || complain "a bad setting of a process is not reported"
grep -qx 'belay check: 1 report' "$output" || complain "a bad setting of a process is not counted"

# What is looked for can be chosen; and the report alone, without it.
for some in mem,race memory,order,num report; do
    check 0 --only "$some" "$misuse" none
    check 1 --only "$some" "$misuse" DC-002
done
check 1 --only leak "$misuse" none

for wrong in garbage '' mem, ,mem mem,,race 'mem,garbage'; do
    check 2 --only "$wrong" "$misuse" none
    grep -qF "'$wrong' is not understood" "$output" || complain "the checks '$wrong' are accepted"
done
BELAY_CHECK=report BELAY_CHECK_COUNTS=/does/not/exist check 0 "$misuse" none
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
    only=()
    check 0 "$example"
    grep -qx 'belay check: 0 reports' "$output" || complain "$example has reports"
done
exit "$failed"
