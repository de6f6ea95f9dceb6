#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Python programs that touch device memory, or pinned memory too early, are told so with the line that does.
#
#   touched_python.sh BELAY SOURCE BUILD
set -uo pipefail
belay=$1
source=$2
build=$3
program=$source/tests/check/touched.py
python=$(sh "$source/tests/python/interpreter.sh")
[ -n "$python" ] || exit 77
export PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH=$build/lib64
unset BELAY_CHECK BELAY_CHECK_COUNTS BELAY_CHECK_SUPPRESSIONS
ulimit -c 0
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

# mistake STATUS NAME FUNCTION SENTENCE [OPTION]: one report, at the line of FUNCTION that touches.
mistake() {
    local status=$1 name=$2 function=$3 words=$4
    shift 4
    "$belay" check --only mem,race "$python" "$@" "$program" "$name" >/dev/null 2>"$output"
    [ $? -eq "$status" ] || complain "$name does not end with $status"
    grep -qE "$words" "$output" || complain "$name is not told: $words"
    grep -qx 'belay check: 1 report' "$output" || complain "$name is not the only report"
    [ "$tells_lines" = no ] || grep -qE "^belay check:     at $program:[0-9]+ \\($function\\)$" "$output" ||
        complain "$name has no line"
    "$belay" check --only mem,race "$python" "$@" "$program" "$name" mended >/dev/null 2>"$output" ||
        complain "$name mended fails"
    grep -qx 'belay check: 0 reports' "$output" || complain "$name mended has reports"
}

touched='DC-007: the program reads 0x[0-9a-f]+, which is .* of device memory$'
mistake 139 device read_device "$touched"
mistake 139 device read_device "$touched" -X faulthandler
mistake 1 early read_early 'DC-011: the program reads 0x[0-9a-f]+, .* of pinned host memory, which aclrtMemcpyAsync uses'
exit "$failed"
