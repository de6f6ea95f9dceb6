#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FLOAT8 E4M3 has a NaN (code 0x7f). mlx.core.to_fp8 does not use it: NaN becomes 448, the greatest
# number, as infinity does, and from_fp8 gives a finite 448 back. In the block format mxfp8 the
# block's scale is then made of it too: a block of NaN comes back as 896. A model whose weights are
# broken thus loads and answers, with large numbers in place of NaN. Seen with mlx 0.32.4 on the
# CPU.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'mlx[cpu]==0.32.4'
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import mlx.core as mx

mx.set_default_device(mx.cpu)
nan = float("nan")
codes = mx.to_fp8(mx.array([nan, float("inf"), 1.0]))
back = mx.from_fp8(codes, mx.float32)
block = mx.dequantize(
    *mx.quantize(mx.full((1, 32), nan), group_size=32, mode="mxfp8"), group_size=32, mode="mxfp8"
)
print("codes:", codes.tolist(), "back:", back.tolist(), "block of NaN:", block[0, 0].item())
assert codes.tolist() == [126, 126, 56] and back.tolist() == [448.0, 448.0, 1.0]
assert block[0, 0].item() == 896.0
PROGRAM
