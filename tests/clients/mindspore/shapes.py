# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Shapes that change: unknown dims of inputs, results whose size depends on data, branches and loops under ms.jit."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn

from support import target

target.choose()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = mint.nn.Linear(4, 8), mint.nn.Linear(8, 2)

    def construct(self, x):
        return self.second(mint.nn.functional.relu(self.first(x)))


def truth(net, x):
    a, b, c, d = (one.asnumpy() for one in net.trainable_params())
    return np.maximum(x @ a.T + b, 0) @ c.T + d


draw = np.random.RandomState(0)
net = Net()
net.set_inputs(Tensor(shape=[None, 4], dtype=ms.float32))
for rows in (1, 5, 3, 17):
    x = draw.standard_normal((rows, 4)).astype(np.float32)
    target.demand(np.allclose(net(Tensor(x)).asnumpy(), truth(net, x), 1e-4, 1e-5), rows, "rows")


@ms.jit(jit_level="O0")
def branch(x, turns):
    while turns > 0:
        x = mint.add(x, x)
        turns = turns - 1
    if mint.sum(x) > 0:
        return mint.exp(-x)
    return x * 3


for sign in (1, -1):
    x = sign * np.arange(4, dtype=np.float32)
    wide = 4 * x
    found = branch(Tensor(x), Tensor(2)).asnumpy()
    target.demand(np.allclose(found, np.exp(-wide) if sign > 0 else 3 * wide, 1e-5), "a branch", found)

for count in (3, 7):
    x = draw.randint(0, 2, (count,)).astype(bool)
    target.demand(np.array_equal(mint.nonzero(Tensor(x)).asnumpy().reshape(-1), np.nonzero(x)[0]), "nonzero of", x)
    target.demand(np.array_equal(mint.masked_select(Tensor(np.arange(count)), Tensor(x)).asnumpy(), np.arange(count)[x]), "masked_select by", x)
found = mint.unique(Tensor(np.array([3, 1, 3, 2, 1]))).asnumpy()
target.demand(sorted(found) == [1, 2, 3], "unique", found)
stream = ms.runtime.Stream()
with ms.runtime.StreamCtx(stream):
    x = mint.ones((64, 64)) * 2
    event = stream.record_event()
ms.runtime.current_stream().wait_event(event)
target.demand(float(mint.sum(x).asnumpy()) == 8192, "another stream")
