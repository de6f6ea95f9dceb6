#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Reports about Python programs name the line; where the interpreter does not tell it, the library that called.
#
#   left_behind_python.sh BELAY SOURCE BUILD
set -uo pipefail
belay=$1
source=$2
build=$3
program=$source/tests/check/left_behind.py
python=$(sh "$source/tests/python/interpreter.sh")
[ -n "$python" ] || exit 77
export PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH=$build/lib64
unset BELAY_CHECK BELAY_CHECK_COUNTS BELAY_CHECK_SUPPRESSIONS
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' "$output"
    failed=1
}

tells_lines=yes
"$python" -c 'import ctypes; ctypes.pythonapi._Py_DumpTraceback' 2>/dev/null || tells_lines=no

# mistake NAME FUNCTION SENTENCE: one report with the line that has FUNCTION's call.
mistake() {
    local line
    "$belay" check "$python" "$program" "$1" >/dev/null 2>"$output" && complain "$1 is not found"
    grep -qF "$3" "$output" || complain "$1 is not told: $3"
    line="$program:[0-9]+ \\($2\\), call"
    [ "$tells_lines" = yes ] || line='[a-z_]+.*\+0x[0-9a-f]+.*, call'
    [ "$(grep -cE "^belay check:     .*at $line" "$output")" -ge 1 ] || complain "$1 has another place than $line"
    "$belay" check "$python" "$program" "$1" mended >/dev/null 2>"$output" || complain "$1 mended fails"
    grep -qx 'belay check: 0 reports' "$output" || complain "$1 mended has reports"
}

mistake memory allocate 'DC-017: aclrtMalloc: 2 blocks of device memory of 128 bytes in all were never given back'
mistake event leave_event 'DC-017: aclrtCreateEvent: 1 event was never given back'
mistake free free_twice ': and 999 more'
exit "$failed"
