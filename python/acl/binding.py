# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Makes Python functions of C functions that return a status."""
import ctypes
import inspect
import operator
import re

from acl.library import load
from acl.status import ACL_ERROR_API_NOT_SUPPORT

ascendcl = load("ascendcl")

_TYPES = {
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "size": ctypes.c_size_t,
    "float": ctypes.c_float,
    "handle": ctypes.c_void_p,
}


def _fits(value, kind):
    """value as an int that a C argument of this kind holds. ctypes would cut off what does not fit."""
    if value is None and kind == "handle":
        return 0
    number = operator.index(value)
    bits = 8 * ctypes.sizeof(_TYPES[kind])
    least = -(1 << bits - 1) if kind.startswith("int") else 0
    if not least <= number < least + (1 << bits):
        raise OverflowError(f"{number} is not a value of the C type {kind}")
    return number


_MISSING = ctypes.CFUNCTYPE(ctypes.c_int)


def _answer_missing(*_):
    return ACL_ERROR_API_NOT_SUPPORT


def bind(prototype):
    """The function of a prototype such as "aclrtMalloc(handle *ptr, size size, int32 policy)".

    A star marks what the C function writes through a pointer. The Python function takes the other parameters, and
    returns what was written, in this order, and the status last: (ptr, ret); the status alone where nothing is written.
    Handles and addresses are ints, 0 and None the null pointer. What is written is 0 unless the status is 0.
    """
    name, parameters = re.fullmatch(r"(\w+)\((.*)\)", prototype).groups()
    parameters = [tuple(parameter.split()) for parameter in parameters.split(", ") if parameter]
    inputs = [(label, kind) for kind, label in parameters if label[0] != "*"]
    outputs = [(label[1:], kind) for kind, label in parameters if label[0] == "*"]
    # Another toolkit's library may be older or newer.
    function = getattr(ascendcl, name, None) or _MISSING(_answer_missing)
    function.restype = ctypes.c_int
    function.argtypes = [
        ctypes.POINTER(_TYPES[kind]) if label[0] == "*" else _TYPES[kind] for kind, label in parameters
    ]

    def call(*arguments):
        if len(arguments) != len(inputs):
            raise TypeError(f"{call.__doc__}: {len(arguments)} arguments are given, {len(inputs)} expected")
        given = iter(arguments)
        written = []
        passed = []
        for kind, label in parameters:
            if label[0] == "*":
                written.append(_TYPES[kind]())
                passed.append(ctypes.byref(written[-1]))
            else:
                passed.append(_fits(next(given), kind))
        ret = function(*passed)
        # A null handle is None in ctypes.
        return (*(cell.value or 0 for cell in written), ret) if written else ret

    call.__name__ = call.__qualname__ = name
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(label, inspect.Parameter.POSITIONAL_ONLY) for label, _ in inputs]
    )
    results = ", ".join([label for label, _ in outputs] + ["ret"])
    call.__doc__ = f"{name}({', '.join(label for label, _ in inputs)}) -> {f'({results})' if outputs else 'ret'}"
    return call
