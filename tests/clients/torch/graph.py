# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-021 aclrtSynchronizeStreamWithTimeout
"""torch.npu.graph: a model's forward, a training step and random numbers, recorded once and run with other inputs."""
import copy

import torch
import torch_npu
from torch import nn

torch.manual_seed(5)


def warm_up(step):
    """What PyTorch asks for before a capture: a few runs on another stream."""
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        for _ in range(2):
            step()
    torch.npu.current_stream().wait_stream(side)


def capture(step, **options):
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, **options):
        result = step()
    return graph, result


# A model's forward: close to the CPU, and the bits of the same model without a graph.
host = nn.Sequential(nn.Linear(16, 32), nn.GELU(approximate="tanh"), nn.LayerNorm(32), nn.Linear(32, 4), nn.Softmax(dim=1))
model = copy.deepcopy(host).npu()
place = torch.zeros(8, 16, device="npu")
with torch.no_grad():
    warm_up(lambda: model(place))
    graph, output = capture(lambda: model(place))
    for _ in range(4):
        x = torch.randn(8, 16)
        place.copy_(x)
        graph.replay()
        torch.testing.assert_close(output.cpu(), host(x), rtol=1e-4, atol=1e-5)
        assert torch.equal(output, model(place))

# A training step: forward, loss, gradients and the optimizer in one graph.
loss = nn.CrossEntropyLoss()
for kind in (
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    lambda p: torch.optim.Adam(p, lr=0.01, foreach=False, capturable=p[0].device.type == "npu"),
):
    host = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4))
    model = copy.deepcopy(host).npu()
    host_steps, steps = kind(list(host.parameters())), kind(list(model.parameters()))
    place, label = torch.randn(8, 16, device="npu"), torch.randint(0, 4, (8,)).npu()

    def step():
        steps.zero_grad(set_to_none=True)
        value = loss(model(place), label)
        value.backward()
        steps.step()
        return value

    def host_step(x, y):
        host_steps.zero_grad()
        value = loss(host(x), y)
        value.backward()
        host_steps.step()
        return value.detach()

    warm_up(step)
    for _ in range(2):
        host_step(place.cpu(), label.cpu())
    steps.zero_grad(set_to_none=True)
    graph, value = capture(step)
    for _ in range(5):
        x, y = torch.randn(8, 16), torch.randint(0, 4, (8,))
        place.copy_(x)
        label.copy_(y)
        graph.replay()
        torch.testing.assert_close(value.detach().cpu(), host_step(x, y), rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(model.parameters(), host.parameters()):
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach(), rtol=1e-3, atol=1e-5)

# Random numbers: each run draws others, and the same behind the same seed, as without a graph.
ones = torch.ones(4096, device="npu")
for draw in (
    lambda: nn.functional.dropout(ones, 0.25),
    lambda: torch.rand(4096, device="npu"),
    lambda: torch.randn(4096, device="npu"),
    lambda: torch.randint(0, 1000, (4096,), device="npu"),
):
    draw()
    graph, drawn = capture(draw)
    graph.replay()
    first = drawn.clone()
    graph.replay()
    assert not torch.equal(drawn, first)
    torch.manual_seed(7)
    graph.replay()
    torch.manual_seed(7)
    assert torch.equal(drawn, draw())

# Streams that part and meet again; two graphs in one pool; every mode.
side = torch.npu.Stream()
place = torch.ones(1000, device="npu")


def part():
    doubled = place * 2
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        more = doubled + 1
    triple = doubled * 3
    torch.npu.current_stream().wait_stream(side)
    return more + triple


for mode in "global", "thread_local", "relaxed":
    first, parted = capture(part, capture_error_mode=mode)
    second, last = capture(lambda: parted + 1, pool=first.pool(), capture_error_mode=mode)
    for i in range(3):
        place.fill_(i)
        first.replay()
        second.replay()
        assert torch.equal(last.cpu(), torch.full((1000,), 8.0 * i + 2))
    first.reset()
    second.reset()

# A run that waits for what another stream does meanwhile, and one that calls back.
signal = torch_npu.npu.ExternalEvent()


def wait():
    more = place + 1
    signal.wait(torch.npu.current_stream())
    signal.reset(torch.npu.current_stream())
    torch.ops.npu.print_npugraph_tensor(more[:2], tensor_name="more")
    return more * 2


graph, doubled = capture(wait)
for i in range(3):
    place.fill_(i)
    graph.replay()
    assert not torch.npu.current_stream().query()
    signal.record(side)
    assert torch.equal(doubled.cpu(), torch.full((1000,), 2.0 * i + 2))

# Callables: forward and backward as graphs of their own.
host = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4))
model = copy.deepcopy(host).npu()
recorded = torch.npu.make_graphed_callables(model, (torch.randn(8, 16, device="npu", requires_grad=True),))
for _ in range(3):
    x = torch.randn(8, 16, requires_grad=True)
    far = x.detach().npu().requires_grad_()
    recorded(far).sum().backward()
    host(x).sum().backward()
    torch.testing.assert_close(far.grad.cpu(), x.grad, rtol=1e-4, atol=1e-5)

# What cannot be recorded raises, and the program goes on.
try:
    capture(lambda: place.sum().item())
except RuntimeError as error:
    assert "107027" in str(error) or "107030" in str(error) or "507903" in str(error), error
else:
    raise AssertionError("a value was read while nothing ran")
assert not torch.npu.is_current_stream_capturing()
torch.npu.synchronize()
assert (place + 1).sum().item() == 3000
