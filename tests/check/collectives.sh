#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check finds each mistake of collectives.cpp, by its rule, at a line of the program for each rank that it stops,
# and nothing else; nothing in the mended program.
#
#   collectives.sh BELAY COLLECTIVES
set -uo pipefail
belay=$1
program=$2
module=$(basename "$program")
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# check STATUS NAME [mended]: runs it under belay check, its standard error in $output.
check() {
    local expected=$1 status
    shift
    "$belay" check --only report,race,init "$program" "$@" >/dev/null 2>"$output"
    status=$?
    [ "$status" -eq "$expected" ] || complain "$* ended with $status instead of $expected"
}

names=()
while read -r name reports places words; do
    names+=("$name")
    for schedule in eager lazy random:1; do
        export BELAY_SCHEDULE=$schedule
        check 1 "$name"
        [ "$(grep -cE "^belay check: ${name:0:6}: .*$words" "$output")" -eq "$reports" ] ||
            complain "$name is not reported $reports times"
        grep -qE "^belay check: $reports reports?\$" "$output" || complain "$name has other reports"
        [ "$(grep -cE "^belay check:     .*at $module\+0x[0-9a-f]+.*, call [0-9]+\$" "$output")" -eq "$places" ] ||
            complain "$name has not $places places in the program"
        check 0 "$name" mended
        grep -qx 'belay check: 0 reports' "$output" || complain "$name mended has reports"
    done
done <<'END'
DC-025-different-calls 2 2 rank . called Hccl.* of 1024 fp32, .* and rank . called Hccl.* as number 1
DC-025-different-counts 2 2 HcclBroadcast: rank . called HcclBroadcast of (1024|7) fp32, root 0 and rank . called
DC-025-different-order 2 2 rank . called Hccl.* and rank . called Hccl.* as number 1
DC-025-different-messages 2 2 the other side called Hccl(Send|Recv) of 1024 (fp32|int32); the same count and dtype
DC-025-different-sides 1 1 HcclBatchSendRecv: rank 0 sends itself 512 fp32 and receives 256 fp32
DC-011-changed-by-the-host 1 2 aclrtMemset: devPtr writes what recvBuf of HcclAllReduce writes, .* was not waited for
DC-012-changed-by-a-stream 1 2 aclrtMemsetAsync: devPtr writes what recvBuf of HcclAllReduce writes on another stream
DC-008-freed 1 2 aclrtFree: frees device memory that recvBuf of HcclAllReduce writes
DC-010-never-written 1 2 HcclAllReduce: sendBuf is read and was never written: byte 0 of 4096 is the first
DC-011-behind-a-barrier 1 2 aclrtMemcpy: src reads what devPtr of aclrtMemsetAsync writes, .* was not waited for
DC-012-behind-a-message 1 2 aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes on another stream
DC-012-behind-a-broadcast 1 2 aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes on another
DC-012-behind-a-reduction 1 2 aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes on another
DC-012-called-the-other-way 1 2 aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes on another
DC-012-another-stream-meanwhile 1 2 aclrtMemsetAsync: devPtr writes what buf of HcclBroadcast writes on another stream
DC-011-host-behind-a-barrier 1 2 aclrtMemset: devPtr writes what devPtr of aclrtMemsetAsync writes, .* not waited for
DC-012-threads-in-any-order 1 2 aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes on another
DC-008-destroyed-behind 1 2 aclrtFree: frees device memory that recvBuf of HcclAllReduce writes
DC-010-sent-from-a-gap 1 2 HcclAlltoAllV: sendBuf is read and was never written: byte 0 of 64 is the first
DC-010-read-from-a-gap 1 2 aclrtMemcpy: src is read and was never written: byte 0 of 64 is the first
DC-012-set-in-a-gap 1 2 aclrtMemsetAsync: devPtr writes what recvBuf of HcclAllGatherV writes on another stream
DC-012-own-part-in-place 1 2 aclrtMemcpyAsync: src reads what recvBuf of HcclAllGather writes on another stream
END

"$program" >"$output"
[ "$(cat "$output")" = "$(printf '%s\n' "${names[@]}")" ] || complain "not all programs are checked"
exit "$failed"
