#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes tests/clients/torch/support/calls.txt anew: which operator functions each of PyTorch's functions asks for, as
# the tables of tests/clients/torch find by running them. scripts/operator_tables.sh makes a column of it.
#
#   scripts/torch_calls.sh BELAY PYTHON     BELAY is an installed command, PYTHON one that has torch_npu
set -euo pipefail
[ $# -eq 2 ] || { sed -n '8s/^# *//p' "$0"; exit 2; }
belay=$(realpath "$1")
python=$2
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for program in tests/clients/torch/*.py; do
    grep -q '^from support.table import' "$program" || continue
    for product in Ascend910B3 Ascend950PR_9599; do
        echo "$(basename "$program" .py) $product" >&2
        BELAY_SOC=$product BELAY_RECORD=$folder/lines ASCEND_GLOBAL_LOG_LEVEL=1 ASCEND_SLOG_PRINT_TO_STDOUT=1 \
            "$belay" run "$python" "$program" >"$folder/log" 2>&1 || { tail -5 "$folder/log"; exit 1; }
    done
done
# Of all cases of a function: its name up to what varies: "torch.sum(dim=1)" is one of torch.sum.
awk -F '\t' '
    {
        sub(/[(, ].*/, "", $1)
        count = split($2, names, " ")
        for (i = 1; i <= count; i++) if (!seen[$1, names[i]]++) all[$1] = all[$1] " " names[i]
    }
    END { for (function_name in all) print function_name "\t" substr(all[function_name], 2) }
' "$folder/lines" | LC_ALL=C sort >tests/clients/torch/support/calls.txt
