#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The mistakes of Python programs are found, each at the lines that make it, and nothing where they are mended.
# Where the interpreter does not tell lines, the library that called stands for them.
#
#   python.sh BELAY SOURCE BUILD
set -uo pipefail
belay=$1
source=$2
build=$3
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
"$python" - <<'END' || tells_lines=no
import ctypes, sys, sysconfig
is_read = sys.version_info[:2] in ((3, 11), (3, 13), (3, 14)) and not sysconfig.get_config_var("Py_GIL_DISABLED")
sys.exit(0 if is_read or hasattr(ctypes.pythonapi, "_Py_DumpTraceback") else 1)
END

# mistake STATUS PROGRAM NAME CHECKS FUNCTION LINES WORDS [OPTION...]: the program ends with STATUS and is told WORDS,
# with LINES lines of FUNCTION; OPTION is the interpreter's.
mistake() {
    local status=$1 program=$source/tests/check/$2 name=$3 checks=$4 function=$5 lines=$6 words=$7 line found
    shift 7
    "$belay" check --only "$checks" "$python" "$@" "$program" "$name" >/dev/null 2>"$output"
    found=$?
    [ "$found" -eq "$status" ] || complain "$name ends with $found instead of $status"
    grep -qE "$words" "$output" || complain "$name is not told: $words"
    line="$program:[0-9]+ \\($function\\)"
    [ "$tells_lines" = yes ] || line='[a-z_]+.*\+0x[0-9a-f]+.*'
    found=$(grep -cE "^belay check:     .*at $line(, call [0-9]+)?$" "$output")
    [ "$tells_lines" = no ] || [ "$found" -eq "$lines" ] || complain "$name has $found lines of $line instead of $lines"
    "$belay" check --only "$checks" "$python" "$@" "$program" "$name" mended >/dev/null 2>"$output" ||
        complain "$name mended fails"
    grep -qx 'belay check: 0 reports' "$output" || complain "$name mended has reports"
}

all=mem,init,race,leak,sync,num
mistake 1 left_behind.py memory $all allocate 1 \
    'DC-017: aclrtMalloc: 2 blocks of device memory of 128 bytes in all were never given back'
mistake 1 left_behind.py event $all leave_event 1 'DC-017: aclrtCreateEvent: 1 event was never given back'
mistake 1 left_behind.py free $all free_twice 2 ': and 999 more'
mistake 1 unordered.py early race,init read_early 2 \
    'DC-011: aclrtMemcpy: src reads what devPtr of aclrtMemsetAsync writes'
mistake 1 unordered.py streams race,init two_streams 2 \
    'DC-012: aclrtMemsetAsync: devPtr writes what devPtr of aclrtMemsetAsync writes'
mistake 1 unordered.py unwritten race,init read_unwritten 2 \
    'DC-010: aclrtMemcpy: src is read and was never written: byte 0 of 4096'
touched='DC-007: the program reads 0x[0-9a-f]+, which is .* of device memory$'
mistake 139 touched.py device mem,race read_device 1 "$touched"
mistake 139 touched.py device mem,race read_device 1 "$touched" -X faulthandler
mistake 1 touched.py early mem,race read_early 3 \
    'DC-011: the program reads 0x[0-9a-f]+, .* of pinned host memory, which aclrtMemcpyAsync uses'

# The callers of a place, and lines and names as the interpreter has them: of calls over several lines, in a file and
# a function whose names are not ASCII.
folder=$(mktemp -d)
trap 'rm -rf "$output" "$folder"' EXIT
program="$folder/à→𝄞.py"
cat >"$program" <<'END'
import acl


class Größe:
    def würfeln(
        self, x
    ):
        return [
            self,
            acl.rt.malloc(
                64, 0), x,
        ]


def outer(n):
    if n == 0:
        return (lambda:
                Größe().würfeln(0))()


    outer(n - 1)


acl.rt.set_device(0)
outer(7)
END
"$belay" check --only leak "$python" "$program" >/dev/null 2>"$output"
found=$(sed -n 's/^belay check:     made by aclrtMalloc at .*\.py\(:[0-9]*\).*/\1/p; s/^belay check:         from .*\.py\(:[0-9]*\).*/\1/p' "$output")
[ "$tells_lines" = no ] || [ "$(echo $found)" = ":10 :18 :17 :21 :21 :21" ] || complain "the callers are: $(echo $found)"
"$python" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 13), (3, 14)))' && {
    grep -qF "à→𝄞.py:10 (würfeln), call" "$output" || complain "names that are not ASCII are changed"
}
exit "$failed"
