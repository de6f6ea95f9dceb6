/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Variances, deviations, norms, logarithms of sums of powers, products and dot products along any dims, in
 * any layout and dtype, against long double; what they refuse; and that bits depend neither on the level nor
 * on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { ELEMENTS = 20000, OUTPUTS_OF_CALL = 2 };

/* What is computed of the elements that go into one output. */
typedef void statistic(const long double *x, int64_t count, double number, long double *result);

static void variance(const long double *x, int64_t count, double correction, long double *result)
{
    long double mean = 0, squares = 0;
    const long double n = (long double)count, divisor = n - (long double)correction;
    for (int64_t i = 0; i < count; i++)
        mean += x[i] / n;
    for (int64_t i = 0; i < count; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    result[0] = count > 0 ? squares / fmaxl(divisor, 0) : (long double)NAN;
    result[1] = count > 0 ? mean : (long double)NAN;
}

static void deviation(const long double *x, int64_t count, double correction, long double *result)
{
    variance(x, count, correction, result);
    result[0] = sqrtl(result[0]);
}

static void log_sum_exp(const long double *x, int64_t count, double number, long double *result)
{
    long double most = -(long double)INFINITY, sum = 0;
    (void)number;
    for (int64_t i = 0; i < count; i++)
        most = x[i] > most || isnan(x[i]) ? x[i] : most;
    for (int64_t i = 0; i < count; i++)
        sum += isnan(x[i]) ? x[i] : expl(x[i] - most);
    result[0] = isinf(most) ? most : most + logl(sum);
    for (int64_t i = 0; i < count; i++)
        result[0] = isnan(x[i]) ? x[i] : result[0];
}

static void norm(const long double *x, int64_t count, double p, long double *result)
{
    long double sum = isinf(p) && p < 0 ? (long double)INFINITY : 0;
    for (int64_t i = 0; i < count; i++) {
        const long double size = fabsl(x[i]);
        if (isnan(size) && p != 0)
            sum = size;
        sum = isnan(sum) ? sum
              : p == 0   ? sum + (size != 0)
              : isinf(p) ? (p > 0 ? fmaxl(sum, size) : fminl(sum, size))
                         : sum + powl(size, (long double)p);
    }
    result[0] = count == 0 ? 0 : p == 0 || isinf(p) || isnan(sum) ? sum : powl(sum, 1 / (long double)p);
}

static void product(const long double *x, int64_t count, double number, long double *result)
{
    (void)number;
    result[0] = 1;
    for (int64_t i = 0; i < count; i++)
        result[0] *= x[i];
}

static void nansum(const long double *x, int64_t count, double number, long double *result)
{
    (void)number;
    result[0] = 0;
    for (int64_t i = 0; i < count; i++)
        result[0] += isnan(x[i]) ? 0 : x[i];
}

/* The number is whether an empty list stands for no dim: then every element is alone, and is copied. */
static void mean(const long double *x, int64_t count, double is_copy, long double *result)
{
    (void)is_copy;
    result[0] = count == 0 ? (long double)NAN : 0;
    for (int64_t i = 0; i < count; i++)
        result[0] += x[i] / (long double)count;
}

static void log_sum(const long double *x, int64_t count, double is_copy, long double *result)
{
    result[0] = 0;
    for (int64_t i = 0; i < count; i++)
        result[0] += x[i];
    result[0] = is_copy != 0 ? result[0] : count == 0 ? 0 : logl(result[0]);
}

/* Where the arguments of a function lie: self is the first one. */
static const struct {
    const char *name;
    statistic *of;
    int number, dims, keeps, dtype, out; /* -1: there is none */
    bool has_mean, has_list;
} functions_of[] = {
    {"aclnnVar", variance, 2, 1, 3, -1, 4, false, true},
    {"aclnnVarCorrection", variance, 2, 1, 3, -1, 4, false, true},
    {"aclnnStd", deviation, 2, 1, 3, -1, 4, false, true},
    {"aclnnVarMean", variance, 2, 1, 3, -1, 4, true, true},
    {"aclnnStdMeanCorrection", deviation, 2, 1, 3, -1, 4, true, true},
    {"aclnnLogSumExp", log_sum_exp, -1, 1, 2, -1, 3, false, true},
    {"aclnnNorm", norm, 1, 2, 3, -1, 4, false, true},
    {"aclnnLinalgVectorNorm", norm, 1, 2, 3, 4, 5, false, true},
    {"aclnnReduceNansum", nansum, -1, 1, 2, 3, 4, false, true},
    {"aclnnMeanV2", mean, 3, 1, 2, -1, 4, false, true},
    {"aclnnReduceLogSum", log_sum, 3, 1, 2, -1, 4, false, true},
    {"aclnnProdDim", product, -1, 1, 2, 3, 4, false, false},
    {"aclnnProd", product, -1, -1, -1, 1, 2, false, false},
};

enum { FUNCTIONS = sizeof functions_of / sizeof functions_of[0] };

struct statistic_call {
    size_t m;
    union argument argument[6];
    struct layout self, out[OUTPUTS_OF_CALL];
    bool is_gone[4];
    double number;
    aclDataType computed; /* what elements are cast to, and results rounded to */
};

static double draw_power(void)
{
    static const double powers[] = {0, 1, 2, 3, 0.5, -1, -2.5, 40, 1e3, (double)INFINITY, -(double)INFINITY};
    return powers[random_below(sizeof powers / sizeof powers[0])];
}

/* The dims that go, one of them where a list would not do, and the outputs. */
static void draw_dims_and_outputs(struct statistic_call *call)
{
    const size_t m = call->m;
    const unsigned rank = call->self.rank;
    int64_t dims[4], kept[4];
    unsigned dim_count = 0, kept_rank = 0;
    const bool keeps = functions_of[m].keeps >= 0 && random_below(2) == 0;
    const bool is_all =
        functions_of[m].dims < 0 || (functions_of[m].has_list && (rank == 0 || random_below(4) == 0));
    const bool is_copy =
        is_all && (functions_of[m].of == mean || functions_of[m].of == log_sum) && call->number != 0;
    const unsigned one = rank > 0 ? (unsigned)random_below(rank) : 0;
    call->number = functions_of[m].of == log_sum ? is_copy : call->number;
    for (unsigned i = 0; i < rank; i++) {
        call->is_gone[i] =
            is_copy ? false : is_all || i == one || (functions_of[m].has_list && random_below(2) == 0);
        if (call->is_gone[i] && !is_all)
            dims[dim_count++] = random_below(2) == 0 ? i : (int64_t)i - rank;
        if (!call->is_gone[i] || keeps)
            kept[kept_rank++] = call->is_gone[i] ? 1 : call->self.shape[i];
    }
    if (functions_of[m].has_list)
        call->argument[functions_of[m].dims].ints = aclCreateIntArray(dims, dim_count);
    else if (functions_of[m].dims >= 0)
        call->argument[functions_of[m].dims].int64 = rank > 0 ? dims[0] : -1;
    if (functions_of[m].keeps >= 0)
        call->argument[functions_of[m].keeps] = argument_of_bool(keeps);
    for (unsigned i = 0; i <= functions_of[m].has_mean; i++) {
        call->out[i] = layout_create(functions_of[m].dtype >= 0 || functions_of[m].of == mean ||
                                             functions_of[m].of == log_sum
                                         ? call->computed
                                         : short_dtypes[random_below(3)],
                                     kept_rank, kept, (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&call->out[i], 1, false);
        call->argument[functions_of[m].out + (int)i].tensor = call->out[i].tensor;
    }
}

static void draw_call(struct statistic_call *call, size_t m, unsigned rank, const int64_t *shape)
{
    memset(call, 0, sizeof *call);
    call->m = m;
    call->self = layout_create(functions_of[m].of == product
                                   ? (aclDataType[]){ACL_FLOAT, ACL_BF16, ACL_DOUBLE}[random_below(3)]
                                   : short_dtypes[random_below(3)],
                               rank, shape, (enum layout_kind)random_below(LAYOUT_KINDS));
    layout_fill(&call->self, functions_of[m].of == product ? 2.5 : 8,
                random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
    call->computed = functions_of[m].dtype >= 0 ? short_dtypes[random_below(3)] : call->self.dtype;
    call->argument[0].tensor = call->self.tensor;
    if (functions_of[m].of == norm) {
        call->number = draw_power();
        const float power = (float)call->number;
        call->argument[functions_of[m].number].scalar = aclCreateScalar((void *)(uintptr_t)&power, ACL_FLOAT);
    } else if (functions_of[m].number >= 0) {
        const bool is_flag = m == 0 || functions_of[m].of == mean || functions_of[m].of == log_sum;
        const int64_t correction = is_flag ? random_below(2) : random_below(5) - 1;
        call->number = (double)correction;
        call->argument[functions_of[m].number].int64 = correction;
    }
    if (functions_of[m].dtype >= 0)
        call->argument[functions_of[m].dtype].int64 = call->computed;
    draw_dims_and_outputs(call);
}

static void forget(struct statistic_call *call)
{
    const size_t m = call->m;
    if (functions_of[m].of == norm)
        (void)aclDestroyScalar(call->argument[functions_of[m].number].scalar);
    if (functions_of[m].has_list)
        (void)aclDestroyIntArray(call->argument[functions_of[m].dims].ints);
    layout_destroy(&call->self);
    for (unsigned i = 0; i <= functions_of[m].has_mean; i++)
        layout_destroy(&call->out[i]);
}

/* The output that an element goes into. */
static int64_t output_of(const struct statistic_call *call, int64_t element)
{
    int64_t index[4], out = 0;
    for (unsigned i = call->self.rank; i-- > 0; element /= call->self.shape[i])
        index[i] = element % call->self.shape[i];
    for (unsigned i = 0; i < call->self.rank; i++)
        out = call->is_gone[i] ? out : out * call->self.shape[i] + index[i];
    return out;
}

static void check_call(const struct statistic_call *call)
{
    static long double x[ELEMENTS];
    const struct layout *self = &call->self;
    for (int64_t o = 0; o < call->out[0].count; o++) {
        long double result[2], size = 0;
        int64_t count = 0;
        for (int64_t i = 0; i < self->count; i++)
            if (output_of(call, i) == o) {
                const double value = element_of(self, i);
                unsigned char cast[16];
                double taken;
                conversion_reference(&value, ACL_DOUBLE, cast, call->computed);
                conversion_reference(cast, call->computed, &taken, ACL_DOUBLE);
                x[count] = (long double)taken;
                size += isfinite(taken) ? fabsl(x[count]) : 0;
                count++;
            }
        functions_of[call->m].of(x, count, call->number, result);
        const bool is_product = functions_of[call->m].of == product;
        for (unsigned i = 0; i <= functions_of[call->m].has_mean; i++)
            assert_near(functions_of[call->m].name, &call->out[i], o, result[i], call->out[i].dtype,
                        is_product ? fabsl(result[0]) * 0x1p-38L
                                   : (size + 1) * 0x1p-40L +
                                         (isfinite(result[i]) ? fabsl(result[i]) * 0x1p-36L : 0));
    }
}

static void statistics_of_all_layouts_are_near(void **state)
{
    static const int64_t none[] = {3, 0, 2}, empty[] = {0, 0}, wide[] = {3, 4500}, tall[] = {2500, 4};
    static const int64_t *const shapes[] = {none, empty, wide, tall};
    static const unsigned ranks[] = {3, 2, 2, 2};
    struct statistic_call call;
    (void)state;
    for (int i = 0; i < times_effort(1000); i++) {
        int64_t shape[4];
        unsigned rank = draw_dims(shape, 0, 4, 2000);
        const bool is_special = i % 25 == 0;
        draw_call(&call, (size_t)i % FUNCTIONS, is_special ? ranks[i / 25 % 4] : rank,
                  is_special ? shapes[i / 25 % 4] : shape);
        if (call_function(find(functions_of[call.m].name), call.argument) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        check_call(&call);
        forget(&call);
    }
}

/* Integers wrap, complex numbers are multiplied part by part. */
static void products_of_other_dtypes(void **state)
{
    static const int64_t shape[] = {3, 7};
    (void)state;
    for (int i = 0; i < 40; i++) {
        const aclDataType dtype =
            (aclDataType[]){ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL, ACL_COMPLEX64}[i % 5];
        const int64_t kept[] = {i % 2 == 0 ? 7 : 3};
        struct layout self = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout out = layout_create(dtype, 1, kept, LAYOUT_GAPS);
        layout_fill(&self, 1.5, false);
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.int64 = i % 2},
                                           argument_of_bool(false),
                                           {.int64 = dtype},
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnProdDim"), argument), 0);
        for (int64_t o = 0; o < kept[0]; o++) {
            uint64_t whole = 1;
            double real = 1, imaginary = 0;
            for (int64_t k = 0; k < 21 / kept[0]; k++) {
                const unsigned char *element = layout_element(&self, i % 2 == 0 ? k * 7 + o : o * 7 + k);
                uint64_t value;
                double part[2];
                conversion_reference(element, dtype, &value, ACL_INT64);
                conversion_reference(element, dtype, part, ACL_COMPLEX128);
                whole *= value;
                const double next = real * part[0] - imaginary * part[1];
                imaginary = real * part[1] + imaginary * part[0];
                real = next;
            }
            if (dtype == ACL_COMPLEX64) {
                double got[2];
                conversion_reference(layout_element(&out, o), dtype, got, ACL_COMPLEX128);
                assert_true(fabs(got[0] - real) <= 1e-6 * (fabs(real) + fabs(imaginary)) + 1e-30);
                assert_true(fabs(got[1] - imaginary) <= 1e-6 * (fabs(real) + fabs(imaginary)) + 1e-30);
            } else {
                unsigned char wanted[16];
                conversion_reference(&whole, ACL_INT64, wanted, dtype);
                assert_memory_equal(layout_element(&out, o), wanted, out.bytes);
            }
        }
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void dot_products(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT16, ACL_INT64};
    (void)state;
    for (int i = 0; i < 120; i++) {
        const aclDataType dtype = dtypes[i % 6];
        const int64_t count = i < 6 ? 0 : random_below(i < 60 ? 70 : 9000);
        struct layout in[2],
            out = layout_create(dtype, (unsigned)random_below(2), (const int64_t[]){1}, LAYOUT_GAPS);
        long double sum = 0, size = 0;
        uint64_t whole = 0, last;
        for (int k = 0; k < 2; k++) {
            in[k] = layout_create(dtype, 1, &count, (enum layout_kind)random_below(LAYOUT_KINDS));
            layout_fill(&in[k], 3, false);
        }
        const union argument argument[] = {
            {.tensor = in[0].tensor}, {.tensor = in[1].tensor}, {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnDot"), argument), 0);
        for (int64_t k = 0; k < count; k++) {
            uint64_t value[2];
            for (int j = 0; j < 2; j++)
                conversion_reference(layout_element(&in[j], k), dtype, &value[j], ACL_INT64);
            whole += value[0] * value[1];
            const long double product =
                (long double)element_of(&in[0], k) * (long double)element_of(&in[1], k);
            sum += product;
            size += fabsl(product);
        }
        if (is_float_dtype(dtype)) {
            /* Each of the additions in fp64 rounds what is no larger than the sum of sizes. */
            assert_near("aclnnDot", &out, 0, sum, dtype, (long double)count * size * 0x1p-53L);
        } else {
            unsigned char wanted[16];
            conversion_reference(&whole, ACL_INT64, wanted, dtype);
            memcpy(&last, wanted, sizeof last);
            assert_memory_equal(layout_element(&out, 0), wanted, out.bytes);
        }
        for (int k = 0; k < 2; k++)
            layout_destroy(&in[k]);
        layout_destroy(&out);
    }
}

/* Norms of DOUBLE along the last dim, to its last digits, also where squares leave its range. */
static void norms_of_doubles_are_those_of_long_double(void **state)
{
    static const double orders[] = {2, 3, 1, 0, 0.5, -2, (double)INFINITY, -(double)INFINITY};
    (void)state;
    for (int round = 0; round < times_effort(160); round++) {
        const int64_t shape[] = {1 + random_below(4), 1 + random_below(200)}, last = 1;
        const double p = orders[round % 8], size = round % 3 == 0 ? 1e200 : round % 3 == 1 ? 1e-200 : 1;
        struct layout self = layout_create(ACL_DOUBLE, 2, shape, (enum layout_kind)random_below(3)),
                      out = layout_create(ACL_DOUBLE, 1, shape, LAYOUT_CONTIGUOUS);
        layout_fill(&self, 1, false);
        for (int64_t i = 0; i < self.count; i++)
            set_element(&self, i, (element_of(&self, i) + 1.5) * size);
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.scalar = aclCreateScalar((void *)(uintptr_t)&p, ACL_DOUBLE)},
                                           {.ints = aclCreateIntArray(&last, 1)},
                                           argument_of_bool(false),
                                           argument_of_integer(ACL_DOUBLE),
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnLinalgVectorNorm"), argument), 0);
        for (int64_t row = 0; row < shape[0]; row++) {
            long double sum = 0, most = 0, least = (long double)INFINITY;
            for (int64_t i = 0; i < shape[1]; i++) {
                const long double x = fabsl((long double)element_of(&self, row * shape[1] + i));
                sum += p == 0 ? x != 0 : isinf(p) ? 0 : powl(x, (long double)p);
                most = x > most ? x : most;
                least = x < least ? x : least;
            }
            const long double wanted = isinf(p) ? p > 0 ? most : least
                                       : p == 0 ? sum
                                                : powl(sum, 1 / (long double)p);
            const long double got = (long double)element_of(&out, row);
            if (!(fabsl(got - wanted) <= wanted * 0x1p-45L))
                fail_msg("norm of order %g is %Lg and not %Lg", p, got, wanted);
        }
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnVarMean"));
    replace(&attempt, 5, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "meanOut has shape [3]");
    replace_dtype(&attempt, 0, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype DOUBLE");
    release(&attempt);
    attempt = accepted(find("aclnnLinalgVectorNorm"));
    replace_dtype(&attempt, 5, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype FLOAT16");
    (void)aclDestroyIntArray(attempt.argument[2].ints);
    attempt.argument[2].ints = aclCreateIntArray(DIMS(1, -1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dims names dim 1 twice");
    release(&attempt);
    attempt = accepted(find("aclnnProdDim"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim");
    release(&attempt);
    attempt = accepted(find("aclnnProd"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    assert_accepted(&attempt);
    attempt.argument[1].int64 = ACL_COMPLEX64;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has no elements, and the result is COMPLEX64");
    release(&attempt);
    attempt = accepted(find("aclnnDot"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor");
    replace(&attempt, 0, plain(ACL_FLOAT));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 2 dims; 1 is expected");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][2] = {{300, 60}, {20, 900}, {2, 9000}, {9000, 2}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct statistic_call call;
    for (int i = 0; i < 120; i++) {
        draw_call(&call, (size_t)i % FUNCTIONS, 2, shapes[i % 4]);
        if (call_function(find(functions_of[call.m].name), call.argument) != 0)
            return 0;
        for (unsigned k = 0; k <= functions_of[call.m].has_mean; k++)
            hash = hash_of(call.out[k].memory, (size_t)(call.out[k].reach + 1) * call.out[k].bytes, hash);
        forget(&call);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_of_all_layouts_are_near),
        cmocka_unit_test(products_of_other_dtypes),
        cmocka_unit_test(dot_products),
        cmocka_unit_test(norms_of_doubles_are_those_of_long_double),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
