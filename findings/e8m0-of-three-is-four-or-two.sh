#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two packages on the Python index give NumPy the 8-bit exponent dtype of MX scales: ml_dtypes
# (float8_e8m0fnu) and en_dtypes (float8_e8m0, by Huawei, with hifloat8 beside it). The bytes mean
# the same, and a cast from float32 does not: ml_dtypes rounds to the nearest power of two, ties
# upwards, while en_dtypes cuts the mantissa off. 3 becomes 4 in one and 2 in the other, and a block
# quantised with the scales of one and read with those of the other is off by a factor of two. Their
# 4-bit floats differ too: NaN becomes -0 in ml_dtypes and +0 in en_dtypes. Seen with ml_dtypes
# 0.6.0 and en_dtypes 0.0.4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0 en_dtypes==0.0.4
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import en_dtypes
import ml_dtypes
import numpy as np

values = np.array([1.25, 1.5, 3.0, 100.0], np.float32)
one = values.astype(ml_dtypes.float8_e8m0fnu)
two = values.astype(en_dtypes.float8_e8m0)
print("ml_dtypes:", one.astype(np.float32).tolist(), "en_dtypes:", two.astype(np.float32).tolist())
same = np.array([130, 64], np.uint8)
assert (
    same.view(ml_dtypes.float8_e8m0fnu).astype(np.float32).tolist()
    == same.view(en_dtypes.float8_e8m0).astype(np.float32).tolist()
)
assert one.astype(np.float32).tolist() == [1.0, 2.0, 4.0, 128.0], one
assert two.astype(np.float32).tolist() == [1.0, 1.0, 2.0, 64.0], two
nan = np.array([np.nan], np.float32)
signs = [
    bool(np.signbit(nan.astype(kind).astype(np.float32))[0])
    for kind in (ml_dtypes.float4_e2m1fn, en_dtypes.float4_e2m1)
]
print("sign bit of the 4-bit float that NaN becomes:", signs)
assert signs == [True, False], signs
PROGRAM
