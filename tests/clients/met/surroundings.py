# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Libraries, folders, commands and names that programs expect."""
import ctypes
import os
import subprocess

from entry import compiled, entry, root

LIBRARIES = ("runtime", "c_sec", "op_common", "register", "ascendalog", "error_manager", "profapi", "mmpa", "unified_dlog",
             "ge_common_base", "ascend_hal", "mspti", "dcmi")


@entry("7 libraries", "thirteen libraries that others link or open")
def libraries():
    for name in LIBRARIES:
        ctypes.CDLL(f"lib{name}.so")


@entry("7 npu-smi", "info, -t board, -t usages, info -m; the memory and the process of a program that runs")
def npu_smi():
    import torch
    import torch_npu  # noqa: F401
    kept = torch.ones(64 << 20).npu()
    torch.npu.synchronize()
    for options in ("info",), ("info", "-t", "board", "-i", "0"), ("info", "-t", "usages", "-i", "0"), ("info", "-m"):
        done = subprocess.run(["npu-smi", *options], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stdout, (options, done.stderr)
    text = subprocess.run(["npu-smi", "info"], capture_output=True, text=True, check=True).stdout
    assert str(os.getpid()) in text, text[-600:]
    del kept


@entry("7 opp/vendors", "the folder is there")
def vendors():
    assert os.path.isdir(os.path.join(root(), "opp", "vendors"))


@entry("7 acl", "get_version, app_log, data_type_size, get_device_capability, set_device")
def module():
    import acl
    acl.get_version()
    acl.app_log(1, "a line")
    assert acl.data_type_size(1) == 2
    assert acl.rt.set_device(0) == 0
    assert acl.get_device_capability(0, 1)[1] == 0


@entry("7 SatMode", "aclrtSetDeviceSatMode before aclrtSetDevice answers 0")
def saturation():
    assert ctypes.CDLL("libascendcl.so").aclrtSetDeviceSatMode(1) == 0


PROGRAM = """
#include <complex>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
namespace ge {
enum DataType { DT_FLOAT = 0 };
struct AscendString { const char *GetString() const; std::shared_ptr<std::string> name; };
}
struct aclTensor { void *GetData() const; };
struct aclScalar {
    ge::DataType GetDataType() const;
    const void *GetData() const;
    float ToFloat() const;
    std::complex<float> ToComplex64() const;
    std::complex<double> ToComplex128() const;
    ge::AscendString ToString() const;
};
template <typename T> struct aclArray { const T *GetData() const; };
extern template const long *aclArray<long>::GetData() const;
int main()
{
    float number = 2.5f, data[2] = {0, 0};
    int64_t two = 2, one = 1, whole[2] = {7, -9};
    aclScalar *scalar = aclCreateScalar(&number, ACL_FLOAT);
    aclTensor *tensor = aclCreateTensor(&two, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &two, 1, data);
    auto *array = (const aclArray<long> *)aclCreateIntArray((const int64_t *)whole, 2);
    std::printf("%d %g %g %g %g %s %d %ld", scalar->GetDataType(), *(const float *)scalar->GetData(), scalar->ToFloat(),
                scalar->ToComplex64().real(), scalar->ToComplex128().real(), scalar->ToString().GetString(),
                tensor->GetData() == data, array->GetData()[1]);
}
"""


@entry("7 C++ getters", "aclTensor::GetData, aclScalar::ToFloat and kin, aclArray, AscendString")
def getters():
    assert compiled(PROGRAM, "nnopbase", "graph", language="cpp").startswith("0 2.5 2.5 2.5 2.5 2.5")


@entry("name", "the distribution is belay-npu, the module belay_npu; no module belay is installed")
def named():
    folders = [os.path.join(root(), "python", "site-packages"), os.path.join(root(), "python")]
    there = {name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    assert {"acl", "belay_npu"} <= there and "belay" not in there, there
    assert os.path.exists(os.path.join(root(), "bin", "belay-npu"))
