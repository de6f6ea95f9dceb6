# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What docs/pytorch.md tells: torch_npu's own ways, and what does work."""
import os
import re

from entry import entry, root

COMPILED = "`torch.compile` with the back ends `eager`, `aot_eager` and `npugraphs`, `torch.export`, `torch.jit` and `make_fx`"
SENTENCES = (
    COMPILED,
    "`gelu` is the tanh form under Ascend910B3 whatever `approximate` says",
    "**torch.compile with its default, inductor**, fails in torch_npu's own lowering",
    "`channels_last` is refused",
    "a tensor of the CPU keeps its strides on the device, and `clone(memory_format=torch.channels_last)` is contiguous",
    "`torch.dist` is that of the real parts",
    "**The gradient of `det`** of a strided tensor is transposed",
    "Fused SGD without momentum raises, and so does the gradient of a GRU in eval mode",
    "`adaptive_max_pool3d` to an empty size ends the process in libtorch_npu",
    "**`lerp` in bfloat16** rounds once here; the CPU and CUDA round the product first",
    "**Gradients of gradients**: of `batch_norm` in training under Ascend910B3 (the product gives the variance where PyTorch's "
    "formula expects 1/std; right under Ascend950PR_9599), of `kl_div`, and of `max_pool1d`",
    "Gradients of softmax and of scaled_dot_product_attention under `vmap(grad)`, nested tensors in attention, and an LSTM of "
    "FakeTensors raise",
    "`vector_norm(inf)` of no elements is 0, and `mean` of int32 a whole number, where the CPU raises",
    "`pow(bool, True)` is refused",
    "`grid_sample` at a NaN is 0, and NaN on the CPU",
)


def text():
    with open(os.path.join(root(), "share/doc/belay/docs/pytorch.md"), encoding="utf-8") as file:
        return re.sub(r"\s+", " ", file.read())


@entry("8", "docs/pytorch.md says what the suites found, and what works")
def sentences():
    page = text()
    missing = [sentence for sentence in SENTENCES if sentence not in page]
    assert not missing, missing


@entry("8 compiled", "torch.compile with eager, aot_eager, npugraphs; export, jit and make_fx; docs/pytorch.md says so")
def compiles():
    import torch
    import torch_npu  # noqa: F401
    from torch.fx.experimental.proxy_tensor import make_fx

    def function(x):
        return torch.relu(x) * 2 + 1

    x = torch.randn(4, 4).npu()
    wanted = function(x).cpu()
    for backend in "eager", "aot_eager", "npugraphs":
        assert torch.equal(torch.compile(function, backend=backend)(x).cpu(), wanted), backend
    assert torch.equal(make_fx(function)(x)(x).cpu(), wanted)
    assert torch.equal(torch.jit.trace(function, x)(x).cpu(), wanted)

    class Module(torch.nn.Module):
        def forward(self, x):
            return function(x)

    assert torch.equal(torch.export.export(Module(), (x,)).module()(x).cpu(), wanted)
    assert COMPILED in text(), "docs/pytorch.md does not say so"
