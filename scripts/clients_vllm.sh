#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# vLLM with vllm-ascend, as they are on the public index, on the toolkit in ROOT: clients_vllm.sh ROOT. Models are made
# from configurations with random weights; each row is a process of its own. The environment takes 9 GB, all rows an
# hour on two processors. BELAY_CLIENTS_PROGRAMS is a pattern of rows ("models llama*"), BELAY_CLIENTS_SECONDS what a row
# may take (900). A line for each row as it ends, and what failed once more at the end.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$1
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/vllm
python=$folder/bin/python

# environment: makes it, once. What vllm asks for is the CUDA build; its CUDA parts are never loaded, and what else of
# its requirements is for GPUs is left out.
environment() {
    [ -e "$folder/complete" ] && return
    echo "fetching vllm and vllm-ascend"
    mkdir -p "$folder" && "${BELAY_CLIENTS_PYTHON-python3.11}" -m venv --clear "$folder" || return
    local pip=("$python" -m pip install -q --no-cache-dir)
    "${pip[@]}" torch==2.10.0 torchvision==0.25.0 torchaudio==2.10.0 'numpy<2.4' 'setuptools<81' wheel pybind11 pyyaml \
        decorator scipy attrs psutil || return
    "${pip[@]}" --no-deps torch-npu==2.10.0.post4 vllm==0.23.0 vllm-ascend==0.23.0 || return
    "$python" examples/vllm/requirements.py >"$folder/requirements.txt" || return
    "${pip[@]}" -r "$folder/requirements.txt" transformers==5.5.4 'numpy<2.4' || return
    # torch brings the Triton for GPUs, whose files lie where triton-ascend's do.
    "$python" -m pip uninstall -q -y triton
    "${pip[@]}" --no-deps --force-reinstall triton-ascend==3.2.0 && touch "$folder/complete"
}

environment || { echo "vllm cannot be had"; exit 1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A row ends what it has started when it is told to end.
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 143' TERM INT HUP
passed=0
failed=()

# row DEVICES PROGRAM [ARGUMENT...]: with Triton's kernels interpreted, or compiled where `interpret` is 0
interpret=1
row() {
    local devices=$1 name status reason="" begin=$SECONDS
    shift
    name=$(basename "$1" .py)${2:+ ${*:2}}
    [ $interpret -eq 1 ] || name+=" compiled"
    # shellcheck disable=SC2254 # it is a pattern
    case $name in
    ${BELAY_CLIENTS_PROGRAMS-*}) ;;
    *) return ;;
    esac
    env BELAY_DEVICES="$devices" BELAY_MEMORY=3G TRITON_INTERPRET=$interpret VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1 \
        timeout "${BELAY_CLIENTS_SECONDS-900}" "$root/bin/belay" run "$python" -B "tests/clients/vllm/$1" "${@:2}" \
        >"$log" 2>&1 &
    wait $!
    status=$?
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        printf 'passed  %-32s %4d s  %s\n' "$name" $((SECONDS - begin)) "$(grep -o 'the best two logits are .*' "$log" | head -1)"
    else
        [ $status -ne 124 ] || reason="it did not end in time; "
        failed+=("$name")
        cp "$log" "$folder/failed $name.log" # of two processes the reason may stand far from the end
        printf 'FAILED  %-32s %4d s  %s\n' "$name" $((SECONDS - begin)) "$reason$folder/failed $name.log"
        tail -15 "$log" | cut -c1-200 | sed 's/^/        /'
    fi
}

for kind in llama qwen2 qwen3 qwen3_moe mixtral gemma deepseek_v2 deepseek_v3; do
    for dtype in float16 bfloat16; do
        row 1 models.py $kind $dtype
    done
done
row 1 models.py gemma2 bfloat16 # vllm refuses it in float16
for mode in chunked prefixes sampling penalties slots piecewise full full_and_piecewise; do
    row 1 modes.py $mode
done
for mode in tensor_parallel tensor_parallel_experts; do
    row 2 modes.py $mode
done
for rank in 8 128; do
    row 1 lora.py $rank
done
for kind in dynamic static experts; do
    row 1 quantised.py $kind
done
row 1 serve.py
row 1 ../../../examples/vllm/generate.py
interpret=0 # launchers of kernels take minutes to compile the first time
for kind in llama qwen3; do
    row 1 models.py $kind float16
done
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ] || printf 'failed: %s\n' "${failed[@]}"
[ ${#failed[@]} -eq 0 ]
