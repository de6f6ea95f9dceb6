#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# safetensors.numpy.save takes the bytes of an array's memory and the array's shape. For a
# transposed array or a slice with a step the two do not belong together, and nothing says so: a 3 x
# 2 view of a 2 x 3 array is stored as the 2 x 3 numbers in their old order, a slice [::2] as the
# first half of the base. The file is valid and the weights in it are wrong. PyTorch's side of the
# same package refuses a tensor that is not contiguous. Seen with safetensors 0.8.0 and numpy 2.4.6;
# np.ascontiguousarray before saving mends it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 safetensors==0.8.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import numpy as np
import safetensors.numpy as tensors


def through(array):
    return tensors.load(tensors.save({"weight": array}))["weight"].tolist()


base = np.arange(6, dtype=np.float32)
turned, halved = base.reshape(2, 3).T, base[::2]
print("transposed:", turned.tolist(), "comes back as", through(turned))
print("slice:", halved.tolist(), "comes back as", through(halved))
assert through(turned) == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] and through(halved) == [
    0.0,
    1.0,
    2.0,
]
assert through(np.ascontiguousarray(turned)) == turned.tolist()
PROGRAM
