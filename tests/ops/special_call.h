/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A function of elements, called by its description on every tuple of special values: tensors hold all
 * tuples, scalars and tensors of one element take each value in turn. What comes out is compared with the
 * row's reference. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_SPECIAL_CALL_H
#define BELAY_TESTS_OPS_SPECIAL_CALL_H

#include "ops/attempt.h"
#include "ops/formula_rows.h"
#include "ops/layout.h"
#include "ops/special_set.h"

enum { XS_MAX = 5 };

/* A function of elements that has no row in formula_rows.h. */
struct special_row {
    struct row row;
    unsigned inputs;  /* the reference's x are so many of the first tensors and scalars; 0: all tensors */
    unsigned lone;    /* a bit for each tensor that has one element */
    double absent_is; /* of a tensor that is NULL; 0: minus and plus infinity, as bounds */
};

enum use { USE_NUMBER, USE_TENSOR, USE_LONE, USE_OUTPUT, USE_IGNORED, USE_ABSENT };

struct special_call {
    const struct special_row *row;
    const struct function *function;
    aclDataType dtype;
    struct special_set set;
    enum use use[PARAMETERS_MAX];
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[PARAMETERS_MAX];
    unsigned xs, tensors, lones;
    unsigned parameter_of_x[XS_MAX];
    unsigned which[XS_MAX]; /* of each x that is alone the value that it has */
    double number[NUMBERS_MAX + 1];
    unsigned output;
    int64_t count;
    bool is_moderate, is_refused;
};

static inline bool is_number_kind(const struct parameter *parameter)
{
    return !parameter_is_tensor(parameter) && parameter->kind != PARAMETER_DTYPE;
}

static inline bool is_lone_kind(const struct special_call *call, unsigned i)
{
    const struct parameter *parameter = &call->function->parameter[i];
    return parameter->kind == PARAMETER_SCALAR || parameter->kind == PARAMETER_SCALAR_LIST ||
           (parameter->kind == PARAMETER_TENSOR &&
            ((call->row->lone >> i & 1) != 0 || call->function->family == FAMILY_FOREACH));
}

static inline enum use use_of(struct special_call *call, unsigned i)
{
    const struct parameter *parameter = &call->function->parameter[i];
    if ((call->row->row.absent >> i & 1) != 0)
        return USE_ABSENT;
    if (parameter->role == ROLE_IGNORED)
        return USE_IGNORED;
    if (parameter_is_output(parameter))
        return USE_OUTPUT;
    const bool is_lone = is_lone_kind(call, i);
    if (is_lone && (parameter_is_tensor(parameter) || call->xs < call->row->inputs))
        return USE_LONE;
    return parameter_is_read(parameter) ? USE_TENSOR : USE_NUMBER;
}

static inline const struct settings *special_settings(void)
{
    const struct settings *settings = NULL;
    assert_int_equal(settings_get(&settings), 0);
    return settings;
}

/* The dtype that a tensor has in a call that computes in another. */
static inline aclDataType dtype_beside(const struct parameter *parameter, aclDataType dtype)
{
    const uint64_t dtypes = parameter->dtypes->on[special_settings()->product];
    return (dtypes & DTYPE_BIT(dtype)) != 0       ? dtype
           : (dtypes & DTYPE_BIT(ACL_FLOAT)) != 0 ? ACL_FLOAT
                                                  : ACL_BOOL;
}

/* What the formula sees of a number: a scalar is read in the dtype that is computed in. */
static inline double special_number_seen(const struct special_call *call, unsigned i, double number)
{
    const struct parameter *parameter = &call->function->parameter[i];
    const bool is_single = (parameter->kind == PARAMETER_SCALAR && call->dtype != ACL_DOUBLE &&
                            special_digits(call->dtype) != 0) ||
                           parameter->kind == PARAMETER_FLOAT;
    return is_single ? (double)(float)number : number;
}

static inline union argument special_number(const struct special_call *call, unsigned i, double number)
{
    const struct parameter *parameter = &call->function->parameter[i];
    int64_t whole = fabs(number) < 0x1p62 ? (int64_t)number : 0;
    switch (parameter->kind) {
    case PARAMETER_SCALAR:
        return argument_of_pointer(special_digits(call->dtype) == 0 ? aclCreateScalar(&whole, ACL_INT64)
                                                                    : aclCreateScalar(&number, ACL_DOUBLE));
    case PARAMETER_DOUBLE:
        return argument_of_fp64(number);
    case PARAMETER_FLOAT:
        return argument_of_fp32((float)number);
    case PARAMETER_STRING:
        return argument_of_pointer(number == 1 ? "tanh" : "none");
    case PARAMETER_BOOL:
        return argument_of_bool(number != 0);
    default:
        return argument_of_integer(whole);
    }
}

/* Which value the x has in this tuple. */
static inline unsigned special_index(const struct special_call *call, unsigned x, int64_t tuple)
{
    for (unsigned i = 0; i < x; i++)
        if (call->use[call->parameter_of_x[i]] == USE_TENSOR)
            tuple /= call->set.count;
    return call->use[call->parameter_of_x[x]] == USE_TENSOR ? (unsigned)(tuple % call->set.count)
                                                            : call->which[x];
}

static inline const void *listed(const struct parameter *parameter, aclTensor *tensor)
{
    const aclTensor *const list[] = {tensor};
    return parameter->kind == PARAMETER_TENSOR_LIST ? (const void *)aclCreateTensorList(list, 1)
                                                    : (const void *)tensor;
}

static inline void special_add_tensor(struct special_call *call, unsigned i, aclDataType dtype, unsigned rank,
                                      const int64_t *shape)
{
    call->tensor[i] = layout_create(dtype, rank, shape, LAYOUT_CONTIGUOUS);
    call->argument[i].handle = listed(&call->function->parameter[i], call->tensor[i].tensor);
}

static inline void special_set_element(const struct special_call *call, unsigned i, int64_t index,
                                       unsigned which)
{
    unsigned char *element = layout_element(&call->tensor[i], index);
    double value;
    conversion_reference(call->set.element[which], call->dtype, element, call->tensor[i].dtype);
    conversion_reference(call->set.element[which], call->dtype, &value, ACL_DOUBLE);
    if (special_digits(call->dtype) != 0 && special_digits(call->tensor[i].dtype) == 0)
        *element = value != 0; /* a condition */
}

/* A scalar, a list of one, or a tensor with one element. */
static inline void special_give_lone(struct special_call *call, unsigned i, unsigned which)
{
    const struct parameter *parameter = &call->function->parameter[i];
    static const int64_t one = 1;
    if (parameter_is_tensor(parameter)) {
        special_add_tensor(call, i, dtype_beside(parameter, call->dtype), 1, &one);
        special_set_element(call, i, 0, which);
        return;
    }
    aclScalar *scalar = aclCreateScalar(call->set.element[which], call->dtype);
    const aclScalar *const list[] = {scalar};
    call->argument[i].handle = parameter->kind == PARAMETER_SCALAR_LIST
                                   ? (const void *)aclCreateScalarList(list, 1)
                                   : (const void *)scalar;
}

static inline void special_give_tensor(struct special_call *call, unsigned i, unsigned x)
{
    const struct parameter *parameter = &call->function->parameter[i];
    special_add_tensor(call, i, dtype_beside(parameter, call->dtype), 1, &call->count);
    for (int64_t k = 0; k < call->count; k++)
        special_set_element(call, i, k, special_index(call, x, k));
}

/* What each parameter is for, and the numbers. */
static inline void special_prepare(struct special_call *call)
{
    unsigned given = 0, numbers = 0;
    double attribute[NUMBERS_MAX];
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        call->use[i] = use_of(call, i);
        const bool is_x =
            call->use[i] == USE_TENSOR || call->use[i] == USE_LONE ||
            (call->use[i] == USE_ABSENT && (parameter_is_tensor(parameter) || call->xs < call->row->inputs));
        if (is_x) {
            assert_true(call->xs < XS_MAX);
            call->parameter_of_x[call->xs++] = i;
            call->tensors += call->use[i] == USE_TENSOR;
            call->lones += call->use[i] == USE_LONE;
        }
        /* Numbers, and scalars in the place of tensors, of which rows say one as well. */
        if (is_number_kind(parameter) && call->use[i] != USE_IGNORED) {
            const double number = given < NUMBERS_MAX ? call->row->row.number[given] : 0;
            attribute[given < NUMBERS_MAX ? given : NUMBERS_MAX - 1] = number;
            given++;
            if (!is_x && numbers < NUMBERS_MAX)
                call->number[numbers++] = special_number_seen(call, i, number);
        }
    }
    call->set =
        special_set_of(call->dtype, attribute, given < NUMBERS_MAX ? given : NUMBERS_MAX, call->is_moderate);
    call->count = 1;
    for (unsigned i = 0; i < call->tensors; i++)
        call->count *= call->set.count;
}

static inline void special_give(struct special_call *call)
{
    unsigned x = 0, given = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        const double number =
            is_number_kind(parameter) && given < NUMBERS_MAX ? call->row->row.number[given] : 0;
        given += is_number_kind(parameter);
        if (x < call->xs && call->parameter_of_x[x] == i)
            x++;
        if (call->use[i] == USE_TENSOR)
            special_give_tensor(call, i, x - 1);
        else if (call->use[i] == USE_LONE)
            special_give_lone(call, i, call->which[x - 1]);
        else if (call->use[i] == USE_NUMBER && parameter->kind == PARAMETER_DTYPE)
            call->argument[i] = argument_of_integer(call->dtype);
        else if (call->use[i] == USE_NUMBER)
            call->argument[i] = special_number(call, i, number);
        else if (call->use[i] == USE_IGNORED && parameter_is_tensor(parameter))
            special_add_tensor(call, i, call->dtype, 1, &call->count);
    }
}

/* The first output, or where there is none the first tensor that is changed. */
static inline bool special_give_outputs(struct special_call *call)
{
    struct result result;
    if (function_infer(call->function, call->argument, &result) != 0)
        return false;
    bool has_output = false;
    for (unsigned i = 0, written = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        if (!parameter_is_written(parameter))
            continue;
        const struct output *output = &result.output[written++];
        if (parameter->kind == PARAMETER_TENSOR &&
            (parameter->dtypes->on[special_settings()->product] & DTYPE_BIT(output->dtype)) == 0)
            return false;
        if (parameter_is_output(parameter))
            special_add_tensor(call, i,
                               parameter->kind == PARAMETER_TENSOR_LIST ? call->dtype : output->dtype,
                               parameter->kind == PARAMETER_TENSOR_LIST ? 1 : output->shape.rank,
                               parameter->kind == PARAMETER_TENSOR_LIST ? &call->count : output->shape.dim);
        if (!has_output)
            call->output = i;
        has_output = true;
    }
    return true;
}

static inline void special_release(struct special_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        if (call->argument[i].handle == NULL && call->tensor[i].tensor == NULL)
            continue;
        if (parameter_is_handle(parameter))
            release_argument(parameter, call->argument[i]);
        if (call->tensor[i].memory != NULL)
            assert_int_equal(aclrtFree(memory_known_as(call->tensor[i].memory)), 0);
        call->tensor[i] = (struct layout){.memory = NULL};
        call->argument[i] = argument_of_integer(0);
    }
}

static inline double unit_in(aclDataType dtype, long double value)
{
    int exponent;
    const int digits = dtype == ACL_DOUBLE ? 53 : 24, least = dtype == ACL_DOUBLE ? -1021 : -125;
    frexpl(value, &exponent);
    return ldexp(1, (exponent > least ? exponent : least) - digits);
}

/* The double that is next to the number and odd, so that rounding it to fewer digits is as rounding at once.
 */
static inline double odd_double(long double exact)
{
    const double near = (double)exact;
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    if ((long double)near == exact || !isfinite(near) || (bits & 1) != 0)
        return near;
    return nextafter(near, (long double)near < exact ? INFINITY : -INFINITY);
}

/* Bit by bit, signs of zero and NaN included, or within the promised units of a number that is none of these.
 */
static inline bool special_matches(const struct function *function, aclDataType dtype,
                                   const unsigned char *found, long double exact)
{
    const size_t bytes = conversion_bytes(dtype);
    unsigned char expected[16];
    const double rounded = isnan(exact)          ? (double)NAN
                           : dtype == ACL_DOUBLE ? (double)exact
                                                 : odd_double(exact);
    conversion_reference(&rounded, ACL_DOUBLE, expected, dtype);
    if (memcmp(found, expected, bytes) == 0)
        return true;
    double value, near;
    conversion_reference(found, dtype, &value, ACL_DOUBLE);
    conversion_reference(expected, dtype, &near, ACL_DOUBLE);
    const struct promise *promise = function->promise;
    const struct tier_of *tier = dtype == ACL_DOUBLE                              ? &promise->fp64
                                 : dtype != ACL_FLOAT                             ? &promise->halves
                                 : special_settings()->accuracy == ACCURACY_EXACT ? &promise->fp32_exact
                                                                                  : &promise->fp32;
    /* The terms of a sum are doubles, which may lie on the other side of a tie. */
    for (int side = -1; side <= 1 && tier->tier == TIER_SUM && isfinite(exact); side += 2) {
        const double beside = (double)(exact * (1 + side * 0x1p-49L));
        conversion_reference(&beside, ACL_DOUBLE, expected, dtype);
        if (memcmp(found, expected, bytes) == 0)
            return true;
    }
    /* What a sum of few terms is rounded from is as good as a formula. */
    const double ulp = tier->tier == TIER_ULP   ? (double)tier->ulp
                       : tier->tier != TIER_SUM ? 0
                       : dtype == ACL_DOUBLE    ? 8
                                                : 1;
    if (ulp == 0 || special_digits(dtype) < 23 || isnan(near) || isnan(value) || near == 0)
        return false;
    return signbit(value) == signbit(near) &&
           fabsl((long double)value - exact) <= (long double)ulp * unit_in(dtype, exact);
}

/* Of this program, and of the row: the first few of each are told. */
static unsigned special_failures, special_failures_of_row;
enum { FAILURES_TOLD = 3 };

static inline void special_fail(const struct special_call *call, const double *x, const void *found,
                                const char *expected)
{
    double value;
    char number[XS_MAX * 32] = "";
    special_failures++;
    if (special_failures_of_row++ >= FAILURES_TOLD)
        return;
    for (unsigned i = 0; i < call->xs; i++)
        snprintf(number + strlen(number), sizeof number - strlen(number), "%s%.9g", i > 0 ? ", " : "", x[i]);
    conversion_reference(found, call->tensor[call->output].dtype, &value, ACL_DOUBLE);
    print_error("%s of %s (numbers %g, %g, %g): (%s) gives %.17g and not %s\n",
                call->function->operation.name, dtype_name(call->dtype), call->number[0], call->number[1],
                call->number[2], number, value, expected);
}

static inline void special_judge(const struct special_call *call, int64_t index, const unsigned char *found)
{
    const struct row *row = &call->row->row;
    const struct layout *output = &call->tensor[call->output];
    double x[XS_MAX] = {0};
    long double wide[XS_MAX];
    int64_t whole[XS_MAX];
    for (unsigned i = 0; i < call->xs; i++) {
        const unsigned parameter = call->parameter_of_x[i];
        if (call->use[parameter] == USE_ABSENT) {
            const double bound = i == 1 ? (double)-INFINITY : (double)INFINITY;
            x[i] = call->row->absent_is != 0 ? call->row->absent_is : bound;
            whole[i] = i == 1 ? INT64_MIN : INT64_MAX;
        } else {
            const unsigned char *element = call->set.element[special_index(call, i, index)];
            conversion_reference(element, call->dtype, &x[i], ACL_DOUBLE);
            if (call->dtype == ACL_INT64)
                memcpy(&whole[i], element, sizeof whole[i]);
            else
                conversion_reference(element, call->dtype, &whole[i], ACL_INT64);
        }
        wide[i] = x[i];
    }
    char text[48];
    const bool is_in_doubles = call->dtype == ACL_DOUBLE || call->function->promise->fp32.tier == TIER_SUM;
    if (is_in_doubles && row->is_beyond != NULL && row->is_beyond(wide, call->number))
        return;
    if (special_digits(call->dtype) != 0) {
        const long double exact = row->reference(wide, call->number);
        snprintf(text, sizeof text, "%.17Lg", exact);
        if (!special_matches(call->function, output->dtype, found, exact))
            special_fail(call, x, found, text);
        return;
    }
    int64_t numbers[NUMBERS_MAX];
    for (int k = 0; k < NUMBERS_MAX; k++)
        numbers[k] = fabs(call->number[k]) < 0x1p62 ? (int64_t)call->number[k] : 0;
    const int64_t bits = call->dtype == ACL_BOOL ? 1 : 8 * (int64_t)conversion_bytes(call->dtype);
    numbers[NUMBERS_MAX - 1] = call->dtype == ACL_UINT8 || call->dtype == ACL_UINT64 ? bits + 1 : bits;
    const int64_t exact = row->integers(whole, numbers);
    unsigned char expected[16] = {0};
    memcpy(expected, &exact, sizeof exact);
    if (output->dtype == ACL_BOOL)
        expected[0] = call->dtype == ACL_BOOL ? exact & 1 : exact != 0;
    snprintf(text, sizeof text, "%lld", (long long)exact);
    if (memcmp(found, expected, output->bytes) != 0)
        special_fail(call, x, found, text);
}

static inline void special_run(struct special_call *call)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    special_give(call);
    call->is_refused = !special_give_outputs(call);
    if (!call->is_refused) {
        if (function_plan(call->function, call->argument, &bytes, &executor) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_int_equal(call->function->launch(NULL, 0, executor, NULL), 0);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        const struct layout *output = &call->tensor[call->output];
        for (int64_t i = 0; i < output->count; i++)
            special_judge(call, i, layout_element(output, i));
    }
    special_release(call);
}

/* Whether all its tensors may be of the dtype, conditions and tensors of one number aside. */
static inline bool special_takes(const struct special_call *call)
{
    bool takes = true;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        if (call->use[i] != USE_TENSOR)
            continue;
        const uint64_t dtypes = parameter->dtypes->on[special_settings()->product];
        takes = takes && ((dtypes & DTYPE_BIT(call->dtype)) != 0 ||
                          (dtypes & ~(DTYPE_BIT(ACL_BOOL) | DTYPE_BIT(ACL_UINT8))) == 0);
    }
    return takes;
}

/* Every tuple; false where the function does not take the dtype. */
static inline bool special_try(const struct special_row *row, aclDataType dtype, bool is_moderate)
{
    struct special_call call = {
        .row = row, .function = find(row->row.name), .dtype = dtype, .is_moderate = is_moderate};
    const bool is_float = special_digits(dtype) != 0;
    if (is_float ? row->row.reference == NULL : row->row.integers == NULL)
        return false;
    special_prepare(&call);
    if (!special_takes(&call) || (is_moderate && call.tensors > 3))
        return false;
    for (;;) {
        special_run(&call);
        if (call.is_refused)
            return false;
        unsigned x = 0;
        for (; x < call.xs; x++) {
            if (call.use[call.parameter_of_x[x]] != USE_LONE)
                continue;
            if (++call.which[x] < call.set.count)
                break;
            call.which[x] = 0;
        }
        if (x == call.xs)
            return true;
    }
}

#endif
