# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Finds and opens the libraries.

A library that the process has open already, or that the loader finds by its name (LD_LIBRARY_PATH, as set_env.sh sets
it), comes first: a program that opens libraries by name and imports this package must get one and the same. Then come
the toolkit root that the environment names, the root that lies beside this package where pip installed it (setup.py),
and the root or build tree in which this package itself lies.
"""
import ctypes
import os
from pathlib import Path


def _folders():
    for variable in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable], "lib64")
    yield Path(__file__).resolve().parents[1] / "belay_npu" / "latest" / "lib64"
    # <root>/python/site-packages/acl/library.py
    yield Path(__file__).resolve().parents[3] / "lib64"


def load(name):
    """The library called lib<name>.so, opened locally; ImportError with all places and reasons where there is none.

    Programs that work without an NPU too guard their import of acl by ImportError.
    """
    file = f"lib{name}.so"
    reasons = []
    for path in (file, *(str(folder / file) for folder in _folders())):
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError(f"{file} cannot be opened; source the set_env.sh of an installed Belay: " + "; ".join(reasons))
