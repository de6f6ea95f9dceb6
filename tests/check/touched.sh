#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# belay check finds each mistake of touched.cpp, by its rule and once, says where the memory comes from, and lets the
# program end as it would; nothing in the mended program.
#
#   touched.sh BELAY TOUCHED
set -uo pipefail
belay=$1
program=$2
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset BELAY_CHECK BELAY_CHECK_COUNTS
ulimit -c 0

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

# check STATUS NAME [mended]: runs it under belay check, its standard error in $output.
check() {
    local expected=$1 status
    shift
    "$belay" check --only mem,race "$program" "$@" >/dev/null 2>"$output"
    status=$?
    [ "$status" -eq "$expected" ] || complain "$* ended with $status instead of $expected"
}

# NAME STATUS PLACES SENTENCE: the report has so many places, of which all but that of the touch are calls.
while read -r name status places words; do
    check "$status" "$name"
    grep -qE "^belay check: ${name:0:6}: $words" "$output" || complain "$name is not reported"
    grep -qx 'belay check: 1 report' "$output" || complain "$name is not the only report"
    [ "$(grep -cE '^belay check:     .*at [^ ]+\+0x[0-9a-f]+' "$output")" -eq "$places" ] ||
        complain "$name has not $places places"
    grep -qE "^belay check:     (at|found by .* at|queued by .* at) $(basename "$program")\+0x" "$output" ||
        complain "$name was not made by the program"
    check 0 "$name" mended
    grep -qx 'belay check: 0 reports' "$output" || complain "$name mended has reports"
done <<'END'
DC-007 139 2 the program reads 0x[0-9a-f]+, which is 100 bytes inside a block of 4096 bytes of device memory$
DC-007-write 139 2 the program writes 0x[0-9a-f]+, which is 7 bytes inside a block of 4096 bytes of device memory$
DC-007-libc 139 2 the program reads 0x[0-9a-f]+, which is .*a block of 4096 bytes of device memory$
DC-007-mapped 139 1 the program reads 0x[0-9a-f]+, which is 0 bytes inside 2097152 mapped bytes of device memory$
DC-007-function 139 2 the program reads 0x[0-9a-f]+, which is a block of 4096 bytes of device memory$
DC-007-handler 1 2 the program reads 0x[0-9a-f]+, which is a block of 4096 bytes of device memory$
DC-007-passing 139 2 the program reads 0x[0-9a-f]+, which is a block of 4096 bytes of device memory$
DC-007-workspace 139 2 the program writes 0x[0-9a-f]+, which is 9 bytes inside a block of 4096 bytes of device memory$
DC-008-workspace 1 3 aclrtMemset: devPtr 0x[0-9a-f]+ is device memory that was already freed;
DC-013-unmapped 1 2 aclrtMemcpyAsync: src reads 4096 bytes of host memory at 0x[0-9a-f]+, which the program has unmapped
DC-013-rest 1 2 aclrtMemcpyAsync: src reads [0-9]+ bytes of host memory at 0x[0-9a-f]+, which the program changed
DC-008 139 3 the program reads 0x[0-9a-f]+, which is pinned host memory that was already freed$
DC-008-device 139 3 the program reads 0x[0-9a-f]+, which is device memory that was already freed$
DC-008-copied 1 3 aclrtMemcpy: src 0x[0-9a-f]+ is device memory that was already freed;
DC-009 1 2 the program wrote up to 3 bytes past the end of a block of 1000 bytes of pinned host memory at 0x
DC-009-before 1 2 the program wrote up to 3 bytes before a block of 1000 bytes of pinned host memory at 0x
DC-009-far 139 2 the program writes 0x[0-9a-f]+, which is 1000 bytes past the end of a block of 1000 bytes of pinned
DC-011 1 3 the program reads 0x[0-9a-f]+, 40 bytes inside a block of 4096 bytes of pinned host memory, which aclrtMemcpyAsync uses
DC-011-write 1 3 the program writes 0x[0-9a-f]+, 99 bytes inside a block of 100 bytes of pinned host memory, which aclrtMemcpyAsync uses
END
check 139 DC-007-passing
[ "$(grep -cx handler "$output")" -eq 1 ] || complain "the program's handler is not called once"
check 0 none-function
grep -qx 'belay check: 0 reports' "$output" || complain "a function that a stream waits for has reports"
check 0 none-halves
grep -qx 'belay check: 0 reports' "$output" || complain "a page that is used by halves has reports"
exit "$failed"
