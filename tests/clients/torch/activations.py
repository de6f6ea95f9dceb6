# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Activations and their gradients, and their forms in place."""

import torch
import torch.nn.functional as F

from support.table import Case, run

A = (6, 34)
CASES = [
    Case("F.relu", F.relu, A),
    Case("F.relu6", F.relu6, A),
    Case("F.silu", F.silu, A),
    Case("F.sigmoid", torch.sigmoid, A),
    Case("F.tanh", torch.tanh, A),
    Case("F.mish", F.mish, A),
    Case("F.selu", F.selu, A),
    Case("F.celu", F.celu, A),
    Case("F.celu(alpha=)", lambda x: F.celu(x, 0.5), A),
    Case("F.elu", F.elu, A),
    Case("F.elu(alpha=)", lambda x: F.elu(x, 0.5), A),
    Case("F.leaky_relu", lambda x: F.leaky_relu(x, 0.1), A),
    Case("F.rrelu", F.rrelu, A),
    Case("F.hardswish", F.hardswish, A),
    Case("F.hardsigmoid", F.hardsigmoid, A),
    Case("F.hardtanh", F.hardtanh, A),
    Case("F.hardshrink", F.hardshrink, A),
    Case("F.softshrink", F.softshrink, A),
    Case("F.softsign", F.softsign, A),
    Case("F.softplus", F.softplus, A),
    Case("F.softplus(beta=)", lambda x: F.softplus(x, 0.5, 1), A),
    Case("F.logsigmoid", F.logsigmoid, A),
    Case("F.tanhshrink", F.tanhshrink, A, loose=2),
    Case("F.threshold", lambda x: F.threshold(x, 0.1, 2), A),
    Case("F.glu", F.glu, A),
    Case("F.glu(dim=)", lambda x: F.glu(x, 0), A),
    Case("F.prelu", F.prelu, (3, 4, 5), (4,), loose=2),
    Case("F.prelu of one weight", F.prelu, (3, 4, 5), (1,), loose=2),
    Case("F.gelu(approximate='tanh')", lambda x: F.gelu(x, approximate="tanh"), A, loose=2),
    Case("F.gelu", F.gelu, A, only="950", loose=2),
    Case("F.softmax", lambda x: F.softmax(x, -1), A),
    Case("F.softmax(dim=)", lambda x: F.softmax(x, 0), (4, 5, 6)),
    Case("F.log_softmax", lambda x: F.log_softmax(x, -1), A),
    Case("F.log_softmax(dim=)", lambda x: F.log_softmax(x, 1), (4, 5, 6)),
    Case("F.softmin", lambda x: F.softmin(x, 0), A),
]
for name in ("relu_", "sigmoid_", "tanh_"):
    CASES.append(Case(f"torch.Tensor.{name}", getattr(torch.Tensor, name), A, writes=True))
for name, function in {
    "relu6": F.relu6,
    "silu": F.silu,
    "mish": F.mish,
    "selu": F.selu,
    "celu": F.celu,
    "elu": F.elu,
    "leaky_relu": F.leaky_relu,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "hardtanh": F.hardtanh,
}.items():
    CASES.append(Case(f"F.{name}(inplace=True)", lambda x, f=function: f(x, inplace=True), A, writes=True))
    CASES.append(
        Case(f"F.{name}(inplace=True), its gradient", lambda x, f=function: f(x * 2, inplace=True), A, loose=2)
    )
CASES.append(Case("F.threshold(inplace=True)", lambda x: F.threshold(x, 0.1, 2, inplace=True), A, writes=True))
run(CASES)
