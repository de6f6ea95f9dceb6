#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Runs suites of others on an installed Belay, and writes docs/conformance.json and docs/conformance.md from what they
# found. What they are is fetched as scripts/clients.sh fetches it.
#
#   scripts/conformance.sh [--minutes M] [--only REGEX] [--product P] [--logs FOLDER] [--commit C] ROOT
#
# ROOT: the toolkit. --only: suites by their ids, as scripts/conformance.py has them ('torch|timm'). --product: one of the
# two, both without it. --minutes: 60 without it; a suite that the time is over in is entered with what it found, and says
# so, unless the run before found more, and those behind it are not run. --logs: what other runs left there, of the
# commit that --commit names (ROOT's without it): torch-PRODUCT.json, as BELAY_CLIENTS_RECORDS has scripts/clients.sh
# torch-opinfo write it, and SUITE-PRODUCT.log, what the suite's script printed; such a suite is entered and not run, and
# --minutes 0 enters them alone. Their seconds are in SUITE-PRODUCT.seconds. BELAY_CLIENTS holds the environments. The
# exit status is 0 where no failure lacks a reason, and no suite broke off for another reason than the time.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
minutes=60
only=.
products="Ascend910B3 Ascend950PR_9599"
logs=
commit=
broken=0
while [ $# -gt 1 ]; do
    case $1 in
    --minutes) minutes=$2 ;;
    --only) only=$2 ;;
    --product) products=$2 ;;
    --logs) logs=$2 ;;
    --commit) commit=$2 ;;
    *) break ;;
    esac
    shift 2
done
[[ $# -eq 1 && $1 != -* ]] || { sed -n '5,19s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(realpath "$1")
commit=${commit:-$("$root/bin/belay" info | sed -n 's/^commit  *//p')}
deadline=$((SECONDS + minutes * 60))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BELAY_THREADS=1 OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 PYTHONWARNINGS=ignore

python=$(scripts/clients.sh environment "$root") || { echo "the environment cannot be made"; exit 1; }

# versions PACKAGE...: "torch 2.14.0, torch_npu 2.14.0"
versions() {
    "$python" -c 'import sys, importlib.metadata as m; print(", ".join(f"{n} {m.version(n)}" for n in sys.argv[1:]))' "$@"
}

# enter ID VERSIONS SECONDS FILE
enter() {
    python3 scripts/conformance.py enter "$1" "$product" "$2" "$commit" "$3" "$4" || broken=$((broken + 1))
}

# left_over NAME: whether another run left it, and then its seconds.
left_over() {
    [ -n "$logs" ] && [ -s "$logs/$1" ] || return 1
    cat "$logs/${1%.*}.seconds" 2>/dev/null || echo 0
}

# suite ID VERSIONS COMMAND...: what the command prints is entered. It gets half of the time that is left, at least 5
# minutes of it: one that hangs leaves some to the others.
suite() {
    local id=$1 of=$2 begin=$SECONDS left=$((deadline - SECONDS)) status seconds
    [[ $id =~ $only ]] || return 0
    if seconds=$(left_over "$id-$product.log"); then
        echo "$id, $product: from $logs"
        enter "$id" "$of" "$seconds" "$logs/$id-$product.log"
        return
    fi
    [ $left -gt 30 ] || { echo "$id, $product: the time is over"; return 0; }
    echo "$id, $product"
    [ $left -lt 300 ] || left=$((left / 2 > 300 ? left / 2 : 300))
    timeout -k 30 $left "${@:3}" >"$work/found" 2>"$work/said"
    status=$?
    # Scripts of clients that end with their count are whole, whatever they found.
    if [ $status -ne 0 ] && ! grep -q '^[0-9]* passed, [0-9]* failed' "$work/found"; then
        echo "$id, $product: status $status"
        tail -3 "$work/said"
        [ $status -eq 124 ] || broken=$((broken + 1))
        printf '\n{"case": "", "outcome": "cut"}\n' >>"$work/found"
    fi
    enter "$id" "$of" $((SECONDS - begin)) "$work/found"
}

# databases PATTERN: PyTorch's, by tests/clients/torch_opinfo; of another run all of them at once.
databases() {
    local begin=$SECONDS left=$((deadline - SECONDS)) seconds
    [[ torch-$1 =~ $only ]] || return 0
    if seconds=$(left_over "torch-$product.json"); then
        [ "$1" != operators ] || { echo "torch, $product: from $logs"; enter torch "$(versions torch torch_npu)" "$seconds" "$logs/torch-$product.json"; }
        return
    fi
    [ $left -gt 60 ] || { echo "torch-$1, $product: the time is over"; return 0; }
    echo "torch-$1, $product"
    rm -f "$work/record"
    python3 -B tests/clients/torch_opinfo/run.py --only "^${1%s}" --minutes $((left / 60)) --record "$work/record" \
        "$root/bin/belay" "$python" "$product" >"$work/said" 2>&1
    tail -8 "$work/said"
    [ -s "$work/record" ] || { broken=$((broken + 1)); return; }
    enter torch "$(versions torch torch_npu)" $((SECONDS - begin)) "$work/record"
}

# beside SUITE PROGRAM: a program of tests/clients/conformance, whose first packages are named as the suite.
beside() {
    suite "$1" "$(versions "$1" torch_npu)" "$root/bin/belay" run "$python" -B "tests/clients/conformance/$2.py"
}

# Those that choose their products themselves, as their scripts do, are entered under the first one.
of_scripts() {
    suite ggml-operators "llama-cpp-python $(sed -n 's/^version=//p' scripts/clients_llama.sh)" \
        env BELAY_CLIENTS_PROGRAMS=operators-stream scripts/clients.sh llama "$root"
    suite mindspore "mindspore $(sed -n 's/.*mindspore==\([0-9.]*\).*/\1/p' scripts/clients_mindspore.sh | head -1)" \
        scripts/clients.sh mindspore "$root"
    suite vllm "vllm $(sed -n 's/.* vllm==\([0-9.]*\).*/\1/p' scripts/clients_vllm.sh | head -1)" scripts/clients.sh vllm "$root"
    suite triton "triton-ascend $(sed -n 's/.*triton-ascend==\([0-9.]*\).*/\1/p' scripts/clients_triton.sh | head -1)" \
        scripts/clients.sh triton "$root"
}

for product in $products; do
    export BELAY_SOC=$product
    databases functions
    databases errors
    databases modules
    databases optimizers
    beside peft peft_methods
    beside diffusers diffusers_parts
    for name in accelerate deepspeed; do
        suite $name "$(versions $name torch_npu)" python3 tests/clients/conformance/launched.py "$root/bin/belay" "$python" $name
    done
    beside transformers transformers_models
    beside timm timm_models
    databases operators # which takes most of the time
done
product=${products%% *}
of_scripts
python3 - <<'END'
import json
runs = json.load(open("docs/conformance.json"))["runs"]
print(f"{len({run['suite'] for run in runs})} suites, {sum(run['cases'] for run in runs)} cases")
raise SystemExit(any(run["without_reason"] for run in runs))
END
status=$?
[ $broken -eq 0 ] || { echo "$broken suites broke off, or could not be entered"; exit 1; }
exit $status
