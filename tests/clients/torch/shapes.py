# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Shapes that are rare but legal: without elements, without dims, cropped or wide."""

import torch
import torch.nn.functional as F
import torch_npu

NONE = {"dtype": torch.int64}


def beside(name, function):
    """The same result, shape and gradient on the CPU and on the device."""
    results = []
    for device in ("cpu", "npu"):
        x = function(device)
        results.append([part.detach().cpu() for part in (x if isinstance(x, tuple) else (x,))])
    for on_cpu, on_npu in zip(*results, strict=True):
        assert on_cpu.shape == on_npu.shape and torch.equal(on_cpu, on_npu), f"{name}: {on_npu} is not {on_cpu}"


def grad_of(function, *values):
    def both(device):
        x = torch.tensor(*values, device=device, requires_grad=True)
        result = function(x)
        result.sum().backward()
        return result, x.grad

    return both


def grid(device, *shape):
    return torch.arange(float(torch.Size(shape).numel()), device=device).reshape(shape)


beside("constant pad", lambda d: F.pad(torch.ones(5, 3, device=d), [-1, -2, 1, 1]))
beside("constant pad of rows", lambda d: F.pad(torch.ones(5, 3, device=d), [1, 1, -2, -3]))
for pads in ([-5, 3], [3, -5], [-4, 2], [-1, -2]):
    for mode in ("reflect", "replicate"):
        beside(f"{mode} {pads}", lambda d, p=pads, m=mode: F.pad(grid(d, 2, 3, 4), p, mode=m))
        beside(
            f"gradient of {mode} {pads}",
            grad_of(lambda x, p=pads, m=mode: F.pad(x, p, mode=m) ** 2, [[[1.0, 2, 3, 4], [5, 6, 7, 8]]]),
        )
for shape in ((0,), (0, 9), (0, 2, 3), (2, 0, 7)):
    at = lambda d, s=shape: torch.empty(s, device=d, **NONE)
    beside(f"gather {shape}", lambda d, a=at: torch.gather(torch.ones(3, 4, device=d), 0, a(d)))
    beside(f"gather of nothing {shape}", lambda d, a=at: torch.gather(torch.ones(0, 4, device=d), 0, a(d)))
    beside(f"gather of a number {shape}", lambda d, a=at: torch.gather(torch.tensor(1.0, device=d), 0, a(d)))
    beside(f"scatter {shape}", lambda d, a=at: grid(d, 3, 4).scatter(0, a(d), torch.ones(2, 2, device=d)))
    beside(f"scatter a number {shape}", lambda d, a=at: grid(d, 3, 4).scatter(-1, a(d), 2.0))
    beside(f"scatter_add {shape}", lambda d, a=at: grid(d, 3, 4).scatter_add(0, a(d), torch.ones(0, device=d)))
    beside(
        f"scatter_reduce {shape}",
        lambda d, a=at: grid(d, 3, 4).scatter_reduce(0, a(d), torch.ones(0, device=d), "sum"),
    )
for size, dim in ((1, 0), (1, -1), (0, 0)):
    beside(f"unfold {size} {dim}", grad_of(lambda x, s=size, m=dim: 3 * x.unfold(m, s, 1), 2.0))
beside("unfold of nothing", grad_of(lambda x: 3 * x.unfold(0, 0, 1), [2.0, 3.0]))
for reduction in ("none", "mean", "sum"):
    beside(
        f"multilabel_margin_loss {reduction}",
        grad_of(
            lambda x, r=reduction: F.multilabel_margin_loss(x, torch.tensor(0, device=x.device), reduction=r), 2.0
        ),
    )

x = torch.randn(3, 5120)
y, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(x.npu(), None, k=4)
wanted = torch.softmax(x.double(), -1).float().topk(4)
assert torch.equal(experts.cpu().long(), wanted.indices) and torch.allclose(y.cpu(), wanted.values, rtol=1e-6)

whole = torch.arange(-8.0, 8).reshape(2, 8).half().npu()
y, scale = torch_npu.npu_dynamic_quant(whole, dst_type=torch.quint4x2)
assert y.dtype == torch.int32 and y.cpu().flatten().tolist() == [-19018839, 1985229328], y.cpu()
assert torch.equal(scale.cpu(), torch.tensor([8 / 7, 1.0])), scale.cpu()
