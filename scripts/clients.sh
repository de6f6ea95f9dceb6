#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Runs programs of others on an installed Belay. They are clients: their packages are fetched from the public index
# and no part of this project, and each environment takes some 6 GB.
#
#   scripts/clients.sh torch [ROOT]     PyTorch for Ascend (torch_npu), on the toolkit in ROOT (/opt/belay)
#   scripts/clients.sh torch-distributed [ROOT]
#                                       its process group, by 1, 2, 4 and 8 processes (BELAY_CLIENTS_RANKS "1 2 4 8")
#   scripts/clients.sh torch-opinfo [ROOT]
#                                       PyTorch's databases of operators, modules and optimizers beside the CPU, on both
#                                       products, in at most 20 minutes on two processors (BELAY_CLIENTS_PROGRAMS a regular
#                                       expression of "operator add", "module Linear"); what is not right has its reason in
#                                       tests/clients/torch_opinfo/reasons.txt
#   scripts/clients.sh torch-met [ROOT]  what others' programs and suites met, tests/clients/met, entry by entry
#   scripts/clients.sh torch-libraries [ROOT]
#                                       transformers' models of four families, layerwise casting of accelerate and diffusers,
#                                       and DeepSpeed's ZeRO, by one process and two
#   scripts/clients.sh llama [ROOT]     llama.cpp with ggml's CANN back end (clients_llama.sh), built on it
#   scripts/clients.sh triton [ROOT]    Triton's kernels by triton-ascend (clients_triton.sh)
#   scripts/clients.sh kernels [ROOT]   AscendC kernels of others beside PyTorch (clients_kernels.sh)
#   scripts/clients.sh vllm [ROOT]      vLLM with vllm-ascend (clients_vllm.sh): models, ways of serving, a server
#   scripts/clients.sh mindspore [ROOT] MindSpore (clients_mindspore.sh): mint, networks, training, by several processes
#   scripts/clients.sh environment [ROOT]
#                                       makes PyTorch's environment, with libraries over it, and prints its interpreter
#   scripts/clients.sh small [ROOT]     l0n0lacl, numpy-ascend and pyhccl (clients_small.sh)
#   scripts/clients.sh record [ROOT]    writes down the runtime calls of some of its programs, tests/clients/recorded,
#                                       which the normal suite replays
#
# One line for each program, wheel and product, and a count at the end; the exit status is 0 when all passed.
# BELAY_CLIENTS holds the environments ($HOME/.cache/belay-clients), BELAY_CLIENTS_WHEELS picks wheels
# ("2.14.0 2.9.0.post9"), BELAY_CLIENTS_PROGRAMS a pattern of programs (*); of torch-opinfo and torch-libraries,
# BELAY_CLIENTS_PRODUCTS picks products, BELAY_CLIENTS_MINUTES is the time for each (10), and BELAY_CLIENTS_RECORDS a
# folder for what was counted, as JSON.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
case ${1-} in
torch | torch-distributed | torch-opinfo | torch-met | torch-libraries | llama | triton | kernels | vllm | mindspore | small | record | environment) ;;
*) sed -n '5,36s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
verb=$1
root=${2-/opt/belay}
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}
[ -x "$root/bin/belay" ] || { echo "$root/bin/belay is not there: cmake --install build --prefix $root"; exit 2; }
passed=0
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)' | grep -v '^BELAY_CLIENTS') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done

[ "$verb" = llama ] && exec scripts/clients_llama.sh "$root"
[ "$verb" = triton ] && exec scripts/clients_triton.sh "$root"
[ "$verb" = small ] && exec scripts/clients_small.sh "$root"
[ "$verb" = vllm ] && exec scripts/clients_vllm.sh "$root"

# environment VERSION: makes the one for this torch_npu, once.
environment() {
    local python=$folder/torch_npu-$1/bin/python
    [ -e "$folder/torch_npu-$1/complete" ] && return
    echo "fetching torch_npu $1"
    mkdir -p "$folder" && python3 -m venv --clear "$folder/torch_npu-$1" || return
    case $1 in
    # They declare a build of PyTorch that the public index does not have; the one that it has serves as well.
    2.9.*) "$python" -m pip install -q --no-cache-dir "torch==${1%.post*}" numpy pyyaml &&
        "$python" -m pip install -q --no-cache-dir --no-deps "torch-npu==$1" ;;
    *) "$python" -m pip install -q --no-cache-dir "torch-npu==$1" ;;
    esac && touch "$folder/torch_npu-$1/complete"
}

# opinfo WHEEL PRODUCT
opinfo() {
    local python=$folder/torch_npu-$1/bin/python
    "$python" -c 'import expecttest, scipy' 2>/dev/null || "$python" -m pip install -q --no-cache-dir expecttest scipy || return
    python3 -B tests/clients/torch_opinfo/run.py --minutes "${BELAY_CLIENTS_MINUTES-10}" --only "${BELAY_CLIENTS_PROGRAMS-}" \
        --record "${BELAY_CLIENTS_RECORDS+$BELAY_CLIENTS_RECORDS/torch-$2.json}" \
        "$root/bin/belay" "$python" "$2"
}

# Versions that were tried; BELAY_CLIENTS_LIBRARIES names others.
libraries=${BELAY_CLIENTS_LIBRARIES-transformers==5.24.0 accelerate==1.15.0 diffusers==0.42.1 deepspeed==0.19.8}
if [ "$verb" = environment ]; then
    # Over a PyTorch that is there, which pip would replace by another one.
    # shellcheck disable=SC2086 # they are several words
    environment 2.14.0 >&2 && "$folder/torch_npu-2.14.0/bin/python" -m pip install -q --no-cache-dir expecttest scipy $libraries >&2 &&
        "$folder/torch_npu-2.14.0/bin/python" -m pip install -q --no-cache-dir --no-deps timm==1.0.31 peft==0.21.2 torchvision==0.29.0 torchdata==0.11.0 >&2 &&
        echo "$folder/torch_npu-2.14.0/bin/python"
    exit
fi

if [ "$verb" = kernels ]; then
    environment 2.14.0 || { echo "a PyTorch to judge by cannot be had"; exit 1; }
    exec scripts/clients_kernels.sh "$root" "$folder/torch_npu-2.14.0/bin/python"
fi

if [ "$verb" = mindspore ]; then
    environment 2.14.0 || { echo "a PyTorch to judge by cannot be had"; exit 1; }
    exec scripts/clients_mindspore.sh "$root" "$folder/torch_npu-2.14.0/bin/python"
fi

# run WHEEL FILE [NAME=VALUE...]: the program's first string may name variables, as `with: NAME=value`.
run() {
    local settings=()
    read -ra settings < <(sed -n 's/^.*[ "]with: \([^"]*\)"""$/\1/p' "$2" | head -1)
    env "${@:3}" ${settings[@]+"${settings[@]}"} timeout 600 \
        "$root/bin/belay" run "$folder/torch_npu-$1/bin/python" "$2" >"$logs/log" 2>&1
}

# tell STATUS WHEEL WHAT FILE: counts and prints it.
tell() {
    local log=$logs/log
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'passed  %-12s %-19s %s\n' "$2" "$3" "$(basename "$4" .py)"
    else
        failed=$((failed + 1))
        printf 'FAILED  %-12s %-19s %s (status %d)\n' "$2" "$3" "$(basename "$4" .py)" "$1"
        # What torchrun says of the processes that it ends is left out: the reason stands before.
        sed '/elastic.*closing signal/,$d; /elastic.*(exitcode:/,$d; /Warning: /d' "$log" | tail -12 | cut -c1-200 |
            sed 's/^/        /'
    fi
}

# program WHEEL PRODUCT FILE
program() {
    run "$1" "$3" BELAY_SOC="$2"
    tell $? "$1" "$2" "$3"
}

# timeline WHEEL FILE: the program's timeline keeps to its format.
timeline() {
    rm -f "$logs"/trace.json*
    timeout 600 "$root/bin/belay" trace -o "$logs/trace.json" "$folder/torch_npu-$1/bin/python" "$2" \
        >"$logs/log" 2>&1 && python3 -B tests/tools/timeline.py "$logs"/trace.json* >>"$logs/log" 2>&1
    tell $? "$1" timeline "$2"
}

if [ "$verb" = record ]; then
    environment 2.14.0 && cc -O1 -shared -fPIC -w -o "$logs/recorder.so" tests/clients/recorder.c -ldl || exit 1
    for name in streams threads two_devices expandable_segments dataloader memory; do
        run 2.14.0 "tests/clients/torch/$name.py" LD_PRELOAD="$logs/recorder.so" \
            BELAY_RECORDING="tests/clients/recorded/$name.calls" || { cat "$logs/log"; exit 1; }
        wc -l "tests/clients/recorded/$name.calls"
    done
    exit 0
fi

# ranks WHEEL PRODUCT COUNT FILE: as many processes as devices, started by PyTorch's own launcher, each with one thread.
ranks() {
    env BELAY_SOC="$2" BELAY_DEVICES="$3" BELAY_THREADS="${BELAY_CLIENTS_THREADS-1}" OMP_NUM_THREADS=1 \
        PYTHONWARNINGS=ignore timeout 900 "$root/bin/belay" run "$folder/torch_npu-$1/bin/python" -B \
        -m torch.distributed.run --standalone --nproc-per-node "$3" "$4" >"$logs/log" 2>&1
    tell $? "$1" "$2 x$3" "$4"
}

# distributed WHEEL: all programs with all numbers of processes, those that start processes themselves, and a few
# under the rules of another product.
distributed() {
    local file count name
    for file in tests/clients/torch_distributed/{,alone/}*.py examples/pytorch/distributed.py; do
        name=$(basename "$file" .py)
        # shellcheck disable=SC2254 # it is a pattern
        case $name in
        ${BELAY_CLIENTS_PROGRAMS-*}) ;;
        *) continue ;;
        esac
        if [[ $file = */alone/* ]]; then
            program "$1" Ascend910B3 "$file"
            continue
        fi
        for count in ${BELAY_CLIENTS_RANKS-1 2 4 8}; do
            ranks "$1" Ascend910B3 "$count" "$file"
        done
        [[ $name = messages || $name = reductions || $name = ddp || $name = experts ]] && ranks "$1" Ascend950PR_9599 2 "$file"
    done
}

if [ "$verb" = torch-opinfo ]; then
    wheel=${BELAY_CLIENTS_WHEELS-2.14.0}
    environment "$wheel" || exit 1
    for product in ${BELAY_CLIENTS_PRODUCTS-Ascend910B3 Ascend950PR_9599}; do
        opinfo "$wheel" "$product" || failed=$((failed + 1))
    done
    exit $((failed > 0))
fi

if [ "$verb" = torch-met ]; then
    environment 2.14.0 || exit 1
    exec python3 -B tests/clients/met/run.py --only "${BELAY_CLIENTS_PROGRAMS-}" "$folder/torch_npu-2.14.0/bin/python" "$root"
fi

if [ "$verb" = torch-libraries ]; then
    wheel=${BELAY_CLIENTS_WHEELS-2.14.0}
    environment "$wheel" || exit 1
    # shellcheck disable=SC2086 # they are several words
    "$folder/torch_npu-$wheel/bin/python" -m pip install -q --no-cache-dir $libraries || exit 1
    for product in ${BELAY_CLIENTS_PRODUCTS-Ascend910B3 Ascend950PR_9599}; do
        program "$wheel" "$product" tests/clients/torch_transformers/families.py
        program "$wheel" "$product" tests/clients/torch_diffusers/layerwise_casting.py
        for count in ${BELAY_CLIENTS_RANKS-1 2}; do
            ranks "$wheel" "$product" "$count" tests/clients/torch_deepspeed/zero.py
        done
    done
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
fi

for wheel in ${BELAY_CLIENTS_WHEELS-2.14.0 2.9.0.post9}; do
    environment "$wheel" || { echo "torch_npu $wheel cannot be had"; failed=$((failed + 1)); continue; }
    if [ "$verb" = torch-distributed ]; then
        distributed "$wheel"
        continue
    fi
    for product in Ascend910B3 Ascend950PR_9599; do
        # shellcheck disable=SC2254 # it is a pattern
        for file in examples/pytorch/*.py tests/clients/torch/*.py; do
            case $(basename "$file" .py) in
            distributed | elastic) ;; # which several processes run
            ${BELAY_CLIENTS_PROGRAMS-*}) program "$wheel" "$product" "$file" ;;
            esac
        done
    done
    for name in graph optimizers streams threads; do
        # shellcheck disable=SC2254
        case $name in
        ${BELAY_CLIENTS_PROGRAMS-*}) timeline "$wheel" "tests/clients/torch/$name.py" ;;
        esac
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
