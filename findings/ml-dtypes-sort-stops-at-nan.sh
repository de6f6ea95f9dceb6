#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# np.sort puts NaN last for every float dtype of NumPy's. For bfloat16 of ml_dtypes the comparison
# is the plain one, for which NaN is neither less nor greater: numbers on either side of a NaN are
# never exchanged, and np.sort returns an array that is not sorted, np.unique one whose values
# repeat and np.argsort the identity. Nothing warns. np.max and np.argmax do find the NaN. Seen with
# ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

values = np.array([3, np.nan, 1, 3], ml_dtypes.bfloat16)
seen = np.sort(values).astype(float).tolist()
indices = np.argsort(values).tolist()
distinct = np.unique(values).astype(float).tolist()
print("sort:", seen, "argsort:", indices, "unique:", distinct)
print("float16 sort:", np.sort(values.astype(np.float16)).tolist())
assert seen[0] == 3.0 and np.isnan(seen[1]) and seen[2:] == [1.0, 3.0], seen
assert indices == [0, 1, 2, 3] and distinct.count(3.0) == 2, (indices, distinct)
assert np.sort(values.astype(np.float16))[:3].tolist() == [1.0, 3.0, 3.0]
PROGRAM
