/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Amax and Amin: whole tensors against the greatest, or the least, as the contract has it, found one element
 * after the other, and the calls that are refused. Shapes, layouts, dims and dtypes are drawn at random.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_max_v2.h"
#include "ops/attempt.h"
#include "ops/layout.h"
#include "support/effort.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

enum { SELF, DIM, KEEP_DIM, OUT };

/* A call: what is reduced, and the elements of one output. */
struct amax {
    struct layout self, out;
    bool is_least;
    unsigned reduced; /* a bit for each dim */
    int64_t outputs, elements;
};

/* Element `element` of output `output`: both count with the last dim fastest. */
static const void *element_of(const struct amax *amax, int64_t output, int64_t element)
{
    int64_t index = 0, step = 1;
    for (unsigned dim = amax->self.rank; dim-- > 0;) {
        const int64_t size = amax->self.shape[dim];
        int64_t *from = (amax->reduced >> dim & 1) != 0 ? &element : &output;
        index += *from % size * step;
        *from /= size;
        step *= size;
    }
    return layout_element(&amax->self, index);
}

/* Whether a is the greater one; NaN is greater than anything. */
static bool is_greater(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a);
    return a > b || (a >= b && signbit(a) < signbit(b));
}

static void expect_float(const struct amax *amax, int64_t output, void *expected)
{
    double most = 0, value;
    for (int64_t i = 0; i < amax->elements; i++) {
        conversion_reference(element_of(amax, output, i), amax->self.dtype, &value, ACL_DOUBLE);
        const bool is_more = amax->is_least && !isnan(value) && !isnan(most) ? is_greater(most, value)
                                                                             : is_greater(value, most);
        most = i == 0 || is_more ? value : most;
    }
    most = isnan(most) ? (double)NAN : most;
    conversion_reference(&most, ACL_DOUBLE, expected, amax->self.dtype);
}

static void expect_integer(const struct amax *amax, int64_t output, void *expected)
{
    int64_t most = 0, value;
    for (int64_t i = 0; i < amax->elements; i++) {
        conversion_reference(element_of(amax, output, i), amax->self.dtype, &value, ACL_INT64);
        most = i == 0 || (amax->is_least ? value < most : value > most) ? value : most;
    }
    conversion_reference(&most, ACL_INT64, expected, amax->self.dtype);
}

static void assert_outputs(const struct amax *amax)
{
    const aclDataType dtype = amax->self.dtype;
    for (int64_t i = 0; i < amax->outputs; i++) {
        unsigned char expected[16];
        if (is_float_dtype(dtype))
            expect_float(amax, i, expected);
        else
            expect_integer(amax, i, expected);
        if (memcmp(expected, layout_element(&amax->out, i), amax->out.bytes) != 0)
            fail_msg("%s: output %lld of %lld, of %lld elements, is wrong", dtype_name(dtype), (long long)i,
                     (long long)amax->outputs, (long long)amax->elements);
    }
}

/* Numbers, or those that are rarely drawn: of both zeros, of -infinity, and NaNs of either sign with any bits
 * below. */
static void fill(const struct layout *self)
{
    static const double zeros[] = {-0.0, 0.0, -1.0}, least[] = {-(double)INFINITY, -(double)INFINITY, -0.0};
    const int64_t kind = random_below(4);
    layout_fill(self, 1000, kind == 0);
    for (int64_t i = 0; i <= self->reach && kind > 0 && is_float_dtype(self->dtype); i++) {
        const int64_t drawn = random_below(30);
        unsigned char *element = self->memory + (size_t)i * self->bytes;
        if (kind < 3)
            conversion_reference(&(kind == 1 ? zeros : least)[drawn % 4 == 1   ? 1
                                                              : drawn % 3 == 1 ? 2
                                                                               : 0],
                                 ACL_DOUBLE, element, self->dtype);
        else if (drawn == 0)
            memset(element + self->bytes - 2, random_below(2) == 0 ? 0xff : 0x7f, 2);
    }
}

/* One call on a shape; the bits of reduced are the dims, given as an empty array where `names_none`. */
static void try_call(bool is_least, aclDataType dtype, unsigned rank, const int64_t *shape, unsigned reduced,
                     bool keeps, bool names_none, enum layout_kind kind)
{
    struct amax amax = {.is_least = is_least, .reduced = reduced, .outputs = 1, .elements = 1};
    int64_t left[LAYOUT_RANK_MAX], dim[LAYOUT_RANK_MAX];
    unsigned left_rank = 0, dims = 0;
    for (unsigned i = 0; i < rank; i++) {
        const bool is_reduced = (reduced >> i & 1) != 0;
        *(is_reduced ? &amax.elements : &amax.outputs) *= shape[i];
        if (is_reduced)
            dim[dims++] = random_below(2) == 0 ? (int64_t)i : (int64_t)i - rank;
        if (!is_reduced || keeps)
            left[left_rank++] = is_reduced ? 1 : shape[i];
    }
    const bool is_v2 = !is_least && random_below(3) == 0; /* where NULL stands for all dims, too */
    amax.self = layout_create(dtype, rank, shape, kind);
    amax.out = layout_create(dtype, left_rank, left, kind == LAYOUT_REPEATED ? LAYOUT_GAPS : kind);
    fill(&amax.self);
    aclIntArray *array = aclCreateIntArray(dim, names_none ? 0 : dims);
    uint64_t bytes;
    aclOpExecutor *executor;
    if (is_v2) {
        if (aclnnMaxV2GetWorkspaceSize(amax.self.tensor, names_none && random_below(2) == 0 ? NULL : array,
                                       keeps, !names_none && dims > 0 && random_below(2) == 0,
                                       amax.out.tensor, &bytes, &executor) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
    } else if ((is_least ? aclnnAminGetWorkspaceSize : aclnnAmaxGetWorkspaceSize)(
                   amax.self.tensor, array, keeps, amax.out.tensor, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal((is_v2 ? aclnnMaxV2 : is_least ? aclnnAmin : aclnnAmax)(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_outputs(&amax);
    assert_int_equal(aclDestroyIntArray(array), 0);
    layout_destroy(&amax.self);
    layout_destroy(&amax.out);
}

static void the_greatest_of_all_shapes_layouts_and_dtypes(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 31, 40, 70, 130, 300};
    (void)state;
    for (int i = 0; i < times_effort(500); i++) {
        const unsigned rank = (unsigned)random_below(LAYOUT_RANK_MAX);
        int64_t shape[LAYOUT_RANK_MAX], count = 1;
        for (unsigned k = 0; k < rank; k++) {
            shape[k] = sizes[random_below(sizeof sizes / sizeof sizes[0])];
            shape[k] = count * shape[k] > 20000 ? 1 : shape[k];
            count *= shape[k];
        }
        const unsigned all = (1u << rank) - 1, drawn = (unsigned)random_below(1 << rank);
        const unsigned reduced = drawn == 0 ? all : drawn;
        try_call(random_below(2) == 0, dtypes[i % DTYPES], rank, shape, reduced, random_below(2) == 0,
                 reduced == all && random_below(2) == 0, (enum layout_kind)random_below(LAYOUT_KINDS));
    }
}

/* So many elements that threads share them. */
static void the_greatest_of_many(void **state)
{
    static const int64_t shapes[][2] = {{300007, 1}, {3, 100003}, {20011, 40}, {40, 20011}};
    (void)state;
    for (int i = 0; i < 4 * DTYPES; i++)
        try_call(random_below(2) == 0, dtypes[i % DTYPES], 2, shapes[i / DTYPES],
                 1 + (unsigned)random_below(3), true, false, (enum layout_kind)random_below(LAYOUT_KINDS));
}

static void put_shapes(struct attempt *attempt, unsigned rank, const int64_t *self, unsigned left_rank,
                       const int64_t *left)
{
    replace(attempt, SELF, tensor_with(ACL_FLOAT, rank, self, NULL));
    replace(attempt, OUT, tensor_with(ACL_FLOAT, left_rank, left, NULL));
}

static void put_dims(struct attempt *attempt, uint64_t count, const int64_t *dim)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[DIM].ints), 0);
    attempt->argument[DIM].ints = aclCreateIntArray(dim, count);
}

/* With noopWithEmptyDims no dims are none: out is self. */
static void no_dims_are_none(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        const int64_t shape[] = {1 + random_below(9), 1 + random_below(9)};
        struct layout self = layout_create(dtypes[i % DTYPES], 2, shape,
                                           (enum layout_kind)random_below(LAYOUT_KINDS)),
                      out = layout_create(self.dtype, 2, shape,
                                          (enum layout_kind)random_below(LAYOUT_REPEATED));
        aclIntArray *none = aclCreateIntArray(NULL, 0);
        uint64_t bytes;
        aclOpExecutor *executor;
        layout_fill(&self, 100, false);
        assert_int_equal(aclnnMaxV2GetWorkspaceSize(self.tensor, i % 2 == 0 ? none : NULL, i % 3 == 0, true,
                                                    out.tensor, &bytes, &executor),
                         0);
        assert_int_equal(aclnnMaxV2(NULL, 0, executor, NULL), 0);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        for (int64_t k = 0; k < out.count; k++)
            assert_memory_equal(layout_element(&out, k), layout_element(&self, k), out.bytes);
        assert_int_equal(aclDestroyIntArray(none), 0);
        layout_destroy(&self);
        layout_destroy(&out);
    }
    struct attempt attempt = accepted(find("aclnnMaxV2"));
    put_dims(&attempt, 0, NULL);
    attempt.argument[OUT] = argument_of_bool(true);
    replace(&attempt, OUT + 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2]; [2, 3]");
    replace_dtype(&attempt, SELF, ACL_UINT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype UINT16");
    release(&attempt);
}

/* Only what has no elements itself may be made of nothing. */
static void nothing_has_no_greatest(void **state)
{
    static const char refusal[] = "dim names a dim of self that has size 0";
    (void)state;
    struct attempt attempt = accepted(find("aclnnAmax")); /* along dim 1 */
    put_shapes(&attempt, 2, DIMS(3, 0), 1, DIMS(3));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, refusal);
    put_shapes(&attempt, 2, DIMS(3, 0), 1, DIMS(4)); /* before the shape of out */
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, refusal);
    put_shapes(&attempt, 2, DIMS(0, 3), 1, DIMS(0));
    assert_accepted(&attempt);
    put_shapes(&attempt, 2, DIMS(0, 0), 1, DIMS(0));
    assert_accepted(&attempt);
    put_dims(&attempt, 0, NULL);
    put_shapes(&attempt, 2, DIMS(0, 3), 0, DIMS(1));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, refusal);
    release(&attempt);
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAmax"));
    put_dims(&attempt, 1, DIMS(2));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "dim names dim 2 of self; one from -2 to 1 is expected");
    put_dims(&attempt, 1, DIMS(-3));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names dim -3 of self");
    put_dims(&attempt, 2, DIMS(1, -1));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names dim 1 twice");
    replace_dtype(&attempt, SELF, ACL_COMPLEX64); /* before dim */
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype COMPLEX64");
    replace_dtype(&attempt, SELF, ACL_UINT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype UINT16");
    release(&attempt);

    attempt = accepted(find("aclnnAmax"));
    replace_dtype(&attempt, OUT, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype DOUBLE");
    replace(&attempt, OUT, tensor_with(ACL_FLOAT, 2, DIMS(2, 1), NULL)); /* as with keepDim */
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape");
    attempt.argument[KEEP_DIM] = argument_of_bool(true);
    assert_accepted(&attempt);
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_greatest_of_all_shapes_layouts_and_dtypes),
        cmocka_unit_test(the_greatest_of_many),
        cmocka_unit_test(nothing_has_no_greatest),
        cmocka_unit_test(no_dims_are_none),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
