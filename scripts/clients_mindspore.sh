#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# MindSpore, as it is on the public index, on the toolkit in ROOT: clients_mindspore.sh ROOT JUDGE. JUDGE is a Python with
# PyTorch, which computes on its own processor what MindSpore's CPU device has no kernels for. The environment takes 3 GB.
# BELAY_CLIENTS_PROGRAMS is a pattern of programs ("net*"). A line for each row as it ends, and a count.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$1
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/mindspore
python=$folder/bin/python

# environment: makes it, once.
environment() {
    [ -e "$folder/complete" ] && return
    echo "fetching mindspore"
    mkdir -p "$folder" && "${BELAY_CLIENTS_PYTHON-python3.11}" -m venv --clear "$folder" || return
    "$python" -m pip install -q --no-cache-dir mindspore==2.10.0 'numpy<2' && touch "$folder/complete"
}

environment || { echo "mindspore cannot be had"; exit 1; }
export BELAY_CLIENTS_TORCH=$2 GLOG_v=4 PYTHONWARNINGS=ignore
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
tests=$PWD/tests/clients/mindspore
passed=0
failed=0

# tell STATUS WHAT SECONDS
tell() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'passed  %-44s %4d s  %s\n' "$2" "$3" "$(tail -1 "$log" | cut -c1-80)"
    else
        failed=$((failed + 1))
        printf 'FAILED  %-44s %4d s\n' "$2" "$3"
        grep -v "'te'\|\"te\"\|_check_version.py" "$log" | tail -12 | cut -c1-200 | sed 's/^/        /'
    fi
}

chosen() {
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in
    ${BELAY_CLIENTS_PROGRAMS-*}) return 0 ;;
    esac
    return 1
}

# row PRODUCT MODE FILE VERB [OPTION...]
row() {
    local name begin=$SECONDS
    name=$(basename "$3" .py)
    chosen "$name" || return 0
    (cd "$work" && env BELAY_SOC="$1" BELAY_CLIENTS_MODE="$2" timeout 900 "$root/bin/belay" "${@:4}" "$python" -B "$3") >"$log" 2>&1
    tell $? "$name $1 $2 $4" $((SECONDS - begin))
}

# ranks COUNT
ranks() {
    local begin=$SECONDS status
    chosen collectives || return 0
    (cd "$work" && rm -rf ranks && env PATH="$folder/bin:$PATH" BELAY_DEVICES="$1" BELAY_CLIENTS_RANKS="$1" BELAY_THREADS=1 OMP_NUM_THREADS=1 \
        timeout 900 "$root/bin/belay" run "$folder/bin/msrun" --worker_num="$1" --local_worker_num="$1" --master_port=$((20000 + RANDOM % 20000)) \
        --log_dir=ranks --join=True "$tests/collectives.py") >"$log" 2>&1
    status=$?
    [ "$(cat "$work"/ranks/worker_*.log | grep -c "rank . of $1 is right")" -eq "$1" ] || status=1
    cat "$work"/ranks/worker_*.log >"$log"
    tell $status "collectives by $1 processes" $((SECONDS - begin))
}

# What the plug-in is linked with and the libraries of ROOT do not have.
names() {
    local begin=$SECONDS
    chosen names || return 0
    comm -23 <(nm -D --undefined-only "$folder"/lib/python3*/site-packages/mindspore/lib/plugin/{libmindspore_ascend.so.2,ascend/libmindspore_ascend_res_manager.so} |
        grep -oE '_ZNK?2ge.*' | sort -u) <(nm -D --defined-only "$root"/lib64/lib{graph,ge_runner}.so | awk '{ print $3 }' | sort -u) >"$log"
    [ ! -s "$log" ]
    tell $? "names that the plug-in is linked with" $((SECONDS - begin))
}

names
for product in Ascend910B3 Ascend950PR_9599; do
    for name in mint legacy networks training mixed_precision optimizers recurrent shapes refused; do
        row $product PyNative "$tests/$name.py" run
    done
    row $product O0 "$tests/networks.py" run
    row $product O0 "$tests/training.py" run
    row $product O0 "$tests/sinking.py" run
    row $product PyNative examples/mindspore/train.py run
done
for name in networks training; do
    row Ascend910B3 PyNative "$tests/$name.py" check
done
rm -f "$work"/trace.json*
row Ascend910B3 PyNative "$tests/shapes.py" trace -o "$work/trace.json"
if chosen timeline; then
    python3 -B tests/tools/timeline.py "$work"/trace.json* >"$log" 2>&1
    tell $? "timeline of shapes" 0
fi
for count in 2 4; do
    ranks $count
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
