#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# MindSpore, as it is on the public index, on the toolkit in ROOT: clients_mindspore.sh ROOT JUDGE. JUDGE is a Python with
# PyTorch, which computes on its own processor what MindSpore's CPU device has no kernels for. The environment takes 3 GB.
# BELAY_CLIENTS_PROGRAMS is a pattern of programs ("net*"), BELAY_CLIENTS_JOBS how many rows run at a time (2): each is
# mostly one thread of Python. A line for each row as it ends, and a count.
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
: >"$work/told"
tests=$PWD/tests/clients/mindspore
jobs=${BELAY_CLIENTS_JOBS-2}

# tell STATUS WHAT SECONDS LOG
tell() {
    if [ "$1" -eq 0 ]; then
        echo passed >>"$work/told"
        printf 'passed  %-44s %4d s  %s\n' "$2" "$3" "$(grep -v '^belay check: .* left out\|_check_version.py' "$4" | tail -1 | sed 's/^.*trace[^ ]*json[^ ]*: //' | cut -c1-80)"
    else
        echo failed >>"$work/told"
        printf 'FAILED  %-44s %4d s\n%s\n' "$2" "$3" \
            "$(grep -v "'te'\|\"te\"\|_check_version.py" "$4" | tail -12 | cut -c1-200 | sed 's/^/        /')"
    fi
}

chosen() {
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in
    ${BELAY_CLIENTS_PROGRAMS-*}) return 0 ;;
    esac
    return 1
}

# beside COMMAND...: as soon as one of the places is free.
beside() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    "$@" &
}

# timeline FILE... >>LOG: they keep to their format, and have operators.
timeline() {
    python3 -B tests/tools/timeline.py "$@"
}

# row PRODUCT MODE FILE VERB
row() {
    chosen "$(basename "$3" .py)" && beside run_row "$@"
}

run_row() {
    local begin=$SECONDS place status verb=("$4")
    # Some cases of legacy ask for infinities, as of 1 / 0, which the check of numbers is right to tell.
    [ "$4 $(basename "$3")" = "check legacy.py" ] && verb=(check --only "mem,init,race,leak,order")
    place=$(mktemp -d "$work/row.XXXX")
    [ "$4" = trace ] && verb=(trace -o "$place/trace.json")
    (cd "$place" && env BELAY_SOC="$1" BELAY_CLIENTS_MODE="$2" BELAY_THREADS=1 OMP_NUM_THREADS=1 \
        timeout -k 60 1800 "$root/bin/belay" "${verb[@]}" "$python" -B "$3") >"$place/log" 2>&1
    status=$?
    [ "$4" = trace ] && [ $status -eq 0 ] && { timeline "$place"/trace.json* >>"$place/log" 2>&1 || status=1; }
    tell $status "$(basename "$3" .py) $1 $2 $4" $((SECONDS - begin)) "$place/log"
    rm -rf "$place"
}

# ranks COUNT VERB
ranks() {
    chosen collectives && beside run_ranks "$@"
}

run_ranks() {
    local begin=$SECONDS place status verb=("$2") log
    place=$(mktemp -d "$work/row.XXXX")
    log=$place/log
    [ "$2" = trace ] && verb=(trace -o "$place/trace.json")
    (cd "$place" && env PATH="$folder/bin:$PATH" BELAY_DEVICES="$1" BELAY_CLIENTS_RANKS="$1" BELAY_THREADS=1 OMP_NUM_THREADS=1 \
        timeout -k 60 1800 "$root/bin/belay" "${verb[@]}" "$folder/bin/msrun" --worker_num="$1" --local_worker_num="$1" \
        --master_port=$((20000 + RANDOM % 20000)) --log_dir=ranks --join=True "$tests/collectives.py") >"$log" 2>&1
    status=$?
    [ "$(cat "$place"/ranks/worker_*.log | grep -c "rank . of $1 is right")" -eq "$1" ] || status=1
    cat "$place"/ranks/worker_*.log >>"$log"
    [ "$2" = trace ] && [ $status -eq 0 ] && {
        timeline "$place"/trace.json* >>"$log" 2>&1 || status=1
    }
    tell $status "collectives by $1 processes $2" $((SECONDS - begin)) "$log"
    rm -rf "$place"
}

# What the plug-in is linked with and the libraries of ROOT do not have.
names() {
    local begin=$SECONDS log=$work/names
    chosen names || return 0
    nm -D --undefined-only "$folder"/lib/python3*/site-packages/mindspore/lib/plugin/{libmindspore_ascend.so.2,ascend/libmindspore_ascend_res_manager.so} |
        grep -oE '_ZNK?2ge.*' | sort -u >"$work/wanted"
    [ -s "$work/wanted" ] || echo "the plug-in's names cannot be read" >"$log"
    comm -23 "$work/wanted" <(nm -D --defined-only "$root"/lib64/lib{graph,ge_runner}.so | awk '{ print $3 }' | sort -u) >>"$log"
    [ ! -s "$log" ]
    tell $? "names that the plug-in is linked with" $((SECONDS - begin)) "$log"
}

names
programs="mint legacy networks training mixed_precision optimizers recurrent shapes"
in_graphs="networks training mixed_precision optimizers recurrent shapes sinking"
row Ascend910B3 PyNative "$PWD/examples/mindspore/train.py" run
for product in Ascend910B3 Ascend950PR_9599; do
    row $product PyNative "$tests/refused.py" run
    for mode in PyNative O0; do
        row $product $mode "$tests/profiler.py" run
    done
    for verb in run check trace; do
        for name in $programs; do
            row $product PyNative "$tests/$name.py" $verb
        done
        for name in $in_graphs; do
            row $product O0 "$tests/$name.py" $verb
        done
    done
done
for count in 2 4; do
    ranks $count run
done
for verb in check trace; do
    ranks 2 $verb
done
wait
passed=$(grep -c passed "$work/told")
failed=$(grep -c failed "$work/told")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
