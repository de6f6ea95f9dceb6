# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-021 aclrtMemcpy, DC-021 aclrtSynchronizeStream, DC-023 aclnnMatmul
"""What a failure is told as: under its own code, with its first cause, by the switch that asked for it; and no
failure where a process only asked: a child forked after the import computes, no visible device is none."""
import os
import subprocess
import sys

import torch
import torch_npu

if sys.argv[1:] == ["hidden"]:
    assert not torch.npu.is_available() and torch.npu.device_count() == 0
    try:
        torch.ones(2).npu()
    except RuntimeError as error:
        assert "ASCEND_RT_VISIBLE_DEVICES" in str(error), error
        sys.exit(0)
    raise AssertionError("a hidden device computes")

# Asking for versions and numbers of devices, as the import and these do, is no use.
assert torch.npu.is_available() and torch.npu.device_count() >= 1
child = os.fork()
if child == 0:
    os._exit(0 if (torch.ones(4).npu() + 1).cpu().tolist() == [2] * 4 else 1)
assert os.waitpid(child, 0)[1] == 0
hidden = {**os.environ, "ASCEND_RT_VISIBLE_DEVICES": ""}
assert subprocess.run([sys.executable, __file__, "hidden"], env=hidden, check=False).returncode == 0


def sentence(function):
    try:
        function()
        torch.npu.synchronize()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("no error")


# What was caught before is not what the next failure is headed by.
a = torch.ones(2, 3, device="npu")
for earlier in (lambda: torch.empty(1 << 45, device="npu"), lambda: torch.npu.set_device(7)):
    sentence(earlier)
    text = sentence(lambda: a @ torch.ones(2, 2, device="npu"))
    assert "error code is 161002" in text and "aclnnMatmul: the shapes" in text, text


# The end of a failed capture is what PyTorch shows.
def record():
    with torch.npu.graph(torch.npu.NPUGraph()):
        (a + 1).cpu()


text = sentence(record)
assert "507903" in text and "aclrtMemcpy: a stream is being recorded" in text, text

# Under the newer product torch_npu turns the switch off again, with a warning.
torch.npu.set_compile_mode(jit_compile=True)
if not torch.npu.is_jit_compile_false():
    kinds = [lambda: torch.cdist(a.repeat(2, 1, 1), a.repeat(1, 1, 1)), lambda: torch.linalg.vector_norm(a, 3, 1), lambda: a.erfinv()]
    for kind in kinds:
        try:
            kind()
            torch.npu.synchronize()
        except RuntimeError as error:
            if "is not in this release" in str(error):
                assert "set_compile_mode(jit_compile=False)" in str(error), error
torch.npu.set_compile_mode(jit_compile=False)
assert torch.npu.is_jit_compile_false() and (a + a).cpu().sum().item() == 12
