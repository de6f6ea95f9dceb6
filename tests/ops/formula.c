/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that are a formula of some tensors and some numbers: tensors in layouts drawn at random, of every
 * dtype that each takes, floats against the formula in long double, integers against that in int64, and the
 * kernels of every level against one another. The build runs this program for several numbers of threads and
 * for each level.
 */
#include "ops/pointwise/formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/layout.h"
#include "base/processor.h"
#include "simd/loops/formula_numbers.h"

#include "ops/formula_rows.h"
#include "support/effort.h"

enum { HALVES = 65536 };

/* A call of a function on tensors of its own: the inputs, then the output, which of what works in place is
 * the first input. */
struct trial {
    const struct row *row;
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[TENSORS_MAX];
    unsigned inputs, tensors;
    aclDataType dtype;
    bool has_all_halves; /* the tensor has each of the 65,536 numbers of 16 bits once */
    unsigned xs;
    int source[TENSORS_MAX]; /* of each x the tensor, or -1: it is a number */
    double number_of[TENSORS_MAX];
};

/* What the formula sees of a number: a scalar is read in the dtype that is computed in. */
static double number_seen(const struct trial *trial, const struct parameter *parameter, double number)
{
    bool is_single = parameter->kind == PARAMETER_SCALAR && trial->dtype != ACL_DOUBLE;
    return is_single && is_float_dtype(trial->dtype) ? (double)(float)number : number;
}

/* Numbers that no integer holds are for parameters that are none. */
static int64_t whole_of(double number)
{
    return fabs(number) < 0x1p62 ? (int64_t)number : 0;
}

static union argument argument_of_number(const struct parameter *parameter, double number, bool is_integer)
{
    int64_t whole = whole_of(number);
    switch (parameter->kind) {
    case PARAMETER_SCALAR:
        return argument_of_pointer(is_integer ? aclCreateScalar(&whole, ACL_INT64)
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
        return argument_of_integer((int64_t)number);
    }
}

/* A tensor of the dtype; what is written has no elements that share memory, so it may not repeat. */
static struct layout *add_tensor(struct trial *trial, unsigned parameter, unsigned rank, const int64_t *shape,
                                 bool is_written)
{
    const enum layout_kind kind = (enum layout_kind)random_below(is_written ? LAYOUT_REPEATED : LAYOUT_KINDS);
    struct layout *layout = &trial->tensor[trial->tensors++];
    *layout = layout_create(trial->dtype, rank, shape, kind);
    trial->argument[parameter].tensor = layout->tensor;
    return layout;
}

static void add_input(struct trial *trial, unsigned parameter, unsigned rank, const int64_t *shape)
{
    const struct formula_contract *formula = trial->function->of_family;
    const bool is_written = trial->has_all_halves || trial->function->parameter[parameter].role == ROLE_BOTH;
    int64_t dims[LAYOUT_RANK_MAX];
    for (unsigned i = 0; i < rank; i++)
        dims[i] = formula->broadcasts && !is_written && random_below(3) == 0 ? 1 : shape[i];
    layout_fill(add_tensor(trial, parameter, rank, dims, is_written),
                trial->row->size > 0 ? trial->row->size : 6, FEW_SPECIALS);
    for (uint32_t i = 0; trial->has_all_halves && i < HALVES; i++)
        memcpy(layout_element(&trial->tensor[trial->inputs], i), &(uint16_t){(uint16_t)i}, sizeof(uint16_t));
    trial->inputs++;
}

/* Of the shape that the inputs broadcast to. */
static void add_output(struct trial *trial, unsigned parameter, unsigned rank)
{
    int64_t dims[LAYOUT_RANK_MAX];
    for (unsigned i = 0; i < rank; i++) {
        dims[i] = 1;
        for (unsigned k = 0; k < trial->inputs; k++)
            dims[i] = trial->tensor[k].shape[i] != 1 ? trial->tensor[k].shape[i] : dims[i];
    }
    add_tensor(trial, parameter, rank, dims, true);
}

/* Where the element of an input lies that a result depends on. */
static const unsigned char *input_element(const struct layout *input, const struct layout *output,
                                          int64_t index)
{
    int64_t place = input->offset;
    for (unsigned dim = output->rank; dim-- > 0; index /= output->shape[dim])
        if (input->shape[dim] != 1)
            place += index % output->shape[dim] * input->stride[dim];
    return input->memory + (size_t)place * input->bytes;
}

static double unit(aclDataType dtype, long double value)
{
    int exponent;
    const int digits = dtype == ACL_DOUBLE ? 53 : 24, least = dtype == ACL_DOUBLE ? -1021 : -125;
    frexpl(value, &exponent);
    return ldexp(1, (exponent > least ? exponent : least) - digits);
}

static bool is_right(const struct trial *trial, const unsigned char *found, long double exact)
{
    unsigned char expected[8];
    const double rounded = isnan(exact) ? (double)NAN : (double)exact;
    double value;
    conversion_reference(&rounded, ACL_DOUBLE, expected, trial->dtype);
    if (memcmp(found, expected, trial->tensor[0].bytes) == 0)
        return true;
    conversion_reference(found, trial->dtype, &value, ACL_DOUBLE);
    const struct promise *promise = trial->function->promise;
    const struct tier_of *tier = trial->dtype == ACL_DOUBLE  ? &promise->fp64
                                 : trial->dtype == ACL_FLOAT ? &promise->fp32
                                                             : &promise->halves;
    return tier->tier == TIER_ULP &&
           fabsl((long double)value - exact) <= (long double)tier->ulp * unit(trial->dtype, exact);
}

/* An integer as the dtype has it. */
static int64_t of_dtype(int64_t value, aclDataType dtype)
{
    unsigned char element[8];
    if (dtype == ACL_INT64 || is_float_dtype(dtype))
        return value;
    conversion_reference(&value, ACL_INT64, element, dtype);
    conversion_reference(element, dtype, &value, ACL_INT64);
    return value;
}

/* What the formula sees of one element, as a float and as an integer. */
struct seen {
    double x[TENSORS_MAX];
    int64_t integer[TENSORS_MAX];
};

static void read_elements(const struct trial *trial, int64_t index, struct seen *seen)
{
    const struct layout *output = &trial->tensor[trial->tensors - 1];
    for (unsigned i = 0; i < trial->xs; i++) {
        const double number = trial->number_of[i];
        seen->x[i] = number;
        seen->integer[i] =
            isinf(number) ? number < 0 ? INT64_MIN : INT64_MAX : of_dtype((int64_t)number, trial->dtype);
        if (trial->source[i] < 0)
            continue;
        const unsigned char *element = input_element(&trial->tensor[trial->source[i]], output, index);
        conversion_reference(element, trial->dtype, &seen->x[i], ACL_DOUBLE);
        if (trial->dtype == ACL_INT64)
            memcpy(&seen->integer[i], element, sizeof seen->integer[i]);
        else
            conversion_reference(element, trial->dtype, &seen->integer[i], ACL_INT64);
    }
}

static void compute(const struct trial *trial)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (function_plan(trial->function, trial->argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(trial->function->launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static void judge_element(const struct trial *trial, const struct seen *seen, const double *number,
                          const unsigned char *found)
{
    const double *x = seen->x;
    if (!is_float_dtype(trial->dtype)) {
        int64_t whole[NUMBERS_MAX];
        for (int k = 0; k < NUMBERS_MAX; k++)
            whole[k] = whole_of(number[k]);
        const int64_t bits = 8 * (int64_t)trial->tensor[0].bytes;
        whole[NUMBERS_MAX - 1] = trial->dtype == ACL_UINT8 || trial->dtype == ACL_UINT64 ? bits + 1 : bits;
        const int64_t exact = trial->row->integers(seen->integer, whole);
        const uint8_t truth = exact & 1;
        const void *expected = trial->dtype == ACL_BOOL ? (const void *)&truth : &exact;
        if (memcmp(found, expected, trial->tensor[0].bytes) != 0)
            fail_msg("%s of %s: (%lld, %lld, %lld) does not give %lld", trial->row->name,
                     dtype_name(trial->dtype), (long long)seen->integer[0], (long long)seen->integer[1],
                     (long long)seen->integer[2], (long long)exact);
        return;
    }
    long double wide[TENSORS_MAX];
    for (int k = 0; k < TENSORS_MAX; k++)
        wide[k] = x[k];
    const long double exact = trial->row->reference(wide, number);
    double value;
    conversion_reference(found, trial->dtype, &value, ACL_DOUBLE);
    if (!is_right(trial, found, exact))
        fail_msg("%s of %s: (%.17g, %.17g, %.17g) gives %.17g and not %.17Lg", trial->row->name,
                 dtype_name(trial->dtype), x[0], x[1], x[2], value, exact);
}

/* Computes, and holds every element against the reference of the inputs as they were. */
static void judge(const struct trial *trial, const double *number)
{
    const struct layout *output = &trial->tensor[trial->tensors - 1];
    struct seen *seen = calloc((size_t)output->count + 1, sizeof *seen);
    for (int64_t i = 0; i < output->count; i++)
        read_elements(trial, i, &seen[i]);
    compute(trial);
    for (int64_t i = 0; i < output->count; i++)
        judge_element(trial, &seen[i], number, layout_element(output, i));
    free(seen);
}

/* The formula's next x: a tensor that has just been added, a number, or what a NULL counts as. */
static void add_x(struct trial *trial, bool is_tensor, double number)
{
    trial->source[trial->xs] = is_tensor ? (int)trial->inputs - 1 : -1;
    trial->number_of[trial->xs++] = number;
}

/* One parameter that is no output; returns how many numbers it takes. */
static unsigned give(struct trial *trial, unsigned i, unsigned rank, const int64_t *shape, double row_number,
                     double *number)
{
    const struct parameter *parameter = &trial->function->parameter[i];
    const struct formula_contract *formula = trial->function->of_family;
    bool is_x =
        parameter_is_read(parameter) || (parameter->kind == PARAMETER_SCALAR && trial->xs < formula->inputs);
    if ((trial->row->absent >> i & 1) != 0) {
        add_x(trial, false, trial->xs == 1 ? -INFINITY : INFINITY);
        return parameter->kind == PARAMETER_SCALAR;
    }
    if (parameter_is_read(parameter)) {
        add_input(trial, i, rank, shape);
        add_x(trial, true, 0);
        return 0;
    }
    if (parameter_is_tensor(parameter)) {
        if (parameter->role == ROLE_IGNORED)
            trial->argument[i].tensor = trial->tensor[0].tensor;
        return 0;
    }
    trial->argument[i] = argument_of_number(parameter, row_number, !is_float_dtype(trial->dtype));
    if (is_x)
        add_x(trial, false, number_seen(trial, parameter, row_number));
    else
        *number = number_seen(trial, parameter, row_number);
    return is_x ? 1 : 2;
}

static void try_call(const struct row *row, aclDataType dtype, bool has_all_halves)
{
    struct trial trial = {
        .row = row, .function = find(row->name), .dtype = dtype, .has_all_halves = has_all_halves};
    const struct function *function = trial.function;
    double number[NUMBERS_MAX + 1] = {0};
    int64_t shape[LAYOUT_RANK_MAX];
    const unsigned rank = has_all_halves ? 1 : (unsigned)random_below(5);
    unsigned given = 0, numbers = 0;
    for (unsigned i = 0; i < rank; i++)
        shape[i] = has_all_halves ? HALVES : random_below(rank == 1 ? 3000 : 12);
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const unsigned taken =
            give(&trial, i, rank, shape, given < NUMBERS_MAX ? row->number[given] : 0, &number[numbers]);
        given += taken > 0;
        numbers += taken > 1;
    }
    bool is_in_place = true;
    for (unsigned i = 0; i < function->parameter_count; i++)
        is_in_place = is_in_place && !parameter_is_output(&function->parameter[i]);
    const unsigned own = trial.inputs + !is_in_place;
    if (!is_in_place) {
        unsigned output = 0;
        while (!parameter_is_output(&function->parameter[output]))
            output++;
        add_output(&trial, output, rank);
    } else {
        trial.tensor[trial.tensors++] = trial.tensor[0];
    }
    judge(&trial, number);
    for (unsigned i = 0; i < own; i++)
        layout_destroy(&trial.tensor[i]);
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_SCALAR && trial.argument[i].scalar != NULL)
            assert_int_equal(aclDestroyScalar(trial.argument[i].scalar), 0);
}

static const aclDataType dtypes[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_UINT16,
                                     ACL_UINT32, ACL_UINT64,  ACL_BOOL};

/* The dtype of all its tensors. Beside a scalar BOOL would become an integer. */
static bool takes(const struct row *row, aclDataType dtype)
{
    const struct function *function = find(row->name);
    const struct formula_contract *formula = function->of_family;
    const struct dtype_set *computes = formula->computes;
    if (!is_float_dtype(dtype) &&
        formula->elementwise.kernels[ISA_BASELINE]->exact[arithmetic_of(dtype)] == NULL)
        return false;
    if (computes != NULL && (computes->on[PRODUCT_910B] & DTYPE_BIT(dtype)) == 0)
        return false;
    bool has_all = is_float_dtype(dtype) ? row->reference != NULL : row->integers != NULL;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter->role == ROLE_IGNORED)
            continue;
        if (parameter_is_tensor(parameter))
            has_all = has_all && (parameter->dtypes->on[PRODUCT_910B] & DTYPE_BIT(dtype)) != 0;
        else if (parameter->kind == PARAMETER_SCALAR && dtype == ACL_BOOL)
            has_all = false;
    }
    return has_all;
}

/* The functions that are named to this program, or all. */
static char **chosen;

static bool is_chosen(const struct row *row)
{
    for (char **next = chosen; *next != NULL; next++)
        if (strcmp(*next, row->name) == 0)
            return true;
    return *chosen == NULL;
}

static void every_formula_is_what_long_double_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
            for (int call = 0; call < times_effort(80) && is_chosen(&rows[i]) && takes(&rows[i], dtypes[k]);
                 call++)
                try_call(&rows[i], dtypes[k], false);
}

static bool takes_one_tensor(const struct row *row)
{
    const struct function *function = find(row->name);
    unsigned tensors = 0;
    for (unsigned i = 0; i < function->parameter_count; i++)
        tensors += parameter_is_read(&function->parameter[i]);
    return tensors == 1;
}

/* By registers of floats one result of 65,536 may be another. */
static void every_half_is_what_long_double_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 1; k < 3 && is_chosen(&rows[i]) && takes_one_tensor(&rows[i]); k++)
            if (takes(&rows[i], dtypes[k]))
                try_call(&rows[i], dtypes[k], true);
}

/* The same bits of every level, of numbers and of bits drawn at random. */
static void levels_agree(const struct row *row, enum arithmetic arithmetic, aclDataType dtype)
{
    enum { COUNT = 1000 };
    static unsigned char input[INPUTS_MAX][COUNT * 8], output[2][COUNT * 8];
    const void *const from[] = {input[0], input[1], input[2]};
    const struct formula_contract *formula = find(row->name)->of_family;
    struct formula_numbers numbers = {{0}, {0}, {0}};
    memcpy(numbers.fp64, row->number, sizeof row->number);
    for (int k = 0; k < INPUTS_MAX; k++)
        for (size_t i = 0; i < COUNT; i++) {
            const double value = draw_number(6, FEW_SPECIALS);
            const uint64_t bits = random_bits();
            memcpy(input[k] + i * conversion_bytes(dtype), &bits, conversion_bytes(dtype));
            if (i % 2 == 0)
                conversion_reference(&value, ACL_DOUBLE, input[k] + i * conversion_bytes(dtype), dtype);
        }
    for (enum isa_level level = 0; level <= processor_kernel_level(); level++) {
        const struct kernels *kernels = formula->elementwise.kernels[level];
        if (kernels->run[ACCURACY_DEFAULT][arithmetic] == NULL)
            return;
        kernels->run[ACCURACY_DEFAULT][arithmetic](from, output[level > 0], COUNT, &numbers, false);
        if (level > 0 && memcmp(output[0], output[1], COUNT * conversion_bytes(dtype)) != 0)
            fail_msg("%s of %s: level %s differs", row->name, dtype_name(dtype), isa_level_name(level));
    }
}

static void every_level_gives_the_same_bits(void **state)
{
    static const enum arithmetic arithmetics[] = {ARITHMETIC_FP32, ARITHMETIC_FP16, ARITHMETIC_BF16,
                                                  ARITHMETIC_FP64};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 0; k < 4; k++)
            for (int call = 0; call < times_effort(10) && is_chosen(&rows[i]); call++)
                levels_agree(&rows[i], arithmetics[k], dtypes[k]);
}

/* Several registers are computed in turn where all of their numbers are usual: those near 1 and beyond are not,
 * nor is NaN. */
static void erfinv_of_many_is_that_of_each(void **state)
{
    enum { COUNT = 512 };
    static float x[COUNT], together[COUNT];
    const void *from[] = {x};
    const struct formula_contract *formula = find("aclnnErfinv")->of_family;
    const struct formula_numbers numbers = {{0}, {0}, {0}};
    (void)state;
    for (int i = 0; i < COUNT; i++)
        x[i] = (i % 2 == 0 ? 1.0F : -1.0F) * (1 - (float)(i + 1) / 4096);
    x[100] = 1, x[200] = -1.5F, x[300] = NAN, x[400] = -0.0F;
    for (enum isa_level level = 0; level <= processor_kernel_level(); level++) {
        kernel_function *run = formula->elementwise.kernels[level]->run[ACCURACY_DEFAULT][ARITHMETIC_FP32];
        from[0] = x;
        run(from, together, COUNT, &numbers, false);
        for (int i = 0; i < COUNT; i++) {
            float alone;
            from[0] = &x[i];
            run(from, &alone, 1, &numbers, false);
            assert_memory_equal(&alone, &together[i], sizeof alone);
        }
    }
}

int main(int count, char **word)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(erfinv_of_many_is_that_of_each),
        cmocka_unit_test(every_formula_is_what_long_double_gives),
        cmocka_unit_test(every_half_is_what_long_double_gives),
        cmocka_unit_test(every_level_gives_the_same_bits),
    };
    (void)count;
    chosen = word + 1;
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
