#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In MLX a sum over bfloat16 is kept in float32: mx.sum of 1,000 ones is 1,000. A running sum of the
# same data is kept in bfloat16 and stops at 256, where 256 + 1 rounds back; logcumsumexp of 1,000
# zeros ends at 4.16 while the logarithm of 1,000 is 6.91. The last element of a running sum and the
# sum thus differ by a factor of four. Seen with mlx 0.32.4 on the CPU.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'mlx[cpu]==0.32.4'
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import mlx.core as mx

mx.set_default_device(mx.cpu)
ones = mx.ones(1000, dtype=mx.bfloat16)
total, last = ones.sum().item(), mx.cumsum(ones)[-1].item()
logarithm, running = mx.logsumexp(ones - 1).item(), mx.logcumsumexp(ones - 1)[-1].item()
print(
    "sum:",
    total,
    "last of cumsum:",
    last,
    "logsumexp:",
    logarithm,
    "last of logcumsumexp:",
    running,
)
assert (total, last) == (1000.0, 256.0)
assert abs(logarithm - 6.9) < 0.05 and abs(running - 4.16) < 0.01
PROGRAM
