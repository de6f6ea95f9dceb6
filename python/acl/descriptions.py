# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Descriptions of tensors and buffers of data, for operators by their names; acl has all of them itself."""
import ctypes

from acl.binding import bind, integers

# Buffers
create_data_buffer = bind("handle aclCreateDataBuffer(handle data, size size)")
destroy_data_buffer = bind("aclDestroyDataBuffer(handle data_buffer)")
update_data_buffer = bind("aclUpdateDataBuffer(handle data_buffer, handle data, size size)")
get_data_buffer_addr = bind("handle aclGetDataBufferAddr(handle data_buffer)")
get_data_buffer_size = bind("uint32 aclGetDataBufferSize(handle data_buffer)")
get_data_buffer_size_v2 = bind("size aclGetDataBufferSizeV2(handle data_buffer)")

# Descriptions
_create = bind("handle aclCreateTensorDesc(int32 data_type, int32 count, handle dims, int32 format)")
destroy_tensor_desc = bind("void aclDestroyTensorDesc(handle desc)")
get_tensor_desc_type = bind("int32 aclGetTensorDescType(handle desc)")
get_tensor_desc_format = bind("int32 aclGetTensorDescFormat(handle desc)")
get_tensor_desc_size = bind("size aclGetTensorDescSize(handle desc)")
get_tensor_desc_element_count = bind("size aclGetTensorDescElementCount(handle desc)")
get_tensor_desc_num_dims = bind("size aclGetTensorDescNumDims(handle desc)")
get_tensor_desc_dim = bind("int64 aclGetTensorDescDim(handle desc, size index)")
get_tensor_desc_dim_v2 = bind("aclGetTensorDescDimV2(handle desc, size index, int64 *dim_size)")
get_tensor_desc_name = bind("text aclGetTensorDescName(handle desc)")
get_tensor_desc_address = bind("handle aclGetTensorDescAddress(handle desc)")
get_tensor_desc_by_index = bind("handle aclGetTensorDescByIndex(handle desc, size index)")
set_tensor_desc_name = bind("void aclSetTensorDescName(handle desc, text name)")
set_tensor_const = bind("aclSetTensorConst(handle desc, handle data, size length)")
set_tensor_dynamic_input = bind("aclSetTensorDynamicInput(handle desc, text name)")
set_tensor_place_ment = bind("aclSetTensorPlaceMent(handle desc, int32 mem_type)")
set_tensor_format = bind("aclSetTensorFormat(handle desc, int32 format)")
set_tensor_origin_format = bind("aclSetTensorOriginFormat(handle desc, int32 format)")
set_tensor_storage_format = bind("aclSetTensorStorageFormat(handle desc, int32 format)")
trans_tensor_desc_format = bind("aclTransTensorDescFormat(handle desc, int32 format, handle *result)")
_set_shape = bind("aclSetTensorShape(handle desc, int32 count, handle dims)")
_set_origin_shape = bind("aclSetTensorOriginShape(handle desc, int32 count, handle dims)")
_set_storage_shape = bind("aclSetTensorStorageShape(handle desc, int32 count, handle dims)")


def create_tensor_desc(data_type, dims, format):
    """aclCreateTensorDesc(data_type, dims, format) -> the description, or 0. dims is a list of ints."""
    return _create(data_type, len(dims), ctypes.addressof(integers(dims)), format)


def set_tensor_shape(desc, dims):
    """aclSetTensorShape(desc, dims) -> ret."""
    return _set_shape(desc, len(dims), ctypes.addressof(integers(dims)))


def set_tensor_origin_shape(desc, dims):
    """aclSetTensorOriginShape(desc, dims) -> ret."""
    return _set_origin_shape(desc, len(dims), ctypes.addressof(integers(dims)))


def set_tensor_storage_shape(desc, dims):
    """aclSetTensorStorageShape(desc, dims) -> ret."""
    return _set_storage_shape(desc, len(dims), ctypes.addressof(integers(dims)))
