#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Numba compiles NumPy's functions, and one expects NumPy's numbers, to a few last digits. NumPy
# sums in blocks, by pairs, which keeps the error of float32 small. Numba adds one element after
# another in the dtype of the array: the sum of 2 ** 25 ones in float32 stops at 16,777,216, their
# mean is 0.5, and the variance of a million equal numbers 10,000.1 is 17,185 where NumPy has 1e-6.
# The mean of a million 0.1 is 0.10096. The same function without njit is right, and nothing warns.
# Seen with numba 0.68.1 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 numba==0.68.1
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import numpy as np
from numba import njit


def mean(x):
    return np.mean(x)


def variance(x):
    return np.var(x)


ones = np.ones(2**25, np.float32)
tenths = np.full(10**6, 0.1, np.float32)
equal = np.full(10**6, 10000.1, np.float32)
seen = {
    "mean of 2 ** 25 ones": (mean(ones), njit(mean)(ones)),
    "mean of a million 0.1": (mean(tenths), njit(mean)(tenths)),
    "variance of a million 10000.1": (variance(equal), njit(variance)(equal)),
}
for what, (plain, compiled) in seen.items():
    print(f"{what}: NumPy {plain} Numba {compiled}")
(one, half), (tenth, more), (small, large) = seen.values()
assert one == 1 and half == 0.5
assert abs(tenth - 0.1) < 1e-7 and more > 0.1009
assert small < 1e-5 and large > 17000
PROGRAM
