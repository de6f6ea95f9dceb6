/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of libatb.so in C, with aclTensors: results and statuses of those whose reference is short.
 */
#include <csetjmp>
#include <cstdarg>
#include <cstring>
extern "C" {
#include <cmocka.h>

#include "acl/acl.h"
}

#include "atb/atb.h"

extern "C" {
int AtbPagedCacheLoadGetWorkspaceSize(const aclTensor *, const aclTensor *, const aclTensor *,
                                      const aclTensor *, const aclTensor *, const aclTensor *,
                                      const aclTensor *, int8_t, bool, bool, uint64_t *, atb::Operation **,
                                      atb::Context *);
int AtbPagedCacheLoad(void *, uint64_t, atb::Operation *, atb::Context *);
int AtbFusedAddTopkDivGetWorkspaceSize(const aclTensor *, const aclTensor *, const aclTensor *,
                                       const aclTensor *, int64_t, int64_t, int64_t, int64_t, int, bool,
                                       float, bool, const aclTensor *, const aclTensor *, uint64_t *,
                                       atb::Operation **, atb::Context *);
int AtbFusedAddTopkDiv(void *, uint64_t, atb::Operation *, atb::Context *);
int AtbMLAPreprocessGetWorkspaceSize(void);
int AtbMLAPreprocess(void *, uint64_t, atb::Operation *, atb::Context *);
}

namespace
{
enum { INVALID_PARAM = 1, INVALID_TENSOR = 6, CONTEXT = 20, OPERATION = 24 };

atb::Context *context;
aclrtStream stream;

aclTensor *tensor(aclDataType dtype, std::initializer_list<int64_t> dims, void *device)
{
    return aclCreateTensor(dims.begin(), dims.size(), dtype, nullptr, 0, ACL_FORMAT_ND, dims.begin(),
                           dims.size(), device);
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

void rows_come_out_of_blocks(void **)
{
    const int32_t keys[8] = {0, 1, 2, 3, 4, 5, 6, 7}, values[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    const int32_t tables[4] = {3, 0, 1, 9}, lengths[2] = {3, 1}, ends[3] = {0, 3, 4}, starts[2] = {1, 0};
    const int32_t long_one[2] = {3, 3};
    int32_t out[4] = {-1, -1, -1, -1}, got[4], got_values[4];
    OnDevice<int32_t> key(keys, 8), value(values, 8), table(tables, 4), length(lengths, 2), end_of(ends, 3),
        start(starts, 2), too_long(long_one, 2), to_key(out, 4), to_value(out, 4);
    aclTensor *key_cache = tensor(ACL_INT32, {4, 2, 1, 1}, key.memory),
              *value_cache = tensor(ACL_INT32, {4, 2, 1, 1}, value.memory),
              *block_table = tensor(ACL_INT32, {2, 2}, table.memory),
              *lens = tensor(ACL_INT32, {2}, length.memory),
              *cumulated = tensor(ACL_INT32, {3}, end_of.memory),
              *begins = tensor(ACL_INT32, {2}, start.memory),
              *longer = tensor(ACL_INT32, {2}, too_long.memory),
              *out_key = tensor(ACL_INT32, {4, 1, 1}, to_key.memory),
              *out_value = tensor(ACL_INT32, {4, 1, 1}, to_value.memory);
    atb::Operation *operation = nullptr;
    uint64_t bytes = 1;
    /* The second sequence's second block is none, and nobody asks for it. */
    for (int i = 0; i < 3; i++) {
        const bool from_start = i != 0, is_cumulated = i == 2;
        assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(
                             key_cache, value_cache, block_table, is_cumulated ? cumulated : lens, out_key,
                             out_value, from_start ? nullptr : begins, 1, is_cumulated, !from_start, &bytes,
                             &operation, context),
                         0);
        assert_int_equal(AtbPagedCacheLoad(nullptr, bytes, operation, context), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        to_key.read(got);
        to_value.read(got_values);
        const int32_t wanted[2][4] = {{7, 0, 1, 2}, {6, 7, 0, 2}};
        for (int n = 0; n < 4; n++) {
            assert_int_equal(got[n], wanted[from_start][n]);
            assert_int_equal(got_values[n], wanted[from_start][n] + 10);
        }
    }
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, longer, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes,
                                                       &operation, context),
                     0);
    assert_int_equal(AtbPagedCacheLoad(nullptr, bytes, operation, context), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "at [1]; at most 1 more of key are expected"));
    /* What it is called with is looked at. */
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(nullptr, value_cache, block_table, lens, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes,
                                                       &operation, context),
                     INVALID_TENSOR);
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, lens, out_key,
                                                       out_value, nullptr, 1, false, false, nullptr,
                                                       &operation, context),
                     INVALID_PARAM);
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, lens, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes,
                                                       &operation, nullptr),
                     CONTEXT);
    /* A length without dims is one sequence's; one for all sequences does not lie in one piece. */
    const int64_t dims[2] = {2, 1}, apart[2] = {0, 1};
    aclTensor *none = aclCreateTensor(dims, 0, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, dims, 0, length.memory),
              *same =
                  aclCreateTensor(dims, 2, ACL_INT32, apart, 0, ACL_FORMAT_ND, dims + 1, 1, length.memory);
    assert_non_null(none);
    assert_non_null(same);
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, none, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes,
                                                       &operation, context),
                     0);
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, same, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes,
                                                       &operation, context),
                     INVALID_TENSOR);
    aclDestroyTensor(none);
    aclDestroyTensor(same);
    atb::Operation *foreign = reinterpret_cast<atb::Operation *>(&bytes);
    assert_int_equal(AtbPagedCacheLoadGetWorkspaceSize(key_cache, value_cache, block_table, lens, out_key,
                                                       out_value, nullptr, 1, false, false, &bytes, &foreign,
                                                       context),
                     OPERATION);
    assert_int_equal(AtbFusedAddTopkDiv(nullptr, 0, operation, context), OPERATION);
    assert_int_equal(AtbPagedCacheLoad(nullptr, 0, nullptr, context), OPERATION);
    assert_int_equal(atb::DestroyOperation(operation), 0);
    for (aclTensor *one :
         {key_cache, value_cache, block_table, lens, cumulated, begins, longer, out_key, out_value})
        aclDestroyTensor(one);
}

void experts_are_chosen(void **)
{
    const float scores[4] = {0, 0, 0, 0}, bias[4] = {1, 3, 2, 2};
    float none[2] = {0, 0}, got[2];
    int32_t no_expert[2] = {-1, -1}, expert[2];
    OnDevice<float> x(scores, 4), added(bias, 4), weight(none, 2);
    OnDevice<int32_t> index(no_expert, 2);
    aclTensor *on_x = tensor(ACL_FLOAT, {1, 4}, x.memory), *on_added = tensor(ACL_FLOAT, {4}, added.memory),
              *y = tensor(ACL_FLOAT, {1, 2}, weight.memory),
              *indices = tensor(ACL_INT32, {1, 2}, index.memory);
    atb::Operation *operation = nullptr;
    uint64_t bytes = 0;
    void *workspace = nullptr;
    /* Two groups, whose sums are equal: the first one is kept. */
    assert_int_equal(AtbFusedAddTopkDivGetWorkspaceSize(on_x, on_added, nullptr, nullptr, 2, 1, 2, 2, 8, true,
                                                        3.0F, false, y, indices, &bytes, &operation, context),
                     0);
    assert_int_equal(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(AtbFusedAddTopkDiv(workspace, bytes, operation, context), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    weight.read(got);
    index.read(expert);
    assert_int_equal(expert[0], 1);
    assert_int_equal(expert[1], 0);
    assert_true(got[0] == 1.5F && got[1] == 1.5F);
    assert_int_equal(AtbFusedAddTopkDivGetWorkspaceSize(on_x, on_added, nullptr, nullptr, 3, 1, 2, 2, 8, true,
                                                        3.0F, false, y, indices, &bytes, &operation, context),
                     INVALID_PARAM);
    assert_int_equal(AtbFusedAddTopkDivGetWorkspaceSize(on_x, on_added, nullptr, nullptr, 2, 1, 2, 2, 7, true,
                                                        3.0F, false, y, indices, &bytes, &operation, context),
                     INVALID_PARAM);
    assert_int_equal(atb::DestroyOperation(operation), 0);
    aclrtFree(workspace);
    for (aclTensor *one : {on_x, on_added, y, indices})
        aclDestroyTensor(one);
}

void what_is_missing_says_so(void **)
{
    assert_int_equal(AtbMLAPreprocessGetWorkspaceSize(), INVALID_PARAM);
    assert_non_null(strstr(aclGetRecentErrMsg(), "MLAPreprocess is not supported by this library"));
    assert_int_equal(AtbMLAPreprocess(nullptr, 0, nullptr, context), INVALID_PARAM);
}
} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_of_blocks),
        cmocka_unit_test(experts_are_chosen),
        cmocka_unit_test(what_is_missing_says_so),
    };
    return cmocka_run_group_tests_name("atb/functions", tests, begin, end);
}
