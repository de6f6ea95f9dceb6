# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What vllm and vllm-ascend require, without the parts for GPUs:

    python requirements.py >requirements.txt

Both are installed before, with --no-deps; docs/vllm.md has the lines."""

import re
from importlib.metadata import requires

GPU = re.compile(
    r"(torch|torchvision|torchaudio|torch-npu|xformers|flashinfer|nvidia|triton|quack|tilelang|humming|"
    r"fastsafetensors|apache-tvm|tokenspeed|mem(fabric|cache)_hybrid)"
)

for package in ("vllm", "vllm-ascend"):
    for requirement in requires(package):
        if "extra ==" not in requirement and not GPU.match(requirement.lower()):
            print(requirement)
