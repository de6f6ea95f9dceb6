#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes the tables of docs/operators.md anew from the library: what each operator takes and what it promises.
#
#   scripts/operator_tables.sh BELAY                  rewrites the document; BELAY is the command (build/bin/belay)
#   scripts/operator_tables.sh --check BELAY          fails where the document differs from what would be written
#
# A table stands between `<!-- table aclnnXxx -->` (without a name: that of all operators) and `<!-- end -->`. All else
# in the document is written by hand.
set -euo pipefail

check=
if [ "${1-}" = --check ]; then
    check=yes
    shift
fi
[ $# -eq 1 ] || {
    echo "usage: operator_tables.sh [--check] BELAY" >&2
    exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" ops --markdown >"$folder/tables"
cd "$(dirname "$0")/.."
document=docs/operators.md

awk '
    NR == FNR && /^<!-- table / { marker = $0 }
    NR == FNR { table[marker] = table[marker] $0 "\n"; next }
    /^<!-- table / {
        if (!($0 in table)) fault("the library has no such table: " $0)
        printf "%s", table[$0]
        delete table[$0]
        if (skip) fault("a table before this one has no end: " $0)
        skip = 1
    }
    !skip
    /^<!-- end -->/ { skip = 0 }
    function fault(sentence) { print "operator_tables.sh: '$document': " sentence >"/dev/stderr"; status = 1 }
    END {
        if (skip) fault("the last table has no end")
        for (marker in table) fault("there is no place for " marker)
        exit status
    }
' "$folder/tables" $document >"$folder/document"

if [ -z "$check" ]; then
    cat "$folder/document" >"$document"
elif ! diff -u "$document" "$folder/document"; then
    echo "operator_tables.sh: $document is not what scripts/operator_tables.sh writes" >&2
    exit 1
fi
