#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NumPy adds float16 in a way that keeps a mean right: it works in float32 between the elements.
# bfloat16 of ml_dtypes looks like a NumPy dtype, so one expects the same. Its add rounds to
# bfloat16 at every step instead: a sum of ones stops at 256, where 256 + 1 is a tie that goes back
# to 256, and np.mean of 1,000 ones is 0.2559 without a warning. np.dot of the same vector gives
# 1,000, so that two ways to write a mean differ by a factor of four; np.var of constant data is not
# 0. Seen with ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

ones = np.ones(1000, ml_dtypes.bfloat16)
seen = [
    float(ones.sum()),
    float(ones.mean()),
    float(np.dot(ones, ones)),
    float(np.var(ones)),
    float(np.cumsum(ones)[-1]),
]
print("bfloat16: sum, mean, dot, var, last of cumsum:", seen)
half = np.ones(1000, np.float16)
print("float16:  sum, mean:", float(half.sum()), float(half.mean()))
assert [round(value, 4) for value in seen] == [256.0, 0.2559, 1000.0, 0.2559, 256.0], seen
assert (float(half.sum()), float(half.mean())) == (1000.0, 1.0)
PROGRAM
