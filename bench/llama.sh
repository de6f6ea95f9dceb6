#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# llama.cpp on Belay beside its own CPU back end: a model of 75 million weights, 256 tokens at once and one after the
# other, rounds taking turns, the same number of threads. Wants the machine for itself:
# where others use it, `chrt -r 10` before the line keeps them away.
#   bench/llama.sh [ROOT [THREADS]]      ROOT: an installed Belay (/opt/belay)
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1-/opt/belay}
threads=${2-$(nproc)}
folder=$(scripts/clients_llama.sh "$root" build | tail -1)
for name in F16 Q8_0; do
    [ -e "$folder/large-$name.gguf" ] || PYTHONPATH=$(echo "$folder"/llama_cpp_python-*/vendor/llama.cpp/gguf-py) \
        "$folder/python/bin/python" tests/clients/llama/make_model.py "$folder/large-$name.gguf" "$name" 1024 8
    echo "$name, $threads threads"
    "$folder/build/bin/model" speed "$folder/large-$name.gguf" 1 "$threads"
done
