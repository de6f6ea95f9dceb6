#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes the table of docs/operators.md anew: a row for each function, from what the library itself checks by
# (`belay ops --markdown`), from the header that declares the function, and from which of PyTorch's functions were seen
# to call it (scripts/torch_calls.sh).
#
#   scripts/operator_tables.sh BELAY                  rewrites the page; BELAY is the command (build/bin/belay);
#                                                     then scripts/torch_npu_names.py its own
#   scripts/operator_tables.sh --check BELAY          fails where the page differs from what would be written
#
# The table stands between `<!-- functions begin -->` and `<!-- functions end -->`.
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
belay=$(realpath "$1")
"$1" ops --markdown >"$folder/tables"
cd "$(dirname "$0")/.."
page=docs/operators.md

# What every header says first of itself: "header function sentence", a line for each function.
awk '
    function finish(   i) {
        sub(/\. .*/, ".", sentence)
        for (i = 1; i <= count; i++) print header "\t" functions[i] "\t" sentence
    }
    FNR == 1 { if (header) finish(); header = FILENAME; sub(/.*\//, "", header); sentence = ""; count = 0; comment = 0 }
    /^\/\*$/ { comment++; next }
    comment == 0 && FNR == 3 && /^\/\* .* \*\/$/ { comment = 1; sentence = substr($0, 4, length($0) - 6) }
    comment == 1 && /^ \* / && sentence !~ /\.( |$)/ { sentence = sentence (sentence ? " " : "") substr($0, 4) }
    /^aclnnStatus aclnn[A-Za-z0-9]*\(void \*workspace/ { split($2, name, "("); functions[++count] = name[1] }
    # A function of a table (aclnnop/unary.h): ACLNN_UNARY(aclnnExp, self, out)
    /^ACLNN_[A-Z_]*\(/ { split($1, name, /[(,)]/); functions[++count] = name[2] }
    END { finish() }
' include/aclnnop/aclnn_*.h >"$folder/headers"

# "aclnnAdd torch.add, torch.Tensor.add_": those with a name like the function's, or else those that call the fewest
# others, and no more than some.
awk -F '\t' '
    function plain(name) {
        sub(/^.*\./, "", name)
        gsub(/^_foreach|_|[0-9]+$/, "", name)
        return tolower(name)
    }
    /^#/ { next }
    {
        count = split($2, names, " ")
        for (i = 1; i <= count; i++) {
            operator = names[i]
            own = tolower(substr(operator, 6))
            sub(/^(inplace|foreach)/, "", own)
            short = plain($1)
            rank = index(own, short) == 1 ? 0 : index(own, short) > 0 || index(short, own) > 0 ? 50 : 100
            if (operator ~ /^aclnnInplace/ && $1 !~ /_$/) rank += 20
            if (operator !~ /^aclnnInplace/ && $1 ~ /_$/) rank += 20
            if ((operator ~ /^aclnnForeach/) != ($1 ~ /_foreach/)) rank += 29
            printf "%s\t%05d\t%s\n", operator, rank * 100 + (count < 100 ? count : 99), $1
        }
    }
' tests/clients/torch/support/calls.txt | LC_ALL=C sort | awk -F '\t' '
    $1 != operator { if (operator) print operator "\t" text; operator = $1; text = ""; count = 0; is_named = $2 < 10000 }
    is_named && $2 >= 10000 { next }
    ++count <= 4 { text = text (count > 1 ? ", " : "") $3 }
    count == 5 { text = text ", ..." }
    END { if (operator) print operator "\t" text }
' >"$folder/torch"

# A row for each table of parameters; the first table has the family and the accuracy of each function.
awk -F ' *[|] *' '
    function fault(text) { print "operator_tables.sh: " text >"/dev/stderr"; failed = 1 }
    # All dtypes that a product takes, and what some products lack of them. That BFLOAT16 is missing on Ascend910A
    # everywhere the page says once.
    function dtypes(of_910a, of_910b, of_950,   list, n, i, dtype, text, rest, lacking, kind, kinds) {
        n = split(of_910b ", " of_950, list, ", ")
        for (i = 1; i <= n; i++) {
            dtype = list[i]
            if (has(text, dtype)) continue
            text = text (text ? ", " : "") dtype
            if (!has(of_910b, dtype)) kind = "on Ascend950 only"
            else if (!has(of_950, dtype)) kind = "not on Ascend950"
            else if (!has(of_910a, dtype) && dtype != "BFLOAT16") kind = "not on Ascend910A"
            else continue
            if (!(kind in lacking)) kinds = kinds (kinds ? ";" : "") kind
            lacking[kind] = lacking[kind] (lacking[kind] ? ", " : "") dtype
        }
        n = split(kinds, list, ";")
        for (i = 1; i <= n; i++) rest = rest (i > 1 ? "; " : "") lacking[list[i]] " " list[i]
        return text (rest ? " (" rest ")" : "")
    }
    function has(list, dtype) { return index(", " list ",", ", " dtype ",") > 0 }
    function finish(   row) {
        if (name == "") return
        if (!(name in header)) fault("no header declares " name)
        if (!(name in promise)) fault("no promise is made of " name)
        # What it promises of DOUBLE says nothing where the first tensor cannot have it.
        if (arguments !~ /^[^;]*(DOUBLE|COMPLEX)/) sub(/; DOUBLE: .*/, "", promise[name])
        row = "| [" name "](../include/aclnnop/" header[name] ") | " family[name] " | " sentence[name] " | " torch[name] \
            " | " arguments " | " promise[name] " | " state[name] " |"
        print row
        name = ""
    }
    FILENAME == ARGV[1] { split($0, part, "\t"); header[part[2]] = part[1]; sentence[part[2]] = part[3]; next }
    FILENAME == ARGV[2] { split($0, part, "\t"); torch[part[1]] = part[2]; next }
    /^<!-- table -->/ { promises = 1; next }
    /^<!-- table / { name = $0; gsub(/<!-- table | -->/, "", name); arguments = ""; previous = ""; next }
    /^<!-- end -->/ { promises = 0; finish(); next }
    promises && $2 ~ /^aclnn/ {
        family[$2] = $3
        state[$2] = $8
        if ($4 == $5 && $5 == $6 && $6 == $7) promise[$2] = $4
        else promise[$2] = "16 bits: " $4 "; FLOAT: " $5 ($5 == $6 ? "" : "; FLOAT exact: " $6) "; DOUBLE: " $7
        next
    }
    name != "" && $2 != "parameter" && $2 !~ /^-+$/ {
        kind = $6 != "" ? dtypes($4, $5, $6) : $3
        written = match($3, /, (in place|overwritten)$/) ? " (" substr($3, RSTART + 2) ")" : ""
        if (kind == previous) arguments = substr(arguments, 1, length(arguments) - length(": " kind)) ", `" $2 "`" written ": " kind
        else arguments = arguments (arguments ? "; " : "") "`" $2 "`" written ": " kind
        previous = kind
    }
    END { exit failed }
' "$folder/headers" "$folder/torch" "$folder/tables" >"$folder/rows"
[ -s "$folder/rows" ] || {
    echo "operator_tables.sh: the library has no functions" >&2
    exit 1
}

awk -v rows="$folder/rows" '
    /^<!-- functions end -->/ { skip = 0; ends++ }
    !skip
    /^<!-- functions begin -->/ {
        skip = 1; begins++
        print "| function | family | what it computes | PyTorch | arguments and their dtypes | accuracy | what stands behind it |"
        print "|---|---|---|---|---|---|---|"
        while ((getline line < rows) > 0) print line
    }
    END { if (begins != 1 || ends != 1 || skip) exit 1 }
' $page >"$folder/page" || {
    echo "operator_tables.sh: $page has no place for the table" >&2
    exit 1
}

if [ -z "$check" ]; then
    cat "$folder/page" >"$page"
    scripts/torch_npu_names.py "$belay"
    scripts/sum_bounds.py
elif ! diff -u "$page" "$folder/page"; then
    echo "operator_tables.sh: $page is not what scripts/operator_tables.sh writes" >&2
    exit 1
fi
