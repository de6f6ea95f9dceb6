#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Small clients of the public index on the toolkit in ROOT: clients_small.sh ROOT. l0n0lacl calls aclnn functions by
# name, numpy-ascend has NumPy's arrays on them, pyhccl binds HCCL: by 1, 2 and 4 processes.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$1
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/small
python=$folder/bin/python
if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder" && "${BELAY_CLIENTS_PYTHON-python3.11}" -m venv --clear "$folder" &&
        "$python" -m pip install -q --no-cache-dir l0n0lacl==2.4.0 numpy-ascend==14.0.0a1 pyhccl==0.1.0 'numpy<2' &&
        touch "$folder/complete" || { echo "the clients cannot be had"; exit 1; }
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# row NAME [VARIABLE=VALUE...] FILE [ARGUMENT...]
row() {
    local name=$1 begin=$SECONDS
    if env BELAY_THREADS=1 timeout 300 "${@:2}" >"$log" 2>&1; then
        passed=$((passed + 1))
        printf 'passed  %-44s %4d s  %s\n' "$name" $((SECONDS - begin)) "$(tail -1 "$log" | cut -c1-80)"
    else
        failed=$((failed + 1))
        printf 'FAILED  %-44s %4d s\n' "$name" $((SECONDS - begin))
        tail -12 "$log" | cut -c1-200 | sed 's/^/        /'
    fi
}

for product in Ascend910B3 Ascend950PR_9599; do
    for name in single_operators arrays; do
        row "$name $product" env BELAY_SOC=$product "$root/bin/belay" run "$python" -B tests/clients/small/$name.py
    done
done
for ranks in 1 2 4; do
    row "pyhccl by $ranks processes" env BELAY_DEVICES=$ranks "$root/bin/belay" run "$python" -B tests/clients/small/ranks.py $ranks
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
