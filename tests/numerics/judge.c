/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "numerics/family_judge.h"
#include "numerics/judge_block.h"
#include "numerics/judge_pairs.h"
#include "base/processor.h"

/* e^x (1 + x + e^x) / (1 + e^x)^2 to 200 bits, of which its end cannot cost more than 140. */
static void silu_derivative(mpfr_t result, double x)
{
    mpfr_t u, sum;
    mpfr_inits2(200, u, sum, (mpfr_ptr)0);
    x = fmin(fmax(x, -1000), 1000);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_add_d(result, u, x, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_mul(result, result, u, MPFR_RNDN);
    mpfr_add_ui(sum, u, 1, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_div(result, result, sum, MPFR_RNDN);
    mpfr_clears(u, sum, (mpfr_ptr)0);
}

/* 6 g(x): 2x + 3, exactly, between the ends, which are open in the newer version. */
static void hardswish_derivative_by_six(mpfr_t result, double x, bool is_open)
{
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_mul_ui(result, result, 2, MPFR_RNDN);
    mpfr_add_ui(result, result, 3, MPFR_RNDN);
    if (fabs(x) > 3 || (is_open && fabs(x) == 3))
        mpfr_set_ui(result, x > 0 ? 6 : 0, MPFR_RNDN);
}

/* The first 90 bits of a magnitude. */
static struct scaled cut(mpfr_t value, bool is_exact)
{
    struct scaled scaled = {0};
    if (mpfr_zero_p(value) || !mpfr_number_p(value))
        return scaled;
    mpfr_t leading;
    mpfr_init2(leading, 90);
    scaled.sticky = mpfr_abs(leading, value, MPFR_RNDZ) != 0 || !is_exact;
    scaled.exponent = (int)mpfr_get_exp(leading) - 90;
    mpfr_mul_2si(leading, leading, 90 - mpfr_get_exp(leading), MPFR_RNDZ);
    mpfr_t high;
    mpfr_init2(high, 45);
    mpfr_div_2ui(high, leading, 45, MPFR_RNDZ);
    mpfr_rint_floor(high, high, MPFR_RNDZ);
    scaled.significand = (wide_integer)mpfr_get_ui(high, MPFR_RNDZ) << 45;
    mpfr_mul_2ui(high, high, 45, MPFR_RNDZ);
    mpfr_sub(leading, leading, high, MPFR_RNDZ);
    scaled.significand += mpfr_get_ui(leading, MPFR_RNDZ);
    mpfr_clears(leading, high, (mpfr_ptr)0);
    /* Short numbers stay short, so that more products fit. */
    while (!scaled.sticky && !(scaled.significand & 1)) {
        scaled.significand >>= 1;
        scaled.exponent++;
    }
    return scaled;
}

static judge_block_function *best_block(enum arithmetic dtype)
{
    const bool is_wide = dtype == ARITHMETIC_FP64;
#if defined(__x86_64__)
    static judge_block_function *const blocks[][ISA_KERNEL_LEVELS] = {
        {
            [ISA_BASELINE] = judge_block_baseline,
            [ISA_AVX2] = judge_block_avx2,
            [ISA_AVX512] = judge_block_avx512,
        },
        {
            [ISA_BASELINE] = judge_pairs_baseline,
            [ISA_AVX2] = judge_pairs_avx2,
            [ISA_AVX512] = judge_pairs_avx512,
        },
    };
    return blocks[is_wide][processor_kernel_level()];
#else
    return is_wide ? judge_pairs_baseline : judge_block_baseline;
#endif
}

void judge_init(struct judge *judge, const struct task *task)
{
    const struct format *format = &formats[task->dtype];
    *judge = (struct judge){.task = *task, .block = best_block(task->dtype)};
    if (is_of_other_family(task->stem))
        judge->family = family_judge_of(task->stem);
    bool has_factor = judge->family ? judge->family->has_factor && judge->family->has_factor(task->stem)
                                    : task->stem == SILU_BACKWARD || task->stem == HARDSWISH_BACKWARD ||
                                          task->stem == HARDSWISH_BACKWARD_V2;
    if (format->bits != 16 || !has_factor)
        return;
    judge->factor = malloc(65536 * sizeof *judge->factor);
    judge->exact_factor = malloc(65536 * sizeof *judge->exact_factor);
    if (!judge->factor || !judge->exact_factor)
        abort();
    mpfr_t derivative;
    mpfr_init2(derivative, 200);
    for (uint64_t bits = 0; bits < 65536; bits++) {
        double x = value_of(format, bits);
        if (judge->family) {
            bool is_exact = judge->family->factor(derivative, task->stem, x);
            judge->exact_factor[bits] = cut(derivative, is_exact);
            judge->factor[bits] = mpfr_get_d(derivative, MPFR_RNDN);
            continue;
        }
        bool is_silu = task->stem == SILU_BACKWARD;
        if (isnan(x) || (is_silu && isinf(x)))
            mpfr_set_nan(derivative);
        else if (is_silu)
            silu_derivative(derivative, x);
        else
            hardswish_derivative_by_six(derivative, x, task->stem == HARDSWISH_BACKWARD_V2);
        judge->exact_factor[bits] = cut(derivative, !is_silu || x == 0);
        if (!is_silu)
            mpfr_div_ui(derivative, derivative, 6, MPFR_RNDN);
        judge->factor[bits] = mpfr_get_d(derivative, MPFR_RNDN);
    }
    mpfr_clear(derivative);
}

void judge_release(struct judge *judge)
{
    free(judge->factor);
    free(judge->exact_factor);
    mpfr_free_cache(); /* this thread's */
}

/* The magnitude of the finite number with these bits. */
static struct scaled scale(const struct format *format, uint64_t bits)
{
    uint64_t magnitude = bits & magnitude_mask(format), field = magnitude >> format->fraction_bits;
    uint64_t implicit = (uint64_t)1 << format->fraction_bits;
    return (struct scaled){
        .significand = (magnitude & (implicit - 1)) | (field ? implicit : 0),
        .exponent = lowest_exponent(format) + (field ? (int)field - 1 : 0),
    };
}

static struct scaled scale_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct scaled scaled = scale(&formats[ARITHMETIC_FP64], bits);
    while (scaled.significand && !(scaled.significand & 1)) {
        scaled.significand >>= 1;
        scaled.exponent++;
    }
    return scaled;
}

/* Halfway between the number with this magnitude and the next one. */
static struct scaled upper_end(const struct format *format, uint64_t magnitude)
{
    struct scaled end = scale(format, magnitude);
    end.significand = 2 * end.significand + 1;
    end.exponent--;
    return end;
}

static int width(wide_integer value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* a < b: -1, a == b: 0, a > b: 1. Significands of at most 120 bits; what is sticky is left out. */
static int compare(struct scaled a, struct scaled b)
{
    if (a.significand == 0 || b.significand == 0)
        return (a.significand != 0) - (b.significand != 0);
    int top_a = width(a.significand) + a.exponent, top_b = width(b.significand) + b.exponent;
    if (top_a != top_b)
        return top_a < top_b ? -1 : 1;
    if (a.exponent > b.exponent)
        a.significand <<= a.exponent - b.exponent;
    else
        b.significand <<= b.exponent - a.exponent;
    return a.significand < b.significand ? -1 : a.significand > b.significand;
}

static bool product(struct scaled *result, struct scaled a, struct scaled b)
{
    if (width(a.significand) + width(b.significand) > 120)
        return false;
    *result =
        (struct scaled){.significand = a.significand * b.significand, .exponent = a.exponent + b.exponent};
    return true;
}

/* x +- y for finite numbers; false if they lie too far apart. */
static bool combine(struct scaled *result, struct scaled x, struct scaled y, bool subtract)
{
    if (x.significand == 0 || y.significand == 0) {
        *result = x.significand == 0 ? y : x;
        return true;
    }
    int lower = x.exponent < y.exponent ? x.exponent : y.exponent;
    if (x.exponent - lower > 80 || y.exponent - lower > 80)
        return false;
    x.significand <<= x.exponent - lower;
    y.significand <<= y.exponent - lower;
    result->significand = !subtract                       ? x.significand + y.significand
                          : x.significand > y.significand ? x.significand - y.significand
                                                          : y.significand - x.significand;
    result->exponent = lower;
    return true;
}

/* |result| between numerator / denominator and above / denominator, which are the same if nothing is sticky.
 */
struct quotient {
    struct scaled numerator, above, denominator;
};

/* False where integers of 120 bits do not suffice. Finite inputs only. */
static bool as_quotient(const struct judge *judge, const uint64_t *input, struct quotient *q)
{
    const struct task *task = &judge->task;
    const struct format *format = &formats[task->dtype];
    /* A single input is both: what is multiplied and what decides. */
    const uint64_t x_bits = reference_inputs(task->stem) == 1 ? input[0] : input[1];
    struct scaled g = scale(format, input[0]), x = scale(format, x_bits);
    const bool is_negative = x_bits >> (format->bits - 1);
    q->denominator = scale_double(1);
    bool fits;
    struct scaled factor = {.significand = 1};
    if (judge->family) {
        if (!judge->exact_factor)
            return false;
        factor = judge->exact_factor[input[1]];
        fits = product(&q->numerator, g, factor);
        factor.significand += factor.sticky;
        return fits && product(&q->above, g, factor);
    }
    switch (task->stem) {
    case SILU:
    case SWISH:
    case SWISH_BACKWARD:
        return false;
    case SMOOTH_L1_LOSS: {
        const struct scaled beta = scale_double((double)task->beta);
        struct scaled d;
        if (isinf(task->beta) || !combine(&d, g, x, is_negative == (bool)(input[0] >> (format->bits - 1))))
            return false;
        q->denominator = scale_double(2);
        if (compare(d, beta) < 0) {
            fits = product(&q->numerator, d, d) && product(&q->denominator, q->denominator, beta);
        } else {
            d.exponent++;
            fits = combine(&q->numerator, d, beta, true);
        }
        q->above = q->numerator;
        return fits;
    }
    case HARDSWISH_BACKWARD:
    case HARDSWISH_BACKWARD_V2:
    case SILU_BACKWARD:
        q->denominator = scale_double(task->stem == SILU_BACKWARD ? 1 : 6);
        if (judge->exact_factor) {
            factor = judge->exact_factor[input[1]];
        } else if (task->stem == SILU_BACKWARD) {
            return false;
        } else if (compare(x, scale_double(3)) >= (task->stem == HARDSWISH_BACKWARD ? 1 : 0)) {
            factor = scale_double(is_negative ? 0 : 6);
        } else {
            x.exponent++;
            if (!combine(&factor, x, scale_double(3), is_negative))
                return false;
        }
        fits = product(&q->numerator, g, factor);
        factor.significand += factor.sticky;
        return fits && product(&q->above, g, factor);
    case HARDSWISH:
        q->denominator = scale_double(6);
        factor = scale_double(is_negative ? 0 : 6);
        if (compare(x, scale_double(3)) < 0 && !combine(&factor, x, scale_double(3), is_negative))
            return false;
        break;
    case LEAKY_RELU:
    case LEAKY_RELU_BACKWARD:
        /* A NaN is not here, and -0 and 0 take the slope. */
        if (is_negative || x.significand == 0) {
            if (!isfinite(task->slope))
                return false;
            factor = scale_double(task->slope);
        }
        break;
    default: {
        const struct scaled beta = scale_double((double)task->beta);
        const bool subtract = is_negative == (bool)(input[2] >> (format->bits - 1));
        struct scaled d;
        if (isinf(task->beta) || !combine(&d, x, scale(format, input[2]), subtract))
            return false;
        q->denominator = (struct scaled){.significand = task->divisor};
        factor.significand = d.significand != 0;
        if (compare(d, beta) < 0) {
            factor = d;
            if (!product(&q->denominator, q->denominator, beta))
                return false;
        }
    }
    }
    fits = product(&q->numerator, g, factor);
    q->above = q->numerator;
    return fits;
}

/* Whether |result| rounds to magnitude; *decided is false where integers of 120 bits do not suffice. */
static bool rounds_to(const struct judge *judge, const uint64_t *input, uint64_t magnitude, bool *decided)
{
    const struct format *format = &formats[judge->task.dtype];
    struct quotient q;
    *decided = false;
    for (int i = 0; i < reference_inputs(judge->task.stem); i++)
        if ((input[i] & magnitude_mask(format)) >= infinity_bits(format))
            return false;
    if (magnitude > infinity_bits(format) || format->bits == 64 || !as_quotient(judge, input, &q))
        return false;
    /* The lower end, then the upper end; an even magnitude has both. */
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? magnitude == 0 : magnitude == infinity_bits(format))
            continue;
        struct scaled end = upper_end(format, i == 0 ? magnitude - 1 : magnitude);
        if (!product(&end, q.denominator, end))
            return false;
        bool is_exact = q.numerator.significand == q.above.significand;
        int order = compare(q.numerator, end);
        if (!is_exact) {
            if (order >= 0)
                order = 1;
            else if (compare(q.above, end) > 0)
                return false;
        }
        if (i == 0 ? order < 0 : order > 0) {
            *decided = true;
            return false;
        }
        if (order == 0 && magnitude % 2) {
            *decided = true;
            return false;
        }
    }
    *decided = true;
    return true;
}

/* In units of the last place of wanted, or of the exact value where that is near it; 0 for misfits. */
static double error_of(const struct format *format, double value, uint64_t got, uint64_t wanted)
{
    uint64_t magnitude = wanted & magnitude_mask(format), infinity = infinity_bits(format);
    uint64_t above = magnitude + 1 < infinity ? magnitude + 1 : infinity - 1;
    double unit = value_of(format, above) - value_of(format, above - 1);
    double nearest = value_of(format, wanted), result = value_of(format, got);
    if (!(fabs(value - nearest) <= unit))
        value = nearest;
    double error = fabs(value - result) / unit;
    return isfinite(error) ? error : 0;
}

static bool is_misfit(const struct format *format, uint64_t got, uint64_t wanted)
{
    uint64_t mask = magnitude_mask(format), infinity = infinity_bits(format);
    return (got > mask) != (wanted > mask) || ((got & mask) >= infinity) != ((wanted & mask) >= infinity) ||
           ((got & mask) > infinity) != ((wanted & mask) > infinity);
}

static void record(struct verdict *verdict, double error, const struct task *task, const uint64_t *input,
                   uint64_t got)
{
    if (error < verdict->greatest_error)
        return;
    verdict->greatest_error = error;
    verdict->task = *task;
    memcpy(verdict->input, input, sizeof verdict->input);
    verdict->got = got;
}

/* The way round for one result. */
static __attribute__((noinline)) void judge_exactly(const struct judge *judge, const uint64_t *input,
                                                    uint64_t got, double value, struct verdict *verdict)
{
    const struct format *format = &formats[judge->task.dtype];
    uint64_t magnitude = got & magnitude_mask(format);
    bool decided;
    verdict->exact++;
    if (!isnan(value) && (got >> (format->bits - 1)) == (uint64_t)(signbit(value) != 0) &&
        rounds_to(judge, input, magnitude, &decided))
        return;
    uint64_t wanted = reference_integer(&judge->task, input);
    if (got == wanted)
        return;
    verdict->wrong++;
    verdict->misfits += is_misfit(format, got, wanted);
    record(verdict, error_of(format, value, got, wanted), &judge->task, input, got);
}

static void pick(const struct judge *judge, const void *const *input, size_t index, uint64_t *bits)
{
    const size_t bytes = (size_t)formats[judge->task.dtype].bits / 8;
    for (int j = 0; j < reference_inputs(judge->task.stem); j++)
        memcpy(&bits[j], (const char *)input[j] + index * bytes, bytes);
}

void judge_results(const struct judge *judge, const void *const *input, const void *output, size_t count,
                   struct verdict *verdict)
{
    const enum arithmetic dtype = judge->task.dtype;
    const size_t bytes = (size_t)formats[dtype].bits / 8;
    struct decisions decisions;
    verdict->tried += count;
    for (size_t begin = 0; begin < count; begin += JUDGE_CHUNK) {
        size_t length = count - begin < JUDGE_CHUNK ? count - begin : JUDGE_CHUNK;
        const void *source[INPUTS_MAX];
        for (int j = 0; j < INPUTS_MAX; j++)
            source[j] = (const char *)input[j] + begin * bytes;
        const char *results = (const char *)output + begin * bytes;
        judge->block(judge, source, results, length, &decisions);
        for (size_t i = 0; i < length; i++)
            if (__builtin_expect(decisions.unsure[i] != 0, 0)) {
                uint64_t bits[INPUTS_MAX] = {0}, got = 0;
                pick(judge, source, i, bits);
                memcpy(&got, results + i * bytes, bytes);
                judge_exactly(judge, bits, got, decisions.value[i], verdict);
            }
        if (dtype == ARITHMETIC_FP32 && decisions.greatest_error > verdict->greatest_error) {
            uint64_t bits[INPUTS_MAX] = {0}, got = 0;
            pick(judge, source, decisions.place, bits);
            memcpy(&got, results + decisions.place * bytes, bytes);
            record(verdict, decisions.greatest_error, &judge->task, bits, got);
        }
    }
}

void verdict_add(struct verdict *sum, const struct verdict *part)
{
    sum->tried += part->tried;
    sum->wrong += part->wrong;
    sum->exact += part->exact;
    sum->misfits += part->misfits;
    if (part->greatest_error > 0 || part->misfits > 0)
        record(sum, part->greatest_error, &part->task, part->input, part->got);
}
