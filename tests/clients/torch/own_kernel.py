# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A kernel of one's own in AscendC behind an operator of torch: compiled, called, recorded and replayed."""
import pathlib
import runpy

runpy.run_path(str(pathlib.Path(__file__).resolve().parents[3] / "examples/kernels/axpy.py"))
