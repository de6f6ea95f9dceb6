# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Offline models. Belay runs none: what would load one says in one sentence what there is instead."""
from acl.binding import bind

load_from_file = bind("aclmdlLoadFromFile(text path, uint32 *model_id)")
load_from_mem = bind("aclmdlLoadFromMem(handle model, size size, uint32 *model_id)")
unload = bind("aclmdlUnload(uint32 model_id)")
query_size = bind("aclmdlQuerySize(text path, size *work_size, size *weight_size)")
query_size_from_mem = bind("aclmdlQuerySizeFromMem(handle model, size size, size *work_size, size *weight_size)")

# What a model takes and gives
create_desc = bind("handle aclmdlCreateDesc()")
destroy_desc = bind("aclmdlDestroyDesc(handle desc)")
get_desc = bind("aclmdlGetDesc(handle desc, uint32 model_id)")
get_num_inputs = bind("size aclmdlGetNumInputs(handle desc)")
get_num_outputs = bind("size aclmdlGetNumOutputs(handle desc)")
get_input_size_by_index = bind("size aclmdlGetInputSizeByIndex(handle desc, size index)")
get_output_size_by_index = bind("size aclmdlGetOutputSizeByIndex(handle desc, size index)")
get_input_name_by_index = bind("text aclmdlGetInputNameByIndex(handle desc, size index)")
get_output_name_by_index = bind("text aclmdlGetOutputNameByIndex(handle desc, size index)")
get_input_data_type = bind("int32 aclmdlGetInputDataType(handle desc, size index)")
get_output_data_type = bind("int32 aclmdlGetOutputDataType(handle desc, size index)")
get_input_format = bind("int32 aclmdlGetInputFormat(handle desc, size index)")
get_input_index_by_name = bind("aclmdlGetInputIndexByName(handle desc, text name, size *index)")

# What a model is given
create_dataset = bind("handle aclmdlCreateDataset()")
destroy_dataset = bind("aclmdlDestroyDataset(handle dataset)")
get_dataset_num_buffers = bind("size aclmdlGetDatasetNumBuffers(handle dataset)")
get_dataset_buffer = bind("handle aclmdlGetDatasetBuffer(handle dataset, size index)")
_add_buffer = bind("aclmdlAddDatasetBuffer(handle dataset, handle data_buffer)")


def add_dataset_buffer(dataset, data_buffer):
    """aclmdlAddDatasetBuffer(dataset, data_buffer) -> (dataset, ret)."""
    return dataset, _add_buffer(dataset, data_buffer)


execute = bind("aclmdlExecute(uint32 model_id, handle input, handle output)")
execute_async = bind("aclmdlExecuteAsync(uint32 model_id, handle input, handle output, handle stream)")
