#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The rules leak and order: each mistake is reported as it is written here, and its mended form not at all.
#
#   left_behind.sh BELAY PROGRAM
set -uo pipefail
belay=$1
program=$2
failed=0
output=$(mktemp)
expected=$(mktemp)
trap 'rm -f "$output" "$expected"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS BELAY_CHECK_SUPPRESSIONS

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# check STATUS ARGUMENT...: the lines of belay check in $output, without its name, addresses and callers.
check() {
    local wanted=$1 status
    shift
    "$belay" check --only leak,order "$@" 2>&1 >/dev/null |
        sed -e '/^belay check:         from /d' -e 's/^belay check: //' -e 's/+0x[0-9a-f]*/+OFFSET/' -e 's/, call [0-9]*$/, call N/' >"$output"
    status=${PIPESTATUS[0]}
    [ "$status" -eq "$wanted" ] || complain "$* ended with $status instead of $wanted"
}

# mistake NAME, with the reports on standard input.
mistake() {
    cat >"$expected"
    check 1 "$program" "$1"
    cmp -s "$output" "$expected" || complain "$1 has other reports than: $(cat "$expected")"
    case $1 in
    exit_*) return ;;
    esac
    check 0 "$program" "$1" mended
    [ "$(cat "$output")" = "0 reports" ] || complain "the mended form of $1 has reports"
}

place="at test_check_left_behind+OFFSET, call N"
mistake memory <<END
DC-017: aclrtMalloc: 3 blocks of device memory of 3000 bytes in all were never given back before aclrtResetDevice
    the first made by aclrtMalloc $place
    Call aclrtFree for each before aclrtResetDevice.
1 report
  DC-017      1  what is alive at the end
END
mistake communicator <<END
DC-017: HcclCommInitAll: 2 communicators were never given back
    the first made by HcclCommInitAll $place
    Call HcclCommDestroy for each.
1 report
  DC-017      1  what is alive at the end
END
mistake group <<END
DC-018: HcclGroupStart: 1 group was never ended, so that its messages were never queued
    opened by HcclGroupStart $place
    Call HcclGroupEnd, on the same thread, for each HcclGroupStart: until then nothing of the group is sent or received.
1 report
  DC-018      1  call that is missing, or comes too early
END
mistake two_places <<END
DC-017: aclrtMalloc: 3 blocks of device memory of 3000 bytes in all were never given back before aclrtResetDevice
    the first made by aclrtMalloc $place
    Call aclrtFree for each before aclrtResetDevice.
DC-017: aclrtMallocAlign32: 1 block of device memory of 64 bytes was never given back before aclrtResetDevice
    made by aclrtMallocAlign32 $place
    Call aclrtFree for it before aclrtResetDevice.
2 reports
  DC-017      2  what is alive at the end
END
mistake pinned <<END
DC-017: aclrtMallocHost: 1 block of pinned host memory of 4096 bytes was never given back
    made by aclrtMallocHost $place
    Call aclrtFreeHost for it.
1 report
  DC-017      1  what is alive at the end
END
mistake tensors <<END
DC-017: aclCreateTensor: 100000 tensors were never given back
    the first made by aclCreateTensor $place
    Call aclDestroyTensor for each.
1 report
  DC-017      1  what is alive at the end
END
mistake list <<END
DC-017: aclCreateTensor: 1 tensor was never given back
    made by aclCreateTensor $place
    Call aclDestroyTensor for it.
DC-017: aclCreateTensor: 1 tensor was never given back
    made by aclCreateTensor $place
    Call aclDestroyTensor for it.
DC-017: aclCreateTensorList: 1 tensor list was never given back
    made by aclCreateTensorList $place
    Call aclDestroyTensorList for it.
3 reports
  DC-017      3  what is alive at the end
END
while read -r name function end thing; do
    mistake "$name" <<END
DC-017: $function: 1 $thing was never given back
    made by $function $place
    Call $end for it.
1 report
  DC-017      1  what is alive at the end
END
done <<END
scalar aclCreateScalar aclDestroyScalar scalar
array aclCreateIntArray aclDestroyIntArray int array
event aclrtCreateEvent aclrtDestroyEvent event
context aclrtCreateContext aclrtDestroyContext context
buffer aclCreateDataBuffer aclDestroyDataBuffer data buffer
executor aclnnSilu aclDestroyAclOpExecutor repeatable executor
END
mistake stream <<END
DC-017: aclrtCreateStream: 1 stream was never given back before aclrtResetDevice
    made by aclrtCreateStream $place
    Call aclrtDestroyStream for it before aclrtResetDevice.
1 report
  DC-017      1  what is alive at the end
END
mistake first_phase <<END
DC-018: aclnnSilu: 1 executor was never run: there was a first phase, and no second one
    made by the first phase of aclnnSilu $place
    Call aclnnSilu with each: the first phase computes nothing, and its executor ends with the second.
1 report
  DC-018      1  call that is missing, or comes too early
END
mistake workspace <<END
DC-018: aclrtFree: frees the workspace of aclnnSilu, which is queued and was not waited for
    $place
    queued by aclnnSilu $place
    Call aclrtSynchronizeStream before the workspace is freed, which waits for nothing.
1 report
  DC-018      1  call that is missing, or comes too early
END

# What is left with the work is none of this.
left="DC-017: aclrtCreateStream: 1 stream was never given back before aclrtResetDevice
    made by aclrtCreateStream $place
    Call aclrtDestroyStream for it before aclrtResetDevice.
DC-017: aclrtMalloc: 1 block of device memory of 4096 bytes was never given back before aclrtResetDevice
    made by aclrtMalloc $place
    Call aclrtFree for it before aclrtResetDevice."
advice="Call aclrtSynchronizeStream, or aclrtSynchronizeDevice, before the end: until then no result is there."
mistake reset <<END
DC-018: aclnnSilu: 2 pieces of work on a stream were never waited for before aclrtResetDevice
    the first queued by aclnnSilu $place
    ended by aclrtResetDevice $place
    $advice
$left
3 reports
  DC-017      2  what is alive at the end
  DC-018      1  call that is missing, or comes too early
END
mistake copy <<END
DC-018: aclrtMemsetAsync: 1 piece of work on a stream was never waited for before aclrtResetDevice
    queued by aclrtMemsetAsync $place
    ended by aclrtResetDevice $place
    $advice
$left
3 reports
  DC-017      2  what is alive at the end
  DC-018      1  call that is missing, or comes too early
END
mistake through <<END
DC-018: aclnnSilu: 1 piece of work on a stream was never waited for before aclrtResetDevice
    queued by aclnnSilu $place
    ended by aclrtResetDevice $place
    $advice
$left
3 reports
  DC-017      2  what is alive at the end
  DC-018      1  call that is missing, or comes too early
END

# The callers of both places, up to main.
"$belay" check --only order "$program" workspace 2>&1 >/dev/null | grep -A1 -E '^belay check:     (at|queued by aclnnSilu at) ' >"$output"
[ "$(grep -c '^belay check:         from test_check_left_behind+0x[0-9a-f]*$' "$output")" -eq 2 ] ||
    complain "the callers are not told"

mistake function <<END
DC-018: aclnnSilu: 2 pieces of work on a stream were never waited for before aclrtResetDevice
    the first queued by aclnnSilu $place
    ended by aclrtResetDevice $place
    $advice
$left
3 reports
  DC-017      2  what is alive at the end
  DC-018      1  call that is missing, or comes too early
END
mistake graph <<END
DC-018: aclmdlRIExecuteAsync: 1 piece of work on a stream was never waited for before aclrtResetDevice
    queued by aclmdlRIExecuteAsync $place
    ended by aclrtResetDevice $place
    $advice
$left
3 reports
  DC-017      2  what is alive at the end
  DC-018      1  call that is missing, or comes too early
END

# An error that nobody has read, where there was work behind it; and one that somebody has, or that is suppressed.
check 1 "$program" exit_unread
cat >"$expected" <<END
DC-018: aclrtMemset: this call failed, the program queued more work, and nobody has asked why
    $place
    went on with aclnnSilu $place
    Look at the status of each call, and where it is not 0 at aclGetRecentErrMsg or aclrtGetLastError.
END
grep -A3 '^DC-018: aclrtMemset' "$output" | cmp -s - "$expected" || complain "an error that nobody reads has no report"
check 1 "$program" none_late
grep -q 'aclrtMemset' "$output" || complain "the call that fails has no report"
grep -q 'DC-018' "$output" && complain "an error that was read late is reported"
unread=$(mktemp)
echo 'DC-009 aclrtMemset' >"$unread"
"$belay" check --only leak,order --suppressions "$unread" "$program" unread >/dev/null 2>"$output" ||
    complain "an error that was suppressed is one that must be read"
rm -f "$unread"

# Who was told by a function of the program needs no wait, be it before the call that queued it has returned.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$belay" check --only order "$program" none_told >/dev/null 2>"$output" && grep -qx 'belay check: 0 reports' "$output" ||
        complain "a program that was told has reports"
done

"$belay" check --only leak "$program" none_stack >/dev/null 2>"$output" && grep -qx 'belay check: 0 reports' "$output" ||
    complain "a stack that is walked anew has reports"

# Without a reset, at the end of the process.
check 1 "$program" exit_memory
grep -q '^DC-017: aclrtMalloc: 4 blocks of device memory of 7096 bytes in all were never given back$' "$output" ||
    complain "memory that is left at exit is not reported"
check 0 "$program" exit_memory mended
check 1 "$program" exit_reset
grep -q '^DC-018: aclnnSilu: 2 pieces of work on a stream were never waited for before exit$' "$output" ||
    complain "work that is left at exit is not reported"

# Suppressions, the document, and each rule alone.
list=$(mktemp)
document=$(mktemp)
printf '# known\n\nDC-017 aclrtMalloc* test_check_*  # of this program\nDC-018 aclnnAdd\n' >"$list"
"$belay" check --suppressions "$list" "$program" two_places >/dev/null 2>"$output" || complain "suppressed reports fail"
grep -qx 'belay check: 0 reports' "$output" || complain "suppressed reports are counted"
grep -qx 'belay check: 2 more left out: suppressed, or known of libraries that PyTorch brings' "$output" || complain "suppressed reports are not told"
"$belay" check --suppressions "$list" "$program" stream >/dev/null 2>"$output" && complain "too much is suppressed"
for bad in 'DC-017' 'aclrtMalloc *' 'DC-017 a b c'; do
    echo "$bad" >"$list"
    "$belay" check --suppressions "$list" "$program" stream mended >/dev/null 2>"$output" && complain "accepted: $bad"
    grep -q "line 1 of .* is not understood" "$output" || complain "not named: $bad"
done
"$belay" check --suppressions /does/not/exist "$program" stream mended 2>"$output" && complain "no suppressions, unsaid"
"$belay" check --only leak --json "$document" "$program" reset >/dev/null 2>"$output" && complain "leaks are not found"
grep -q 'DC-018' "$output" && complain "a rule that was not asked for reports"
"$belay" check --only order "$program" memory >/dev/null 2>"$output" || complain "a rule that was not asked for fails"
if command -v python3 >/dev/null; then
    python3 - "$document" <<'END' >"$output" 2>&1 || complain "the document is not as described"
import json, sys
document = json.load(open(sys.argv[1]))
assert (document["version"], document["status"], document["total"], document["suppressed"]) == (1, 0, 2, 0), document
first = document["reports"][0]
assert first["rule"] == "DC-017" and first["severity"] == "warning" and first["count"] == 1, first
assert first["function"] == "aclrtCreateStream" and first["sentence"].startswith("aclrtCreateStream: "), first
place = first["places"][0]
assert place["what"] == "made by" and place["module"].endswith("/test_check_left_behind"), place
assert place["offset"] > 0 and place["call"] > 0, place
END
fi
"$belay" check --json /does/not/exist "$program" stream mended 2>"$output" && complain "a document that is not written passes"
rm -f "$list" "$document"

# Nothing of it without the command.
"$program" memory 2>"$output" || complain "a leak fails the program without belay check"
[ ! -s "$output" ] || complain "something is printed without belay check"
exit "$failed"
