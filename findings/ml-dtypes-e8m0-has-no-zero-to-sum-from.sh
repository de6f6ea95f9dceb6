#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# float8_e8m0fnu, the dtype of the scales of MX formats, has powers of two alone. NumPy begins a sum
# at 0, and 0 does not exist in the dtype: the cast makes NaN of it, so that the sum of any array of
# scales is NaN, [1, 1] included, while 1 + 1 is 2. np.zeros does not fail: it fills with the byte
# 0, which stands for 2 ** -127, and those "zeros" differ from np.full(.., 0), which is NaN, and are
# all counted as not zero. Seen with ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

scale = ml_dtypes.float8_e8m0fnu
ones = np.ones(2, scale)
zeros, full = np.zeros(2, scale), np.full(2, 0, scale)
print("1 + 1:", float(ones[0] + ones[1]), "sum([1, 1]):", float(ones.sum()))
print(
    "zeros:",
    zeros.astype(np.float32),
    "full of 0:",
    full.astype(np.float32),
    "not zero:",
    np.count_nonzero(zeros),
)
assert float(ones[0] + ones[1]) == 2.0 and np.isnan(float(ones.sum()))
assert (
    float(zeros[0]) == 2.0**-127
    and np.isnan(full.astype(np.float32)).all()
    and np.count_nonzero(zeros) == 2
)
PROGRAM
