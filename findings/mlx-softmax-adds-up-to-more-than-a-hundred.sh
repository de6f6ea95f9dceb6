#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probabilities add up to 1, within the dtype's rounding. mx.softmax on the CPU adds up the
# exponentials in the dtype of its argument, and in bfloat16 and float16 that sum stops growing: of
# 1,000 equal logits in bfloat16 each gets 1/256, so that they add up to 3.9, and of 32,000, a
# vocabulary, to 125; in float16 to 15.6. The argument precise=True, which is not the default, mends
# it. logsumexp of the same logits is right, so that exp(x - logsumexp(x)) and softmax(x) differ by
# a factor of 125. Seen with mlx 0.32.4 on the CPU.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'mlx[cpu]==0.32.4'
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import math

import mlx.core as mx

mx.set_default_device(mx.cpu)


def total(count, dtype, **how):
    return mx.sum(mx.softmax(mx.zeros(count, dtype=dtype), **how).astype(mx.float32)).item()


thousand = total(1000, mx.bfloat16)
vocabulary, half = total(32000, mx.bfloat16), total(32000, mx.float16)
precise = total(32000, mx.bfloat16, precise=True)
logarithm = mx.logsumexp(mx.zeros(32000, dtype=mx.bfloat16)).item()
print("softmax of 1,000 equal logits in bfloat16 adds up to", thousand)
print("of 32,000:", vocabulary, "in float16:", half, "with precise=True:", precise)
print("logsumexp of 32,000 zeros:", logarithm, "and the logarithm of 32,000:", math.log(32000))
assert thousand == 3.90625 and vocabulary == 125.0 and half == 15.625
assert abs(precise - 1) < 0.01 and abs(logarithm - math.log(32000)) < 0.04
PROGRAM
