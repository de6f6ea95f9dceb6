#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An element of a range is start + index * step, as NumPy, PyTorch and JAX have it. MLX's arange on
# the CPU adds the step to the element before, in the dtype of the result. arange(1000) in bfloat16
# is 256 from the 257th element on, where 256 + 1 rounds back, and arange(300, 310) is 300 ten
# times; 4,000 positions in float16 end at 2,048. A range need not stay below its end either:
# arange(0, 100, 0.1) in float16 ends at 105.06, and in float32 the last of arange(0, 1000, 0.1) is
# 999.8029, an element off. Positions that are made in a model's dtype are all the same beyond 256.
# Casting a range of integers is right, and so is linspace. Seen with mlx 0.32.4 on the CPU.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'mlx[cpu]==0.32.4'
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import mlx.core as mx

mx.set_default_device(mx.cpu)
positions = mx.arange(1000, dtype=mx.bfloat16)
cast = mx.arange(1000).astype(mx.bfloat16)
ten = mx.arange(300, 310, dtype=mx.bfloat16).tolist()
half = mx.arange(4000, dtype=mx.float16)[-1].item()
beyond = mx.arange(0, 100, 0.1, dtype=mx.float16)[-1].item()
single = mx.arange(0, 1000, 0.1)
print("arange(1000) in bfloat16 ends at", positions[-1].item(), "and by a cast at", cast[-1].item())
print("arange(300, 310) in bfloat16:", ten)
print("arange(4000) in float16 ends at", half, "and arange(0, 100, 0.1) at", beyond)
print("arange(0, 1000, 0.1) in float32:", single.size, "elements, the last is", single[-1].item())
assert set(positions[256:].tolist()) == {256.0} and cast[-1].item() == 1000.0
assert set(ten) == {300.0} and len(ten) == 10
assert half == 2048.0 and beyond > 105
assert single.size == 10000 and abs(single[-1].item() - 999.8029) < 0.001
PROGRAM
