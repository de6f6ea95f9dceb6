# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Single operators by name. They are not offered; what is here lets clients start."""
import ctypes
import os

from acl.binding import ascendcl

ascendcl.aclopSetModelDir.argtypes = [ctypes.c_char_p]


def set_model_dir(path):
    """aclopSetModelDir(path) -> ret. Accepted, and not used."""
    return ascendcl.aclopSetModelDir(None if path is None else os.fsencode(path))
