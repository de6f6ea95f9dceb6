#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Three functions of PyTorch add values at indices, and one would guess that they differ in form
# alone. On the CPU scatter_add sums bfloat16 in float32 and rounds once: 1,000 ones at one index
# are 1,000. index_add and index_put(accumulate=True) round at every step and stop at 256. The
# gradient of an embedding or of a gather thus depends on which of them a layer was written with.
# segment_reduce stops at 256 as well, embedding_bag does not. Seen with torch 2.14.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 torch==2.14.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import torch

ones, zero, index = (
    torch.ones(1000, dtype=torch.bfloat16),
    torch.zeros(1, dtype=torch.bfloat16),
    torch.zeros(1000, dtype=torch.long),
)
torch.set_num_threads(1)
seen = {
    "scatter_add": zero.scatter_add(0, index, ones).item(),
    "index_add": zero.index_add(0, index, ones).item(),
    "index_put": zero.index_put((index,), ones, accumulate=True).item(),
    "segment_reduce": torch.segment_reduce(ones, "sum", lengths=torch.tensor([1000])).item(),
}
print(seen)
assert seen == {
    "scatter_add": 1000.0,
    "index_add": 256.0,
    "index_put": 256.0,
    "segment_reduce": 256.0,
}, seen
PROGRAM
