#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TRITON_INTERPRET=1 runs Triton's kernels on the CPU, the usual way to test them without a card. It
# keeps bfloat16 in 16-bit integers. Loads, stores and casts know that, and arithmetic does not:
# tl.sum of 4,096 ones adds 0x3F80 as an integer and answers 0 (modulo 65,536) where the sum is
# 4,096; nothing warns. A cast to bfloat16 cuts the lower half off where the language says round to
# nearest even: 1.00586 becomes 1, not 1.0078125. A cast to FLOAT8 E4M3 makes 256 of infinity and
# 384 of NaN. Seen with triton 3.8.0 and torch 2.14.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 torch==2.14.0 triton==3.8.0
cd "$folder"
TRITON_INTERPRET=1 "$folder/venv/bin/python" - <<'PROGRAM'
import pathlib

pathlib.Path("kernels.py").write_text("""
import torch
import triton
import triton.language as tl


@triton.jit
def total(source, result, N: tl.constexpr):
    tl.store(result, tl.sum(tl.load(source + tl.arange(0, N)), 0))


@triton.jit
def narrow(source, result, kind: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(result + i, tl.load(source + i).to(kind))


sums = torch.zeros(1)
total[(1,)](torch.ones(4096, dtype=torch.bfloat16), sums, 4096)
print("sum of 4096 ones in bfloat16:", sums.item())
number = torch.tensor([1 + 3 / 512, -(1 + 3 / 512)])
brain = torch.zeros(2, dtype=torch.bfloat16)
narrow[(1,)](number, brain, tl.bfloat16, 2)
print("1.005859375 to bfloat16:", brain.tolist(), "torch:", number.to(torch.bfloat16).tolist())
small = torch.zeros(2, dtype=torch.float8_e4m3fn)
narrow[(1,)](torch.tensor([float("inf"), float("nan")]), small, tl.float8e4nv, 2)
print("inf, nan to FLOAT8 E4M3:", small.float().tolist())
assert sums.item() == 0.0 and brain.tolist() == [1.0, -1.0], (sums, brain)
assert small.float().tolist() == [256.0, 384.0], small
""")
import kernels  # Triton reads a kernel's source from its file.
PROGRAM
