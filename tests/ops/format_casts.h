/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Plain tensors of the tests of NpuFormatCast, and its calls.
 */
#ifndef BELAY_TESTS_OPS_FORMAT_CASTS_H
#define BELAY_TESTS_OPS_FORMAT_CASTS_H

#include "aclnnop/aclnn_npu_format_cast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/blocks_reference.h"
#include "support/failure.h"
#include "support/open_stream.h"

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

/* A plain tensor on memory of its own. */
struct plain {
    unsigned char *memory;
    void *block;
    aclTensor *tensor;
    size_t bytes;
};

static inline struct plain plain_create(aclDataType dtype, unsigned rank, const int64_t *shape)
{
    struct plain made = {.bytes = aclDataTypeSize(dtype)};
    for (unsigned i = 0; i < rank; i++)
        made.bytes *= (size_t)shape[i];
    assert_int_equal(aclrtMalloc(&made.block, made.bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    made.memory = host_side(made.block, made.bytes);
    made.tensor = aclCreateTensor(shape, rank, dtype, NULL, 0, ACL_FORMAT_ND, shape, rank, made.block);
    assert_non_null(made.tensor);
    return made;
}

static inline void plain_release(struct plain *plain)
{
    assert_int_equal(aclDestroyTensor(plain->tensor), 0);
    assert_int_equal(aclrtFree(plain->block), 0);
}

static inline void cast(const aclTensor *from, aclTensor *to)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (aclnnNpuFormatCastGetWorkspaceSize(from, to, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(bytes, 0);
    assert_int_equal(aclnnNpuFormatCast(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static inline void refuse(const aclTensor *from, aclTensor *to, aclnnStatus status, const char *sentence)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_failure(aclnnNpuFormatCastGetWorkspaceSize(from, to, &bytes, &executor), status, sentence);
}

struct answer {
    int64_t *dims;
    uint64_t rank;
    int format;
};

static inline struct answer ask(const aclTensor *tensor, int format, int dtype)
{
    struct answer answer;
    if (aclnnNpuFormatCastCalculateSizeAndFormat(tensor, format, dtype, &answer.dims, &answer.rank,
                                                 &answer.format) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    return answer;
}

#endif
