#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Builds the benchmark in build-bench/, with the peers that can be had, and runs it against the file of goals.
#
#   scripts/bench.sh                     the whole benchmark; about ten minutes
#   scripts/bench.sh --quick             less of everything; about a minute. All options go to the benchmark (--help)
#   scripts/bench.sh --builds FOLDER     this build beside an older one, whose libraries lie in FOLDER; over 25 minutes, with
#                                        --quick one minute, sizes of 64 and 16K
#   scripts/bench.sh --products [FOLDER] products of matrices in fp32, fp16 and bf16 beside an older build, OpenBLAS and
#                                        oneDNN, whose libraries come from PyPI. It tells OpenBLAS's kernel, which is another
#                                        than the processor's own where OPENBLAS_CORETYPE is set
#   scripts/bench.sh --rows [ONLY]       products of one row or one column from memory, beside how fast it is read, with
#                                        BELAY_THREADS of both (1); bench/row_speed.c says how
#   scripts/bench.sh --write-document    the whole benchmark; writes the table of docs/performance.md
#   scripts/bench.sh --torch-npu [ROOT]  PyTorch for Ascend on the toolkit in ROOT (/opt/belay) beside PyTorch on the CPU,
#                                        with BELAY_THREADS of both (1); in the environment that scripts/clients.sh makes,
#                                        or that BELAY_BENCH_TORCH_NPU names. Options of bench/torch_on_npu.py follow
#   scripts/bench.sh --torch-distributed [ROOT]
#                                        its process group beside Gloo's on the CPU, by 2 and by 4 processes of the same
#                                        environment. Options of bench/torch_distributed.py follow
#   scripts/bench.sh --checks [ROOT]     what each check costs (bench/check_cost.c), on the toolkit in ROOT: the training
#                                        example in C, as it is and with 200 times as many steps, and in Python, and, in
#                                        the environment of --torch-npu where it is there, PyTorch
#
# BELAY_BENCH_PEERS names a Python environment that has torch already; otherwise one is made in build-bench/peers.
# It downloads, where they are missing, PyTorch and oneDNN from PyPI into build-bench/, and three packages of the
# system. What cannot be installed is left out: the tables have "-" there.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1-}" = --torch-npu ] || [ "${1-}" = --torch-distributed ]; then
    what=$1
    shift
    root=/opt/belay
    case ${1-} in '' | -*) ;; *) root=$1 && shift ;; esac
    clients=${BELAY_CLIENTS-$HOME/.cache/belay-clients}
    export BELAY_THREADS=${BELAY_THREADS-1}
    export OMP_NUM_THREADS=$BELAY_THREADS
    python=${BELAY_BENCH_TORCH_NPU-$clients/torch_npu-2.14.0}/bin/python
    if [ "$what" = --torch-npu ]; then
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        own=()
        [ "$(uname -m)" != x86_64 ] || {
            cc -O2 -D_GNU_SOURCE -shared -fPIC bench/own_time.c -o "$work/own_time.so"
            own=(--own-time "$work/own_time.so")
        }
        status=0
        "$root/bin/belay" run "$python" bench/torch_on_npu.py "${own[@]}" "$@" || status=$?
        exit $status
    fi
    for count in 2 4; do
        BELAY_DEVICES=$count "$root/bin/belay" run "$python" -m torch.distributed.run --standalone --nproc-per-node $count \
            bench/torch_distributed.py "$@"
    done
    exit
fi
if [ "${1-}" = --checks ]; then
    root=$(realpath "${2-/opt/belay}")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cc -O2 -D_GNU_SOURCE bench/check_cost.c -o "$work/check_cost"
    compile() {
        cc -O2 -x c - -I"$root/include" -L"$root/lib64" -lopapi -lnnopbase -lascendcl -lm -o "$work/$1"
    }
    compile short <examples/training_loop.c
    sed 's/STEPS = 100/STEPS = 20000/' examples/training_loop.c | compile long
    clients=${BELAY_CLIENTS-$HOME/.cache/belay-clients}
    torch=${BELAY_BENCH_TORCH_NPU-$clients/torch_npu-2.14.0}/bin/python
    cost() {
        printf '\n%s\n' "$1"
        "$work/check_cost" -n "$2" "$root/bin/belay" run "${@:3}"
    }
    cost 'training loop in C' 9 "$work/short"
    cost 'training loop in C, 20,000 steps' 3 "$work/long"
    cost 'training loop in Python' 5 "$(sh tests/python/interpreter.sh)" examples/training_loop.py
    [ ! -x "$torch" ] || cost 'PyTorch, examples/pytorch/mlp.py' 2 "$torch" examples/pytorch/mlp.py
    exit
fi
scripts/install-packages.sh

if [ "${1-}" = --products ]; then
    before=${2--}
    peers=build-bench/product_peers
    [ -x $peers/bin/python ] || python3 -m venv $peers
    $peers/bin/python -m pip install -q --disable-pip-version-check --no-deps onednn-cpu-gomp scipy-openblas32 ||
        echo "bench.sh: pip has no oneDNN or no OpenBLAS; going on without" >&2
    cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DBELAY_BENCH=ON >/dev/null
    cmake --build build-bench --target product_speed opapi >build-bench/build.log 2>&1 || {
        tail -n 40 build-bench/build.log >&2
        exit 2
    }
    export BELAY_THREADS=${BELAY_THREADS-1}
    export OMP_NUM_THREADS=$BELAY_THREADS
    file_of() { find $peers -name "$1" 2>/dev/null | head -n 1 | grep . || echo -; }
    exec build-bench/bin/product_speed build-bench/lib64 "$before" "$(file_of libscipy_openblas.so)" \
        "$(file_of libdnnl.so.3)"
fi

if [ "${1-}" = --rows ]; then
    cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DBELAY_BENCH=ON >/dev/null
    cmake --build build-bench --target row_speed >build-bench/build.log 2>&1 || {
        tail -n 40 build-bench/build.log >&2
        exit 2
    }
    exec build-bench/bin/row_speed "${@:2}"
fi

write_document=
before=
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --write-document) write_document=yes ;;
    --builds)
        before=$(realpath "${2:?bench.sh: --builds: a folder of libraries is expected}")
        shift
        ;;
    *) options+=("$1") ;;
    esac
    shift
done
if [ -n "$before" ]; then
    cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DBELAY_BENCH=ON >/dev/null
    cmake --build build-bench --target bench >build-bench/build.log 2>&1 || {
        tail -n 40 build-bench/build.log >&2
        exit 2
    }
    exec build-bench/bin/bench --sections builds --threads 1 --before "$before" --goals bench/goals.txt "${options[@]}"
fi

# The system's packages: oneDNN's for the case that pip has none, and what draws the plot.
install_system_packages() {
    local package missing='' as_root=''
    for package in python3-venv python3-matplotlib libdnnl-dev; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    echo "Installing:$missing"
    # The package list may be older than the mirror; without it nothing can be installed on a fresh system.
    $as_root apt-get update -qq || return 1
    # shellcheck disable=SC2086 # the list is meant to be split into words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
install_system_packages || echo "bench.sh: not all of the system's packages could be installed; going on without" >&2

mkdir -p build-bench
peers=${BELAY_BENCH_PEERS:-build-bench/peers}
if [ ! -x "$peers/bin/python" ]; then
    python3 -m venv "$peers" || echo "bench.sh: no Python environment, so no peers from pip" >&2
fi
pip_install() {
    "$peers/bin/python" -m pip install -q --disable-pip-version-check "$@"
}
torch_folder() {
    "$peers/bin/python" -c 'import torch; print(torch.__path__[0])' 2>/dev/null
}
if ! torch_folder >/dev/null; then
    echo "Downloading PyTorch into $peers (some hundred MB, or some GB where only the full build can be had)"
    # The builds for processors alone are a tenth of the others' size, but not every network reaches them.
    pip_install --retries 0 --timeout 20 --index-url https://download.pytorch.org/whl/cpu torch 2>/dev/null ||
        pip_install torch || echo "bench.sh: PyTorch could not be installed; going on without" >&2
fi
# pip's build of oneDNN with GNU OpenMP, newer than Debian's; its headers are in a package of their own.
onednn=build-bench/onednn
if [ ! -e "$onednn/lib/libdnnl.so" ]; then
    echo "Downloading oneDNN into $onednn"
    if python3 -m venv "$onednn" && "$onednn/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
        onednn-cpu-gomp onednn-devel; then
        :
    else
        rm -rf "$onednn"
        echo "bench.sh: pip has no oneDNN; the system's is used where there is one" >&2
    fi
fi
[ -e "$onednn/lib/libdnnl.so" ] && onednn=$PWD/$onednn || onednn=

cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DBELAY_BENCH=ON \
    -DBELAY_BENCH_TORCH="$(torch_folder || true)" -DBELAY_BENCH_ONEDNN="$onednn" >/dev/null
cmake --build build-bench >build-bench/build.log 2>&1 || {
    tail -n 40 build-bench/build.log >&2
    exit 2
}

# What the checks cost is told by a second build without them.
cmake -S . -B build-bench/without-checks -G Ninja -DCMAKE_BUILD_TYPE=Release -DBELAY_BENCH=ON \
    -DBELAY_BENCH_WITHOUT_CHECKS=ON >/dev/null
cmake --build build-bench/without-checks --target bench >build-bench/build.log 2>&1 || {
    tail -n 40 build-bench/build.log >&2
    exit 2
}

for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_|OMP_)' || true); do
    unset "$name"
done
out=build-bench/results
mkdir -p "$out"
status=0
build-bench/bin/bench --goals bench/goals.txt --json "$out/results.json" --markdown "$out/results.md" \
    --without-checks build-bench/without-checks/bin/bench "${options[@]}" || status=$?
[ "$status" -le 1 ] || exit "$status"
# Debian's package is the system's Python's, which need not be the first one in PATH.
python3 bench/plot.py "$out/results.json" "$out/results.png" 2>/dev/null ||
    /usr/bin/python3 bench/plot.py "$out/results.json" "$out/results.png" ||
    echo "bench.sh: no plot without python3-matplotlib" >&2
if [ -n "$write_document" ]; then
    python3 scripts/performance_table.py "$out/results.json" docs/performance.md
    echo "docs/performance.md has the new table; its text says of which run"
fi
echo "results: $out/results.md, $out/results.json, $out/results.png"
exit "$status"
