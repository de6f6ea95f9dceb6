#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torch.distributed.reduce(tensor, dst) gives the sum to dst. What the other ranks gave one expects to
# stay as it was, or at least to be theirs or the sum. PyTorch's gloo works in their tensors and leaves
# whatever the algorithm had there: of three ranks with 1, 2 and 3 in four elements, reduced to rank
# 0, rank 1 holds 5, 5, 6, 6 afterwards and rank 2 holds 3, 3, 4, 4: in part its own number, in part
# the sum of two ranks, in part that of all. The sum need not be at dst alone, and nothing says which
# elements are which. A rank that goes on with its gradient, or adds it up over steps, goes on with
# other numbers. Seen with torch 2.14.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 torch==2.14.0
cd "$folder"
cat >ranks.py <<'PROGRAM'
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
tensor = torch.full((4,), rank + 1.0)
dist.reduce(tensor, 0)
every = [torch.empty_like(tensor) for _ in range(3)]
dist.all_gather(every, tensor)
if rank == 0:
    for other, elements in enumerate(every):
        print(f"rank {other} gave {other + 1} and has {elements.tolist()}", flush=True)
    assert every[0].tolist() == [6.0] * 4, every[0]
    for other in (1, 2):
        assert any(number != other + 1 for number in every[other].tolist()), every[other]
    # Neither its own number, nor the sum.
    assert any(number not in (other + 1, 6.0) for other in (1, 2) for number in every[other].tolist()), every
dist.destroy_process_group()
PROGRAM
OMP_NUM_THREADS=1 "$folder/venv/bin/torchrun" --standalone --nproc-per-node 3 ranks.py
