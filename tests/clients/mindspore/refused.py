# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What needs code for the device ends with an exception that says so, and the process goes on."""
import os

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint

from support.target import choose, demand

choose()


def fails(words, function):
    try:
        function(Tensor(np.ones(4, np.float32))).asnumpy()
    except Exception as error:
        text = str(error)
        print(" ".join(text.split())[:300])
        demand(any(word in text for word in words), words, "are not in", text)
        return
    demand(False, function, "passes")


def program(x):
    return mint.exp(mint.add(x, x)) * 2


fails(['there is no graph engine here, and operators run one by one (of MindSpore, jit_level="O0"'], ms.jit(program, backend="GE"))
if os.environ.get("BELAY_SOC", "").startswith("Ascend950"):
    # MindSpore writes no code for this one, and runs O1 as O0.
    demand(np.allclose(ms.jit(program, jit_level="O1")(Tensor(np.ones(4, np.float32))).asnumpy(), 2 * np.exp(2)), "O1")
else:
    # The launch says so, and the stream once more where the next number is read; then the process goes on.
    device_code = ['is code for a device, which cannot run here; let MindSpore use jit_level="O0"']
    fails(device_code, ms.jit(program, jit_level="O1"))
    fails(device_code, program)
demand(np.allclose(program(Tensor(np.ones(4, np.float32))).asnumpy(), 2 * np.exp(2)), "afterwards")
