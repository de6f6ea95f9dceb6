#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check finds each mistake of unordered.cpp, by its rule and once, with the places it has, and nothing in the
# mended program; and none of them without the check that is for it.
#
#   unordered.sh BELAY UNORDERED
set -uo pipefail
belay=$1
program=$2
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# check STATUS NAME COMMAND...: runs it under belay check, its standard error in $output.
check() {
    local expected=$1 name=$2 status
    shift 2
    "$belay" check "$@" >/dev/null 2>"$output"
    status=$?
    [ "$status" -eq "$expected" ] || complain "$name ended with $status instead of $expected"
}

# A pass that repeats another one with small effort, as a sanitizer's does, tries each program and its mended one once.
schedules=(lazy random:1) is_repeated=false
awk "BEGIN { exit !(${TEST_EFFORT:-1} < 0.2) }" && schedules=() is_repeated=true

names=()
while read -r name places words; do
    names+=("$name")
    rule=${name:0:6}
    check 1 "$name" --only race,init,num "$program" "$name"
    grep -qE "^belay check: $rule: .*$words" "$output" || complain "$name is not reported"
    grep -qx 'belay check: 1 report' "$output" || complain "$name is not the only report"
    [ "$(grep -cE '^belay check:     .*at [^ ]+\+0x[0-9a-f]+.*, call [0-9]+$' "$output")" -eq "$places" ] ||
        complain "$name has not $places places"
    check 0 "$name mended" --only race,init,num "$program" "$name" mended
    # What is ordered by threads and events alone does not depend on how the work happens to run.
    for schedule in "${schedules[@]}"; do
        BELAY_SCHEDULE=$schedule check 1 "$name, $schedule" --only race,init,num "$program" "$name"
        BELAY_SCHEDULE=$schedule check 0 "$name mended, $schedule" --only race,init,num "$program" "$name" mended
    done
    $is_repeated && continue
    others=race,init,num
    case $rule in
        DC-010) others=${others/init,/} ;;
        DC-022) others=${others/,num/} ;;
        *) others=${others/race,/} ;;
    esac
    check 0 "$name with $others" --only "$others" "$program" "$name"
done <<'END'
DC-012-read-after-write 2 aclnnRelu: self reads what out of aclnnRelu writes on another stream
DC-012-write-after-read 2 aclnnRelu: out writes what self of aclnnRelu reads on another stream
DC-012-write-after-write 2 aclrtMemsetAsync: devPtr writes what out of aclnnRelu writes on another stream
DC-012-read-in-between 2 aclnnRelu: self reads what out of aclnnRelu writes
DC-012-event-too-early 2 aclnnRelu: self reads what out of aclnnRelu writes
DC-012-interleaved 2 aclnnRelu: out writes what out of aclnnRelu writes
DC-012-captured 2 aclnnRelu: self reads what out of aclnnRelu writes
DC-012-replayed 2 aclnnRelu: self reads what out of aclmdlRIExecuteAsync writes
DC-012-source 2 aclrtMemcpyAsync: dst writes what src of aclrtMemcpyAsync reads
DC-012-statistics 2 aclnnBatchNorm: runningMean reads what runningMean of aclnnBatchNorm writes on another stream
DC-012-workspace 2 aclnnRelu: workspace writes what workspace of aclnnRelu writes on another stream
DC-011-workspace 2 aclrtMemcpy: dst writes what workspace of aclnnRelu writes, .* was not waited for
DC-008-workspace 2 aclrtFree: frees device memory that workspace of aclnnRelu writes
DC-011-read-back 2 aclrtMemcpy: src reads what out of aclnnRelu writes, .* was not waited for
DC-011-overwritten 2 aclrtMemcpy: dst writes what self of aclnnRelu reads, .* was not waited for
DC-011-set 2 aclrtMemset: devPtr writes what self of aclnnRelu reads, .* was not waited for
DC-011-query 2 aclrtMemcpy: src reads what out of aclnnRelu writes, .* was not waited for
DC-011-thread 2 aclrtMemcpy: src reads what out of aclnnRelu writes, .* was not waited for
DC-008-freed 2 aclrtFree: frees device memory that out of aclnnRelu writes
DC-013-freed-host 2 aclrtFreeHost: frees host memory that src of aclrtMemcpyAsync reads
DC-013-registered 2 aclrtMemcpyAsync: src reads 4096 bytes of host memory at 0x.*, which the program changed before
DC-013-again 2 aclrtMemcpyAsync: src reads 4096 bytes of host memory at 0x.*, which the program changed before
DC-013-unregistered 2 aclrtHostUnregister: unregisters host memory that src of aclrtMemcpyAsync reads
DC-010-operator 2 aclnnRelu: self is read and was never written: element 0 of 1024
DC-010-rest 2 aclnnRelu: self is read and was never written: element 960 of 1024 is the first, byte 3840 of
DC-010-gaps 2 aclnnRelu: self is read and was never written: element 0 of 512 is the first, byte 4 of
DC-010-to-host 2 aclrtMemcpy: src is read and was never written: byte 0 of 4096
DC-010-copied 2 aclnnRelu: self is read and was never written
DC-010-again 2 aclnnRelu: self is read and was never written
DC-010-kept 2 aclnnRelu: self is read and was never written
DC-022-infinite 1 aclnnDiv: element 77 of 1024 of out is infinite
DC-022-nan 1 aclnnLog: element 5 of 1024 of out is NaN
DC-022-on-purpose 1 aclnnDiv: element 77 of 1024 of out is infinite
END

for name in none-changed none-gate none-number; do
    for schedule in eager lazy random:1; do
        BELAY_SCHEDULE=$schedule check 0 "$name, $schedule" --only race,init,num "$program" $name
    done
done
"$program" | grep -v '^none-' >"$output"
[ "$(cat "$output")" = "$(printf '%s\n' "${names[@]}")" ] || complain "not all programs are checked"
exit $failed
