# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Builds scale_add, an operator project, and calls its operator from PyTorch by torch.ops and by pybind, in two dtypes
and with two tiling keys, by itself, in a graph and by torch.compile: belay run python examples/kernels/scale_add.py"""
import importlib.util
import os
import pathlib
import subprocess
import sysconfig
import tempfile

import torch
import torch_npu

HERE = pathlib.Path(__file__).resolve().parent / "scale_add"
TORCH, NPU = pathlib.Path(torch.__file__).parent, pathlib.Path(torch_npu.__file__).parent


def build_package(folder):
    unit = "ascend910_93" if "910_93" in torch.npu.get_device_name(0) else "ascend910b"
    subprocess.run(["cmake", "-S", HERE, "-B", folder, "-Dvendor_name=example", f"-DASCEND_COMPUTE_UNIT={unit}"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "binary", "-j", "2"], check=True, stdout=subprocess.DEVNULL)
    return f"{folder}/packages/vendors/example"


def build_binding(output):
    includes = [f"-I{TORCH}/include", f"-I{TORCH}/include/torch/csrc/api/include", f"-I{NPU}/include",
                f"-I{sysconfig.get_paths()['include']}", f"-I{os.environ['ASCEND_HOME_PATH']}/include"]
    libraries = [f"-L{TORCH}/lib", f"-L{NPU}/lib", "-ltorch", "-ltorch_cpu", "-ltorch_python", "-lc10", "-ltorch_npu",
                 f"-L{os.environ['ASCEND_HOME_PATH']}/lib64", "-lnnopbase", "-lascendcl"]
    subprocess.run(["g++", "-O1", "-w", "-shared", "-fPIC", "-std=c++20", "-DTORCH_EXTENSION_NAME=scale_add_binding",
                    f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", *includes,
                    HERE / "torch/binding.cpp", *libraries, "-o", output], check=True)


folder = tempfile.TemporaryDirectory()
os.environ["ASCEND_CUSTOM_OPP_PATH"] = build_package(f"{folder.name}/package")
build_binding(f"{folder.name}/scale_add_binding.so")
specification = importlib.util.spec_from_file_location("scale_add_binding", f"{folder.name}/scale_add_binding.so")
binding = importlib.util.module_from_spec(specification)
specification.loader.exec_module(binding)

for dtype in (torch.float32, torch.float16):
    for count in (64 * 1024, 10001):  # whole blocks of 32 bytes, and not
        x, y = torch.randn(count).to(dtype).npu(), torch.randn(count).to(dtype).npu()
        expected = x * 0.5 + y
        assert torch.equal(torch.ops.belay_example.scale_add(x, y, 0.5), expected)
        assert torch.equal(binding.scale_add(x, y, 0.5), expected)
turned = torch.arange(12.0).reshape(3, 4).npu().t()
assert torch.equal(torch.ops.belay_example.scale_add(turned, turned), turned + turned)

x = torch.ones(1000).npu()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    z = torch.ops.belay_example.scale_add(x, x, 3.0)
x.fill_(2)
graph.replay()
assert torch.equal(z.cpu(), torch.full((1000,), 8.0))
try:
    torch.ops.belay_example.scale_add(x, x.int(), 1.0)
    raise SystemExit("dtypes that the operator has not are refused")
except RuntimeError as error:
    assert "x, y have the dtypes FLOAT, INT32; FLOAT, FLOAT or FLOAT16, FLOAT16" in str(error), error
compiled = torch.compile(lambda a, b: torch.ops.belay_example.scale_add(a.sin(), b, 2.0) + 1, backend="aot_eager",
                         fullgraph=True)
x, y = torch.randn(1000).npu(), torch.randn(1000).npu()
assert torch.equal(compiled(x, y), x.sin() * 2 + y + 1)
assert torch.ops.belay_example.scale_add(torch.empty(3, device="meta"), torch.empty(3, device="meta")).shape == (3,)
print("torch.ops.belay_example.scale_add and its binding are right, in two dtypes and with two keys")
