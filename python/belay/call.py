# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A Python function of each operator: both phases on copies of arrays in device memory."""
import contextlib
import ctypes
import numbers
import operator

import numpy

import acl
from belay.array import acl_dtype, numpy_dtype, to_bfloat16
from belay.description import descriptions, nnopbase, opapi
from belay.error import check, last_error

_VALUES = {"dtype": ctypes.c_int, "int64": ctypes.c_int64, "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool}

_dims = ctypes.POINTER(ctypes.c_int64)
_handle = ctypes.c_void_p
nnopbase.aclCreateTensor.restype = _handle
nnopbase.aclCreateTensor.argtypes = [_dims, ctypes.c_uint64, ctypes.c_int, _dims, ctypes.c_int64, ctypes.c_int, _dims,
                                     ctypes.c_uint64, _handle]
nnopbase.aclCreateScalar.restype = _handle
nnopbase.aclCreateScalar.argtypes = [_handle, ctypes.c_int]
nnopbase.aclDestroyTensor.argtypes = nnopbase.aclDestroyScalar.argtypes = [_handle]
nnopbase.aclDestroyAclOpExecutor.argtypes = [_handle]
nnopbase.belay_dtype_name.restype = ctypes.c_char_p


def _number_of(array, label):
    number = acl_dtype(array.dtype)
    if number is None:
        raise TypeError(f"{label} has the NumPy dtype {array.dtype}, of which the library has no tensors")
    return number


class _Call:
    """One call of an operator. stack frees, in the end, whatever the call made."""

    def __init__(self, description, stack):
        self.description = description
        self.stack = stack

    def label(self, parameter):
        return f"belay.{self.description.name}: {parameter.python_name}"

    def allocate(self, size):
        """Device memory; the library has none of 0 bytes."""
        memory, ret = acl.rt.malloc(max(size, 1), acl.ACL_MEM_MALLOC_HUGE_FIRST)
        check(ret)
        self.stack.callback(acl.rt.free, memory)
        return memory

    def tensor(self, array, memory, label):
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        tensor = nnopbase.aclCreateTensor(shape, array.ndim, _number_of(array, label), None, 0, acl.ACL_FORMAT_ND,
                                          shape, array.ndim, memory)
        if not tensor:
            raise last_error(acl.ACL_ERROR_INVALID_PARAM)
        self.stack.callback(nnopbase.aclDestroyTensor, tensor)
        return tensor

    def input(self, array, parameter):
        array = numpy.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        memory = self.allocate(array.nbytes)
        tensor = self.tensor(array, memory, self.label(parameter))
        check(acl.rt.memcpy(memory, array.nbytes, array.ctypes.data, array.nbytes, acl.ACL_MEMCPY_HOST_TO_DEVICE))
        return tensor, memory

    def scalar(self, value, parameter):
        """A number of Python is INT64, DOUBLE, BOOL or COMPLEX128, one of NumPy what it is; None is NULL."""
        if value is None:
            return None
        value = numpy.asarray(value)
        if value.ndim != 0:
            raise TypeError(f"{self.label(parameter)} is an array; a number is expected")
        value = value.astype(value.dtype.newbyteorder("="))
        scalar = nnopbase.aclCreateScalar(value.ctypes.data, _number_of(value, self.label(parameter)))
        if not scalar:
            raise last_error(acl.ACL_ERROR_INVALID_PARAM)
        self.stack.callback(nnopbase.aclDestroyScalar, scalar)
        return scalar

    def value(self, value, parameter):
        """What C has as a plain number. A choice is given by its name or its number."""
        if value in parameter.choices:
            return parameter.choices.index(value)
        if not isinstance(value, (numbers.Number, numpy.generic)):
            expected = ", ".join(parameter.choices) or "a number"
            raise TypeError(f"{self.label(parameter)} is {value!r}; {expected} is expected")
        if parameter.kind == "int64":
            return operator.index(value)
        return bool(value) if parameter.kind == "bool" else float(value)

    def run(self, arguments):
        """Both phases and a wait, on the default stream of the current context."""
        size, executor = ctypes.c_uint64(), _handle()
        check(self.description.plan(*arguments, ctypes.byref(size), ctypes.byref(executor)))
        with contextlib.ExitStack() as unused:
            unused.callback(nnopbase.aclDestroyAclOpExecutor, executor)
            workspace = self.allocate(size.value) if size.value else None
            unused.pop_all()  # from here on phase 2 consumes it
        check(self.description.launch(workspace, size, executor, None))
        check(acl.rt.synchronize_stream(None))


def _ensure_device():
    if acl.rt.get_context()[1] != 0:
        acl.get_recent_err_msg()
        check(acl.rt.set_device(0))


def _arrays(description, given):
    """The inputs as arrays. What is no array takes the dtype of the first that is one, or float32."""
    values = [given[parameter.python_name] for parameter in description.inputs]
    values = [numpy.asarray(value) if hasattr(value, "__array__") else value for value in values]
    first = next((value.dtype for value in values if isinstance(value, numpy.ndarray)), numpy.dtype("float32"))

    def convert(value):
        if isinstance(value, numpy.ndarray):
            return value
        return to_bfloat16(value).view(first) if acl_dtype(first) == acl.ACL_BF16 else numpy.asarray(value, first)

    return [convert(value) for value in values]


def _result(description, arrays, out, dtype, is_reduced):
    """The array to write. Where inputs do not fit together it is anything: the library refuses them, and says why."""
    if out is not None:
        if not isinstance(out, numpy.ndarray) or not out.flags.writeable:
            name = "out" if description.outputs else description.inputs[0].python_name
            raise TypeError(f"belay.{description.name}: {name} is not an array that can be written")
        return out
    try:
        shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shape = arrays[0].shape
    if is_reduced:
        shape = ()
    if dtype is None:
        known = [_number_of(array, f"belay.{description.name}: an input") for array in arrays]
        number = known[0]
        for other in known[1:]:
            both = opapi.belay_promote(number, other)
            number = other if both == acl.ACL_DT_UNDEFINED else both
        if not description.is_usual(nnopbase.belay_dtype_name(number).decode()):
            number = acl.ACL_FLOAT
        dtype = numpy_dtype(number, arrays)
    return numpy.empty(shape, dtype)


def _compute(description, given):
    out, dtype = given.get("out"), given.get("dtype")
    if not description.outputs:
        out = given[description.inputs[0].python_name]
    if out is not None and dtype is not None:
        raise TypeError(f"belay.{description.name}: out and dtype are given; one of them is expected")
    arrays = _arrays(description, given)
    result = _result(description, arrays, out, dtype, description.is_reduced(given))
    _ensure_device()
    with contextlib.ExitStack() as stack:
        call = _Call(description, stack)
        inputs = iter(arrays)
        arguments, memory = [], None
        for parameter in description.parameters:
            if parameter.kind == "output":
                memory = call.allocate(result.nbytes)
                arguments.append(call.tensor(result, memory, f"belay.{description.name}: the output"))
            elif parameter.kind in ("input", "in place", "overwritten"):
                tensor, place = call.input(next(inputs), parameter)
                memory = memory if parameter.kind == "input" else place
                arguments.append(tensor)
            elif parameter.kind == "dtype":
                arguments.append(_number_of(result, f"belay.{description.name}: the output"))
            elif parameter.kind == "scalar":
                arguments.append(call.scalar(given[parameter.python_name], parameter))
            else:
                arguments.append(call.value(given[parameter.python_name], parameter))
        call.run(arguments)
        native = numpy.empty(result.shape, result.dtype.newbyteorder("="))
        check(acl.rt.memcpy(native.ctypes.data, native.nbytes, memory, native.nbytes, acl.ACL_MEMCPY_DEVICE_TO_HOST))
    result[...] = native
    return result


def _function(description):
    signature = description.signature()
    description.plan.argtypes = [_VALUES.get(parameter.kind, _handle) for parameter in description.parameters] + [
        ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(_handle)]
    description.launch.argtypes = [_handle, ctypes.c_uint64, _handle, _handle]

    def function(*arguments, **named):
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        return _compute(description, bound.arguments)

    # Its module has it under this name, by which pickle finds it in another process.
    function.__name__ = function.__qualname__ = description.name
    function.__module__ = "belay"
    function.__signature__ = signature
    function.__doc__ = description.documentation()
    function.description = description
    return function


def load_operators():
    """The functions of all operators by their Python names."""
    return {description.name: _function(description) for description in descriptions()}
