# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""nn.LSTM, nn.GRU and nn.RNN and their cells, values and gradients: near the CPU's, as the device computes an LSTM in FLOAT16."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from support import beside


def layer(make, states):
    draw = np.random.RandomState(6)
    made = make()
    for parameter in made.get_parameters():
        parameter.set_data(Tensor((draw.standard_normal(parameter.shape) * 0.2).astype(np.float32)))
    x = Tensor(draw.standard_normal((2, 5, 8)).astype(np.float32))
    start = [Tensor(np.zeros((1, 2, 16), np.float32)) for _ in range(states)]

    def forward(x):
        out = made(x, tuple(start) if states == 2 else start[0])
        return ops.reduce_sum(out[0] * out[0]), out[0]
    (_, out), gradients = ms.value_and_grad(forward, 0, ms.ParameterTuple(made.trainable_params()), has_aux=True)(x)
    return [out.asnumpy(), gradients[0].asnumpy()] + [one.asnumpy() for one in gradients[1]]


def cell(make, states):
    draw = np.random.RandomState(6)
    made = make()
    for parameter in made.get_parameters():
        parameter.set_data(Tensor((draw.standard_normal(parameter.shape) * 0.2).astype(np.float32)))
    x, state = Tensor(draw.standard_normal((2, 8)).astype(np.float32)), Tensor(np.zeros((2, 16), np.float32))
    out = made(x, (state, state) if states == 2 else state)
    return [one.asnumpy() for one in (out if isinstance(out, tuple) else (out,))]


beside.run({
    "LSTM": lambda: layer(lambda: nn.LSTM(8, 16, batch_first=True), 2), "GRU": lambda: layer(lambda: nn.GRU(8, 16, batch_first=True), 1),
    "RNN": lambda: layer(lambda: nn.RNN(8, 16, batch_first=True), 1), "LSTMCell": lambda: cell(lambda: nn.LSTMCell(8, 16), 2),
    "GRUCell": lambda: cell(lambda: nn.GRUCell(8, 16), 1), "RNNCell": lambda: cell(lambda: nn.RNNCell(8, 16), 1)}, 2e-2, 1e-2)
