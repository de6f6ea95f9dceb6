# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The operators of Belay on NumPy arrays: belay_npu.silu_backward(gradient, x).

There is a function for every operator that the library has, made from the description by which the library itself
checks arguments; belay_npu.operators holds them by name. Arrays go to the current device of the thread (device 0 where it
has none) and the result comes back as a new array, or in out. What the library refuses raises belay_npu.Error with its
sentence. The settings are those of programs (BELAY_ACCURACY, BELAY_SOC, BELAY_DEVICES, ...).
"""
from acl import __version__
from belay_npu.array import bfloat16, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, from_bfloat16, hifloat8, to_bfloat16
from belay_npu.call import load_operators
from belay_npu.error import Error

operators = load_operators()
globals().update(operators)

__all__ = ["Error", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "from_bfloat16", "hifloat8", "operators", "to_bfloat16", *operators]
