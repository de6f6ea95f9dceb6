# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Compiles axpy.asc, a kernel behind an operator of torch, and calls it: belay run python examples/kernels/axpy.py"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import torch
import torch_npu

HERE = pathlib.Path(__file__).resolve().parent
TORCH = pathlib.Path(torch.__file__).parent
NPU = pathlib.Path(torch_npu.__file__).parent


def compile_operator(output):
    bisheng = shutil.which("bisheng") or pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "bin/bisheng"
    includes = [f"-I{TORCH}/include", f"-I{TORCH}/include/torch/csrc/api/include", f"-I{NPU}/include"]
    libraries = [f"-L{TORCH}/lib", f"-L{NPU}/lib", "-ltorch", "-ltorch_cpu", "-lc10", "-ltorch_npu"]
    subprocess.run([bisheng, "-x", "asc", "--npu-arch=dav-2201", "-shared", "-fPIC", "-std=c++17", *includes,
                    f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", HERE / "axpy.asc",
                    *libraries, "-o", output], check=True)


with tempfile.TemporaryDirectory() as folder:
    compile_operator(f"{folder}/axpy.so")
    torch.ops.load_library(f"{folder}/axpy.so")

x, y = torch.randn(10001).npu(), torch.randn(10001).npu()
expected = 2.5 * x + y
torch.ops.belay_example.axpy_(y, x, 2.5)
assert torch.equal(y, expected)

graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    torch.ops.belay_example.axpy_(y, x, 1)
for _ in range(3):
    expected = x + expected
    graph.replay()
assert torch.equal(y, expected)
print("torch.ops.belay_example.axpy_ is right, by itself and in a graph")
