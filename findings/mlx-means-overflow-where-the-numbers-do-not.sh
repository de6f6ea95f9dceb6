#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A mean lies between the least and the greatest number. mx.mean makes the sum first, for float16
# and int32 in the same dtype, and divides afterwards: the mean of 1,000 numbers 300 in float16 is
# infinity, which its variance is, too, and the mean of twice int32's greatest number is -1. In
# float32 the sum of 2 ** 25 ones stops at 16,777,216 and the mean is 0.5. NumPy sums in a wider
# dtype or by pairs and gives 300, 2,147,483,647 and 1. Of int8 and bfloat16 MLX does so, too, and
# its means are right. Seen with mlx 0.32.4 on the CPU and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 'mlx[cpu]==0.32.4'
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
arrays = {
    "1,000 times 300 in float16": np.full(1000, 300, np.float16),
    "twice int32's greatest": np.full(2, 2**31 - 1, np.int32),
    "2 ** 25 ones in float32": np.ones(2**25, np.float32),
}
means = [mx.mean(mx.array(array)).item() for array in arrays.values()]
variance = mx.var(mx.array(arrays["1,000 times 300 in float16"])).item()
for (what, array), mean in zip(arrays.items(), means):
    print(f"mean of {what}: {mean}, NumPy's {np.mean(array)}")
    assert np.mean(array) == array[0]
narrow = [
    mx.mean(mx.full(1000, 100, dtype=mx.int8)).item(),
    mx.mean(mx.ones(1000, dtype=mx.bfloat16)).item(),
]
print("means of 1,000 times 100 in int8 and 1 in bfloat16:", narrow)
assert abs(narrow[0] - 100) < 0.001 and narrow[1] == 1.0, narrow
assert means == [float("inf"), -1.0, 0.5], means
assert variance == float("inf") or variance != variance, variance
PROGRAM
