#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check says where a program is that somebody ends because it hangs (hanging.cpp): the calls that its threads are in
# and what the first work of its streams waits for; and the same whatever ends it.
#
#   hanging.sh BELAY HANGING
set -uo pipefail
belay=$1
program=$2
failed=0
output=$(mktemp)
trap 'rm -f "$output"*' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS
export BELAY_DEVICES=2

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# hang SIGNAL STATUS WAY: what belay check prints, in $output, when the signal comes to it while the program hangs.
hang() {
    : >"$output.said"
    env --default-signal="$1" "$belay" check "$program" "$3" >"$output.said" 2>"$output" &
    local command=$!
    for _ in $(seq 3000); do
        grep -q ready "$output.said" && break
        sleep 0.01
    done
    sleep 2 # until it has come to its wait
    kill -"$1" "$command"
    wait "$command"
    [ $? -eq "$2" ] || complain "$3 does not end by the signal"
    sed -i -z 's/\nbelay check:     /, /g' "$output" # what continues a line
}

# says WAY LINE...: they match, and there are no others of these.
says() {
    local way=$1 line
    shift
    for line in "$@"; do
        grep -qE "^belay check:   process [0-9]+, $line\$" "$output" || complain "$way: no line is '$line'"
    done
    [ "$(grep -c '^belay check:   process' "$output")" -eq $# ] || complain "$way: there are not $# lines"
}
seconds='[0-9]+\.[0-9] s'
number="the number at 0x[0-9a-f]+ to be"

for signal in INT:130 TERM:143 HUP:129; do
    hang "${signal%:*}" "${signal#*:}" value
    says "value, $signal" "thread [0-9]+: in aclrtSynchronizeStream for $seconds, called at .+" \
        "device 0, stream [0-9]+: aclrtValueWait has waited $seconds, for $number at least 5, queued at .+"
done
hang INT 130 streams
says streams "thread [0-9]+: in aclrtSynchronizeStream for $seconds, called at .+" \
    "device 0, stream [0-9]+: aclrtValueWait has waited $seconds, for $number 6, queued at .+"
hang INT 130 event
says event "thread [0-9]+: in aclrtSynchronizeStream for $seconds, called at .+" \
    "thread [0-9]+: in aclrtSynchronizeEvent for $seconds, called at .+" \
    "device 0, stream [0-9]+: aclrtValueWait has waited $seconds, for $number 7, queued at .+" \
    "device 0, stream [0-9]+: aclrtStreamWaitEvent has waited $seconds, for the event that device 0, stream [0-9]+ is to reach, queued at .+"
hang INT 130 callback
says callback "thread [0-9]+: in aclrtSynchronizeDevice for $seconds, called at .+" \
    "device 0, stream [0-9]+: aclrtLaunchCallback has waited $seconds, for a thread to process the callback \(aclrtProcessReport\), queued at .+"
hang INT 130 collective
says collective "thread [0-9]+: in aclrtSynchronizeStream for $seconds, called at .+" \
    "device 0, stream [0-9]+: HcclAllReduce has run $seconds, queued at .+"
hang INT 130 elsewhere
says elsewhere
grep -qx 'belay check:   no thread is in a call of the library' "$output" || complain "a program that hangs elsewhere is not told so"
grep -qx 'belay check:   no stream is at work or waits' "$output" || complain "streams that have nothing to do are not told so"
exit $failed
