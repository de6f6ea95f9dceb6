#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Runs suites of others on an installed Belay, and writes docs/conformance.json and docs/conformance.md from what they
# found. What they are is fetched as scripts/clients.sh fetches it.
#
#   scripts/conformance.sh [--minutes M] [--jobs N] [--only REGEX] [--product P] [--logs FOLDER] [--commit C] ROOT
#
# ROOT: the toolkit. --only: suites by their ids, as scripts/conformance.py has them ('torch|timm'). --product: one of the
# two, both without it. --minutes: 180 without it. --jobs: how many suites run at a time; without it as many as there are
# processors, and at most four, since each takes up to 6 GB of memory. Suites that the page lacks come first, then those
# that were cut, then the oldest, so that short runs, one after the other, get through all of them. A suite that the time is
# over in is entered with what it found, and says so, unless the run before found more, and those behind it are not run.
# --logs: what other runs left there, of the commit that --commit names (ROOT's without it): torch-PRODUCT.json, as
# BELAY_CLIENTS_RECORDS has scripts/clients.sh torch-opinfo write it, and SUITE-PRODUCT.log, what the suite's script
# printed; such a suite is entered and not run, and --minutes 0 enters them alone. Their seconds are in
# SUITE-PRODUCT.seconds. BELAY_CLIENTS holds the environments. The exit status is 0 where no failure lacks a reason, and
# no suite broke off for another reason than the time.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
minutes=180
processors=$(nproc)
jobs=$((processors < 4 ? processors : 4))
only=.
products="Ascend910B3 Ascend950PR_9599"
logs=
commit=
while [ $# -gt 1 ]; do
    case $1 in
    --minutes) minutes=$2 ;;
    --jobs) jobs=$2 ;;
    --only) only=$2 ;;
    --product) products=$2 ;;
    --logs) logs=$2 ;;
    --commit) commit=$2 ;;
    *) break ;;
    esac
    shift 2
done
[[ $# -eq 1 && $1 != -* && $jobs -gt 0 ]] || { sed -n '5,19s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(realpath "$1")
commit=${commit:-$("$root/bin/belay" info | sed -n 's/^commit  *//p')}
deadline=$((SECONDS + minutes * 60))
each=$(((processors + jobs - 1) / jobs)) # processors for each suite
work=$(mktemp -d)
trap end EXIT
trap 'exit 130' INT TERM
export BELAY_THREADS=1 OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 PYTHONWARNINGS=ignore

python=$(scripts/clients.sh environment "$root") || { echo "the environment cannot be made"; exit 1; }

# versions PACKAGE...: "torch 2.14.0, torch_npu 2.14.0"
versions() {
    "$python" -c 'import sys, importlib.metadata as m; print(", ".join(f"{n} {m.version(n)}" for n in sys.argv[1:]))' "$@"
}

# pinned SCRIPT PACKAGE: "PACKAGE 1.2.3", as scripts/clients_SCRIPT.sh installs it.
pinned() {
    echo "$2 $(sed -n "s/.*\b$2==\([0-9.]*\).*/\1/p" "scripts/clients_$1.sh" | head -1)"
}

# in_session COMMAND...: in a session of its own: what its programs have started, in groups of their own, ends with it.
in_session() {
    local session status
    setsid "$@" &
    session=$!
    : >"$work/session-$session"
    wait $session
    status=$?
    pkill -KILL -s $session
    rm "$work/session-$session"
    return $status
}

# end: of this script, with those sessions, which no signal to it reaches.
# shellcheck disable=SC2317 # a trap calls it
end() {
    local session
    jobs -rp | xargs -r kill
    for session in "$work"/session-*; do
        [ ! -e "$session" ] || pkill -KILL -s "${session##*-}"
    done
    rm -rf "$work"
}

# enter ID VERSIONS SECONDS FILE: one at a time.
enter() {
    flock "$work/lock" python3 scripts/conformance.py enter "$1" "$product" "$2" "$commit" "$3" "$4" || echo "$1, $product" >>"$work/broken"
}

# left_over NAME: whether another run left it, and then its seconds.
left_over() {
    [ -n "$logs" ] && [ -s "$logs/$1" ] || return 1
    cat "$logs/${1%.*}.seconds" 2>/dev/null || echo 0
}

# suite ID VERSIONS COMMAND...: what the command prints is entered. It gets half of the time that is left, at least ten
# minutes of it: one that hangs leaves some to the others.
suite() {
    local id=$1 of=$2 begin=$SECONDS left=$((deadline - SECONDS)) status seconds found=$work/$1-$product
    if seconds=$(left_over "$id-$product.log"); then
        echo "$id, $product: from $logs"
        enter "$id" "$of" "$seconds" "$logs/$id-$product.log"
        return
    fi
    [ $left -gt 30 ] || { echo "$id, $product: the time is over"; return 0; }
    echo "$id, $product"
    [ $left -lt 600 ] || left=$((left / 2 > 600 ? left / 2 : 600))
    in_session timeout -k 30 $left "${@:3}" >"$found" 2>"$found.said"
    status=$?
    # Scripts of clients that end with their count are whole, whatever they found.
    if [ $status -ne 0 ] && ! grep -q '^[0-9]* passed, [0-9]* failed' "$found"; then
        echo "$id, $product: status $status"
        tail -3 "$found.said"
        [ $status -eq 124 ] || echo "$id, $product" >>"$work/broken"
        printf '\n{"case": "", "outcome": "cut"}\n' >>"$found"
    fi
    grep '^FAILED' "$found"
    enter "$id" "$of" $((SECONDS - begin)) "$found"
}

# databases KIND: PyTorch's, by tests/clients/torch_opinfo; of another run all of them at once.
databases() {
    local begin=$SECONDS left=$((deadline - SECONDS)) seconds record=$work/torch-$1-$product
    if seconds=$(left_over "torch-$product.json"); then
        [ "$1" != operators ] || { echo "torch, $product: from $logs"; enter torch "$(versions torch torch_npu)" "$seconds" "$logs/torch-$product.json"; }
        return
    fi
    [ $left -gt 60 ] || { echo "torch-$1, $product: the time is over"; return 0; }
    echo "torch-$1, $product"
    in_session python3 -B tests/clients/torch_opinfo/run.py --only "^${1%s}" --processes "$each" --minutes $((left / 60)) --record "$record" \
        "$root/bin/belay" "$python" "$product" >"$record.said" 2>&1
    tail -8 "$record.said"
    [ -s "$record" ] || { echo "torch-$1, $product" >>"$work/broken"; return; }
    enter torch "$(versions torch torch_npu)" $((SECONDS - begin)) "$record"
}

# beside SUITE PROGRAM: a program of tests/clients/conformance, whose first packages are named as the suite.
beside() {
    suite "$1" "$(versions "$1" torch_npu)" env BELAY_CLIENTS_SECONDS=300 "$root/bin/belay" run "$python" -B "tests/clients/conformance/$2.py"
}

# run SUITE PRODUCT
run() {
    local product=$2
    export BELAY_SOC=$product
    case $1 in
    torch-*) databases "${1#torch-}" ;;
    peft) beside peft peft_methods ;;
    diffusers) beside diffusers diffusers_parts ;;
    transformers) beside transformers transformers_models ;;
    timm) beside timm timm_models ;;
    accelerate | deepspeed)
        suite "$1" "$(versions "$1" torch_npu)" env BELAY_CLIENTS_SECONDS=1800 \
            python3 tests/clients/conformance/launched.py "$root/bin/belay" "$python" "$1"
        ;;
    ggml-operators)
        suite "$1" "llama-cpp-python $(sed -n 's/^version=//p' scripts/clients_llama.sh)" \
            env BELAY_CLIENTS_PROGRAMS=operators-stream scripts/clients.sh llama "$root"
        ;;
    mindspore) suite "$1" "$(pinned mindspore mindspore)" env BELAY_CLIENTS_JOBS="$each" scripts/clients.sh mindspore "$root" ;;
    vllm) suite "$1" "$(pinned vllm vllm), $(pinned vllm vllm-ascend)" scripts/clients.sh vllm "$root" ;;
    triton) suite "$1" "$(pinned triton triton-ascend)" scripts/clients.sh triton "$root" ;;
    kernels)
        suite "$1" "vllm-ascend $(sed -n 's/^version=//p' scripts/clients_kernels.sh), $(versions torch_npu)" \
            scripts/clients.sh kernels "$root"
        ;;
    esac
}

# Short ones come before long ones, so that a short time is enough for many. Those that choose their products themselves,
# as their scripts do, are entered under the first one.
rows() {
    local product suite
    for suite in kernels torch-{functions,errors,optimizers,modules,operators} diffusers peft accelerate transformers \
        ggml-operators timm deepspeed mindspore vllm triton; do
        case $suite in
        kernels | ggml-operators | mindspore | vllm | triton) echo "$suite ${products%% *}" ;;
        *) for product in $products; do echo "$suite $product"; done ;;
        esac
    done
}

: >"$work/broken"
while read -r suite product; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    [[ $suite =~ $only ]] && run "$suite" "$product" </dev/null &
done < <(rows | python3 scripts/conformance.py order)
wait
python3 - <<'END'
import json
runs = json.load(open("docs/conformance.json"))["runs"]
print(f"{len({run['suite'] for run in runs})} suites, {sum(run['cases'] for run in runs)} cases")
raise SystemExit(any(run["without_reason"] for run in runs))
END
status=$?
[ ! -s "$work/broken" ] || { echo "these broke off, or could not be entered:"; cat "$work/broken"; exit 1; }
exit $status
