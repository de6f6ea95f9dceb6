# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What docs/pytorch.md tells: torch_npu's own ways, and what does work."""
import os
import re

from entry import entry, root

ROWS = {
    "gelu": r"gelu.{0,200}tanh",
    "inductor": r"inductor",
    "channels_last": r"channels_last",
    "dist": r"torch\.dist|`dist`",
    "det": r"\bdet\b",
    "fused SGD": r"SGD",
    "GRU": r"GRU",
    "adaptive_max_pool3d": r"adaptive_max_pool3d",
    "lerp": r"lerp",
    "batch_norm's second derivative": r"Gradients of gradients\*\*: of `batch_norm`",
    "kl_div": r"kl_div",
    "aot_eager": r"aot_eager",
    "npugraphs": r"npugraphs",
    "export": r"torch\.export|make_fx",
    "vector_norm": r"vector_norm",
    "pow": r"pow\(",
    "grid_sample": r"grid_sample",
    "vmap": r"vmap",
    "FakeTensor": r"FakeTensor",
    "suites": r"5,185|conformance",
}


def text():
    with open(os.path.join(root(), "share/doc/belay/docs/pytorch.md"), encoding="utf-8") as file:
        return re.sub(r"\s+", " ", file.read())


@entry("8", "docs/pytorch.md has each row that section 8 lists, and what works")
def rows():
    page = text()
    missing = [name for name, pattern in ROWS.items() if not re.search(pattern, page)]
    assert not missing, missing


@entry("8 compiled", "torch.compile with eager, aot_eager, npugraphs; export; make_fx")
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
    assert "gelu" in text() and "aot_eager" in text(), "docs/pytorch.md does not say so"
