# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The optimizers of nn, five steps each, as on the CPU."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from support import beside

KINDS = {
    "SGD": lambda p: nn.SGD(p, 0.1), "SGD with momentum": lambda p: nn.SGD(p, 0.1, momentum=0.9, weight_decay=0.01),
    "SGD with dampening": lambda p: nn.SGD(p, 0.1, momentum=0.9, dampening=0.5), "SGD of Nesterov's": lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9), "Adam": lambda p: nn.Adam(p, 0.1), "Adam with decay": lambda p: nn.Adam(p, 0.1, weight_decay=0.1),
    "Adam of Nesterov's": lambda p: nn.Adam(p, 0.1, use_nesterov=True), "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1), "RMSProp": lambda p: nn.RMSProp(p, 0.1, momentum=0.5),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1), "Adadelta": lambda p: nn.Adadelta(p, 0.5), "AdaMax": lambda p: nn.AdaMax(p, 0.1),
    "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1), "ASGD": lambda p: nn.ASGD(p, 0.1),
}


def five_steps(make):
    draw = np.random.RandomState(4)
    parameters = [Parameter(Tensor(draw.standard_normal(shape).astype(np.float32)), name=f"p{i}") for i, shape in enumerate(((4, 3), (3,)))]
    x = Tensor(draw.standard_normal((6, 4)).astype(np.float32))
    optimizer = make(parameters)

    def forward(x):
        return ops.reduce_mean(ops.square(ops.matmul(x, parameters[0]) + parameters[1] - 1))
    differentiate = ms.value_and_grad(forward, None, ms.ParameterTuple(parameters))
    losses = []
    for _ in range(5):
        value, gradients = differentiate(x)
        optimizer(gradients)
        losses.append(float(value.asnumpy()))
    return [losses] + [one.asnumpy() for one in parameters]


beside.run({name: (lambda make=make: five_steps(make)) for name, make in KINDS.items()})
