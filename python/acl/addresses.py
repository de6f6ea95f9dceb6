# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Addresses of Python objects, and objects of addresses. The caller keeps what an address leads to alive. And threads."""
import ctypes
import threading


def bytes_to_ptr(data):
    """The address of the contents of a bytes or bytearray object, which must be kept."""
    if isinstance(data, bytes):
        return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    return ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))


def ptr_to_bytes(ptr, size):
    """A copy of size bytes of host memory."""
    return ctypes.string_at(ptr, size)


def numpy_to_ptr(array):
    """The address of the first element of an array, which must be kept. ValueError where its elements have gaps."""
    if not array.flags.forc:
        raise ValueError("numpy_to_ptr: the array is not contiguous; numpy.ascontiguousarray copies one")
    return array.ctypes.data


def numpy_contiguous_to_ptr(array):
    """As numpy_to_ptr."""
    return numpy_to_ptr(array)


def ptr_to_numpy(ptr, shape, type_number):
    """An array on host memory, without a copy: of this shape, and of the dtype whose num is type_number.

    The memory must be kept for as long as the array is used.
    """
    import numpy

    dtypes = {numpy.dtype(code).num: numpy.dtype(code) for code in numpy.typecodes["All"]}
    if type_number not in dtypes:
        raise ValueError(f"ptr_to_numpy: {type_number} is not the num of a dtype of NumPy")
    dtype = dtypes[type_number]
    count = 1
    for dim in shape:
        count *= dim
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(ptr)
    return numpy.frombuffer(memory, dtype, count).reshape(shape)


_threads = {}


def start_thread(function, arguments):
    """Runs function(*arguments) on a thread of its own -> (its number, 0), as subscribe_report takes it."""
    thread = threading.Thread(target=function, args=tuple(arguments), daemon=True)
    thread.start()
    _threads[thread.ident] = thread
    return thread.ident, 0


def stop_thread(number):
    """Waits for the end of such a thread -> 0. The function must come to its end; nothing interrupts it."""
    thread = _threads.pop(number, None)
    if thread is None:
        return 100000
    thread.join()
    return 0
