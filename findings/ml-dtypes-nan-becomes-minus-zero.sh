#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The 4-bit and 6-bit floats of MX formats have no NaN and no infinity. A cast of NaN could raise,
# or give the greatest number as infinity does; ml_dtypes writes -0. So a NaN in weights that are
# quantised to float4_e2m1fn, float6_e2m3fn or float6_e3m2fn turns into a zero, sums over them stay
# finite, and np.isnan finds nothing afterwards. Seen with ml_dtypes 0.6.0 and numpy 2.4.6.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

for name, greatest in (("float4_e2m1fn", 6.0), ("float6_e2m3fn", 7.5), ("float6_e3m2fn", 28.0)):
    small = np.array([np.nan, np.inf, 1000.0], np.float32).astype(getattr(ml_dtypes, name))
    seen = small.astype(np.float32)
    print(name, seen.tolist())
    assert (
        seen.tolist() == [0.0, greatest, greatest]
        and np.signbit(seen[0])
        and not np.isnan(small).any()
    ), seen
PROGRAM
