# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Recurrent networks, of several layers and both directions, and their gradients."""

import torch

from support.table import FLOATS, Case, between, contiguous, run, sliced

INPUT, HIDDEN, BATCH, STEPS = 6, 8, 3, 5


def network(kind, layers, both, bias, batch_first):
    """A case of one network, whose weights are its inputs."""
    ways, gates = 1 + both, {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    x = (BATCH, STEPS, INPUT) if batch_first else (STEPS, BATCH, INPUT)
    state = (layers * ways, BATCH, HIDDEN)
    shapes = []
    for layer in range(layers):
        for _ in range(ways):
            shapes += [(gates * HIDDEN, HIDDEN * ways if layer else INPUT), (gates * HIDDEN, HIDDEN)]
            shapes += [(gates * HIDDEN,)] * 2 if bias else []

    def call(x, *rest):
        states = 2 if kind == "LSTM" else 1
        function = {"LSTM": torch.lstm, "GRU": torch.gru, "RNN": torch.rnn_tanh}[kind]
        hidden = rest[:2] if states == 2 else rest[0]
        return function(x, hidden, list(rest[states:]), bias, layers, 0.0, True, bool(both), batch_first)

    name = (
        f"torch.nn.{kind}({layers} layers{', bidirectional' if both else ''}{'' if bias else ', no bias'}"
        f"{', batch_first' if batch_first else ''})"
    )
    return Case(
        name,
        call,
        x,
        *[state] * (2 if kind == "LSTM" else 1),
        *[between(-0.5, 0.5, *s) for s in shapes],
        dtypes=FLOATS if kind == "RNN" else FLOATS[:2],
        loose=4,
        layouts=(contiguous, sliced),
    )


CASES = [
    network(kind, *how)
    for kind in ("LSTM", "GRU", "RNN")
    for how in ((1, 0, True, False), (1, 0, True, True), (2, 0, True, True), (1, 1, True, False), (2, 1, False, False))
]
CELL = ((BATCH, INPUT), (BATCH, HIDDEN))
CASES += [
    Case(
        "torch.nn.GRUCell",
        lambda x, h, a, b: torch.gru_cell(x, h, a, b),
        *CELL,
        between(-0.5, 0.5, 3 * HIDDEN, INPUT),
        between(-0.5, 0.5, 3 * HIDDEN, HIDDEN),
        loose=4,
    ),
    # torch_npu has it where it wants an operator by name, and refuses it on Ascend950.
    Case(
        "torch.nn.LSTMCell",
        lambda x, h, c, a, b, d, e: torch.lstm_cell(x, (h, c), a, b, d, e),
        *CELL,
        (BATCH, HIDDEN),
        between(-0.5, 0.5, 4 * HIDDEN, INPUT),
        between(-0.5, 0.5, 4 * HIDDEN, HIDDEN),
        *[between(-0.5, 0.5, 4 * HIDDEN)] * 2,
        dtypes=FLOATS[:2],
        loose=4,
        only="910",
    ),
]


def lstm_cell(inputs, hidden, cell, input_bias, hidden_bias):
    """The part of an LSTM's cell behind the products of matrices."""
    if cell.device.type == "npu":
        return torch.ops.aten._thnn_fused_lstm_cell(inputs, hidden, cell, input_bias, hidden_bias)[:2]
    i, f, g, o = (inputs + hidden + input_bias + hidden_bias).chunk(4, 1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


GATES = (4 * HIDDEN,)
CASES += [
    Case(
        "torch.ops.aten._thnn_fused_lstm_cell",
        lstm_cell,
        *[between(-1, 1, BATCH, *GATES)] * 2,
        (BATCH, HIDDEN),
        *[between(-1, 1, *GATES)] * 2,
        dtypes=FLOATS[:2],
        loose=4,
    ),
]
run(CASES)
