# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A Python function of each operator: both phases on copies of arrays in device memory."""
import contextlib
import ctypes
import numbers
import struct
import operator

import numpy

import acl
from belay_npu.array import acl_dtype, as_numbers, is_float8, numpy_dtype, plain_array, to_bfloat16
from belay_npu.description import descriptions, infer, nnopbase
from belay_npu.error import check, last_error

_VALUES = {"dtype": ctypes.c_int, "int64": ctypes.c_int64, "int32": ctypes.c_int32, "int8": ctypes.c_int8,
           "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool}

_dims = ctypes.POINTER(ctypes.c_int64)
_handle = ctypes.c_void_p
nnopbase.aclCreateTensor.restype = _handle
nnopbase.aclCreateTensor.argtypes = [_dims, ctypes.c_uint64, ctypes.c_int, _dims, ctypes.c_int64, ctypes.c_int, _dims,
                                     ctypes.c_uint64, _handle]
nnopbase.aclCreateScalar.restype = _handle
nnopbase.aclCreateScalar.argtypes = [_handle, ctypes.c_int]
nnopbase.aclDestroyTensor.argtypes = nnopbase.aclDestroyScalar.argtypes = [_handle]
nnopbase.aclDestroyAclOpExecutor.argtypes = [_handle]

# What is made of a sequence: the C type of its elements, and the two functions.
_SEQUENCES = {
    "tensor list": (_handle, nnopbase.aclCreateTensorList, nnopbase.aclDestroyTensorList),
    "scalar list": (_handle, nnopbase.aclCreateScalarList, nnopbase.aclDestroyScalarList),
    "int array": (ctypes.c_int64, nnopbase.aclCreateIntArray, nnopbase.aclDestroyIntArray),
    "bool array": (ctypes.c_bool, nnopbase.aclCreateBoolArray, nnopbase.aclDestroyBoolArray),
    "float array": (ctypes.c_float, nnopbase.aclCreateFloatArray, nnopbase.aclDestroyFloatArray),
}
for _element, _create, _destroy in _SEQUENCES.values():
    _create.restype = _handle
    _create.argtypes = [_handle, ctypes.c_uint64]
    _destroy.argtypes = [_handle]


def _number_of(array, label):
    number = acl_dtype(array.dtype)
    if number is None:
        raise TypeError(f"{label} has the NumPy dtype {array.dtype}, of which the library has no tensors")
    return number


def _integer(value, kind, label):
    """value as an int that the C type holds. ctypes would cut off what does not fit."""
    number = operator.index(value)
    bits = 8 * ctypes.sizeof(_VALUES[kind])
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise OverflowError(f"{label} is {number}; an integer of {bits} bits is expected")
    return number


class _Call:
    """One call of an operator. stack frees, in the end, whatever the call made."""

    def __init__(self, description, stack):
        self.description = description
        self.stack = stack
        self.results = []  # arrays that are written, with their memory on the device, in the order of the call

    def label(self, parameter):
        return f"belay_npu.{self.description.name}: {parameter.python_name}"

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
        if parameter.is_changed:
            self.results.append((array, memory))
        return tensor

    def output(self, array):
        memory = self.allocate(array.nbytes)
        self.results.append((array, memory))
        return self.tensor(array, memory, f"belay_npu.{self.description.name}: the output")

    def string(self, value, parameter):
        """The address of its bytes, which live as long as the call."""
        if not isinstance(value, str):
            raise TypeError(f"{self.label(parameter)} is {value!r}; a string is expected")
        buffer = ctypes.create_string_buffer(value.encode())
        self.stack.callback(lambda kept: None, buffer)
        return ctypes.addressof(buffer)

    def sequence(self, values, parameter):
        """An array or a list of the library's. A list owns what is in it, which goes with it."""
        element, create, destroy = _SEQUENCES[parameter.kind]
        try:
            if parameter.kind == "int array":
                values = [_integer(value, "int64", self.label(parameter)) for value in values]
            if parameter.kind == "bool array":
                values = [bool(operator.index(value)) for value in values]
            elements = (element * len(values))(*values)
        except TypeError:
            raise TypeError(f"{self.label(parameter)} is {values!r}; a sequence for an {parameter.kind} is expected") from None
        made = create(elements, len(elements))
        if not made:
            raise last_error(acl.ACL_ERROR_INVALID_PARAM)
        self.stack.callback(destroy, made)
        return made

    def scalar(self, value, parameter):
        """A number of Python is INT64, DOUBLE, BOOL or COMPLEX128, one of NumPy what it is; None is NULL."""
        if value is None and parameter.is_optional:
            return None
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            raise OverflowError(f"{self.label(parameter)} is {value}; a number of at most 64 bits is expected")
        given, value = value, numpy.asarray(value)
        if value.ndim != 0:
            raise TypeError(f"{self.label(parameter)} is an array; a number is expected")
        if value.dtype.kind not in "biufcV":
            raise TypeError(f"{self.label(parameter)} is {given!r}; a number is expected")
        value = value.astype(value.dtype.newbyteorder("="))
        scalar = nnopbase.aclCreateScalar(value.ctypes.data, _number_of(value, self.label(parameter)))
        if not scalar:
            raise last_error(acl.ACL_ERROR_INVALID_PARAM)
        self.stack.callback(nnopbase.aclDestroyScalar, scalar)
        return scalar

    def value(self, value, parameter):
        """What C has as a plain number. A choice is given by its name or its number."""
        if isinstance(value, str) and value in parameter.choices:
            return parameter.choices.index(value)
        if not isinstance(value, (numbers.Number, numpy.generic)):
            expected = ", ".join(parameter.choices) or "a number"
            raise TypeError(f"{self.label(parameter)} is {value!r}; {expected} is expected")
        if parameter.kind.startswith("int"):
            return _integer(value, parameter.kind, self.label(parameter))
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


def _flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def _arrays(description, given):
    """The tensors of the call as arrays. What is no array takes the dtype of the first that is one, or float32."""
    values = {parameter.python_name: given[parameter.python_name] for parameter in description.inputs}
    first = next((numpy.asarray(value).dtype for value in _flat(values.values()) if hasattr(value, "__array__")),
                 numpy.dtype("float32"))

    def convert(value, parameter, may_be_none):
        label = f"belay_npu.{description.name}: {parameter.python_name}"
        if value is None and may_be_none:
            return None
        if isinstance(value, numpy.ndarray):
            return plain_array(value, label)
        if hasattr(value, "__array__"):
            return numpy.asarray(value)
        converted = as_numbers(value, label)
        if acl_dtype(first) == acl.ACL_BF16:
            return to_bfloat16(converted).view(first)
        if is_float8(first):
            raise TypeError(f"{label} is {value!r} beside an array of {numpy_dtype(acl_dtype(first), []).names[0]}; an array is expected")
        kinds = converted.dtype.kind + first.kind
        if converted.size and (kinds[0] in "fc" and kinds[1] in "biu" or kinds == "cf"):
            raise TypeError(f"{label} is {value!r}, which {first}, the dtype of the arrays, does not hold; an array is expected")
        return numpy.asarray(value, first)

    return {parameter.python_name: [convert(element, parameter, False) for element in values[parameter.python_name]]
            if parameter.kind == "tensor list" and values[parameter.python_name] is not None
            else convert(values[parameter.python_name], parameter, parameter.is_optional)
            for parameter in description.inputs}


def _word(kind, value):
    """An argument as the library's 64-bit word of it."""
    value = 0 if value is None else value
    if kind == "float":
        return struct.unpack("=Q", struct.pack("=f4x", value))[0]
    if kind == "double":
        return struct.unpack("=Q", struct.pack("=d", value))[0]
    return int(value) & (1 << 64) - 1


def _outputs(description, arguments, arrays, out, dtype):
    """The arrays to write, an entry for each output: out, or what the library infers."""
    if out is not None:
        given = list(out) if isinstance(out, (tuple, list)) else [out]
        if [parameter.kind for parameter in description.outputs] == ["tensor list"]:
            given = [given]
        for array in _flat(given):
            if not isinstance(array, numpy.ndarray) or not array.flags.writeable:
                raise TypeError(f"belay_npu.{description.name}: out is not an array that can be written")
        if len(given) != len(description.outputs):
            raise TypeError(f"belay_npu.{description.name}: out has {len(given)} arrays; {len(description.outputs)} are expected")
        for parameter, array in zip(description.outputs, given):
            if isinstance(array, (list, tuple)) != (parameter.kind == "tensor list"):
                expected = "a list of arrays" if parameter.kind == "tensor list" else "an array"
                raise TypeError(f"belay_npu.{description.name}: in out {expected} is expected for {parameter.python_name}")
        return given
    words = [_word(parameter.kind, value) for parameter, value in zip(description.parameters, arguments)]
    status, inferred = infer(description, words)
    check(status)
    known = [array for array in _flat(arrays.values()) if array is not None]
    made = []
    for number, parameter in enumerate(parameter for parameter in description.parameters if parameter.role not in ("read", "ignored")):
        if not parameter.is_output:
            continue
        output = inferred[number]
        if "like" in output:
            like = arrays[description.parameters[output["like"]].python_name]
            made.append([numpy.empty(() if output["one"] else array.shape, array.dtype) for array in like])
        else:
            made.append(numpy.empty(output["shape"], dtype or numpy_dtype(output["dtype"], known)))
    return made


def _compute(description, given):
    is_number = any(parameter.python_name == "dtype" and parameter.kind != "dtype" for parameter in description.parameters)
    out, dtype = given.get("out"), None if is_number else given.get("dtype")  # a number is the function's own affair
    for array in _flat(out if isinstance(out, (list, tuple)) else [out]):
        plain_array(array, f"belay_npu.{description.name}: out")
    if out is not None and dtype is not None:
        raise TypeError(f"belay_npu.{description.name}: out and dtype are given; one of them is expected")
    for parameter in description.changed:
        array = given[parameter.python_name]
        for array in array if parameter.kind == "tensor list" else [array]:
            if not isinstance(array, numpy.ndarray) or not array.flags.writeable:
                raise TypeError(f"belay_npu.{description.name}: {parameter.python_name} is not an array that can be written")
    arrays = _arrays(description, given)
    _ensure_device()
    with contextlib.ExitStack() as stack:
        call = _Call(description, stack)
        arguments = []
        for parameter in description.parameters:
            value = None if parameter.is_output else given[parameter.python_name]
            if parameter.is_output:
                arguments.append(None)
            elif parameter.is_tensor:
                value = arrays[parameter.python_name]
                if value is not None and parameter.kind == "tensor list":
                    value = call.sequence([call.input(array, parameter) for array in value], parameter)
                elif value is not None:
                    value = call.input(value, parameter)
                arguments.append(value)
            elif parameter.kind == "dtype":
                known = [array for array in _flat(arrays.values()) if array is not None]
                wanted = out if out is not None else numpy.empty(0, dtype if dtype is not None else known[0].dtype)
                arguments.append(_number_of(wanted, f"belay_npu.{description.name}: the output"))
            elif parameter.kind == "scalar":
                arguments.append(call.scalar(value, parameter))
            elif parameter.kind == "scalar list":
                arguments.append(call.sequence([call.scalar(element, parameter) for element in value], parameter))
            elif parameter.kind in _SEQUENCES:
                arguments.append(None if value is None else call.sequence(value, parameter))
            elif parameter.kind == "string":
                arguments.append(None if value is None else call.string(value, parameter))
            else:
                arguments.append(call.value(value, parameter))
        outputs = _outputs(description, arguments, arrays, out, dtype) if description.outputs else []
        for parameter, array in zip(description.outputs, outputs):
            if parameter.kind == "tensor list":
                made = call.sequence([call.output(element) for element in array], parameter)
            else:
                made = call.output(array)
            arguments[description.parameters.index(parameter)] = made
        call.run(arguments)
        changed = list(_flat(given[parameter.python_name] for parameter in description.changed))
        for target, (array, memory) in zip(changed + list(_flat(outputs)), call.results):
            native = numpy.empty(array.shape, array.dtype.newbyteorder("="))
            check(acl.rt.memcpy(native.ctypes.data, native.nbytes, memory, native.nbytes, acl.ACL_MEMCPY_DEVICE_TO_HOST))
            target[...] = native
    if not outputs:
        return given[description.changed[0].python_name]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


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
    function.__module__ = "belay_npu"
    function.__signature__ = signature
    function.__doc__ = description.documentation()
    function.description = description
    return function


def load_operators():
    """The functions of all operators by their Python names."""
    return {description.name: _function(description) for description in descriptions()}
