#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The long proof: builds Belay in build-proof/ and judges the kernels over all their inputs, on every
# instruction-set level of this processor and both accuracy levels. Shows progress and an estimate. What is
# finished is kept in build-proof/proof/state.tsv: after an interruption (Ctrl-C) the same command goes on from
# there, and a change to one operator's kernels leaves what is known of the others. Writes
# build-proof/proof/report.txt and report.json (scripts/accuracy_table.py puts them into docs/accuracy.md), and
# torch.txt with the same judgement of PyTorch's CPU operators if there is a Python with PyTorch.
#
#   scripts/prove.sh                      everything: hours
#   scripts/prove.sh --stride 64 --tuples 1e7       one block in 64, 10^7 random tuples: minutes
#   scripts/prove.sh --operator silu_backward --dtype bf16 --isa avx2      a part; --help lists what there is
#   scripts/prove.sh --operator cast [--dtype FLOAT]      conversions alone, from one dtype to all others
#   scripts/prove.sh --fresh ...          forgets what is finished
#   scripts/prove.sh --digest ...         judges nothing, but compares all results, as digests, with those that have
#                                         been judged (tests/numerics/proved_digests.txt): with --isa highest minutes
#   scripts/prove.sh --record ...         prints the digests of what is finished, as lines of that file
#   PYTHON=/path/to/python scripts/prove.sh ...     the Python whose PyTorch is judged (python3)
set -euo pipefail
cd "$(dirname "$0")/.."
build="build-proof"
work=$build/proof
mkdir -p "$work"
mode=judge
case ${1:-} in
--help)
    sed -n '5,/^set /{s/^# \{0,1\}//;/^set /d;p}' scripts/prove.sh
    # Nothing is built to be read.
    [ ! -x "$build/bin/prove" ] || "$build/bin/prove" --help
    exit
    ;;
--fresh)
    shift
    rm -f "$work"/state.tsv "$work"/conversions.tsv
    ;;
--digest | --record)
    mode=${1#--}
    shift
    ;;
esac
# Variables that steer the library or the loader would make the results depend on who runs this.
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)') LD_LIBRARY_PATH LD_PRELOAD; do
    unset "$name"
done

echo "Building in $build/" >&2
generator=(-G Ninja)
[ ! -e "$build/CMakeCache.txt" ] || generator=()
if ! { cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DBELAY_TESTS=ON &&
    cmake --build "$build" -j "$(nproc)" --target prove prove_conversions numerics_peer; } >"$work/build.log" 2>&1; then
    cat "$work/build.log"
    exit 1
fi

case $mode in
digest)
    exec "$build/bin/prove" --digest tests/numerics/proved_digests.txt --threads "$(nproc)" "$@"
    ;;
record)
    exec "$build/bin/prove" --record --state "$work/state.tsv" --tuples 1e10 --threads "$(nproc)" "$@"
    ;;
esac

stride=1
# What else than prove and the judge of PyTorch needs to know of the options.
operator=
dtype=
tuples=1e9
threads=$(nproc)
set_option() {
    case $1 in
    -k | --stride) stride=$2 ;;
    -o | --operator) operator=$2 ;;
    -d | --dtype) dtype=$2 ;;
    -t | --tuples) tuples=$2 ;;
    -j | --threads) threads=$2 ;;
    esac
}
previous=
for argument; do
    case $argument in
    --*=*) set_option "${argument%%=*}" "${argument#*=}" ;;
    *) set_option "$previous" "$argument" ;;
    esac
    previous=$argument
done

status=0
if [ "$operator" = cast ] || [ -z "$operator$dtype" ]; then
    "$build/bin/prove_conversions" --stride "$stride" --tuples "$tuples" --threads "$threads" \
        ${dtype:+--dtype "$dtype"} --state "$work/conversions.tsv" | tee "$work/conversions.txt" || status=$?
    echo "Report: $work/conversions.txt"
    [ "$operator" != cast ] || exit "$status"
fi

# Options that come later win.
"$build/bin/prove" --tuples 1e10 --threads "$(nproc)" --state "$work/state.tsv" --report "$work/report" "$@" ||
    status=$?
echo "Report: $work/report.txt, $work/report.json"

python=${PYTHON:-python3}
if [ "$status" -le 1 ] && "$python" -c 'import torch' 2>"$work/torch.log"; then
    echo "PyTorch over the same inputs:"
    "$python" scripts/prove_torch.py "$build/lib64/libnumerics_peer.so" --stride "$stride" \
        --report "$work/torch.txt" || echo "prove.sh: PyTorch could not be judged" >&2
else
    echo "PyTorch is not installed for $python: it is left out."
fi
exit "$status"
