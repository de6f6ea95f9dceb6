#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A running sum of numbers that are not negative never goes down: each element is the one before
# plus something, and rounding is monotone. jnp.cumsum puts its sums together from sums of parts, so
# that neighbours are rounded in different orders: of 1,000 numbers, 0.1 at every third place and 0
# between, some elements are less than the ones before, and of a softmax of 100,000 logits more than
# a hundred. That is a distribution function which goes down: a search in it assumes that it is
# sorted, and differences of it, or decay factors made from them, get the wrong sign. Of int8 the
# running sum stays int8 and wraps (100, -56, 44) while jnp.sum gives 300 and NumPy's cumsum 300.
# Seen with jax 0.10.2 on the CPU, compiled and not, and numpy 2.4.6, whose own sums do not go down.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 jax==0.10.2 jaxlib==0.10.2
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PROGRAM'
import jax
import jax.numpy as jnp
import numpy as np


def falls(running):
    return int((np.diff(np.asarray(running)) < 0).sum())


steps = np.where(np.arange(1000) % 3 == 0, np.float32(0.1), np.float32(0))
sums = np.asarray(jnp.cumsum(steps))
first = int(np.flatnonzero(np.diff(sums) < 0)[0])
logits = 10 * np.random.default_rng(0).random(100000, np.float32)
probabilities = np.asarray(jax.nn.softmax(logits))
print("0.1 at every third of 1,000 places:", falls(sums), "elements are less than the one before,")
print("the first of them", sums[first], "and then", sums[first + 1])
print("softmax of 100,000 logits:", falls(jnp.cumsum(probabilities)), "NumPy's:", end=" ")
print(falls(np.cumsum(probabilities)))
assert steps.min() >= 0 and probabilities.min() >= 0
assert falls(sums) > 0 and falls(jax.jit(jnp.cumsum)(steps)) > 0
assert falls(jnp.cumsum(probabilities)) > 10
assert falls(np.cumsum(steps)) == 0 and falls(np.cumsum(probabilities)) == 0

bytes_ = np.full(3, 100, np.int8)
running, total = jnp.cumsum(bytes_).tolist(), int(jnp.sum(bytes_))
print("int8 100, 100, 100:", running, "sum", total, "NumPy's", np.cumsum(bytes_).tolist())
assert running == [100, -56, 44] and total == 300 and np.cumsum(bytes_)[-1] == 300
PROGRAM
