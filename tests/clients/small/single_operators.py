# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""l0n0lacl, which calls aclnn functions of libopapi by their names with tensors of NumPy."""
import ctypes

import l0n0lacl
import numpy as np

runner, tensor, scalar = l0n0lacl.算子运行器, l0n0lacl.张量, l0n0lacl.标量
draw = np.random.default_rng(1)


def near(name, found, wanted, tolerance=1e-5):
    found = found if isinstance(found, np.ndarray) else found.numpy()
    assert found.shape == wanted.shape and np.allclose(found, wanted, tolerance, tolerance), (name, found, wanted)


a = draw.uniform(-2, 2, (3, 5)).astype(np.float32)
b = draw.uniform(1, 2, (3, 5)).astype(np.float32)
near("Abs", runner("Abs")(a, np.zeros_like(a))[1], np.abs(a))
near("Add", runner("Add")(a, b, scalar(np.float32(1.5)), np.zeros_like(a))[3], a + np.float32(1.5) * b)
near("Mul", runner("Mul")(a, b, np.zeros_like(a))[2], a * b)
near("Exp", runner("Exp")(a, np.zeros_like(a))[1], np.exp(a))
near("InplaceAcos", runner("InplaceAcos")(a / 2)[0], np.arccos(a / 2))
near("Matmul", runner("Matmul")(a, b.T.copy(), np.zeros((3, 3), np.float32), ctypes.c_int8(0))[2], a @ b.T, 1e-4)
near("Softmax", runner("Softmax")(a, ctypes.c_int64(1), np.zeros_like(a))[2], np.exp(a) / np.exp(a).sum(1, keepdims=True))
image = draw.uniform(0, 1, (2, 6, 6)).astype(np.float32)
near("AdaptiveAvgPool2d", runner("AdaptiveAvgPool2d")(tensor(image, 格式=l0n0lacl.张量格式.NCL), [3, 3],
     tensor(np.zeros((2, 3, 3), np.float32), 格式=l0n0lacl.张量格式.NCL))[2], image.reshape(2, 3, 2, 3, 2).mean((2, 4)))
assert (runner("Any")(a > 1.9, [1], ctypes.c_bool(False), np.zeros(3, np.bool_))[-1].numpy() == (a > 1.9).any(1)).all()
print("operators of l0n0lacl are right")
