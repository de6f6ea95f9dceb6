#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Since NumPy 2 a Python number takes the dtype of the array beside it: float16 * 2.5 stays float16,
# by whatever Python number. For bfloat16 of ml_dtypes that holds for Python's integers and not for
# its floats: `x * 2` is bfloat16, `x * 2.0` is float32. A chain of bfloat16 steps leaves the dtype
# silently at the first literal with a point, takes twice the memory and rounds otherwise than what
# it imitates. np.clip(x, 0, 1) leaves it as well. Seen with ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

brain, half = np.ones(2, ml_dtypes.bfloat16), np.ones(2, np.float16)
seen = [
    (brain * 2).dtype.name,
    (brain * 2.0).dtype.name,
    (half * 2).dtype.name,
    (half * 2.0).dtype.name,
    np.clip(brain, 0, 1).dtype.name,
]
print("bfloat16 * 2, bfloat16 * 2.0, float16 * 2, float16 * 2.0, clip(bfloat16, 0, 1):", seen)
assert seen == ["bfloat16", "float32", "float16", "float16", "float32"], seen
PROGRAM
