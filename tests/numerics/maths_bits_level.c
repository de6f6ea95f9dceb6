/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of maths_bits.h for one level: compiled once for each as kernels are, with KERNEL_PASS set.
 */
#include <stddef.h>
#include <string.h>

#include "numerics/maths_bits.h"
#include "ops/pointwise/circle_fp32.h"
#include "ops/pointwise/error_function_fp32.h"
#include "ops/pointwise/gates.h"
#include "ops/pointwise/gelu_derivative.h"
#include "ops/pointwise/gelu_fp32.h"
#include "ops/pointwise/silu_derivative.h"
#include "ops/pointwise/tanh.h"
#include "simd/loops/row.h"
#include "simd/maths/arc.h"
#include "simd/maths/area.h"
#include "simd/maths/circle.h"
#include "simd/maths/error_function.h"
#include "simd/maths/exponential.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/exponential_pair.h"
#include "simd/maths/gelu.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/logistic.h"
#include "simd/maths/logistic16.h"
#include "simd/maths/logistic_reach.h"
#include "simd/maths/norm_power.h"
#include "simd/maths/power.h"
#include "simd/maths/power_fp32.h"
#include "simd/maths/short.h"
#include "simd/maths/simple_fp32.h"
#include "simd/maths/tanh_fp32.h"
#include "simd/vector/level_table.h"

/* Defines run_NAME, whose body has x and y and sets high and low, for as many lanes as a register has. */
#define OF_LANES(name, type, lanes, load, store, body)                                         \
    static void run_##name(const double *from, const double *by, double *result, double *rest) \
    {                                                                                          \
        for (int lane = 0; lane < MATHS_BATCH; lane += (lanes)) {                              \
            const type x = load(from + lane), y = load(by + lane);                             \
            type high, low = x - x;                                                            \
            (void)y;                                                                           \
            body;                                                                              \
            store(result + lane, high);                                                        \
            store(rest + lane, low);                                                           \
        }                                                                                      \
    }

static inline doubles load_doubles_of(const double *from)
{
    doubles value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void store_doubles_of(double *to, doubles value)
{
    memcpy(to, &value, sizeof value);
}

static inline vector load_vector_of(const double *from)
{
    vector value;
    for (int i = 0; i < VECTOR_LANES; i++)
        value[i] = (float)from[i];
    return value;
}

static inline void store_vector_of(double *to, vector value)
{
    for (int i = 0; i < VECTOR_LANES; i++)
        to[i] = (double)value[i];
}

#define DOUBLES(name, body) OF_LANES(name, doubles, LANES, load_doubles_of, store_doubles_of, body)
#define FLOATS(name, body)  OF_LANES(name, vector, VECTOR_LANES, load_vector_of, store_vector_of, body)

/* A function of x alone, and one whose result is a pair. */
#define DOUBLE(name)          DOUBLES(name, high = name(x))
#define FLOAT(name)           FLOATS(name, high = name(x))
#define PAIR(name, how)       DOUBLES(name, struct pair value = how; high = value.high; low = value.low)
#define FLOAT_PAIR(name, how) FLOATS(name, struct vector_pair value = how; high = value.high; low = value.low)

/* One that says what it leaves in doubt. */
#define DOUBTFUL(name, dtype, path, how)                                        \
    FLOATS(name, struct unsettled doubt = all_settled(dtype, path); high = how; \
           low = vector_choose(unsettled_lanes(doubt), vector_of(1), vector_of(0)))

DOUBLE(maths_exp)
DOUBLE(maths_exp2)
DOUBLE(maths_expm1)
DOUBLE(maths_sinh)
DOUBLE(maths_cosh)
DOUBLE(maths_log)
DOUBLE(maths_log2)
DOUBLE(maths_log10)
DOUBLE(maths_log1p)
DOUBLE(maths_sin)
DOUBLE(maths_cos)
DOUBLE(maths_tan)
DOUBLE(maths_sinc)
DOUBLE(maths_asin)
DOUBLE(maths_acos)
DOUBLE(maths_atan)
DOUBLE(maths_asinh)
DOUBLE(maths_acosh)
DOUBLE(maths_atanh)
DOUBLE(maths_erf)
DOUBLE(maths_erfc)
DOUBLE(short_exp)
DOUBLE(short_expm1)
DOUBLE(short_log1p)
DOUBLE(short_log2)
DOUBLE(short_exp2)
DOUBLE(exp_minus_1)
DOUBLE(logistic)
DOUBLE(silu_derivative)
DOUBLE(gelu_factor)
DOUBLE(gelu_derivative)
DOUBLE(silu)
DOUBLE(tanh_estimate)
DOUBLE(row_exp_short)
DOUBLES(row_exp, high = row_exp(x, x * 0x1p-54))
DOUBLES(gate_of, high = gate_of(x, &low))
DOUBLES(gelu_erf, const double number[1] = {0}; high = gelu(x, number); low = gelu_slope(x, number))
DOUBLES(gelu_tanh, const double number[1] = {1}; high = gelu(x, number); low = gelu_slope(x, number))
DOUBLES(maths_atan2, high = maths_atan2(x, y))
DOUBLES(maths_pow, high = maths_pow(x, y))
DOUBLES(short_pow, high = short_pow(x, y))
DOUBLES(power_settled_on_26_bits, high = power_settled_on_26_bits(x, y))
PAIR(pair_exp_minus_1, (pair_exp_minus_1((struct pair){x, x * 0x1p-54})))
PAIR(pair_logistic, pair_logistic(x))
PAIR(pair_silu_derivative, pair_silu_derivative(x))
PAIR(pair_gelu_factor, pair_gelu_factor(x))
PAIR(pair_gelu_derivative, pair_gelu_derivative(x))
PAIR(pair_tanh, pair_tanh(x))
PAIR(fine_logarithm, fine_logarithm(x))
PAIR(erf_of_small, erf_of_small(x))
PAIR(whole_logarithm, whole_logarithm(x))
DOUBLES(erfc_of_large, struct pair value = erfc_of_large(x, &high); high += value.high; low = value.low)

FLOAT(fp32_maths_exp)
FLOAT(fp32_maths_exp2)
FLOAT(fp32_maths_expm1)
FLOAT(fp32_maths_log)
FLOAT(fp32_maths_log2)
FLOAT(fp32_maths_log10)
FLOAT(fp32_maths_log1p)
FLOAT(fp32_softplus_of)
FLOAT(fp32_maths_sin)
FLOAT(fp32_maths_cos)
FLOAT(fp32_maths_tan)
FLOAT(fp32_maths_atan)
FLOAT(fp32_maths_erf)
FLOAT(fp32_maths_erfc)
FLOAT(fp32_maths_sqrt)
FLOAT(fp32_maths_rsqrt)
FLOATS(fp32_power_of, high = fp32_power_of(x, y))
FLOATS(logistic_of_segments, struct logistic_segment value = logistic_segment(x, x * 0x1p-26F, true, false);
       high = value.c0; low = value.q)
FLOATS(logistic_of_few_segments, struct logistic_segment value = logistic_segment(x, x - x, false, true);
       high = value.c0; low = value.q)
FLOATS(silu_phi_of, high = silu_phi_of(x, silu_segment(x)))
FLOAT_PAIR(silu_phi_pair, silu_phi_pair(x, x * 0x1p-26F, true))
FLOAT_PAIR(gelu_phi_pair, gelu_phi_pair(x))
FLOAT_PAIR(gelu_argument, gelu_argument(x))
FLOAT_PAIR(fp32_fine_log2, fp32_fine_log2(x, vector_of(0)))
FLOATS(logistic16_silu, high = logistic16_silu(x, false); low = logistic16_silu(x, true))
FLOATS(logistic16_sigmoid, high = logistic16_sigmoid(x, false); low = logistic16_sigmoid(x, true))
FLOATS(logistic16_gelu, high = logistic16_gelu(x, false); low = logistic16_gelu(x, true))
FLOATS(logistic16_tanh, high = logistic16_tanh(x, false); low = logistic16_tanh(x, true))
DOUBTFUL(quick_logistic, ARITHMETIC_FP32, PATH_QUICK, logistic_times(x, x, x - x, false, &doubt))
DOUBTFUL(any_logistic, ARITHMETIC_FP32, PATH_ANY, logistic_times(x, x, x - x, false, &doubt))
DOUBTFUL(quick_gelu, ARITHMETIC_FP32, PATH_QUICK, vector_gelu(x, &doubt))
DOUBTFUL(any_gelu, ARITHMETIC_FP32, PATH_ANY, vector_gelu(x, &doubt))
DOUBTFUL(quick_tanh, ARITHMETIC_FP32, PATH_QUICK, vector_tanh(x, &doubt))
DOUBTFUL(any_tanh, ARITHMETIC_FP32, PATH_ANY, vector_tanh(x, &doubt))
DOUBTFUL(quick_ties_of_fp16, ARITHMETIC_FP16, PATH_QUICK, (unsettled_tie(&doubt, x, 3), x))
DOUBTFUL(any_ties_of_fp16, ARITHMETIC_FP16, PATH_ANY, (unsettled_tie(&doubt, x, 3), x))
DOUBTFUL(ties_of_bf16, ARITHMETIC_BF16, PATH_QUICK, (unsettled_tie(&doubt, x, 3), x))
DOUBTFUL(small_numbers, ARITHMETIC_FP32, PATH_QUICK, (unsettled_small(&doubt, x), vector_half_up(x)))

/* The exponent is one number. */
static void run_norm_power(const double *from, const double *by, double *result, double *rest)
{
    const double p = by[0] == by[0] && by[0] - by[0] == 0 && by[0] != 0 ? by[0] : 3;
    for (int lane = 0; lane < MATHS_BATCH; lane += LANES)
        store_doubles_of(result + lane, norm_power(load_doubles_of(from + lane), p));
    for (int lane = 0; lane < MATHS_BATCH; lane++)
        rest[lane] = from[lane] > 0 && from[lane] - from[lane] == 0 ? norm_root_of(from[lane], p) : 0;
}

/* Flagged lanes of two registers, in the order of memory: of BFLOAT16 both take turns. */
static void run_lanes_of_pair(const double *from, const double *by, double *result, double *rest)
{
    (void)by;
    for (int lane = 0; lane < MATHS_BATCH; lane += 2 * VECTOR_LANES) {
        flags one_after_other[2], in_turn[2];
        for (int i = 0; i < 2; i++) {
            vector pair = load_vector_of(from + lane + i * VECTOR_LANES), turn;
            for (int j = 0; j < VECTOR_LANES; j++)
                turn[j] = (float)from[lane + 2 * j + i];
            one_after_other[i] = vector_greater(pair, vector_of(0));
            in_turn[i] = vector_greater(turn, vector_of(0));
        }
        const uint32_t whole = lanes_of_pair(ARITHMETIC_FP16, one_after_other),
                       turned = lanes_of_pair(ARITHMETIC_BF16, in_turn);
        for (int i = 0; i < 2 * VECTOR_LANES; i++) {
            result[lane + i] = whole >> i & 1;
            rest[lane + i] = turned >> i & 1;
        }
    }
}

/* From where to where a function bends, and for which numbers it is. */
#define ANY(name, least, most)               \
    {                                        \
#name, run_##name, least, most, 1, 0 \
    }
#define SOME(name, least, most)              \
    {                                        \
#name, run_##name, least, most, 0, 0 \
    }
#define ANY_FLOATS(name, least, most)        \
    {                                        \
#name, run_##name, least, most, 1, 1 \
    }
#define SOME_FLOATS(name, least, most)       \
    {                                        \
#name, run_##name, least, most, 0, 1 \
    }

extern const struct maths_function AT_LEVEL(maths_functions)[MATHS_FUNCTIONS_MOST];
const struct maths_function AT_LEVEL(maths_functions)[MATHS_FUNCTIONS_MOST] = {
    ANY(maths_exp, -750, 720),
    ANY(maths_exp2, -1080, 1030),
    ANY(maths_expm1, -40, 40),
    ANY(maths_sinh, -30, 30),
    ANY(maths_cosh, -30, 30),
    ANY(maths_log, 0, 4),
    ANY(maths_log2, 0, 4),
    ANY(maths_log10, 0, 4),
    ANY(maths_log1p, -1, 3),
    ANY(maths_sin, -100, 100),
    ANY(maths_cos, -100, 100),
    ANY(maths_tan, -100, 100),
    ANY(maths_sinc, -40, 40),
    ANY(maths_asin, -1.1, 1.1),
    ANY(maths_acos, -1.1, 1.1),
    ANY(maths_atan, -6, 6),
    ANY(maths_asinh, -4, 4),
    ANY(maths_acosh, 0.9, 4),
    ANY(maths_atanh, -1.1, 1.1),
    ANY(maths_erf, -6.5, 6.5),
    ANY(maths_erfc, -7, 28),
    ANY(short_exp, -110, 95),
    ANY(short_expm1, -40, 95),
    SOME(short_log1p, 0, 1),
    SOME(short_log2, 0x1p-20, 4),
    ANY(short_exp2, -160, 130),
    SOME(exp_minus_1, -0.35, 0.35),
    ANY(logistic, -40, 40),
    ANY(silu_derivative, -40, 40),
    ANY(gelu_factor, -12, 12),
    ANY(gelu_derivative, -12, 12),
    ANY(silu, -100, 40),
    ANY(tanh_estimate, -22, 22),
    SOME(row_exp_short, -220, 0),
    SOME(row_exp, -760, 0),
    ANY(gate_of, -40, 40),
    ANY(gelu_erf, -14, 14),
    ANY(gelu_tanh, -14, 14),
    ANY(maths_atan2, -3, 3),
    ANY(maths_pow, -3, 20),
    ANY(short_pow, -3, 20),
    ANY(power_settled_on_26_bits, -3, 20),
    SOME(pair_exp_minus_1, -0.35, 0.35),
    SOME(pair_logistic, -40, 40),
    SOME(pair_silu_derivative, -40, 40),
    SOME(pair_gelu_factor, -12, 12),
    SOME(pair_gelu_derivative, -12, 12),
    SOME(pair_tanh, -22, 22),
    SOME(fine_logarithm, 0x1p-20, 4),
    SOME(erf_of_small, -0.5, 0.5),
    SOME(whole_logarithm, 0x1p-20, 4),
    SOME(erfc_of_large, 0.5, 28),
    ANY(norm_power, -0.1, 4),
    ANY(lanes_of_pair, -1, 1),
    ANY_FLOATS(fp32_maths_exp, -110, 92),
    ANY_FLOATS(fp32_maths_exp2, -155, 130),
    ANY_FLOATS(fp32_maths_expm1, -20, 92),
    ANY_FLOATS(fp32_maths_log, 0, 4),
    ANY_FLOATS(fp32_maths_log2, 0, 4),
    ANY_FLOATS(fp32_maths_log10, 0, 4),
    ANY_FLOATS(fp32_maths_log1p, -1, 3),
    ANY_FLOATS(fp32_softplus_of, -30, 30),
    ANY_FLOATS(fp32_maths_sin, -100, 100),
    ANY_FLOATS(fp32_maths_cos, -100, 100),
    ANY_FLOATS(fp32_maths_tan, -100, 100),
    ANY_FLOATS(fp32_maths_atan, -6, 6),
    ANY_FLOATS(fp32_maths_erf, -4.2, 4.2),
    ANY_FLOATS(fp32_maths_erfc, -4.2, 11),
    ANY_FLOATS(fp32_maths_sqrt, -1, 16),
    ANY_FLOATS(fp32_maths_rsqrt, -1, 16),
    ANY_FLOATS(fp32_power_of, 0x1p-20, 20),
    {"fp32_exp_around_0", run_fp32_maths_exp, -0.35, 0.35, 0, 1},
    {"fp32_exp2_around_0", run_fp32_maths_exp2, -0.5, 0.5, 0, 1},
    {"fp32_erf_of_segments", run_fp32_maths_erf, 0, 4, 0, 1},
    {"fp32_erfc_of_segments", run_fp32_maths_erfc, -1, 10.2, 0, 1},
    SOME_FLOATS(logistic_of_segments, 0, 12.75),
    SOME_FLOATS(logistic_of_few_segments, 0, 6.25),
    SOME_FLOATS(silu_phi_of, 0, 20),
    SOME_FLOATS(silu_phi_pair, 0, 20),
    SOME_FLOATS(gelu_phi_pair, 0, 4.72),
    SOME_FLOATS(gelu_argument, 0, 12),
    SOME_FLOATS(fp32_fine_log2, 0x1p-20, 4),
    SOME_FLOATS(logistic16_silu, -60, 60),
    SOME_FLOATS(logistic16_sigmoid, -60, 60),
    SOME_FLOATS(logistic16_gelu, -4.5, 4.5),
    SOME_FLOATS(logistic16_tanh, -30, 30),
    ANY_FLOATS(quick_logistic, -10, 10),
    ANY_FLOATS(any_logistic, -110, 110),
    ANY_FLOATS(quick_gelu, -6, 6),
    ANY_FLOATS(any_gelu, -12, 12),
    ANY_FLOATS(quick_tanh, -10, 10),
    ANY_FLOATS(any_tanh, -20, 20),
    ANY_FLOATS(quick_ties_of_fp16, 0.99, 1),
    ANY_FLOATS(any_ties_of_fp16, 0.99, 1),
    ANY_FLOATS(ties_of_bf16, 0.99, 1),
    ANY_FLOATS(small_numbers, -0x1p-49, 0x1p-49),
};
