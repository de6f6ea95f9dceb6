#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Documents stay readable: what is written by hand in a page is at most 300 lines of at most 100 characters. What a script
# writes stands between `<!-- NAME begin -->` and `<!-- NAME end -->` and does not count. Pages and recipes give pip the
# name belay-npu: on the Python index belay is another project.
#
#   scripts/check_pages.sh             all pages of the tree
#   scripts/check_pages.sh PAGE ...    the named ones
set -euo pipefail
cd "$(dirname "$0")/.."
# Characters count, not bytes; every system has this locale.
export LC_ALL=C.UTF-8
readonly lines_most=300 columns_most=100

status=0
fault() {
    echo "check_pages.sh: $1" >&2
    status=1
}

# check_page PAGE
check_page() {
    local page=$1 line written_by='' number=0 by_hand=0
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [[ $line =~ ^'<!-- '(.*)' begin -->'$ ]]; then
            [ -z "$written_by" ] || fault "$page:$number: the part $written_by has no end"
            written_by=${BASH_REMATCH[1]}
        elif [[ $line =~ ^'<!-- '(.*)' end -->'$ ]]; then
            [ "$written_by" = "${BASH_REMATCH[1]}" ] || fault "$page:$number: the part ${BASH_REMATCH[1]} has no begin"
            written_by=''
        elif [ -z "$written_by" ]; then
            by_hand=$((by_hand + 1))
            [ ${#line} -le $columns_most ] || fault "$page:$number: ${#line} columns; $columns_most are allowed"
        fi
    done <"$page"
    [ -z "$written_by" ] || fault "$page: the part $written_by has no end"
    [ $by_hand -le $lines_most ] || fault "$page: $by_hand lines are written by hand; $lines_most are allowed"
}

# check_pip_name FILE: nothing in it has pip install belay, or says that pip is to get it.
check_pip_name() {
    local found
    found=$(grep -nE "(pip (install|wheel|download)|pipx? run|uv add)([^#|&;]*[ \"'])belay([]\"'\`=<>~!; ]|$)|BELAY[:=] *[\"']?belay([\"' =<>~]|$)|\`belay *==" \
        "$1") || return 0
    fault "$1:${found%%:*}: pip gets belay, which is another project; belay-npu is this one"
}

pages=("$@")
[ $# -gt 0 ] || pages=(*.md docs/*.md python/*.md)
checked=0
for page in "${pages[@]}"; do
    check_page "$page"
    check_pip_name "$page"
    checked=$((checked + 1))
done
[ $checked -gt 0 ] || fault "there are no pages"
if [ $# -eq 0 ]; then
    for recipe in examples/ci/* Dockerfile scripts/try_recipes.py; do
        check_pip_name "$recipe"
    done
fi
[ $status -ne 0 ] || echo "$checked pages are short enough"
exit $status
