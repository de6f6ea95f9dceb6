# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The operator of a project, scale_add, by EXEC_NPU_CMD of a public extension project's header: macros.py BINDING. The
package's set_env.bash has been read."""
import sys

import torch
import torch_npu  # noqa: F401

torch.ops.load_library(sys.argv[1])
scale_add = torch.ops.belay_macros.scale_add
for dtype in (torch.float32, torch.float16):
    for count in (64 * 1024, 10001):  # whole blocks of 32 bytes, and not
        x, y = torch.randn(count).to(dtype).npu(), torch.randn(count).to(dtype).npu()
        assert torch.equal(scale_add(x, y, 0.5), x * 0.5 + y)
turned = torch.arange(12.0).reshape(3, 4).npu().t()
assert torch.equal(scale_add(turned, turned), turned + turned)
try:
    scale_add(turned, turned.int())
    raise SystemExit("dtypes that the operator has not are refused")
except RuntimeError as error:
    assert "x, y have the dtypes FLOAT, INT32; FLOAT, FLOAT or FLOAT16, FLOAT16" in str(error), error


@torch.library.register_fake("belay_macros::scale_add")
def _(x, y, scale=1.0):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


compiled = torch.compile(lambda x, y: scale_add(x.sin(), y, 2.0) + 1, backend="aot_eager", fullgraph=True)
x, y = torch.randn(1000).npu(), torch.randn(1000).npu()
assert torch.equal(compiled(x, y), x.sin() * 2 + y + 1)
print("scale_add by EXEC_NPU_CMD: right")
