/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole numbers: from + the high 64 bits of x (to - from), for the 64 bits x of each element, whatever its
 * dtype; then as aclnnCast has it from INT64, but what a float dtype would round out of the range is the
 * dtype's last number inside. A range in which the dtype has no number is refused, as PyTorch refuses it.
 * Without from and to: 0 up to the largest number of the dtype, of floats up to the last whole number before
 * which none is left out, of BOOL 1.
 */
#include <inttypes.h>

#include "aclnnop/aclnn_random.h"
#include "ops/check.h"
#include "ops/random/source.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define RANDOM(X, of)                                                                          \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool_complex_not_on_950_complex) \
    X(of, INT64, from, .usual = "0")                                                           \
    X(of, INT64, to, .sample = "10")                                                           \
    SEED_NUMBERS(X, of)
SIGNATURE(RANDOM)
#define RANDOM_TENSOR(X, of)                                                                   \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool_complex_not_on_950_complex) \
    X(of, INT64, from, .usual = "0")                                                           \
    X(of, INT64, to, .sample = "10")                                                           \
    SEED_TENSORS(X, of)
SIGNATURE(RANDOM_TENSOR)
#define PLAIN_RANDOM(X, of)                                         \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool) \
    SEED_NUMBERS(X, of)
SIGNATURE(PLAIN_RANDOM)
#define PLAIN_RANDOM_TENSOR(X, of)                                  \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool) \
    SEED_TENSORS(X, of)
SIGNATURE(PLAIN_RANDOM_TENSOR)

__extension__ typedef unsigned __int128 product;

struct parameters {
    struct random_source source;
    int64_t from, least, most;
    uint64_t range;
};

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    uint32_t word[2 * NUMBERED_PIECE] __attribute__((uninitialized));
    int64_t *value = (int64_t *)elements;
    random_words(walk, &parameters->source, 2 * at, 2 * count, word);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t drawn = word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
        const uint64_t scaled = (uint64_t)((product)drawn * parameters->range >> 64);
        const int64_t number = (int64_t)((uint64_t)parameters->from + scaled);
        const int64_t no_less = number > parameters->least ? number : parameters->least;
        value[i] = no_less < parameters->most ? no_less : parameters->most;
    }
}

static unsigned seed_of(const struct call *call)
{
    return call->function->parameter_count > RANDOM_seed + 1 ? RANDOM_seed
                                                             : PLAIN_RANDOM_seed; /* a tensor adds one */
}

/* The number of a float dtype that a whole one is rounded to; with is_below the next one below it. */
static double rounded(const struct transfer *transfer, aclDataType dtype, int64_t number, bool is_below)
{
    uint64_t raw = 0;
    double value;
    transfer_convert(transfer, &number, ACL_INT64, &raw, dtype, 1);
    if (is_below)
        raw = float_below(raw, dtype_bytes(dtype));
    transfer_convert(transfer, &raw, dtype, &value, ACL_DOUBLE, 1);
    return value;
}

/*
 * The largest number of a float dtype that is not above the whole number `last`: a whole one, too, as only
 * those of 2^p and more are rounded. May be infinite, or as large as 2^63.
 */
static double float_up_to(const struct transfer *transfer, aclDataType dtype, int64_t last)
{
    const double value = rounded(transfer, dtype, last, false);
    /* A double that is 2^63 is above every whole number, and one below it is exact as a whole number. */
    const bool is_above = value >= 0x1p63 || (value >= -0x1p63 && (int64_t)value > last);
    return is_above ? rounded(transfer, dtype, last, true) : value;
}

/* The numbers of the dtype from `from` on and below `to`: none where the least one is above the most. */
static void find_ends(const struct call *call, int64_t *least, int64_t *most)
{
    const aclDataType dtype = call_dtype(call, RANDOM_selfRef);
    const int64_t from = call->argument[RANDOM_from].int64, to = call->argument[RANDOM_to].int64;
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const aclDataType part = dtype == ACL_COMPLEX64    ? ACL_FLOAT
                             : dtype == ACL_COMPLEX128 ? ACL_DOUBLE
                                                       : dtype;
    *least = from;
    *most = to - 1;
    if (!dtype_is_one_of(part, DTYPES_FLOATS))
        return;
    /* The dtypes are symmetric. Of INT64_MIN there is no negative; FLOAT16 is the one that lacks it. */
    const double first = from != INT64_MIN     ? float_up_to(transfer, part, -from)
                         : part == ACL_FLOAT16 ? float_up_to(transfer, part, INT64_MAX)
                                               : 0x1p63;
    const double last = float_up_to(transfer, part, to - 1);
    *least = first > -0x1p63 ? (int64_t)-first : INT64_MAX;
    *most = last >= -0x1p63 ? (int64_t)last : INT64_MIN;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, RANDOM_selfRef));
    TRY(random_check_source(call, seed_of(call)));
    TRY(check_rank(call, RANDOM_selfRef));
    result_like(result, call, RANDOM_selfRef);
    const bool has_range = seed_of(call) == RANDOM_seed;
    if (has_range && call->argument[RANDOM_from].int64 >= call->argument[RANDOM_to].int64)
        return refuse(call, "from is %" PRId64 " and to is %" PRId64 "; from is expected to be less",
                      call->argument[RANDOM_from].int64, call->argument[RANDOM_to].int64);
    int64_t least = 0, most = 0;
    if (has_range)
        find_ends(call, &least, &most);
    if (least > most)
        return refuse(call, "from is %" PRId64 " and to is %" PRId64 "; %s has no number between them",
                      call->argument[RANDOM_from].int64, call->argument[RANDOM_to].int64,
                      dtype_name(call_dtype(call, RANDOM_selfRef)));
    return ACLNN_SUCCESS;
}

/* How many numbers a dtype has from 0 on. */
static uint64_t numbers_of(aclDataType dtype)
{
    const uint32_t bits = 8 * dtype_bytes(dtype);
    switch (dtype) {
    case ACL_BOOL:
        return 2;
    case ACL_BF16:
        return (UINT64_C(1) << 8) + 1;
    case ACL_FLOAT16:
        return (UINT64_C(1) << 11) + 1;
    case ACL_FLOAT:
        return (UINT64_C(1) << 24) + 1;
    case ACL_DOUBLE:
        return (UINT64_C(1) << 53) + 1;
    default:
        return UINT64_C(1) << (dtype == ACL_UINT8 ? bits : bits - 1);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, RANDOM_selfRef, make, ACL_INT64);
    struct parameters parameters = {
        .source = random_source_of(call, seed_of(call), &request), .least = INT64_MIN, .most = INT64_MAX};
    if (seed_of(call) == RANDOM_seed) {
        const int64_t to = call->argument[RANDOM_to].int64;
        parameters.from = call->argument[RANDOM_from].int64;
        parameters.range = (uint64_t)to - (uint64_t)parameters.from;
        find_ends(call, &parameters.least, &parameters.most);
    } else {
        parameters.range = numbers_of(result->computed);
    }
    request.element_ps = 2000;
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

#define INTEGERS                                                                                    \
    .stem = "random", .family = FAMILY_RANDOM, .promise = &promise_exact, NUMBERED, .infer = infer, \
    .plan = plan

FUNCTION_OF(aclnnInplaceRandom, RANDOM, INTEGERS);
FUNCTION_OF(aclnnInplaceRandomTensor, RANDOM_TENSOR, INTEGERS);
FUNCTION_OF(aclnnInplaceRandomWithoutFromTo, PLAIN_RANDOM, INTEGERS);
FUNCTION_OF(aclnnInplaceRandomWithoutFromToTensor, PLAIN_RANDOM_TENSOR, INTEGERS);
