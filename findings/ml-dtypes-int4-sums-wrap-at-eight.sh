#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NumPy keeps sums of small integers right: np.sum of int8 is computed in int64 and np.mean in
# float64. The int4 of ml_dtypes, which quantised weights are read into, looks like another of these
# dtypes. Its sums stay int4 and wrap at 8: the sum of three sevens is 5, and their mean is 1. The
# product of that vector with itself, 147, is 3 by np.dot, which wraps in 4 bits, and -109 by `@`,
# which makes int8 of the operands first and wraps there, as NumPy does with int8. Nothing warns.
# By elements a * 2 is int8 and 14, and a + a is int4 and -2. astype(np.int32) before mends all of
# them. Seen with ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

a = np.array([7, 7, 7], ml_dtypes.int4)
wide = a.astype(np.int8)
print("sum of three sevens: int8", np.sum(wide), "int4", np.sum(a))
print("mean of three sevens: int8", np.mean(wide), "int4", np.mean(a))
answers = {"np.dot": np.dot(a, a), "@": a @ a,
           "@ in int32": a.astype(np.int32) @ a.astype(np.int32)}
print("7 * 7 three times:", {how: int(answer) for how, answer in answers.items()})
print("a * 2:", int((a * 2)[0]), (a * 2).dtype, "a + a:", int((a + a)[0]), (a + a).dtype)
assert (int(np.sum(wide)), int(np.sum(a))) == (21, 5)
assert (float(np.mean(wide)), float(np.mean(a))) == (7.0, 1.0)
assert [int(answer) for answer in answers.values()] == [3, -109, 147], answers
assert (int((a * 2)[0]), int((a + a)[0])) == (14, -2)
PROGRAM
