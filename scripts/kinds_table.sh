#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes the table of docs/operators-by-name.md anew, from `belay ops --kinds`.
#
#   scripts/kinds_table.sh BELAY                  rewrites the page; BELAY is the command (build/bin/belay)
#   scripts/kinds_table.sh --check BELAY          fails where the page differs from what would be written
set -euo pipefail

check=
if [ "${1-}" = --check ]; then
    check=yes
    shift
fi
[ $# -eq 1 ] || {
    echo "usage: kinds_table.sh [--check] BELAY" >&2
    exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    printf '| kind | computed by |\n|---|---|\n'
    "$1" ops --kinds | sed -E 's/^([^ ]+) +(.*)$/| `\1` | \2 |/; s/aclnn([A-Za-z0-9]+)/`aclnn\1`/g'
} >"$folder/table"
cd "$(dirname "$0")/.."
page=docs/operators-by-name.md
awk -v table="$folder/table" '
    /^<!-- kinds end -->$/ { skips = 0 }
    !skips { print }
    /^<!-- kinds begin -->$/ { skips = 1; while ((getline line <table) > 0) print line }
' $page >"$folder/page"
if [ -n "$check" ]; then
    cmp -s "$folder/page" $page || {
        echo "$page is not what scripts/kinds_table.sh writes" >&2
        exit 1
    }
else
    cat "$folder/page" >$page
fi
