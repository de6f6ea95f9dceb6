# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch.compile with the back ends that compile nothing for a device, torch.export, torch.jit and make_fx."""
import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 4))
x = torch.randn(5, 8)
right = model(x)
right.square().sum().backward()
gradients = [parameter.grad.clone() for parameter in model.parameters()]
ours = model.npu()


def near(what, result, expected):
    torch.testing.assert_close(result.detach().cpu(), expected.detach(), rtol=1e-5, atol=1e-5, msg=lambda said: f"{what}: {said}")


for backend in ("eager", "aot_eager", "npugraphs"):
    torch._dynamo.reset()
    compiled = torch.compile(ours, backend=backend)
    for _ in range(2):
        ours.zero_grad()
        result = compiled(x.npu())
        near(backend, result, right)
        result.square().sum().backward()
        for parameter, gradient in zip(ours.parameters(), gradients):
            near(f"{backend}, a gradient", parameter.grad, gradient)

exported = torch.export.export(ours, (x.npu(),))
near("torch.export", exported.module()(x.npu()), right)
near("torch.jit.trace", torch.jit.trace(ours, x.npu())(x.npu()), right)
near("torch.jit.script", torch.jit.script(ours)(x.npu()), right)
near("make_fx", make_fx(ours)(x.npu())(x.npu()), right)
print("compiled, exported and traced")
