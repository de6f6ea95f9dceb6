/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every function of the reduction family against the order of additions that simd/loops/reduce_kernel.h
 * states, written down a second time, bit by bit; and that order against sums in long double. Shapes,
 * layouts, dims and dtypes are drawn at random. The build runs this program for several numbers of threads
 * and for each level.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "ops/attempt.h"
#include "ops/layout.h"
#include "ops/promote.h"
#include "support/effort.h"

/* Of the contract. */
enum { LANE_COUNT = 32, BLOCK_LENGTH = 4096 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,      ACL_DOUBLE,
                                     ACL_INT8,  ACL_INT16,   ACL_INT32,     ACL_INT64,
                                     ACL_UINT8, ACL_BOOL,    ACL_COMPLEX64, ACL_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static const struct member {
    const char *name;
    aclnnStatus (*plan)(const aclTensor *, const aclIntArray *, bool, aclDataType, aclTensor *, uint64_t *,
                        aclOpExecutor **);
    aclnnStatus (*launch)(void *, uint64_t, aclOpExecutor *, aclrtStream);
    bool is_mean;
} members[] = {
    {"aclnnReduceSum", aclnnReduceSumGetWorkspaceSize, aclnnReduceSum, false},
    {"aclnnMean", aclnnMeanGetWorkspaceSize, aclnnMean, true},
};

/* Floats: the sum of doubles in the order. */
static double ordered_sum(const double *value, int64_t count)
{
    double sum = 0;
    for (int64_t begin = 0; begin < count; begin += BLOCK_LENGTH) {
        double lane[LANE_COUNT] = {0};
        for (int64_t i = begin; i < count && i < begin + BLOCK_LENGTH; i++)
            lane[(i - begin) % LANE_COUNT] += value[i];
        for (int half = LANE_COUNT / 2; half > 0; half /= 2)
            for (int k = 0; k < half; k++)
                lane[k] += lane[k + half];
        sum = begin == 0 ? lane[0] : sum + lane[0];
    }
    return sum;
}

/* Within a bound of every order of additions of the exact sum. */
static void assert_near(const double *value, int64_t count, double sum)
{
    long double exact = 0, size = 0;
    for (int64_t i = 0; i < count; i++) {
        exact += (long double)value[i];
        size += fabsl((long double)value[i]);
    }
    if (size <= LDBL_MAX)
        assert_true(fabsl((long double)sum - exact) <= size * 200 * (long double)DBL_EPSILON);
    else
        assert_true(!(fabs(sum) <= DBL_MAX));
}

/* A call: what is reduced, and the elements of one output. */
struct call_case {
    const struct member *member;
    aclDataType dtype;
    struct layout self, out;
    unsigned reduced; /* a bit for each dim */
    int64_t outputs, elements;
};

/* The index in self of element `element` of output `output`: both count with the last dim fastest. */
static int64_t self_index(const struct call_case *call, int64_t output, int64_t element)
{
    int64_t index = 0, step = 1;
    for (unsigned dim = call->self.rank; dim-- > 0;) {
        const int64_t size = call->self.shape[dim];
        int64_t *from = (call->reduced >> dim & 1) != 0 ? &element : &output;
        index += *from % size * step;
        *from /= size;
        step *= size;
    }
    return index;
}

static void round_float(const struct call_case *call, double value, void *to)
{
    unsigned char computed[16];
    value = isnan(value) ? (double)NAN : value;
    conversion_reference(&value, ACL_DOUBLE, computed, call->dtype);
    conversion_reference(computed, call->dtype, to, call->out.dtype);
}

static void expect_complex(const struct call_case *call, const double *part[2], unsigned char *expected)
{
    unsigned char computed[16];
    double sum[2];
    for (int k = 0; k < 2; k++) {
        sum[k] = ordered_sum(part[k], call->elements);
        sum[k] = call->member->is_mean ? sum[k] / (double)call->elements : sum[k];
        sum[k] = isnan(sum[k]) ? (double)NAN : sum[k];
    }
    conversion_reference(sum, ACL_COMPLEX128, computed, call->dtype);
    conversion_reference(computed, call->dtype, expected, call->out.dtype);
}

static void expect_integer(const struct call_case *call, const int64_t *value, unsigned char *expected)
{
    __extension__ __int128 sum = 0;
    unsigned char computed[16];
    for (int64_t i = 0; i < call->elements; i++)
        sum += value[i];
    if (call->member->is_mean)
        sum = call->elements == 0 ? 0 : sum / call->elements;
    const int64_t low = (int64_t)sum;
    conversion_reference(&low, ACL_INT64, computed, call->dtype);
    conversion_reference(computed, call->dtype, expected, call->out.dtype);
}

/* What an output must be. */
static void expect(const struct call_case *call, int64_t output, double *part[2], int64_t *whole,
                   unsigned char *expected)
{
    for (int64_t i = 0; i < call->elements; i++) {
        unsigned char computed[16];
        double parts[2];
        conversion_reference(layout_element(&call->self, self_index(call, output, i)), call->self.dtype,
                             computed, call->dtype);
        if (is_complex_dtype(call->dtype)) {
            conversion_reference(computed, call->dtype, parts, ACL_COMPLEX128);
            part[0][i] = parts[0];
            part[1][i] = parts[1];
        } else if (is_float_dtype(call->dtype)) {
            conversion_reference(computed, call->dtype, &part[0][i], ACL_DOUBLE);
        } else {
            conversion_reference(computed, call->dtype, &whole[i], ACL_INT64);
        }
    }
    if (is_complex_dtype(call->dtype)) {
        expect_complex(call, (const double *[]){part[0], part[1]}, expected);
    } else if (is_float_dtype(call->dtype)) {
        const double sum = ordered_sum(part[0], call->elements);
        assert_near(part[0], call->elements, sum);
        round_float(call, call->member->is_mean ? sum / (double)call->elements : sum, expected);
    } else {
        expect_integer(call, whole, expected);
    }
}

static void run(const struct call_case *call, const aclIntArray *dims, bool keeps)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (call->member->plan(call->self.tensor, dims, keeps, call->dtype, call->out.tensor, &bytes,
                           &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(call->member->launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static void assert_outputs(const struct call_case *call, const struct layout *before)
{
    const size_t elements = (size_t)call->elements + 1;
    double *part[2] = {malloc(elements * sizeof(double)), malloc(elements * sizeof(double))};
    int64_t *whole = malloc(elements * sizeof(int64_t));
    struct call_case read = *call;
    read.self = *before;
    for (int64_t i = 0; i < call->outputs; i++) {
        unsigned char expected[16];
        expect(&read, i, part, whole, expected);
        if (memcmp(expected, layout_element(&call->out, i), call->out.bytes) != 0)
            fail_msg("%s of %s in %s to %s: output %lld of %lld, of %lld elements, is wrong",
                     call->member->name, dtype_name(call->self.dtype), dtype_name(call->dtype),
                     dtype_name(call->out.dtype), (long long)i, (long long)call->outputs,
                     (long long)call->elements);
    }
    free(part[0]);
    free(part[1]);
    free(whole);
}

/* One call on a shape; the bits of reduced are the dims. */
static void try_call(const struct member *member, aclDataType self, aclDataType dtype, aclDataType out,
                     unsigned rank, const int64_t *shape, unsigned reduced, bool keeps, enum layout_kind kind)
{
    struct call_case call = {
        .member = member, .dtype = dtype, .reduced = reduced, .outputs = 1, .elements = 1};
    int64_t left[LAYOUT_RANK_MAX], dim[LAYOUT_RANK_MAX];
    unsigned left_rank = 0, dims = 0;
    for (unsigned i = 0; i < rank; i++) {
        const bool is_reduced = (reduced >> i & 1) != 0;
        *(is_reduced ? &call.elements : &call.outputs) *= shape[i];
        if (is_reduced)
            dim[dims++] = random_below(2) == 0 ? (int64_t)i : (int64_t)i - rank;
        if (!is_reduced || keeps)
            left[left_rank++] = is_reduced ? 1 : shape[i];
    }
    call.self = layout_create(self, rank, shape, kind);
    call.out = layout_create(out, left_rank, left, kind == LAYOUT_REPEATED ? LAYOUT_GAPS : kind);
    /* So many that sums round, and of BOOL and small integers so few kinds that they do not say nothing. */
    layout_fill(&call.self, dtype == ACL_FLOAT16 ? 4 : 1000, FEW_SPECIALS);
    aclIntArray *array = aclCreateIntArray(dim, dims);
    run(&call, array, keeps);
    assert_outputs(&call, &call.self);
    assert_int_equal(aclDestroyIntArray(array), 0);
    layout_destroy(&call.self);
    layout_destroy(&call.out);
}

/* A dtype that the member computes in, of this self, and one that it writes. */
static bool draw_dtypes(const struct member *member, aclDataType *self, aclDataType *dtype, aclDataType *out)
{
    *self = dtypes[random_below(DTYPES)];
    *dtype = random_below(3) == 0 ? *self : dtypes[random_below(DTYPES)];
    *out = member->is_mean && random_below(3) == 0 ? dtypes[random_below(DTYPES)] : *dtype;
    if (!member->is_mean)
        return true;
    return *self != ACL_BOOL && *dtype != ACL_BOOL && *out != ACL_BOOL && can_cast(*self, *dtype) &&
           can_cast(*dtype, *out);
}

static void sums_of_all_shapes_layouts_and_dtypes_have_every_bit(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 16, 31, 40, 70, 130, 300};
    (void)state;
    for (int i = 0; i < times_effort(500); i++) {
        const struct member *member = &members[(size_t)i % (sizeof members / sizeof members[0])];
        aclDataType self, dtype, out;
        const unsigned rank = (unsigned)random_below(LAYOUT_RANK_MAX);
        int64_t shape[LAYOUT_RANK_MAX], count = 1;
        for (unsigned k = 0; k < rank; k++) {
            shape[k] = sizes[random_below(sizeof sizes / sizeof sizes[0])];
            shape[k] = count * shape[k] > 20000 ? 1 : shape[k];
            count *= shape[k];
        }
        while (!draw_dtypes(member, &self, &dtype, &out))
            ;
        unsigned reduced = (unsigned)random_below(1 << rank);
        reduced = reduced == 0 ? (1u << rank) - 1 : reduced; /* no dims mean all */
        try_call(member, self, dtype, out, rank, shape, reduced, random_below(2) == 0,
                 (enum layout_kind)random_below(LAYOUT_KINDS));
    }
}

/* So many elements that threads share them: tiles, blocks of few tiles, and blocks of one output. */
static void long_sums_have_every_bit(void **state)
{
    static const struct {
        int64_t shape[2];
        unsigned reduced;
    } cases[] = {{{300007, 1}, 3}, {{3, 100003}, 2}, {{50021, 7}, 1},  {{20011, 40}, 1}, {{40, 20011}, 1},
                 {{30011, 5}, 2},  {{5000, 100}, 2}, {{2, 120000}, 3}, {{61, 9001}, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int kind = 0; kind < LAYOUT_KINDS; kind++) {
            const aclDataType dtype = dtypes[random_below(DTYPES)];
            try_call(&members[0], dtype, dtype, dtype, 2, cases[i].shape, cases[i].reduced, true,
                     (enum layout_kind)kind);
            try_call(&members[1], ACL_FLOAT, ACL_FLOAT, ACL_FLOAT, 2, cases[i].shape, cases[i].reduced, false,
                     (enum layout_kind)kind);
        }
}

/* INT64 whose sum has more bits than one. */
static void means_of_great_integers_are_exact(void **state)
{
    static const int64_t shape[] = {5000};
    (void)state;
    struct layout self = layout_create(ACL_INT64, 1, shape, LAYOUT_CONTIGUOUS);
    struct layout out = layout_create(ACL_INT64, 0, shape, LAYOUT_CONTIGUOUS);
    const struct call_case call = {.member = &members[1], .dtype = ACL_INT64, .self = self, .out = out};
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t *value = (int64_t *)(void *)self.memory, mean;
        for (int64_t i = 0; i < shape[0]; i++)
            value[i] = sign * (INT64_MAX - i);
        run(&call, aclCreateIntArray(NULL, 0), false);
        memcpy(&mean, out.memory, sizeof mean);
        assert_int_equal(mean, sign * (INT64_MAX - (shape[0] - 1) / 2 - 1 + (shape[0] % 2)));
    }
    layout_destroy(&self);
    layout_destroy(&out);
}

/* The value of nothing, by dtype; complex ones are refused. */
static void sums_of_nothing(void **state)
{
    static const int64_t shape[] = {3, 0}, left[] = {3}, dim[] = {1};
    (void)state;
    aclIntArray *dims = aclCreateIntArray(dim, 1);
    for (size_t m = 0; m < sizeof members / sizeof members[0]; m++)
        for (int d = 0; d < DTYPES; d++) {
            if (members[m].is_mean && dtypes[d] == ACL_BOOL)
                continue;
            struct call_case call = {.member = &members[m], .dtype = dtypes[d], .outputs = 3, .reduced = 2};
            call.self = layout_create(dtypes[d], 2, shape, LAYOUT_CONTIGUOUS);
            call.out = layout_create(dtypes[d], 1, left, LAYOUT_GAPS);
            uint64_t bytes;
            aclOpExecutor *executor;
            if (is_complex_dtype(dtypes[d])) {
                assert_int_equal(members[m].plan(call.self.tensor, dims, false, dtypes[d], call.out.tensor,
                                                 &bytes, &executor),
                                 ACLNN_ERR_PARAM_INVALID);
            } else {
                run(&call, dims, false);
                assert_outputs(&call, &call.self);
            }
            layout_destroy(&call.self);
            layout_destroy(&call.out);
        }
    assert_int_equal(aclDestroyIntArray(dims), 0);
}

/* As if the input had been copied first. */
static void an_output_may_lie_in_the_input(void **state)
{
    static const int64_t shape[] = {40, 300}, left[] = {300}, one[] = {1}, dim[] = {0};
    (void)state;
    aclIntArray *dims = aclCreateIntArray(dim, 1);
    for (int64_t offset = 0; offset < 12000 - 300; offset += 1711) {
        struct layout self = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
        struct layout before = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS), out = self;
        layout_fill(&self, 10, false);
        memcpy(before.memory, self.memory, 12000 * sizeof(float));
        out.rank = 1;
        out.shape[0] = 300;
        out.stride[0] = 1;
        out.offset = offset;
        out.tensor = aclCreateTensor(left, 1, ACL_FLOAT, one, offset, ACL_FORMAT_ND, shape, 2,
                                     memory_known_as(self.memory));
        struct call_case call = {.member = &members[0],
                                 .dtype = ACL_FLOAT,
                                 .self = self,
                                 .out = out,
                                 .reduced = 1,
                                 .outputs = 300};
        call.elements = 40;
        run(&call, dims, false);
        assert_outputs(&call, &before);
        assert_int_equal(aclDestroyTensor(out.tensor), 0);
        layout_destroy(&self);
        layout_destroy(&before);
    }
    assert_int_equal(aclDestroyIntArray(dims), 0);
}

/* Rows of the contract that are the family's own: dims, dtypes and shapes, of every member. */
static void faults_are_refused(void **state)
{
    static const struct {
        int64_t dim[2];
        uint64_t count;
        const char *text;
    } faults[] = {{{2}, 1, "names dim 2 of self; one from -2 to 1 is expected"},
                  {{-3}, 1, "names dim -3 of self"},
                  {{1, -1}, 2, "names dim 1 twice"}};
    (void)state;
    for (size_t m = 0; m < sizeof members / sizeof members[0]; m++) {
        struct attempt attempt = accepted(find(members[m].name));
        for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
            char text[128];
            assert_int_equal(aclDestroyIntArray(attempt.argument[1].ints), 0);
            attempt.argument[1].ints = aclCreateIntArray(faults[i].dim, faults[i].count);
            snprintf(text, sizeof text, "%s %s", attempt.function->parameter[1].name, faults[i].text);
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, text);
        }
        release(&attempt);
        attempt = accepted(find(members[m].name));
        attempt.argument[3].int64 = ACL_UINT32;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dtype is UINT32");
        attempt.argument[3].int64 = members[m].is_mean ? ACL_COMPLEX64 : ACL_DOUBLE;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype FLOAT");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnMean"));
    attempt.argument[3].int64 = ACL_INT32;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self is FLOAT, which is not cast to dtype INT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_all_shapes_layouts_and_dtypes_have_every_bit),
        cmocka_unit_test(long_sums_have_every_bit),
        cmocka_unit_test(means_of_great_integers_are_exact),
        cmocka_unit_test(sums_of_nothing),
        cmocka_unit_test(an_output_may_lie_in_the_input),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
