/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Contexts and operations of libatb.so through virtual functions: names, numbers of tensors, statuses, and
 * results of operations whose reference is short. tests/clients/torch/atb.py has all of them.
 */
#include <csetjmp>
#include <cstdarg>
#include <cstring>
extern "C" {
#include <cmocka.h>
}

#include "atb/atb.h"

namespace
{
enum {
    INVALID_PARAM = 1,
    TENSOR_COUNT = 5,
    INVALID_TENSOR = 6,
    CONTEXT = 20,
    WORKSPACE = 22,
    OPERATION = 24
};

atb::Context *context;
aclrtStream stream;
atb::VariantPack pack;

atb::Tensor tensor(aclDataType dtype, std::initializer_list<int64_t> dims, void *device)
{
    atb::Tensor made = {};
    made.desc.dtype = dtype;
    made.desc.format = ACL_FORMAT_ND;
    for (int64_t dim : dims)
        made.desc.shape.dims[made.desc.shape.dimNum++] = dim;
    made.deviceData = device;
    made.dataSize = atb::Utils::GetTensorSize(made);
    return made;
}

void take(std::initializer_list<atb::Tensor> in, std::initializer_list<atb::Tensor> out)
{
    pack = {};
    for (const atb::Tensor &one : in)
        pack.inTensors.storage[pack.inTensors.size++] = one;
    for (const atb::Tensor &one : out)
        pack.outTensors.storage[pack.outTensors.size++] = one;
}

/* Setup and Execute with as much workspace as is asked for. */
atb::Status run(atb::Operation *operation)
{
    uint64_t bytes = 0;
    void *workspace = nullptr;
    atb::Status status = operation->Setup(pack, bytes, context);
    if (status != 0)
        return status;
    if (bytes > 0)
        aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    status = operation->Execute(pack, static_cast<uint8_t *>(workspace), bytes, context);
    aclrtSynchronizeStream(stream);
    if (bytes > 0)
        aclrtFree(workspace);
    return status;
}

int begin(void **)
{
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 || atb::CreateContext(&context) != 0 ||
           context->SetExecuteStream(stream) != 0;
}

int end(void **)
{
    return atb::DestroyContext(context) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

void a_context_keeps_what_it_is_told(void **)
{
    assert_ptr_equal(context->GetExecuteStream(), stream);
    assert_false(context->GetAsyncTilingCopyStatus());
    assert_int_equal(context->SetAsyncTilingCopyStatus(true), 0);
    assert_true(context->GetAsyncTilingCopyStatus());
    assert_int_equal(atb::CreateContext(nullptr), INVALID_PARAM);
    assert_int_equal(atb::DestroyContext(nullptr), INVALID_PARAM);
    atb::Context *other = nullptr;
    assert_int_equal(atb::CreateContext(&other), 0);
    assert_int_equal(atb::DestroyContext(other), 0);
    assert_int_equal(atb::DestroyContext(other), INVALID_PARAM);
    assert_int_equal(atb::DestroyContext(reinterpret_cast<atb::Context *>(&pack)), INVALID_PARAM);
}

template <typename Param> void is_called(const char *name, uint32_t inputs, uint32_t outputs)
{
    Param param = {};
    atb::Operation *operation = nullptr;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    assert_string_equal(operation->GetName().c_str(), name);
    assert_int_equal(operation->GetName().size(), strlen(name));
    assert_int_equal(operation->GetInputNum(), inputs);
    assert_int_equal(operation->GetOutputNum(), outputs);
    /* Nothing fits no operation; a context that is none is said before. */
    uint64_t bytes = 1;
    pack = {};
    assert_int_equal(operation->Setup(pack, bytes, reinterpret_cast<atb::Context *>(&pack)), CONTEXT);
    assert_int_equal(operation->Setup(pack, bytes, context), TENSOR_COUNT);
    assert_int_equal(bytes, 0);
    assert_non_null(strstr(aclGetRecentErrMsg(), name));
    atb::SVector<atb::TensorDesc> in = {}, out = {};
    assert_int_equal(operation->InferShape(in, out), INVALID_PARAM);
    assert_int_equal(atb::CreateOperation(param, nullptr), INVALID_PARAM);
    assert_int_equal(atb::DestroyOperation(operation), 0);
    assert_int_equal(atb::DestroyOperation(operation), OPERATION);
    assert_int_equal(atb::DestroyOperation(nullptr), OPERATION);
}

void operations_have_names_and_tensors(void **)
{
    is_called<atb::infer::RopeParam>("Rope", 5, 2);
    is_called<atb::infer::ReshapeAndCacheParam>("ReshapeAndCache", 5, 2);
    is_called<atb::infer::LinearParam>("Linear", 3, 1);
    is_called<atb::infer::GroupTopkParam>("GroupTopk", 2, 1);
    is_called<atb::infer::PagedAttentionParam>("PagedAttention", 8, 1);
    is_called<atb::infer::SelfAttentionParam>("SelfAttention", 8, 1);
    is_called<atb::infer::RmsNormParam>("RmsNorm", 5, 1);
    is_called<atb::infer::ElewiseParam>("Elewise", 3, 1);
}

void sizes_are_those_of_elements(void **)
{
    assert_int_equal(atb::Utils::GetTensorSize(tensor(ACL_FLOAT16, {2, 3, 4}, nullptr)), 48);
    assert_int_equal(atb::Utils::GetTensorSize(tensor(ACL_INT8, {5, 0}, nullptr)), 0);
    assert_int_equal(atb::Utils::GetTensorSize(atb::Tensor()), 0);
}

/* Twice with one operation, as the client keeps it. */
void rows_go_to_slots(void **)
{
    const int8_t rows[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    int8_t cache[8] = {9, 9, 9, 9, 9, 9, 9, 9}, got[8];
    const int32_t slots[3] = {3, -1, 0}, beyond[3] = {0, 4, 0};
    atb::infer::ReshapeAndCacheParam param = {};
    atb::Operation *operation = nullptr;
    OnDevice<int8_t> key(&rows[0][0], 6), caches(cache, 8);
    OnDevice<int32_t> place(slots, 3), wrong(beyond, 3);
    param.kvCacheCfg = 1;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    atb::Tensor on_cache = tensor(ACL_INT8, {2, 2, 1, 2}, caches.memory);
    for (int i = 0; i < 2; i++) {
        take({tensor(ACL_INT8, {3, 1, 2}, key.memory), on_cache, tensor(ACL_INT32, {3}, place.memory)},
             {on_cache});
        assert_int_equal(run(operation), 0);
        caches.read(got);
        const int8_t wanted[8] = {5, 6, 9, 9, 9, 9, 1, 2};
        assert_memory_equal(got, wanted, 8);
    }
    take({tensor(ACL_INT8, {3, 1, 2}, key.memory), on_cache, tensor(ACL_INT64, {3}, place.memory)},
         {on_cache});
    assert_int_equal(run(operation), INVALID_TENSOR);
    take({tensor(ACL_INT8, {3, 1, 3}, key.memory), on_cache, tensor(ACL_INT32, {3}, place.memory)},
         {on_cache});
    assert_int_equal(run(operation), INVALID_TENSOR);
    take({tensor(ACL_INT8, {3, 1, 2}, key.memory), on_cache, tensor(ACL_INT32, {3}, wrong.memory)},
         {on_cache});
    uint64_t bytes = 0;
    assert_int_equal(operation->Setup(pack, bytes, context), 0);
    assert_int_equal(operation->Execute(pack, nullptr, bytes, context), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "slotMapping holds 4 at [1]; less than 4 is expected"));
    /* A cache whose blocks have no rows has no slots. */
    take({tensor(ACL_INT8, {3, 1, 2}, key.memory), on_cache, tensor(ACL_INT32, {3}, place.memory)},
         {tensor(ACL_INT8, {2, 0, 1, 2}, caches.memory)});
    assert_int_equal(operation->Setup(pack, bytes, context), 0);
    assert_int_equal(operation->Execute(pack, nullptr, bytes, context), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_int_equal(atb::DestroyOperation(operation), 0);
}

/* Nobody has looked at what a client writes there. */
void dims_that_no_tensor_has_are_refused(void **)
{
    const uint16_t numbers[16] = {0};
    const int32_t indices[64] = {0};
    OnDevice<uint16_t> memory(numbers, 16);
    OnDevice<int32_t> index(indices, 64);
    atb::infer::PagedAttentionParam param = {};
    atb::Operation *operation = nullptr;
    uint64_t bytes = 0;
    param.headNum = param.kvHeadNum = 1;
    param.qkScale = 1;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    const atb::Tensor rows = tensor(ACL_FLOAT16, {1, 1, 16}, memory.memory),
                      cache = tensor(ACL_FLOAT16, {1, 1, 1, 16}, memory.memory),
                      table = tensor(ACL_INT32, {1, 1}, index.memory);
    atb::Tensor wrong[3] = {tensor(ACL_INT32, {-1}, index.memory),
                            tensor(ACL_INT32, {INT64_MAX / 4, 8}, index.memory),
                            tensor(ACL_INT32, {1}, index.memory)};
    wrong[2].desc.shape.dimNum = 9;
    for (const atb::Tensor &lengths : wrong) {
        take({rows, cache, cache, table, lengths}, {rows});
        assert_int_equal(operation->Setup(pack, bytes, context), INVALID_TENSOR);
        assert_non_null(strstr(aclGetRecentErrMsg(), "PagedAttention: input 4 has dims that no tensor has"));
    }
    assert_int_equal(atb::DestroyOperation(operation), 0);
}

/* What is zeroed lies in the output, whatever the input's dims. */
void best_groups_stay_within_the_output(void **)
{
    const float scores[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float got[8];
    OnDevice<float> x(scores, 8);
    OnDevice<int32_t> numbers(reinterpret_cast<const int32_t *>(scores), 8);
    atb::infer::GroupTopkParam param = {};
    atb::Operation *operation = nullptr;
    param.groupNum = 2;
    param.k = 1;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    const atb::Tensor both = tensor(ACL_FLOAT, {2, 4}, x.memory),
                      experts = tensor(ACL_INT32, {4}, numbers.memory);
    take({both, experts}, {tensor(ACL_FLOAT, {1, 4}, x.memory)});
    assert_int_equal(run(operation), INVALID_TENSOR);
    take({both, experts}, {tensor(ACL_FLOAT16, {2, 4}, x.memory)});
    assert_int_equal(run(operation), INVALID_TENSOR);
    take({both, experts}, {both});
    assert_int_equal(run(operation), 0);
    x.read(got);
    const float wanted[8] = {0, 0, 3, 4, 0, 0, 7, 8};
    assert_memory_equal(got, wanted, sizeof wanted);
    assert_int_equal(atb::DestroyOperation(operation), 0);
}

/* 8 bytes behind the end stand for a workspace that is too small. */
void products_are_added_up(void **)
{
    const uint16_t x[4] = {0x3c00, 0x4000, 0x4200, 0x4400}; /* 1 2 3 4 */
    float sum[4] = {10, 20, 30, 40}, got[4];
    atb::infer::LinearParam param = {};
    atb::Operation *operation = nullptr;
    OnDevice<uint16_t> a(x, 4);
    OnDevice<float> c(sum, 4);
    param.transposeA = true;
    param.enAccum = true;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    atb::Tensor on_a = tensor(ACL_FLOAT16, {2, 2}, a.memory), on_c = tensor(ACL_FLOAT, {2, 2}, c.memory);
    take({on_a, on_a, on_c}, {on_c});
    assert_int_equal(run(operation), 0);
    c.read(got);
    const float wanted[4] = {20, 34, 44, 60};
    assert_memory_equal(got, wanted, sizeof wanted);
    uint64_t bytes = 0;
    assert_int_equal(operation->Execute(pack, nullptr, bytes, context), OPERATION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "Execute is called without a Setup"));
    assert_int_equal(operation->Setup(pack, bytes, context), 0);
    assert_true(bytes > 0);
    assert_int_equal(operation->Execute(pack, nullptr, bytes, context), WORKSPACE);
    assert_int_equal(operation->Execute(pack, reinterpret_cast<uint8_t *>(a.memory), bytes, context),
                     OPERATION);
    assert_int_equal(operation->Setup(pack, bytes, context), 0); /* and is not executed */
    assert_int_equal(atb::DestroyOperation(operation), 0);
    param.enAccum = false;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    assert_int_equal(run(operation), INVALID_PARAM);
    assert_int_equal(atb::DestroyOperation(operation), 0);
}

void heads_are_turned(void **)
{
    float q[4] = {1, 2, 3, 4}, k[2] = {5, 6}, got[4], got_k[2];
    const float cosine[2] = {0, 0}, sine[2] = {1, 1};
    atb::infer::RopeParam param = {};
    atb::Operation *operation = nullptr;
    OnDevice<float> on_q(q, 4), on_k(k, 2), on_cosine(cosine, 2), on_sine(sine, 2);
    atb::Tensor query = tensor(ACL_FLOAT, {1, 4}, on_q.memory), key = tensor(ACL_FLOAT, {1, 2}, on_k.memory);
    param.rotaryCoeff = 2;
    assert_int_equal(atb::CreateOperation(param, &operation), 0);
    take({query, key, tensor(ACL_FLOAT, {1, 2}, on_cosine.memory), tensor(ACL_FLOAT, {1, 2}, on_sine.memory)},
         {query, key});
    assert_int_equal(run(operation), 0);
    on_q.read(got);
    on_k.read(got_k);
    const float wanted[4] = {-2, 1, -4, 3}, wanted_k[2] = {-6, 5};
    assert_memory_equal(got, wanted, sizeof wanted);
    assert_memory_equal(got_k, wanted_k, sizeof wanted_k);
    /* An input that is no tensor; elements that are no whole heads; more tensors than there are places. */
    pack.inTensors.storage[2].desc.dtype = ACL_DT_UNDEFINED;
    pack.inTensors.storage[2].desc.shape.dimNum = 0;
    assert_int_equal(run(operation), INVALID_TENSOR);
    take({query, key, tensor(ACL_FLOAT, {1, 3}, on_cosine.memory), tensor(ACL_FLOAT, {1, 3}, on_sine.memory)},
         {query, key});
    assert_int_equal(run(operation), INVALID_TENSOR);
    pack.inTensors.size = 65;
    assert_int_equal(run(operation), TENSOR_COUNT);
    assert_int_equal(atb::DestroyOperation(operation), 0);
}
} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_keeps_what_it_is_told),
        cmocka_unit_test(operations_have_names_and_tensors),
        cmocka_unit_test(sizes_are_those_of_elements),
        cmocka_unit_test(rows_go_to_slots),
        cmocka_unit_test(dims_that_no_tensor_has_are_refused),
        cmocka_unit_test(best_groups_stay_within_the_output),
        cmocka_unit_test(products_are_added_up),
        cmocka_unit_test(heads_are_turned),
    };
    return cmocka_run_group_tests_name("atb/classes", tests, begin, end);
}
