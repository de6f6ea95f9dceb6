#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a kernel of NVIDIA Warp `//` and `%` look like Python's and are not a pair: the quotient of
# integers is rounded down as in Python, the remainder has the sign of the dividend as in C. -7 // 2
# is -4 and -7 % 2 is -1, so that b * (a // b) + a % b is -9. Index arithmetic that wraps around
# with % goes out on the left. Besides, wp.sign(0) is 1, and so is wp.sign(nan). Seen with warp-lang
# 1.19.0 on its CPU device.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 warp-lang==1.19.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import pathlib

pathlib.Path("kernel.py").write_text("""
import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def integers(x: wp.array(dtype=wp.int32), result: wp.array(dtype=wp.int32)):
    result[0] = x[0] // x[1]
    result[1] = x[0] % x[1]
    result[2] = x[1] * (x[0] // x[1]) + x[0] % x[1]
    result[3] = wp.sign(x[2])


result = wp.zeros(4, dtype=wp.int32, device="cpu")
numbers = wp.array([-7, 2, 0], dtype=wp.int32, device="cpu")
wp.launch(integers, dim=1, inputs=[numbers, result], device="cpu")
seen = result.numpy().tolist()
print("-7 // 2, -7 % 2, 2 * (-7 // 2) + -7 % 2, sign(0):", seen)
assert seen == [-4, -1, -9, 1], seen
""")
import kernel  # Warp reads a kernel's source from its file.
PROGRAM
