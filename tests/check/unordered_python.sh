#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The mistakes of unordered.py are found, with the lines of both sides, and nothing where they are mended.
#
#   unordered_python.sh BELAY SOURCE BUILD
set -uo pipefail
belay=$1
source=$2
build=$3
program=$source/tests/check/unordered.py
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

# mistake NAME FUNCTION SENTENCE: one report with two lines of FUNCTION.
mistake() {
    local line
    "$belay" check --only race,init "$python" "$program" "$1" >/dev/null 2>"$output" && complain "$1 is not found"
    grep -qE "$3" "$output" || complain "$1 is not told: $3"
    line="$program:[0-9]+ \\($2\\), call"
    [ "$tells_lines" = yes ] || line='[a-z_]+.*\+0x[0-9a-f]+.*, call'
    [ "$(grep -cE "^belay check:     .*at $line" "$output")" -eq 2 ] || complain "$1 has other places than $line"
    "$belay" check --only race,init "$python" "$program" "$1" mended >/dev/null 2>"$output" ||
        complain "$1 mended fails"
    grep -qx 'belay check: 0 reports' "$output" || complain "$1 mended has reports"
}

mistake early read_early 'DC-011: aclrtMemcpy: src reads what devPtr of aclrtMemsetAsync writes'
mistake streams two_streams 'DC-012: aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes'
mistake unwritten read_unwritten 'DC-010: aclrtMemcpy: src is read and was never written: byte 0 of 4096'
exit "$failed"
