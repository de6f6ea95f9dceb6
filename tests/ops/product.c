/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The products of matrices, as programs call them: what each accepts and refuses, and what comes out of small
 * integers, which every order of sums gives exactly.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mv.h"
#include "ops/host_side.h"
#include "support/bits.h"
#include "support/conversion.h"
#include "support/open_stream.h"

enum api { MM, MATMUL, BATCH_MATMUL, MV, ADDMM, INPLACE_ADDMM, BADDBMM, INPLACE_BADDBMM, ADDMV };
enum { F32 = ACL_FLOAT, F16 = ACL_FLOAT16, BF16 = ACL_BF16, I32 = ACL_INT32, F64 = ACL_DOUBLE };
enum { OK_ = 0, INVALID = 161002 };
enum { LEFT, RIGHT, SELF, OUT, OPERANDS, ROOM = 4096 };

/* A tensor: contiguous, with its last two dims exchanged in memory where is_turned. No rank_and_dims: rank 0.
 */
struct shape {
    int64_t rank, dim[5];
    bool is_turned;
};

struct row {
    const char *name;
    enum api api;
    struct shape left, right, self, out; /* in place self is out */
    int dtype[OPERANDS];                 /* 0 is FLOAT */
    const char *beta, *alpha;            /* 1 where NULL; "i2": INT64 */
    int8_t cube_math_type;
    aclnnStatus status;
    const char *message;
};

static const struct row rows[] = {
    {"matrices", MM, {2, {3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}}},
    {"transposed", MM, {2, {3, 4}, true}, {2, {4, 5}, true}, .out = {2, {3, 5}}},
    {"into a transposed one", MM, {2, {30, 40}}, {2, {40, 50}}, .out = {2, {30, 50}, true}},
    {"from 16 bits to FLOAT", MM, {2, {3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}}, .dtype = {F16, F16, 0, F32}},
    {"two dtypes of 16 bits",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .dtype = {F16, BF16, 0, BF16}},
    {"FLOAT and BFLOAT16",
     MM,
     {2, {3, 4}},
     {2, {4, 5}, true},
     .out = {2, {3, 5}},
     .dtype = {F32, BF16, 0, F16}},
    {"nothing to add up", MM, {2, {3, 0}}, {2, {0, 5}}, .out = {2, {3, 5}}},
    {"no rows", MM, {2, {0, 4}}, {2, {4, 5}}, .out = {2, {0, 5}}},
    {"use_fp32_add", MM, {2, {3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}}, .cube_math_type = 4},
    {"cubeMathType 5",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .cube_math_type = 5,
     .status = INVALID,
     .message = "cubeMathType"},
    {"cubeMathType -1",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .cube_math_type = -1,
     .status = INVALID,
     .message = "cubeMathType"},
    {"a common dim comes before cubeMathType",
     MM,
     {2, {3, 4}},
     {2, {3, 5}},
     .out = {2, {3, 5}},
     .cube_math_type = 5,
     .status = INVALID,
     .message = "4 and 3"},
    {"a dtype comes before a rank",
     MM,
     {2, {3, 4}},
     {3, {1, 4, 5}},
     .out = {2, {3, 5}},
     .dtype = {I32},
     .status = INVALID,
     .message = "INT32"},
    {"DOUBLE",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .dtype = {F32, F64},
     .status = INVALID,
     .message = "mat2"},
    {"out INT32",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .dtype = {0, 0, 0, I32},
     .status = INVALID,
     .message = "out"},
    {"a batch", MM, {3, {1, 3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}}, .status = INVALID, .message = "3 dims"},
    {"out of another shape",
     MM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {5, 3}},
     .status = INVALID,
     .message = "out"},

    {"vectors", MATMUL, {1, {40}}, {1, {40}}, .out = {0, {0}}},
    {"a vector and a matrix", MATMUL, {1, {4}}, {2, {4, 5}}, .out = {1, {5}}},
    {"a matrix and a vector", MATMUL, {2, {3, 4}, true}, {1, {4}}, .out = {1, {3}}},
    {"a batch and a matrix", MATMUL, {3, {2, 3, 4}}, {2, {4, 5}}, .out = {3, {2, 3, 5}}},
    {"a transposed batch and a matrix", MATMUL, {3, {2, 3, 4}, true}, {2, {4, 5}}, .out = {3, {2, 3, 5}}},
    {"a vector and batches", MATMUL, {1, {4}}, {4, {2, 3, 4, 5}}, .out = {3, {2, 3, 5}}},
    {"batches and a vector", MATMUL, {4, {2, 3, 6, 4}}, {1, {4}}, .out = {3, {2, 3, 6}}},
    {"batches that broadcast", MATMUL, {4, {2, 1, 3, 4}}, {3, {6, 4, 5}, true}, .out = {4, {2, 6, 3, 5}}},
    {"rank 0", MATMUL, {0, {0}}, {1, {4}}, .out = {0, {0}}, .status = INVALID, .message = "0 dims"},
    {"batches that do not broadcast",
     MATMUL,
     {3, {2, 3, 4}},
     {3, {3, 4, 5}},
     .out = {3, {2, 3, 5}},
     .status = INVALID,
     .message = "broadcast"},
    {"the added dim is dropped",
     MATMUL,
     {1, {4}},
     {2, {4, 5}},
     .out = {2, {1, 5}},
     .status = INVALID,
     .message = "out"},

    {"batches", BATCH_MATMUL, {3, {2, 3, 4}}, {3, {2, 4, 5}}, .out = {3, {2, 3, 5}}},
    {"one for all batches", BATCH_MATMUL, {3, {2, 3, 4}}, {3, {1, 4, 5}}, .out = {3, {2, 3, 5}}},
    {"batches of rank 4", BATCH_MATMUL, {4, {2, 1, 3, 4}}, {4, {1, 3, 4, 5}}, .out = {4, {2, 3, 3, 5}}},
    {"matrices are no batches",
     BATCH_MATMUL,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {3, 5}},
     .status = INVALID,
     .message = "self"},
    {"ranks that differ",
     BATCH_MATMUL,
     {4, {1, 2, 3, 4}},
     {3, {2, 4, 5}},
     .out = {4, {1, 2, 3, 5}},
     .status = INVALID,
     .message = "mat2"},

    {"a vector", MV, {2, {3, 4}}, {1, {4}}, .out = {1, {3}}},
    {"a matrix for a vector",
     MV,
     {2, {3, 4}},
     {2, {4, 1}},
     .out = {1, {3}},
     .status = INVALID,
     .message = "vec"},

    {"a vector and a vector",
     ADDMV,
     {2, {30, 40}},
     {1, {40}},
     {1, {30}},
     {1, {30}},
     .alpha = "2",
     .beta = "-3"},
    {"a matrix that is transposed, and a number", ADDMV, {2, {3, 4}, true}, {1, {4}}, {0, {0}}, {1, {3}}},
    {"a vector that is not read", ADDMV, {2, {3, 4}}, {1, {4}}, {1, {1}}, {1, {3}}, .beta = "0"},
    {"a product that is not read", ADDMV, {2, {3, 4}}, {1, {4}}, {1, {3}}, {1, {3}}, .alpha = "i0"},
    {"vectors of 16 bits",
     ADDMV,
     {2, {3, 40}},
     {1, {40}},
     {1, {3}},
     {1, {3}},
     .dtype = {BF16, BF16, BF16, BF16}},
    {"a row that does not fit a vector",
     ADDMV,
     {2, {3, 4}},
     {1, {4}},
     {1, {4}},
     {1, {3}},
     .status = INVALID,
     .message = "self"},

    {"a layer", ADDMM, {2, {30, 40}}, {2, {40, 50}, true}, {1, {50}}, {2, {30, 50}}},
    {"a layer in FLOAT16",
     ADDMM,
     {2, {3, 40}},
     {2, {40, 5}, true},
     {1, {5}},
     {2, {3, 5}},
     .dtype = {F16, F16, F16, F16}},
    {"self of rank 0", ADDMM, {2, {3, 4}}, {2, {4, 5}}, {0, {0}}, {2, {3, 5}}, .beta = "-2", .alpha = "0.5"},
    {"self a column",
     ADDMM,
     {2, {3, 4}},
     {2, {4, 5}},
     {2, {3, 1}},
     {2, {3, 5}},
     .beta = "i3",
     .alpha = "i-1"},
    {"self of another dtype",
     ADDMM,
     {2, {3, 4}},
     {2, {4, 5}},
     {2, {1, 5}},
     {2, {3, 5}},
     .dtype = {F32, F16, BF16}},
    {"self transposed", ADDMM, {2, {3, 4}}, {2, {4, 5}}, {2, {3, 5}, true}, {2, {3, 5}}},
    {"beta 0", ADDMM, {2, {3, 4}}, {2, {4, 5}}, {1, {5}}, {2, {3, 5}}, .beta = "0"},
    {"alpha 0", ADDMM, {2, {3, 4}}, {2, {4, 5}}, {1, {5}}, {2, {3, 5}}, .alpha = "0", .beta = "2"},
    {"both 0", ADDMM, {2, {3, 4}}, {2, {4, 5}}, {1, {5}}, {2, {3, 5}}, .alpha = "0", .beta = "0"},
    {"self alone", ADDMM, {2, {3, 0}}, {2, {0, 5}}, {1, {5}}, {2, {3, 5}}, .beta = "2"},
    {"self too large",
     ADDMM,
     {2, {3, 4}},
     {2, {4, 5}},
     {3, {2, 3, 5}},
     {2, {3, 5}},
     .status = INVALID,
     .message = "self"},
    {"self that does not fit",
     ADDMM,
     {2, {3, 4}},
     {2, {4, 5}},
     {1, {3}},
     {2, {3, 5}},
     .status = INVALID,
     .message = "self"},
    {"a vector for mat1",
     ADDMM,
     {1, {4}},
     {2, {4, 5}},
     {1, {5}},
     {1, {5}},
     .status = INVALID,
     .message = "mat1"},
    {"in place", INPLACE_ADDMM, {2, {3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}}, .beta = "2"},
    {"in place, transposed", INPLACE_ADDMM, {2, {3, 4}}, {2, {4, 5}}, .out = {2, {3, 5}, true}},
    {"in place with a smaller self",
     INPLACE_ADDMM,
     {2, {3, 4}},
     {2, {4, 5}},
     .out = {2, {1, 5}},
     .status = INVALID,
     .message = "selfRef"},

    {"batches and self", BADDBMM, {3, {2, 3, 4}}, {3, {1, 4, 5}}, {2, {3, 5}}, {3, {2, 3, 5}}, .beta = "2"},
    {"matrices for batches",
     BADDBMM,
     {2, {3, 4}},
     {3, {1, 4, 5}},
     {2, {3, 5}},
     {3, {1, 3, 5}},
     .status = INVALID,
     .message = "batch1"},
    {"batches in place", INPLACE_BADDBMM, {3, {2, 3, 4}}, {3, {2, 4, 5}}, .out = {3, {2, 3, 5}}},
    {"batches in place, of which one would broadcast",
     INPLACE_BADDBMM,
     {3, {2, 3, 4}},
     {3, {1, 4, 5}},
     .out = {3, {2, 3, 5}},
     .status = INVALID,
     .message = "equal"},
};

static unsigned char *memory[OPERANDS];

static int set_up(void **state)
{
    int failed = open_stream(state);
    for (int i = 0; i < OPERANDS && !failed; i++)
        failed = aclrtMalloc((void **)&memory[i], ROOM * 8, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < OPERANDS && !failed; i++)
        memory[i] = (unsigned char *)host_side(memory[i], ROOM * 8);
    return failed;
}

static int tear_down(void **state)
{
    for (int i = 0; i < OPERANDS; i++)
        (void)aclrtFree(memory_known_as(memory[i]));
    return close_stream(state);
}

static bool has_self(enum api api)
{
    return api >= ADDMM;
}

static bool is_in_place(enum api api)
{
    return api == INPLACE_ADDMM || api == INPLACE_BADDBMM;
}

static int64_t stride_of(const struct shape *shape, int64_t dim)
{
    int64_t stride = 1, last = shape->rank - 1;
    if (shape->is_turned && dim >= last - 1)
        return dim == last ? shape->dim[last - 1] : 1;
    for (int64_t i = dim + 1; i < shape->rank; i++)
        stride *= shape->dim[i];
    return stride;
}

static int64_t count_of(const struct shape *shape)
{
    int64_t count = 1;
    for (int64_t i = 0; i < shape->rank; i++)
        count *= shape->dim[i];
    return count;
}

static aclDataType dtype_of(const struct row *row, int which)
{
    return (aclDataType)row->dtype[which];
}

static aclTensor *create(const struct shape *shape, aclDataType dtype, void *data)
{
    int64_t stride[5], count = count_of(shape);
    for (int64_t i = 0; i < shape->rank; i++)
        stride[i] = stride_of(shape, i);
    return aclCreateTensor(shape->dim, (uint64_t)shape->rank, dtype, stride, 0, ACL_FORMAT_ND, &count, 1,
                           data);
}

static double value_of(const char *text)
{
    return text == NULL ? 1 : atof(text + (text[0] == 'i'));
}

static aclScalar *create_scalar(const char *text)
{
    float single = (float)value_of(text);
    int64_t integer = (int64_t)single;
    bool is_integer = text != NULL && text[0] == 'i';
    return is_integer ? aclCreateScalar(&integer, ACL_INT64) : aclCreateScalar(&single, ACL_FLOAT);
}

static aclnnStatus phase_1(const struct row *row, aclTensor *const *t, const aclScalar *beta,
                           const aclScalar *alpha, uint64_t *size, aclOpExecutor **executor)
{
    int8_t type = row->cube_math_type;
    switch (row->api) {
    case MM:
        return aclnnMmGetWorkspaceSize(t[LEFT], t[RIGHT], t[OUT], type, size, executor);
    case MATMUL:
        return aclnnMatmulGetWorkspaceSize(t[LEFT], t[RIGHT], t[OUT], type, size, executor);
    case BATCH_MATMUL:
        return aclnnBatchMatMulGetWorkspaceSize(t[LEFT], t[RIGHT], t[OUT], type, size, executor);
    case MV:
        return aclnnMvGetWorkspaceSize(t[LEFT], t[RIGHT], t[OUT], type, size, executor);
    case ADDMM:
        return aclnnAddmmGetWorkspaceSize(t[SELF], t[LEFT], t[RIGHT], beta, alpha, t[OUT], type, size,
                                          executor);
    case INPLACE_ADDMM:
        return aclnnInplaceAddmmGetWorkspaceSize(t[OUT], t[LEFT], t[RIGHT], beta, alpha, type, size,
                                                 executor);
    case BADDBMM:
        return aclnnBaddbmmGetWorkspaceSize(t[SELF], t[LEFT], t[RIGHT], beta, alpha, t[OUT], type, size,
                                            executor);
    case INPLACE_BADDBMM:
        return aclnnInplaceBaddbmmGetWorkspaceSize(t[OUT], t[LEFT], t[RIGHT], beta, alpha, type, size,
                                                   executor);
    case ADDMV:
        return aclnnAddmvGetWorkspaceSize(t[SELF], t[LEFT], t[RIGHT], alpha, beta, t[OUT], type, size,
                                          executor);
    }
    return -1;
}

static aclnnStatus phase_2(enum api api, aclOpExecutor *executor)
{
    static aclnnStatus (*const launch[])(void *, uint64_t, aclOpExecutor *, aclrtStream) = {
        aclnnMm,           aclnnMatmul,  aclnnBatchMatMul,    aclnnMv,   aclnnAddmm,
        aclnnInplaceAddmm, aclnnBaddbmm, aclnnInplaceBaddbmm, aclnnAddmv};
    return launch[api](NULL, 0, executor, stream);
}

/* Small integers of either sign. */
static void fill(const struct row *row, int which)
{
    size_t bytes = conversion_bytes(dtype_of(row, which));
    for (int i = 0; i < ROOM; i++) {
        float value = (float)((i * 37 + which * 11) % 9 - 4);
        bool is_unread =
            (which == SELF && value_of(row->beta) == 0) || (which <= RIGHT && value_of(row->alpha) == 0);
        value = is_unread ? NAN : value;
        conversion_reference(&value, ACL_FLOAT, memory[which] + (size_t)i * bytes, dtype_of(row, which));
    }
}

static float read_float(const struct row *row, int which, const unsigned char *from, int64_t offset)
{
    float value;
    aclDataType dtype = dtype_of(row, which);
    conversion_reference(from + (size_t)offset * conversion_bytes(dtype), dtype, &value, ACL_FLOAT);
    return value;
}

/* Where an operand has the element of a result's index, or of its batch: dims are aligned at the end, before
 * so many that are its own. */
static int64_t offset_of(const struct shape *shape, const struct shape *result, const int64_t *index,
                         int64_t of_result, int64_t own)
{
    int64_t offset = 0;
    for (int64_t i = 0; i < shape->rank - own; i++) {
        int64_t dim = result->rank - of_result - (shape->rank - own) + i;
        offset += shape->dim[i] == 1 ? 0 : index[dim] * stride_of(shape, i);
    }
    return offset;
}

static float expected_at(const struct row *row, const int64_t *index, const unsigned char *old)
{
    const struct shape *left = &row->left, *right = &row->right, *out = &row->out;
    const int64_t has_rows = left->rank > 1, has_columns = right->rank > 1, dims = has_rows + has_columns;
    const int64_t i = has_rows ? index[out->rank - dims] : 0, j = has_columns ? index[out->rank - 1] : 0;
    const int64_t depth = left->dim[left->rank - 1];
    int64_t a = offset_of(left, out, index, dims, 1 + has_rows),
            b = offset_of(right, out, index, dims, 1 + has_columns);
    a += has_rows ? i * stride_of(left, left->rank - 2) : 0;
    b += has_columns ? j * stride_of(right, right->rank - 1) : 0;
    double sum = 0;
    for (int64_t k = 0; k < depth && value_of(row->alpha) != 0; k++)
        sum += (double)read_float(row, LEFT, memory[LEFT], a + k * stride_of(left, left->rank - 1)) *
               (double)read_float(row, RIGHT, memory[RIGHT],
                                  b + k * stride_of(right, right->rank - 1 - has_columns));
    sum *= value_of(row->alpha);
    if (!has_self(row->api) || value_of(row->beta) == 0)
        return (float)sum;
    float self = is_in_place(row->api)
                     ? read_float(row, OUT, old, offset_of(out, out, index, 0, 0))
                     : read_float(row, SELF, memory[SELF], offset_of(&row->self, out, index, 0, 0));
    return (float)(sum + value_of(row->beta) * (double)self);
}

static void expect_values(const struct row *row, const unsigned char *old)
{
    const struct shape *out = &row->out;
    for (int64_t n = 0; n < count_of(out); n++) {
        int64_t index[5], rest = n;
        for (int64_t i = out->rank; i-- > 0; rest /= out->dim[i])
            index[i] = rest % out->dim[i];
        float expected = expected_at(row, index, old);
        float found = read_float(row, OUT, memory[OUT], offset_of(out, out, index, 0, 0));
        if (!(found == expected))
            fail_msg("%s: element %lld is %g; %g is expected", row->name, (long long)n, (double)found,
                     (double)expected);
    }
}

static void run_row(const struct row *row)
{
    static const struct shape none = {0, {0}, false};
    const struct shape *shape[OPERANDS] = {&row->left, &row->right, has_self(row->api) ? &row->self : &none,
                                           &row->out};
    aclTensor *tensor[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) {
        fill(row, i);
        tensor[i] = create(shape[i], dtype_of(row, i), memory_known_as(memory[i]));
        assert_non_null(tensor[i]);
    }
    unsigned char *old = malloc(ROOM * 8);
    memcpy(old, memory[OUT], ROOM * 8);
    aclScalar *beta = create_scalar(row->beta), *alpha = create_scalar(row->alpha);
    uint64_t size = 77;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = phase_1(row, tensor, beta, alpha, &size, &executor);
    const char *message = status != 0 ? aclGetRecentErrMsg() : "";
    if (status != row->status || (row->message != NULL && strstr(message, row->message) == NULL))
        fail_msg("%s: status %d: %s", row->name, (int)status, message);
    if (status == 0) {
        assert_int_equal(size, 0);
        assert_int_equal(phase_2(row->api, executor), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        expect_values(row, old);
    }
    for (int i = 0; i < OPERANDS; i++)
        aclDestroyTensor(tensor[i]);
    (void)aclDestroyScalar(beta), (void)aclDestroyScalar(alpha);
    free(old);
}

static void every_row_is_as_the_contract_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run_row(&rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_as_the_contract_says),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
