# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Random numbers and dropout: by their statistics, and that a seed repeats them."""

import torch
import torch.nn.functional as F
import torch_npu

from support.table import FLOATS, INTEGERS, SINGLE, Case, contiguous, run

COUNT = 1 << 16


def moments(make, mean, deviation, low=float("-inf"), high=float("inf"), slack=6.0):
    """A function that is true where a sample of the device is as it should be."""

    def check(x):
        first = make(x)
        sample = first.double().cpu().flatten()
        torch.manual_seed(70000)
        one = make(x).cpu()
        torch.manual_seed(70000)
        two = make(x).cpu()
        error = slack * deviation / len(sample) ** 0.5 + abs(mean) * 2**-8 + 2**-9
        return torch.tensor(
            [
                first.device == x.device,
                bool(abs(sample.mean() - mean) < error),
                bool(abs(sample.std() - deviation) < error * 2),
                bool((sample >= low).all() and (sample <= high).all()),
                torch.equal(one, two),
                not torch.equal(first.cpu(), one),
            ]
        )

    return check


def case(name, make, mean, deviation, low=float("-inf"), high=float("inf"), dtypes=FLOATS, only=None):
    check = moments(make, mean, deviation, low, high)
    return Case(
        name,
        lambda x: check(x) if x.device.type == "npu" else torch.ones(6, dtype=torch.bool),
        (COUNT,),
        dtypes=dtypes,
        grad=False,
        layouts=(contiguous,),
        only=only,
    )


def like(x, **how):
    return {"device": x.device, "dtype": x.dtype, **how}


CASES = [
    case("torch.rand", lambda x: torch.rand(COUNT, **like(x)), 0.5, 12**-0.5, 0, 1),
    case("torch.randn", lambda x: torch.randn(COUNT, **like(x)), 0, 1),
    case("torch.rand_like", torch.rand_like, 0.5, 12**-0.5, 0, 1),
    case("torch.randn_like", torch.randn_like, 0, 1),
    case(
        "torch.randint",
        lambda x: torch.randint(10, (COUNT,), **like(x)),
        4.5,
        99**0.5 / 12**0.5,
        0,
        9,
        FLOATS + INTEGERS[:2],
    ),
    case(
        "torch.randint(low, high)",
        lambda x: torch.randint(-5, 5, (COUNT,), **like(x)),
        -0.5,
        99**0.5 / 12**0.5,
        -5,
        4,
        FLOATS + INTEGERS[:2],
    ),
    case("torch.randint_like", lambda x: torch.randint_like(x, 10), 4.5, 99**0.5 / 12**0.5, 0, 9),
    case("torch.Tensor.uniform_", lambda x: x.clone().uniform_(-1, 3), 1, 4 * 12**-0.5, -1, 3),
    case("torch.Tensor.normal_", lambda x: x.clone().normal_(2, 0.5), 2, 0.5),
    case("torch.Tensor.random_()", lambda x: x.clone().random_(), 2**23, 2**24 / 12**0.5, 0, 2**24, dtypes=SINGLE),
    case("torch.Tensor.random_", lambda x: x.clone().random_(0, 10), 4.5, 99**0.5 / 12**0.5, 0, 9),
    case("torch.Tensor.bernoulli_", lambda x: x.clone().bernoulli_(0.3), 0.3, 0.21**0.5, 0, 1),
    case(
        "torch.Tensor.bernoulli_ of a tensor",
        lambda x: x.clone().bernoulli_(torch.full_like(x, 0.25)),
        0.25,
        0.1875**0.5,
        0,
        1,
    ),
    case("torch.bernoulli", lambda x: torch.bernoulli(torch.full_like(x, 0.25)), 0.25, 0.1875**0.5, 0, 1),
    case("torch.normal of numbers", lambda x: torch.normal(1.0, 2.0, (COUNT,), device=x.device), 1, 2, dtypes=SINGLE),
    case("torch.normal(tensor, number)", lambda x: torch.normal(torch.ones_like(x), 2.0), 1, 2, dtypes=SINGLE),
    case("torch.normal(number, tensor)", lambda x: torch.normal(1.0, torch.full_like(x, 2)), 1, 2, dtypes=SINGLE),
    case(
        "torch.normal of tensors",
        lambda x: torch.normal(torch.ones_like(x), torch.full_like(x, 2)),
        1,
        2,
        dtypes=SINGLE,
    ),
    case(
        "torch.multinomial",
        lambda x: torch.multinomial(torch.tensor([1.0, 3.0], device=x.device), COUNT, True),
        0.75,
        0.1875**0.5,
        0,
        1,
        SINGLE,
    ),
    case("torch.Tensor.exponential_", lambda x: x.clone().exponential_(2), 0.5, 0.5, 0, dtypes=SINGLE),
    case(
        "F.gumbel_softmax",
        lambda x: F.gumbel_softmax(torch.zeros_like(x).reshape(-1, 4), hard=True),
        0.25,
        0.1875**0.5,
        0,
        1.001,
        SINGLE,
    ),
    case("F.rrelu(training=True)", lambda x: F.rrelu(-torch.ones_like(x), 0.1, 0.3, True), -0.2, 0.2 * 12**-0.5, -0.301, -0.099),
    case("F.rrelu_", lambda x: F.rrelu_(-torch.ones_like(x), 0.1, 0.3, True), -0.2, 0.2 * 12**-0.5, -0.301, -0.099),
    case("F.dropout", lambda x: F.dropout(torch.ones_like(x), 0.25), 1, (1 / 3) ** 0.5, 0, 1.34),
    case(
        "torch.native_dropout",
        lambda x: torch.native_dropout(torch.ones_like(x), 0.25, True)[0],
        1,
        (1 / 3) ** 0.5,
        0,
        1.34,
    ),
    case(
        "F.dropout(inplace=True)",
        lambda x: F.dropout(torch.ones_like(x), 0.25, inplace=True),
        1,
        (1 / 3) ** 0.5,
        0,
        1.34,
    ),
    case(
        "F.dropout2d", lambda x: F.dropout2d(torch.ones_like(x).reshape(4096, 4, 4), 0.25), 1, (1 / 3) ** 0.5, 0, 1.34
    ),
]


def bits(x):
    """What a mask of p = 0.25 keeps, as numbers: eight to a byte, the lowest first."""
    mask = torch_npu.npu_dropout_gen_mask([COUNT], 0.25, device=x.device)
    return (mask[: COUNT // 8, None].long() // 2**torch.arange(8, device=x.device) % 2).flatten().to(x.dtype)


def recorded(make):
    """The same by a graph, which is recorded once for each dtype; each run draws anew."""
    graphs = {}

    def run_again(x):
        if x.dtype not in graphs:
            make(x)
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                graphs[x.dtype] = graph, make(x), x
        graph, drawn, _ = graphs[x.dtype]
        graph.replay()
        return drawn.clone()

    return run_again


CASES += [
    case("torch_npu.npu_dropout_gen_mask", bits, 0.75, 0.1875**0.5, 0, 1, SINGLE),
    case("torch.Tensor.normal_ in a graph", recorded(lambda x: torch.empty_like(x).normal_(2, 0.5)), 2, 0.5),
    case(
        "torch.Tensor.uniform_ in a graph",
        recorded(lambda x: torch.empty_like(x).uniform_(-1, 3)),
        1,
        4 * 12**-0.5,
        -1,
        3,
    ),
    case(
        "torch.Tensor.exponential_ in a graph",
        recorded(lambda x: torch.empty_like(x).exponential_(2)),
        0.5,
        0.5,
        0,
        dtypes=SINGLE,
    ),
    case(
        "torch.randint in a graph",
        recorded(lambda x: torch.randint(-5, 5, (COUNT,), **like(x))),
        -0.5,
        99**0.5 / 12**0.5,
        -5,
        4,
        FLOATS + INTEGERS[:2],
    ),
    case(
        "torch.Tensor.random_() in a graph",
        recorded(lambda x: torch.empty_like(x).random_()),
        2**23,
        2**24 / 12**0.5,
        0,
        2**24,
        dtypes=SINGLE,
    ),
    case(
        "F.dropout in a graph",
        recorded(lambda x: F.dropout(torch.ones_like(x), 0.25)),
        1,
        (1 / 3) ** 0.5,
        0,
        1.34,
    ),
    case(
        "torch.multinomial in a graph",
        recorded(lambda x: torch.multinomial(torch.full_like(x[:2], 0.5), COUNT, True)),
        0.5,
        0.5,
        0,
        1,
        SINGLE,
    ),
]


def gradient(x):
    """Dropout's gradient goes where its output does."""
    leaf = torch.ones_like(x).requires_grad_()
    out = F.dropout(leaf, 0.5)
    (slope,) = torch.autograd.grad(out.sum(), leaf)
    return torch.equal(slope, out.detach())


def rrelu_gradient(x):
    """What is below 0 has the factor that it was multiplied by for a gradient."""
    leaf = (x - 0.5).detach().requires_grad_()
    out = F.rrelu(leaf, 0.25, 0.5, True)
    (slope,) = torch.autograd.grad(out.sum(), leaf)
    return torch.equal((slope * leaf).detach(), out.detach()) and bool(((slope >= 0.25) & (slope <= 1)).all())


def permutation(x):
    one, two = torch.randperm(1000, device=x.device).cpu(), torch.randperm(1000, device=x.device).cpu()
    return torch.equal(one.sort().values, torch.arange(1000)) and not torch.equal(one, two)


def without_replacement(x):
    drawn = torch.multinomial(x.abs().float() + 0.1, 20).cpu()
    return len(set(drawn.tolist())) == 20


CASES += [
    Case(name, function, (64,), grad=False, layouts=(contiguous,))
    for name, function in (
        ("F.dropout, its gradient", gradient),
        ("F.rrelu, its gradient", rrelu_gradient),
        ("torch.randperm", permutation),
        ("torch.multinomial without replacement", without_replacement),
        ("F.dropout of nothing", lambda x: F.dropout(x, 0.0)),
        ("F.dropout of all", lambda x: F.dropout(x, 1.0)),
        ("F.dropout(training=False)", lambda x: F.dropout(x, 0.5, False)),
    )
]
run(CASES)
