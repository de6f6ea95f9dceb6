#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Installs what is missing, builds Belay in build/, runs the examples, and computes the four operators on arrays
# from files, with the results shown and checked against the formulas in long double.
#
#   scripts/demo.sh                      on numbers of its own
#   scripts/demo.sh x.npy                on an array that NumPy has saved
#   scripts/demo.sh x.bin:FLOAT:4x2      on raw elements of this dtype and shape
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
# The names of the files are meant from where the user stands.
started_in=$PWD
for file in "$@"; do
    # FILE, FILE:DTYPE or FILE:DTYPE:SHAPE; names may hold colons.
    if [ ! -f "$file" ] && [ ! -f "${file%:*}" ] && [ ! -f "${file%:*:*}" ]; then
        echo "demo.sh: there is no file $file; an .npy file, or raw elements as FILE:DTYPE:SHAPE, is expected" >&2
        exit 2
    fi
done
cd "$here"
scripts/install-packages.sh

echo "Building in build/"
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
# A build folder that is there already keeps its generator.
generator=(-G Ninja)
[ ! -e build/CMakeCache.txt ] || generator=()
if ! { cmake -S . -B build "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DBELAY_TESTS=OFF -DBELAY_EXAMPLES=ON &&
    cmake --build build -j "$(nproc)"; } >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
belay=$here/build/bin/belay
unset LD_LIBRARY_PATH LD_PRELOAD
"$belay" info

failed=0
ran=0
for program in build/bin/example_*; do
    printf '\n%s\n' "${program##*/}"
    ran=$((ran + 1))
    if ! "$program"; then
        echo "FAILED: ${program##*/}"
        failed=$((failed + 1))
    fi
done

# A kernel of one's own, in AscendC.
printf '\nexamples/kernels/vector_add.asc\n'
ran=$((ran + 1))
if ! { build/bin/bisheng -x asc examples/kernels/vector_add.asc -o "$work/vector_add" &&
    LD_LIBRARY_PATH=$here/build/lib64 "$work/vector_add"; }; then
    echo "FAILED: vector_add.asc"
    failed=$((failed + 1))
fi

# Another one in Triton, where what compiles it is installed: fetching PyTorch takes minutes, which nobody asked for.
printf '\nexamples/kernels/softmax.py\n'
status=0
BELAY_TRITON_CACHE=$here/build/triton bash tests/tools/triton_example.sh "$belay" examples/kernels/softmax.py || status=$?
if [ "$status" -ne 77 ]; then
    ran=$((ran + 1))
    [ "$status" -eq 0 ] || { echo "FAILED: softmax.py"; failed=$((failed + 1)); }
fi

# compute OPERATOR X ARGUMENT...: results for gradient = self = X, shown and checked.
refused=0
compute() {
    local operator=$1 x=$2
    shift 2
    printf '\n%s %s\n' "$operator" "$*"
    if ! "$belay" eval "$operator" "$@" --out "$work/result.npy"; then
        refused=$((refused + 1))
        return
    fi
    ran=$((ran + 1))
    if ! build/bin/check_results "$operator" "$x" "$work/result.npy"; then
        echo "FAILED: $operator on $x"
        failed=$((failed + 1))
    fi
}

operators_on() {
    local refused_before=$refused
    compute aclnnHardswishBackward "$1" --gradOutput "$1" --self "$1"
    compute aclnnSiluBackward "$1" --gradOutput "$1" --self "$1"
    compute aclnnSmoothL1LossBackward "$1" --gradOut "$1" --self "$1" --target 1 --reduction mean --beta 1
    compute aclnnLeakyReluBackward "$1" --gradOutput "$1" --self "$1" --negativeSlope 0.01 --selfIsResult false
    # That some operator refuses a dtype is in order; that all four refuse the file is not.
    if [ $((refused - refused_before)) -eq 4 ]; then
        echo "FAILED: no operator accepts $1"
        failed=$((failed + 1))
    fi
}

if [ $# -eq 0 ]; then
    # Random bits are all kinds of numbers: small and large ones, infinities, NaNs.
    for dtype in FLOAT16 BF16 FLOAT; do
        head -c 65536 /dev/urandom >"$work/random.bin"
        case $dtype in
        FLOAT) operators_on "$work/random.bin:$dtype:128x128" ;;
        *) operators_on "$work/random.bin:$dtype:2x128x128" ;;
        esac
    done
fi
for file in "$@"; do
    case $file in
    /*) operators_on "$file" ;;
    *) operators_on "$started_in/$file" ;;
    esac
done

printf '\n%d runs, %d failed, %d refused\n' "$ran" "$failed" "$refused"
[ "$failed" -eq 0 ]
