# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""NumPy arrays as the library sees them, and bfloat16 and floats of 8 bits, which NumPy does not have.

A bfloat16 array is one of 2-byte elements without a meaning of their own (dtype V2), as .npy files and `belay eval`
store it; the bfloat16 of the package ml_dtypes is such a dtype too, and is kept where it is given. Of one byte there are
several floats: ml_dtypes' float8_e4m3fn and float8_e5m2 are known by their names, and where that package is not there, a
dtype with one field of that name holds their codes.
"""
import numbers

import numpy

import acl

bfloat16 = numpy.dtype("V2")
float8_e4m3fn = numpy.dtype([("float8_e4m3fn", "u1")])
float8_e5m2 = numpy.dtype([("float8_e5m2", "u1")])
float8_e8m0fnu = numpy.dtype([("float8_e8m0fnu", "u1")])
hifloat8 = numpy.dtype([("hifloat8", "u1")])

_FLOAT8 = {"float8_e4m3fn": acl.ACL_FLOAT8_E4M3FN, "float8_e5m2": acl.ACL_FLOAT8_E5M2,
           "float8_e8m0fnu": acl.ACL_FLOAT8_E8M0, "hifloat8": acl.ACL_HIFLOAT8}
_STORED = {acl.ACL_BF16: bfloat16, acl.ACL_FLOAT8_E4M3FN: float8_e4m3fn, acl.ACL_FLOAT8_E5M2: float8_e5m2,
           acl.ACL_FLOAT8_E8M0: float8_e8m0fnu, acl.ACL_HIFLOAT8: hifloat8}

_DTYPES = {
    numpy.dtype(name): getattr(acl, "ACL_" + suffix)
    for name, suffix in {
        "float32": "FLOAT", "float16": "FLOAT16", "float64": "DOUBLE", "bool": "BOOL", "int8": "INT8",
        "int16": "INT16", "int32": "INT32", "int64": "INT64", "uint8": "UINT8", "uint16": "UINT16",
        "uint32": "UINT32", "uint64": "UINT64", "complex64": "COMPLEX64", "complex128": "COMPLEX128",
    }.items()
}
_NUMPY = {number: dtype for dtype, number in _DTYPES.items()}


def acl_dtype(dtype):
    """The aclDataType of a NumPy dtype in either byte order; None where the library has no such tensors."""
    if dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None and dtype.subdtype is None:
        return acl.ACL_BF16
    if dtype.itemsize == 1 and dtype.kind in "Vf":
        return _FLOAT8.get(dtype.names[0] if dtype.names else dtype.name)
    return _DTYPES.get(dtype.newbyteorder("="))


def is_float8(dtype):
    """Whether elements are floats of 8 bits, of which NumPy itself makes none."""
    return acl_dtype(dtype) in _FLOAT8.values()


def numpy_dtype(number, arrays):
    """The NumPy dtype of an aclDataType; of what NumPy lacks, the one that an array of these has."""
    if number in (acl.ACL_INT4, acl.ACL_FLOAT4_E2M1, acl.ACL_FLOAT4_E1M2):
        raise TypeError("elements of 4 bits have no NumPy dtype here; `belay eval` has files of their codes")
    if number not in _STORED:
        return _NUMPY[number]
    return next((array.dtype for array in arrays if acl_dtype(array.dtype) == number), _STORED[number])


def as_numbers(values, label):
    """An array of numbers: values as NumPy has them. TypeError for what NumPy would make a number of, such as None."""
    array = numpy.asarray(values)
    # Integers of more than 64 bits are objects to NumPy, too.
    if array.dtype.kind == "O" and all(isinstance(value, numbers.Number) for value in array.flat):
        return array.astype(numpy.float64)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{label} is {_short(values)}; an array or numbers are expected")
    return array


def _short(value):
    text = repr(value)
    return text if len(text) < 100 else text[:100] + "..."


def plain_array(array, label):
    """The array itself. TypeError for one with a mask, which the library has nothing like."""
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError(f"{label} is a masked array, whose mask would be lost; its filled() or data is expected")
    return array


def to_bfloat16(values):
    """Real numbers as a bfloat16 array: rounded once, to nearest, ties to even; NaN becomes the quiet NaN."""
    values = as_numbers(plain_array(values, "belay_npu.to_bfloat16: values"), "belay_npu.to_bfloat16: values")
    if values.dtype.kind == "c":
        raise TypeError(f"belay_npu.to_bfloat16: values has the dtype {values.dtype}; real numbers are expected")
    shape = values.shape
    values = numpy.atleast_1d(values)
    if values.dtype != numpy.float32:
        values = values.astype(numpy.float64)
    with numpy.errstate(over="ignore"):
        single = values.astype(numpy.float32)
    bits = single.view(numpy.uint32).astype(numpy.uint64)
    # What float32 already lost decides ties too: toward zero, and a last bit that says that something was lost.
    lost = (single != values) & ~numpy.isnan(single)
    bits -= lost & (numpy.abs(single.astype(values.dtype)) > numpy.abs(values))
    bits |= lost
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return numpy.where(numpy.isnan(single), 0x7FC0, rounded).astype(numpy.uint16).view(bfloat16).reshape(shape)


def from_bfloat16(array):
    """A bfloat16 array, or its bits as uint16, as float32, which holds every such number."""
    array = numpy.asarray(plain_array(array, "belay_npu.from_bfloat16: array"))
    if acl_dtype(array.dtype) not in (acl.ACL_BF16, acl.ACL_UINT16):
        raise TypeError(f"belay_npu.from_bfloat16: array has the dtype {array.dtype}; bfloat16 (V2) or uint16 is expected")
    if array.dtype.kind == "u":
        array = array.astype(numpy.uint16)
    bits = numpy.ascontiguousarray(array).view(numpy.uint16).astype(numpy.uint32) << 16
    return bits.view(numpy.float32).reshape(numpy.shape(array))
