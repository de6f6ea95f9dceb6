# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""An operator project behind PyTorch: built by its CMake, found in ASCEND_CUSTOM_OPP_PATH, called by torch.ops and
pybind, recorded and replayed. It has kernels for Ascend910B and Ascend910_93."""
import os
import pathlib
import runpy

if os.environ.get("BELAY_SOC", "Ascend910B3").startswith("Ascend910"):
    runpy.run_path(str(pathlib.Path(__file__).resolve().parents[3] / "examples/kernels/scale_add.py"))
