#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Numba's simulator (NUMBA_ENABLE_CUDASIM=1) is how kernels for NVIDIA's GPUs are tested without
# one. Numba's compiler types integers by its own rules: a product of uint8 with a literal, or a sum
# of two int32, is computed in 64 bits. The simulator runs the kernel as Python over NumPy's
# scalars, which keep the narrow dtype and wrap. So 200 * 2 of a uint8 array is 144 in the simulator
# and 400 in compiled code (shown with njit, which types in the same way), and int32's greatest
# number plus one is negative against 2,147,483,648. A test passes on the one and the program is
# wrong on the other. Seen with numba 0.68.1 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 numba==0.68.1
cd "$folder"
NUMBA_ENABLE_CUDASIM=1 "$folder/venv/bin/python" - <<'PROGRAM'
import warnings

import numpy as np
from numba import cuda, njit

warnings.simplefilter("ignore")


def double(source, result):
    for i in range(source.size):
        result[i] = source[i] * 2


def add(source, result):
    result[0] = source[0] + source[1]


def simulated(function, source):
    result = np.zeros(source.size, np.int64)
    cuda.jit(function)[1, 1](source, result)
    return result.tolist()


def compiled(function, source):
    result = np.zeros(source.size, np.int64)
    njit(function)(source, result)
    return result.tolist()


bytes_ = np.array([200, 100], np.uint8)
integers = np.array([2**31 - 1, 1], np.int32)
print(
    "uint8 [200, 100] * 2: simulator",
    simulated(double, bytes_),
    "compiled",
    compiled(double, bytes_),
)
print(
    "int32 greatest + 1: simulator",
    simulated(add, integers)[0],
    "compiled",
    compiled(add, integers)[0],
)
assert simulated(double, bytes_) == [144, 200] and compiled(double, bytes_) == [400, 200]
assert simulated(add, integers)[0] == -(2**31) and compiled(add, integers)[0] == 2**31
PROGRAM
