# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Single operators by their names: attributes, and the ways to run one.

Lists of descriptions and of buffers are lists of the ints that acl.create_tensor_desc and acl.create_data_buffer
return. An attribute or a handle lives until its destroy function is called.
"""
import ctypes
import os

from acl.binding import ascendcl, bind, integers

set_model_dir = bind("aclopSetModelDir(text path)")
load = bind("aclopLoad(handle model, size size)")
set_max_op_queue_num = bind("aclopSetMaxOpQueueNum(uint64 count)")
set_compile_flag = bind("aclopSetCompileFlag(int32 flag)")

# Attributes
create_attr = bind("handle aclopCreateAttr()")
destroy_attr = bind("void aclopDestroyAttr(handle attr)")
set_attr_bool = bind("aclopSetAttrBool(handle attr, text name, uint8 value)")
set_attr_int = bind("aclopSetAttrInt(handle attr, text name, int64 value)")
set_attr_float = bind("aclopSetAttrFloat(handle attr, text name, float value)")
set_attr_string = bind("aclopSetAttrString(handle attr, text name, text value)")
set_attr_data_type = bind("aclopSetAttrDataType(handle attr, text name, int32 value)")
_set_list_bool = bind("aclopSetAttrListBool(handle attr, text name, int32 count, handle values)")
_set_list_int = bind("aclopSetAttrListInt(handle attr, text name, int32 count, handle values)")
_set_list_float = bind("aclopSetAttrListFloat(handle attr, text name, int32 count, handle values)")
_set_list_string = bind("aclopSetAttrListString(handle attr, text name, int32 count, handle values)")
_set_list_data_type = bind("aclopSetAttrListDataType(handle attr, text name, int32 count, handle values)")
_set_list_list_int = bind("aclopSetAttrListListInt(handle attr, text name, int32 count, handle counts, handle values)")

# Handles
destroy_handle = bind("void aclopDestroyHandle(handle handle)")
cast = bind("aclopCast(handle src_desc, handle src_buffer, handle dst_desc, handle dst_buffer, uint8 truncate, "
            "handle stream)")
create_handle_for_cast = bind(
    "aclopCreateHandleForCast(handle src_desc, handle dst_desc, uint8 truncate, handle *handle)")


def set_attr_list_bool(attr, name, values):
    """aclopSetAttrListBool(attr, name, values) -> ret."""
    return _set_list_bool(attr, name, len(values), ctypes.addressof(integers(map(bool, values), "uint8")))


def set_attr_list_int(attr, name, values):
    """aclopSetAttrListInt(attr, name, values) -> ret."""
    return _set_list_int(attr, name, len(values), ctypes.addressof(integers(values)))


def set_attr_list_float(attr, name, values):
    """aclopSetAttrListFloat(attr, name, values) -> ret."""
    cells = (ctypes.c_float * max(len(values), 1))(*values)
    return _set_list_float(attr, name, len(values), ctypes.addressof(cells))


def set_attr_list_data_type(attr, name, values):
    """aclopSetAttrListDataType(attr, name, values) -> ret."""
    return _set_list_data_type(attr, name, len(values), ctypes.addressof(integers(values, "int32")))


def set_attr_list_string(attr, name, values):
    """aclopSetAttrListString(attr, name, values) -> ret."""
    texts = (ctypes.c_char_p * max(len(values), 1))(*map(os.fsencode, values))
    return _set_list_string(attr, name, len(values), ctypes.addressof(texts))


def set_attr_list_list_int(attr, name, values):
    """aclopSetAttrListListInt(attr, name, values) -> ret. values is a list of lists."""
    rows = [integers(row) for row in values]
    places = integers(map(ctypes.addressof, rows), "uint64")
    counts = integers(map(len, values), "int32")
    return _set_list_list_int(attr, name, len(rows), ctypes.addressof(counts), ctypes.addressof(places))


def _list(handles):
    """The two arguments of C for a list of handles: their number and their array."""
    return ctypes.c_int(len(handles)), integers((handle or 0 for handle in handles), "uint64")


def _operands(descriptions, buffers):
    if len(descriptions) != len(buffers):
        raise ValueError(f"{len(descriptions)} descriptions are given for {len(buffers)} buffers")
    return (*_list(descriptions), _list(buffers)[1])


def _call(name, op_type, *arguments):
    function = getattr(ascendcl, name)
    function.restype = ctypes.c_int
    return function(None if op_type is None else os.fsencode(op_type), *arguments)


def execute(op_type, input_desc, inputs, output_desc, outputs, attr, stream):
    """aclopExecute(op_type, input_desc, inputs, output_desc, outputs, attr, stream) -> ret."""
    return _call("aclopExecute", op_type, *_operands(input_desc, inputs), *_operands(output_desc, outputs),
                 ctypes.c_void_p(attr), ctypes.c_void_p(stream))


def compile_and_execute(op_type, input_desc, inputs, output_desc, outputs, attr, engine_type, compile_flag, op_path,
                        stream):
    """aclopCompileAndExecute(op_type, input_desc, inputs, output_desc, outputs, attr, engine_type, compile_flag, op_path,
    stream) -> ret."""
    return _call("aclopCompileAndExecute", op_type, *_operands(input_desc, inputs), *_operands(output_desc, outputs),
                 ctypes.c_void_p(attr), ctypes.c_int(engine_type), ctypes.c_int(compile_flag),
                 None if op_path is None else os.fsencode(op_path), ctypes.c_void_p(stream))


def compile(op_type, input_desc, output_desc, attr, engine_type, compile_flag, op_path):
    """aclopCompile(op_type, input_desc, output_desc, attr, engine_type, compile_flag, op_path) -> ret."""
    return _call("aclopCompile", op_type, *_list(input_desc), *_list(output_desc), ctypes.c_void_p(attr),
                 ctypes.c_int(engine_type), ctypes.c_int(compile_flag), None if op_path is None else os.fsencode(op_path))


def update_params(op_type, input_desc, output_desc, attr):
    """aclopUpdateParams(op_type, input_desc, output_desc, attr) -> ret."""
    return _call("aclopUpdateParams", op_type, *_list(input_desc), *_list(output_desc), ctypes.c_void_p(attr))


def create_handle(op_type, input_desc, output_desc, attr):
    """aclopCreateHandle(op_type, input_desc, output_desc, attr) -> (handle, ret)."""
    handle = ctypes.c_void_p()
    ret = _call("aclopCreateHandle", op_type, *_list(input_desc), *_list(output_desc), ctypes.c_void_p(attr),
                ctypes.byref(handle))
    return handle.value or 0, ret


def execute_with_handle(handle, inputs, outputs, stream):
    """aclopExecWithHandle(handle, inputs, outputs, stream) -> ret."""
    function = ascendcl.aclopExecWithHandle
    function.restype = ctypes.c_int
    return function(ctypes.c_void_p(handle), *_list(inputs), *_list(outputs), ctypes.c_void_p(stream))
