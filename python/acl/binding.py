# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Makes Python functions of C functions, of those that return a status above all."""
import ctypes
import inspect
import operator
import os
import re

from acl.library import load
from acl.status import ACL_ERROR_API_NOT_SUPPORT

ascendcl = load("ascendcl")

_TYPES = {
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "size": ctypes.c_size_t,
    "float": ctypes.c_float,
    "handle": ctypes.c_void_p,
    "text": ctypes.c_char_p,
    "void": None,
}


def _fits(value, kind):
    """value as what a C argument of this kind holds. ctypes would cut off what does not fit."""
    if kind == "text":
        return None if value is None else os.fsencode(value)
    if kind == "float":
        return float(value)
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


_NOTHING = ctypes.CFUNCTYPE(ctypes.c_void_p)


def _answer_nothing(*_):
    return 0


def integers(values, kind="int64"):
    """A C array of these numbers; of at least one element, as some C functions refuse the null pointer."""
    numbers = [_fits(value, kind) for value in values]
    return (_TYPES[kind] * max(len(numbers), 1))(*numbers)


def bind(prototype):
    """The function of a prototype such as "aclrtMalloc(handle *ptr, size size, int32 policy)".

    A star marks what the C function writes through a pointer. The Python function takes the other parameters, and
    returns what was written, in this order, and the status last: (ptr, ret); the status alone where nothing is written.
    Handles and addresses are ints, 0 and None the null pointer; texts are strings. What is written is 0 unless the status
    is 0. A word in front, as in "size aclDataTypeSize(int32 type)", is what C returns in place of a status: the Python
    function returns that alone.
    """
    kind_of_result, name, parameters = re.fullmatch(r"(?:(\w+) )?(\w+)\((.*)\)", prototype).groups()
    parameters = [tuple(parameter.split()) for parameter in parameters.split(", ") if parameter]
    inputs = [(label, kind) for kind, label in parameters if label[0] != "*"]
    outputs = [(label[1:], kind) for kind, label in parameters if label[0] == "*"]
    # Another toolkit's library may be older or newer.
    function = getattr(ascendcl, name, None)
    if function is None:
        function = _MISSING(_answer_missing) if kind_of_result is None else _NOTHING(_answer_nothing)
    function.restype = _TYPES[kind_of_result] if kind_of_result else ctypes.c_int
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
        if kind_of_result == "handle":
            return ret or 0
        if kind_of_result == "text":
            return (ret or b"").decode(errors="replace")
        # A null handle is None in ctypes.
        return (*(cell.value or 0 for cell in written), ret) if written else ret

    call.__name__ = call.__qualname__ = name
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(label, inspect.Parameter.POSITIONAL_ONLY) for label, _ in inputs]
    )
    results = ", ".join([label for label, _ in outputs] + [kind_of_result or "ret"])
    call.__doc__ = f"{name}({', '.join(label for label, _ in inputs)}) -> {f'({results})' if outputs else 'ret'}"
    return call
