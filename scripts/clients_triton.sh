#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Triton's kernels by triton-ascend, as it is on the public index, on the toolkit in ROOT: clients_triton.sh ROOT. Needs
# g++, llvm-19 and mlir-19-tools; the environment takes 2 GB, all programs some twenty minutes on two processors the
# first time, as each signature of a kernel has a launcher that is compiled against PyTorch's headers.
# BELAY_CLIENTS_PROGRAMS is a pattern of programs ("tutorials"). The digest of all results is the same for each number
# of threads and each level. A program may take BELAY_CLIENTS_SECONDS of processor time (1800), which other work on the
# machine does not use up, and four times as long by the clock.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$1
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/triton
python=$folder/bin/python

environment() {
    [ -e "$folder/complete" ] && return
    echo "fetching torch_npu and triton-ascend"
    mkdir -p "$folder" && "${BELAY_CLIENTS_PYTHON-python3.11}" -m venv --clear "$folder" || return
    local pip=("$python" -m pip install -q --no-cache-dir)
    "${pip[@]}" torch==2.10.0 'numpy<2.4' 'setuptools<81' wheel pybind11 pyyaml decorator scipy attrs psutil || return
    "${pip[@]}" --no-deps torch-npu==2.10.0.post4 || return
    # torch brings the Triton for GPUs, whose files lie where triton-ascend's do.
    "$python" -m pip uninstall -q -y triton
    "${pip[@]}" --no-deps --force-reinstall triton-ascend==3.2.0 && touch "$folder/complete"
}

# The projects whose kernels public.py has, beside the environment: they declare builds of Triton for other devices.
# liger-kernel asks transformers whether there is an NPU.
projects() {
    [ -e "$folder/projects/complete" ] && return
    local pip=("$python" -m pip install -q --no-cache-dir --target "$folder/projects")
    "${pip[@]}" --no-deps liger-kernel==0.8.5 fla-core==0.6.0 conch-triton-kernels==1.3 einops==0.8.2 &&
        "${pip[@]}" transformers==5.24.0 'numpy<2.4' && touch "$folder/projects/complete"
}

environment || { echo "triton-ascend cannot be had"; exit 1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

wants() {
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in
    ${BELAY_CLIENTS_PROGRAMS-*}) ;;
    *) return 1 ;;
    esac
}

# program NAME [VARIABLE=VALUE...]: a line for it, with its digest in $digest
program() {
    local begin=$SECONDS
    digest=
    wants "$1" || return
    local seconds=${BELAY_CLIENTS_SECONDS-1800}
    if (ulimit -t "$seconds" && exec env TRITON_CACHE_DIR="$folder/cache" "${@:2}" timeout $((4 * seconds)) \
        "$root/bin/belay" run "$python" -B "tests/clients/triton/$1.py") >"$log" 2>&1; then
        passed=$((passed + 1))
        digest=$(sed -n 's/^digest //p' "$log")
        printf 'passed  %-10s %4d s  %3d kernels, %s %s\n' "$1" $((SECONDS - begin)) "$(grep -c ': right$' "$log")" "$digest" \
            "${*:2}"
    else
        failed=$((failed + 1))
        printf 'FAILED  %-10s %4d s  %s\n' "$1" $((SECONDS - begin)) "${*:2}"
        grep -v ': right$' "$log" | tail -15 | cut -c1-300 | sed 's/^/        /'
    fi
}

forget_kernels() {
    find "$folder/cache" \( -name '*.npubin' -o -name '*.json' \) -delete
}

rm -rf "$folder/cache" && mkdir -p "$folder/cache" # of another release of Belay, maybe
programs=(kernels values dims memory control language tutorials serving)
settings=(BELAY_THREADS=1 BELAY_THREADS=2 BELAY_THREADS=8)
for level in avx2:avx2 avx512:avx512vl baseline:; do
    grep -qw "${level#*:}" /proc/cpuinfo && settings+=("BELAY_ISA=${level%:*}")
done
for name in "${programs[@]}" mistakes; do
    program "$name"
done
program races BELAY_CHECK=report,race
if wants public; then
    projects || echo "public projects cannot be had"
    program public PYTHONPATH="$folder/projects"
fi
env BELAY_TRITON_PYTHON="$python" bash tests/tools/triton_example.sh "$root/bin/belay" examples/kernels/softmax.py ||
    failed=$((failed + 1))
for name in "${programs[@]}"; do
    seen=
    for setting in "${settings[@]}"; do
        # Kernels are compiled again for another level; their launchers are not.
        [ "$setting" != BELAY_ISA=baseline ] || forget_kernels
        # One that failed is told, and has no digest to compare.
        program "$name" "$setting"
        [ -n "$digest" ] || continue
        [ "${seen:=$digest}" = "$digest" ] || { echo "FAILED  $name: other bits with $setting"; failed=$((failed + 1)); }
    done
    forget_kernels
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
