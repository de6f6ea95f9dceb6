#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# safetensors.numpy writes arrays of ml_dtypes' bfloat16, float8_e4m3fn and float8_e8m0fnu, with the
# right names in the header, and its own load of the same bytes ends in a KeyError with the dtype's
# name. With ml_dtypes imported one would guess that what can be written can be read. float4_e2m1fn
# and int4 are refused at writing. Seen with safetensors 0.8.0, ml_dtypes 0.6.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0 safetensors==0.8.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np
import safetensors.numpy as tensors

for kind, name in (
    ("bfloat16", "BF16"),
    ("float8_e4m3fn", "F8_E4M3"),
    ("float8_e8m0fnu", "F8_E8M0"),
):
    written = tensors.save({"weight": np.ones(4, getattr(ml_dtypes, kind))})
    assert name.encode() in written
    try:
        tensors.load(written)
        raise SystemExit(kind + " is read now")
    except KeyError as error:
        print(kind, "is written as", name, "and reading raises KeyError", error)
        assert error.args == (name,)
PROGRAM
