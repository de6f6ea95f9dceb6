#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# all_reduce of a tensor whose elements are all alike on each rank: one guesses that they are alike
# afterwards, since each is the sum of the same numbers. PyTorch's gloo cuts the tensor into pieces,
# and each piece goes around the ranks from another one on, so that the order of the sum follows from
# where in the tensor an element stands. Of 256, 1 and 1 in bfloat16, which gloo rounds at each step,
# three equal elements become 258, 258 and 256; of 1e8, 1 and -1e8 in float32 some become 0 and some
# 1. The greatest of numbers with a NaN among them is NaN for some elements and a number for the others,
# by the rank that has the NaN and the place. All ranks agree with one another, so that no comparison
# between them shows it: weights that began equal drift apart on all of them. How a tensor is padded
# or what it is bucketed with changes its sums. Seen with torch 2.14.0, three ranks.
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
nan = float("nan")


def of(numbers, dtype, how=dist.ReduceOp.SUM):
    """Three elements of this rank's number each, reduced over the ranks."""
    tensor = torch.full((3,), numbers[rank], dtype=dtype)
    dist.all_reduce(tensor, how)
    every = [torch.empty_like(tensor) for _ in numbers]
    dist.all_gather(every, tensor)
    assert all(torch.allclose(one, tensor, rtol=0, atol=0, equal_nan=True) for one in every), every
    return tensor.tolist()


found = {
    "sum of 256, 1, 1 in bfloat16": of((256.0, 1.0, 1.0), torch.bfloat16),
    "sum of 1e8, 1, -1e8 in float32": of((1e8, 1.0, -1e8), torch.float32),
    "greatest of NaN, 1, 2": of((nan, 1.0, 2.0), torch.float32, dist.ReduceOp.MAX),
    "greatest of 0, NaN, 2": of((0.0, nan, 2.0), torch.float32, dist.ReduceOp.MAX),
    "greatest of 0, 1, NaN": of((0.0, 1.0, nan), torch.float32, dist.ReduceOp.MAX),
}
if rank == 0:
    for what, elements in found.items():
        print(f"{what}: {elements}", flush=True)
    sums, numbers, *greatest = found.values()
    assert sorted(sums) == [256.0, 258.0, 258.0], sums
    assert set(numbers) == {0.0, 1.0}, numbers
    assert [sum(x != x for x in elements) for elements in greatest] == [2, 1, 0], greatest
dist.destroy_process_group()
PROGRAM
OMP_NUM_THREADS=1 "$folder/venv/bin/torchrun" --standalone --nproc-per-node 3 ranks.py
