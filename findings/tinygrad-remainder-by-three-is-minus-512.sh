#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The remainder of floats is exact in C, NumPy and PyTorch, whatever the size of the quotient, and
# lies between 0 and the divisor. tinygrad computes x - floor(x / y) * y, and rounds on the way: in
# float32 1e10 % 3 is -512 where it is 1, and 256 if the 3 is a tensor; 100 % 0.1 is negative, 1e6 %
# 0.1 is -0.0149. So an angle or an index that is wrapped into a range with % leaves it, on either
# side. A number modulo infinity is NaN, not the number. Of integers the remainder is right. Seen
# with tinygrad 0.14.0 on the CPU by clang.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 tinygrad==0.14.0
cd "$folder"
DEV=CPU "$folder/venv/bin/python" - <<'PROGRAM'
import math

import numpy as np
from tinygrad import Tensor

pairs = [(1e10, 3.0), (50331651.0, 3.0), (100.0, 0.1), (1e6, 0.1)]
seen = [(Tensor([x]).realize() % y).item() for x, y in pairs]
by_tensor = (Tensor([1e10]).realize() % Tensor([3.0]).realize()).item()
to_infinity = (Tensor([1.0]).realize() % Tensor([math.inf]).realize()).item()
wanted = [float(np.float32(x) % np.float32(y)) for x, y in pairs]
for (x, y), remainder, numpy in zip(pairs, seen, wanted):
    print(f"{x} % {y}: {remainder}, NumPy's {numpy}")
print("1e10 by a tensor of 3:", by_tensor, "and 1 by a tensor of infinity:", to_infinity)
assert seen[:2] == [-512.0, -2.0] and wanted[:2] == [1.0, 1.0], (seen, wanted)
assert seen[2] < 0 and -0.015 < seen[3] < -0.0148, seen
assert by_tensor == 256.0 and math.isnan(to_infinity), (by_tensor, to_infinity)
PROGRAM
