#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What `scripts/clients.sh llama` runs: llama.cpp, as the source package of llama-cpp-python on the public index has it,
# built with ggml's CANN back end and nothing patched against the toolkit in ROOT.
#
#   scripts/clients_llama.sh ROOT [build]      with `build`: only fetches and builds, and says where
#
# One line for each program and a count at the end. The programs: ggml's own test of each operator, on streams and in
# graphs (USE_ACL_GRAPH); models of random weights beside the CPU back end. BELAY_CLIENTS_PROGRAMS is a pattern of
# programs (*): "operators*", "model-*".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$(realpath "$1")
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/llama
version=0.3.36
source=$folder/llama_cpp_python-$version/vendor/llama.cpp
python=$folder/python/bin/python
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Names that the test gives to operators in combination, which it does not list.
combined=(MUL_MAT_HADAMARD CONV_1D_DW RELU_SQR SOFTCAP RMS_NORM_MUL_ROPE ROPE_SET_ROWS RMS_NORM_MUL_ADD RMS_NORM_SCALE
    NORM_MUL_ADD NORM_SCALE ADD_RMS_NORM ADD_ADD L2_NORM_BATCH SSM_CONV_BIAS_SILU SNAKE_FUSE MUL_MAT_ID_FUSION
    SILU_MUL SIGMOID_MUL SOFTPLUS_MUL GELU_MUL)

# What an operator's cases would have to be left out for, by their parameters: none can pass, on any library.
#   SET_ROWS     halves that are described as FLOAT (16 cases)
#   CONCAT       blocks of quantised numbers without a dtype (80)
#   GET_ROWS     scales of a view where those of the whole tensor are not (4)
#   MUL_MAT_ID   numbers that FLOAT16, which is computed in, does not have (3)
faults() {
    case $1 in
    SET_ROWS) echo 'type_src=f16,type_dst=f32' ;;
    CONCAT) echo 'type=(q4_0|q4_1|q5_0|q5_1|q8_0)' ;;
    GET_ROWS) echo 'type=q8_0.*vs0=1' ;;
    MUL_MAT_ID) echo 'type_a=q8_0.*amax=100000' ;;
    esac
}

fetch() {
    [ -e "$folder/complete" ] && return
    echo "fetching llama-cpp-python $version"
    mkdir -p "$folder" && python3 -m venv --clear "$folder/python" &&
        "$python" -m pip install -q --no-cache-dir numpy pyyaml requests tqdm &&
        (cd "$folder" && "$python" -m pip download -q --no-deps --no-binary llama-cpp-python "llama-cpp-python==$version") &&
        tar -C "$folder" -xf "$folder/llama_cpp_python-$version.tar.gz" && touch "$folder/complete"
}

# build FOLDER TARGETS [OPTIONS...]
# shellcheck disable=SC2086 # targets are words
build() {
    # One that another checkout made would be refused.
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD/tests/clients/llama" "$folder/$1/CMakeCache.txt" 2>/dev/null || rm -f "$folder/$1/CMakeCache.txt"
    cmake -S tests/clients/llama -B "$folder/$1" -DLLAMA="$source" -DCANN_INSTALL_DIR="$root" -DSOC_TYPE=Ascend910B1 \
        "${@:3}" >"$log" 2>&1 &&
        cmake --build "$folder/$1" --parallel "$(nproc)" --target $2 >"$log" 2>&1 || { tail -20 "$log"; return 1; }
}

# result STATUS NAME TEXT
result() {
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    printf '%s  %-24s %s\n' "$([ "$1" -eq 0 ] && echo passed || echo FAILED)" "$2" "$3"
}

wanted() {
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in ${BELAY_CLIENTS_PROGRAMS-*}) return 0 ;; esac
    return 1
}

# cases OPERATOR PARAMETERS: those that match, in a process of their own, into the log.
cases() {
    timeout 600 "$folder/build/bin/test-backend-ops" test -b CANN0 -o "$1" -p "$2" >"$log" 2>&1
}

# An operator in a process of its own, since the back end keeps tables between cases: those of ROPE are too short for
# the two cases that come last, which get another one.
operators() {
    local name=$1 good=0 bad=0 ended=0 operator fault parts part
    for operator in $("$folder/build/bin/test-backend-ops" --list-ops 2>/dev/null | grep -oE '[A-Z][A-Z0-9_]{2,}' | sort -u) "${combined[@]}"; do
        fault=$(faults "$operator")
        parts=("^(?!${fault:-\$}).*")
        [ "$operator" = ROPE ] && parts=('^(?!.*(n_dims=256|ne_a=.512,8,512)).*' 'n_dims=256' 'ne_a=.512,8,512')
        for part in "${parts[@]}"; do
            cases "$operator" "$part" || { ended=$((ended + 1)); echo "        $operator: $(grep -aE 'FAIL|CANN error' "$log" | head -1 | cut -c1-160)"; }
            good=$((good + $(grep -acE '^ *[A-Z0-9_]+\(.*\): .*OK' "$log")))
            bad=$((bad + $(grep -acE '^.*[A-Z0-9_]+\(.*\): .*FAIL' "$log")))
        done
    done
    [ "$good" -eq 5405 ] && [ "$bad" -eq 0 ] && [ "$ended" -eq 0 ]
    result $? "$name" "$good cases as the CPU has them, $bad others, $ended processes that failed; 103 left out"
}

# model NAME PROGRAM ARGUMENTS...
model() {
    local text status
    wanted "$1" || return
    text=$(BELAY_DEVICES=2 timeout 600 "$folder/build/bin/model" "${@:2}" 2>&1)
    status=$?
    result "$status" "$1" "$(tail -1 <<<"$text")"
}

fetch || { echo "llama-cpp-python $version cannot be had"; exit 1; }
build build "ggml-cann test-backend-ops model" && build graph ggml-cann -DUSE_ACL_GRAPH=ON || exit 1
for name in F32 F16 BF16 Q8_0 Q4_0; do
    [ -e "$folder/$name.gguf" ] || PYTHONPATH=$source/gguf-py "$python" tests/clients/llama/make_model.py \
        "$folder/$name.gguf" "$name" || exit 1
done
[ "${2-}" = build ] && { echo "$folder"; exit 0; }
for mode in stream graph; do
    [ "$mode" = graph ] && export LD_LIBRARY_PATH=$folder/graph/bin
    wanted "operators-$mode" && operators "operators-$mode"
    for flash in 0 1; do
        for name in F32 F16 BF16; do
            model "model-$name-$flash-$mode" text "$folder/$name.gguf" "$flash" 1
        done
        for name in Q8_0 Q4_0; do
            model "model-$name-$flash-$mode" logits "$folder/$name.gguf" "$flash" 1e-3 90
        done
        model "model-two-devices-$flash-$mode" text "$folder/F16.gguf" "$flash" 2
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
