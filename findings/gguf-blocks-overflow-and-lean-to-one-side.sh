#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A block of GGUF's Q8_0 has 32 bytes and one scale, and the scale is a float16: a block whose
# greatest number is 1e7 needs a scale of 78,740, which becomes infinity, and its numbers come back
# infinite; a block of 1e-6 comes back as zeros. Q4_0 has the levels -8 to 7 and puts the number of
# the greatest magnitude at -8: of 1 and -1 in a block the one that stands first is kept and the
# other becomes 0.875 in magnitude, so that quantising is not symmetric and depends on order. Seen
# with gguf 0.19.0, which follows ggml's formats.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 gguf==0.19.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import warnings

import numpy as np
from gguf import GGMLQuantizationType, quants

warnings.simplefilter("ignore")


def through(first, kind):
    block = np.zeros((1, 32), np.float32)
    block[0, : len(first)] = first
    return quants.dequantize(quants.quantize(block, kind), kind)[0, : len(first)].tolist()


eight, four = GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q4_0
large, small = through([1e7, -1e7], eight), through([1e-6, 1e-6], eight)
one, other = through([1, -1], four), through([-1, 1], four)
print("Q8_0 of 1e7, -1e7:", large, "of 1e-6:", small, "Q4_0 of 1, -1:", one, "of -1, 1:", other)
assert large == [float("inf"), float("-inf")] and small == [0.0, 0.0]
assert one == [1.0, -0.875] and other == [-1.0, 0.875]
PROGRAM
