# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Model.train with dataset_sink_mode, where a thread sends batches through a channel and GetNext takes them: as without."""
import os

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.dataset import GeneratorDataset

os.environ["BELAY_CLIENTS_MODE"] = "O0"
from support.target import choose, demand

choose()


def samples():
    draw = np.random.RandomState(1)
    for _ in range(32):
        yield draw.standard_normal(4).astype(np.float32), np.int32(draw.randint(0, 3))


def trained(sinks):
    network, draw = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3)), np.random.RandomState(0)
    for parameter in network.trainable_params():
        parameter.set_data(Tensor((draw.standard_normal(parameter.shape) * 0.3).astype(np.float32)))
    start = [one.asnumpy().copy() for one in network.trainable_params()]
    data = GeneratorDataset(lambda: samples(), ["x", "y"], shuffle=False).batch(8)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.1, 0.9)).train(3, data, dataset_sink_mode=sinks)
    return start, [one.asnumpy() for one in network.trainable_params()]


start, plain = trained(False)
for one, two, before in zip(trained(True)[1], plain, start):
    demand(np.array_equal(one, two), "with a channel", one, two)
    demand(not np.array_equal(one, before), "nothing was learnt")
print("three epochs through a channel are those without")
