#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Runs suites of others on an installed Belay, and writes docs/conformance.json and docs/conformance.md from what they
# found. What they are is fetched as scripts/clients.sh fetches it.
#
#   scripts/conformance.sh [--minutes M] [--only REGEX] [--product P] ROOT
#
# ROOT: the toolkit. --only: suites by their ids, as scripts/conformance.py has them ('torch|timm'). --product: Ascend910B3
# without it. --minutes: 60 without it; a suite that the time is over in is entered with what it found, and says so, and
# those behind it are not run. BELAY_CLIENTS holds the environments. The exit status is 0 where no failure lacks a reason.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
minutes=60
only=.
product=Ascend910B3
while [ $# -gt 1 ]; do
    case $1 in
    --minutes) minutes=$2 ;;
    --only) only=$2 ;;
    --product) product=$2 ;;
    *) break ;;
    esac
    shift 2
done
[[ $# -eq 1 && $1 != -* ]] || { sed -n '5,14s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(realpath "$1")
commit=$("$root/bin/belay" info | sed -n 's/^commit  *//p')
deadline=$((SECONDS + minutes * 60))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BELAY_SOC=$product BELAY_THREADS=1 OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 PYTHONWARNINGS=ignore

python=$(scripts/clients.sh environment "$root") || { echo "the environment cannot be made"; exit 1; }

# versions PACKAGE...: "torch 2.14.0, torch_npu 2.14.0"
versions() {
    "$python" -c 'import sys, importlib.metadata as m; print(", ".join(f"{n} {m.version(n)}" for n in sys.argv[1:]))' "$@"
}

# suite ID VERSIONS COMMAND...: what the command prints is entered.
suite() {
    local id=$1 of=$2 begin=$SECONDS left=$((deadline - SECONDS)) status
    [[ $id =~ $only ]] || return 0
    [ $left -gt 30 ] || { echo "$id: the time is over"; return 0; }
    echo "$id"
    timeout $left "${@:3}" >"$work/found" 2>"$work/said"
    status=$?
    [ $status -ne 124 ] || echo '{"case": "", "outcome": "cut"}' >>"$work/found"
    [ -s "$work/found" ] || { echo "$id: status $status"; tail -3 "$work/said"; return 0; }
    python3 scripts/conformance.py enter "$id" "$product" "$of" "$commit" $((SECONDS - begin)) "$work/found"
}

# databases PATTERN: PyTorch's, by tests/clients/torch_opinfo.
databases() {
    local begin=$SECONDS left=$((deadline - SECONDS))
    [[ torch-$1 =~ $only ]] && [ $left -gt 60 ] || return 0
    echo "torch-$1"
    rm -f "$work/record"
    python3 -B tests/clients/torch_opinfo/run.py --only "^${1%s}" --minutes $((left / 60)) --record "$work/record" \
        "$root/bin/belay" "$python" "$product" >"$work/said" 2>&1
    tail -8 "$work/said"
    [ -s "$work/record" ] || return 0
    python3 scripts/conformance.py enter torch "$product" "$(versions torch torch_npu)" "$commit" $((SECONDS - begin)) "$work/record"
}

# beside SUITE PROGRAM: a program of tests/clients/conformance, whose first packages are named as the suite.
beside() {
    suite "$1" "$(versions "$1" torch_npu)" "$root/bin/belay" run "$python" -B "tests/clients/conformance/$2.py"
}

databases modules
databases optimizers
beside peft peft_methods
beside diffusers diffusers_parts
beside transformers transformers_models
beside timm timm_models
for name in accelerate deepspeed; do
    suite $name "$(versions $name torch_npu)" python3 tests/clients/conformance/launched.py "$root/bin/belay" "$python" $name
done
suite ggml-operators "llama-cpp-python $(sed -n 's/^version=//p' scripts/clients_llama.sh)" \
    env BELAY_CLIENTS_PROGRAMS=operators-stream scripts/clients.sh llama "$root"
suite mindspore "mindspore $(sed -n 's/.*mindspore==\([0-9.]*\).*/\1/p' scripts/clients_mindspore.sh)" scripts/clients.sh mindspore "$root"
suite vllm "vllm $(sed -n 's/.* vllm==\([0-9.]*\).*/\1/p' scripts/clients_vllm.sh)" scripts/clients.sh vllm "$root"
suite triton "triton-ascend $(sed -n 's/.*triton-ascend==\([0-9.]*\).*/\1/p' scripts/clients_triton.sh)" scripts/clients.sh triton "$root"
databases operators # which takes most of the time
python3 - <<'END'
import json
runs = json.load(open("docs/conformance.json"))["runs"]
print(f"{len({run['suite'] for run in runs})} suites, {sum(run['cases'] for run in runs)} cases")
raise SystemExit(any(run["without_reason"] for run in runs))
END
