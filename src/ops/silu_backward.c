/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * s'(self), where s'(x) = sigma(x) (1 + x (1 - sigma(x))) and sigma(x) = 1 / (1 +
 * e^-x).
 *
 * Every finite x gives the exact value rounded once, at the root near x = -1.27846454 and in the far tail
 * too; fp32 at the default accuracy is within 1 unit in the last place instead. x = +-inf or NaN gives NaN.
 * An infinite gradient with a finite x gives an infinity with the sign of s'(x).
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/exponential.h"
#include "simd/map.h"
#include "simd/silu_derivative.h"

/*
 * With phi(b) = s'(-b), s'(x) is phi(-x) for x < 0 and 1 - phi(x) for x >= 0, and phi(b) = E n / (1 + E)^2
 * with E = e^-b and n = 1 - b + E, which vanishes at the root: -b = x0. From x0 all is measured, so that
 * nothing cancels: with y = -b - x0 = k ln 2 + r and m = e^r - 1,
 *     E = -(1 + x0) 2^k (1 + m)    because e^x0 = -(1 + x0),
 *     n = y - (1 + x0) (2^k m + (2^k - 1)), where the last term is exactly 0 for k = 0, around the root.
 */
static const double root[] = {-0x1.474973c84120bp+0, -0x1.f8d74bc9ac154p-54, -0x1.44a50180ba780p-108};
static const double exp_root[] = {0x1.1d25cf210482ep-2, -0x1.ca2d0d94faaecp-60};

/* Beyond 300 the results of every dtype are those at 300; infinities and NaN stay NaN through finite. */
static inline doubles clamp_argument(doubles x)
{
    /* s'(x) = 1/2 + x/2 near 0: a smaller x only decides to which side an odd subnormal gradient's half goes.
     */
    doubles size = absolute(keep_off_zero(x, 0x1p-40));
    return choose(size > 300, broadcast(300), size);
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    doubles x = input[1];
    doubles y = (-clamp_argument(x) - root[0]) - root[1];
    struct binary_power power = nearest_power(y);
    doubles r = (y - power.exponent * ln2_part[0]) - power.exponent * ln2_part[1];
    doubles m = exp_minus_1(r);
    doubles e = exp_root[0] * (power.value * (1 + m));
    doubles n = y + exp_root[0] * (power.value * m + (power.value - 1));
    doubles phi = e * n / ((1 + e) * (1 + e));
    doubles derivative = choose(x < 0, phi, 1 - phi);
    derivative = choose(x == 0, broadcast(0.5), derivative);
    /* inf - inf and NaN - NaN are NaN. */
    return input[0] * (derivative + (x - x));
}

/* The same in pairs, to some 2^-97. */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    (void)value;
    doubles x = input[1];
    const struct pair one = pair_of(1, 0), e_root = pair_of(exp_root[0], exp_root[1]);
    struct pair y = two_sum(-clamp_argument(x), broadcast(-root[0]));
    y = pair_add(y, pair_of(-root[1], -root[2]));
    struct binary_power power = nearest_power(y.high);
    struct pair m = pair_exp_minus_1(pair_remainder(y, power));
    struct pair scaled = pair_scale(m, power.value);
    struct pair e = pair_multiply(e_root, pair_add(scaled, (struct pair){power.value, broadcast(0)}));
    struct pair n = pair_add(y, pair_multiply(e_root, pair_add(scaled, two_sum(power.value, broadcast(-1)))));
    struct pair sum = pair_add(one, e);
    struct pair phi = pair_divide(pair_multiply(e, n), pair_multiply(sum, sum));
    struct pair other = pair_add(one, pair_negate(phi));
    struct pair derivative = {choose(x < 0, phi.high, other.high), choose(x < 0, phi.low, other.low)};
    derivative.high = choose(x == 0, broadcast(0.5), derivative.high);
    derivative.low = choose(x == 0, broadcast(0), derivative.low);
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, derivative);
    return round_to_odd(result.high, result.low);
}

/* Beyond this the segments end. */
static const float end_of_segments = 20;

/* fp32: within 0.87 units in the last place for |x| <= 20, as long as the product with g keeps its last bits.
 */
static inline __attribute__((always_inline)) wide fast_fp32(const wide *input, const void *prepared,
                                                            struct doubts *doubts)
{
    (void)prepared;
    wide g = input[0], x = input[1], size = wide_absolute(x);
    flags nan = doubts->is_careful ? wide_is_nan(g + (x - x)) : (flags){0};
    if (doubts->is_careful)
        size = wide_choose(nan, wide_of(0), size);
    doubts->differing |= (wide_bits)(size - wide_least(wide_of(end_of_segments), size));
    doubt_small(doubts, g);
    struct wide_pair phi = silu_phi_pair(size);
    flags negative = wide_greater(wide_of(0), x);
    wide high = 1 - phi.high, low = ((1 - high) - phi.high) - phi.low;
    high = wide_choose(negative, phi.high, high);
    low = wide_choose(negative, phi.low, low);
    /* The sign is that of the exact product, also where both terms are zeros. */
    wide result = wide_with_sign_of(fused(g, high, g * low), (wide)((wide_bits)g ^ (wide_bits)(high + low)));
    doubt_infinite(doubts, result, nan);
    return doubts->is_careful ? wide_choose(nan, g + (x - x), result) : result;
}

static inline wide_bits counts_fp32(const wide *input, wide value)
{
    wide_bits in_range = (wide_bits)(wide_absolute(input[1]) <= end_of_segments);
    wide_bits not_small = (wide_bits)(magnitude_order(input[0]) >= 2 * smallest_factor - 1);
    return in_range & not_small & (wide_bits)(value - value == 0);
}

/* 16 bits: near enough to be sure of most. Above the segments the result is the gradient. */
static inline __attribute__((always_inline)) wide fast_narrow(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    (void)prepared;
    wide g = input[0], x = input[1];
    wide size = wide_least(wide_of(end_of_segments), wide_absolute(x));
    wide phi = silu_phi(size);
    wide above = wide_with_sign_of(fused_from(g, phi, g), g); /* a zero's sign too */
    wide result = wide_choose(wide_greater(wide_of(0), x), g * phi, above);
    result -= x - x; /* NaN for infinities; subtracting keeps the sign of a zero */
    flags nan = doubts->is_careful ? wide_is_nan(g + (x - x)) : (flags){0};
    wide below = wide_least(wide_of(-end_of_segments), x) + end_of_segments;
    doubts->differing |= (wide_bits)(doubts->is_careful ? wide_choose(nan, wide_of(0), below) : below);
    doubt_infinite(doubts, result, nan);
    return doubt_near_tie(doubts, result);
}

static const struct evaluation silu_exact = {.inputs = 2, .estimate = estimate, .settle = settle};
static const struct evaluation silu_fp32 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast_fp32, .counts = counts_fp32};
static const struct evaluation silu_narrow = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast_narrow};

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_FP32, &silu_fp32, input, output, count, NULL, streams);
}

static void run_fp32_exact(const void *const *input, void *output, size_t count, const void *parameters,
                           bool streams)
{
    (void)parameters;
    map(ARITHMETIC_FP32, &silu_exact, input, output, count, NULL, streams);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_FP16, &silu_narrow, input, output, count, NULL, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_BF16, &silu_narrow, input, output, count, NULL, streams);
}

KERNELS(silu_backward) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32_exact,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

KERNEL_LEVELS(silu_backward);
static const struct elementwise elementwise = {silu_backward_kernels, .cost_ps = {600, 600}};

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor);

OPERATOR(silu_backward) = {
    .operation = ELEMENTWISE("aclnnSiluBackward"),
    .stem = "silu_backward",
    .parameter_count = 3,
    .parameter =
        {
            [GRAD_OUTPUT] = {.name = "gradOutput", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [GRAD_INPUT] = {.name = "gradInput", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_fp32_fp16_bf16},
        },
    .is_fp32_within_one_ulp = true,
    .plan = plan,
    .launch = aclnnSiluBackward,
};

/* Dtypes and shapes are equal, except that Ascend950 promotes and broadcasts; a promoted gradInput is FLOAT.
 */
static aclnnStatus check_same(const struct call *call)
{
    TRY(check_same_dtype(call, SELF, GRAD_OUTPUT, "Ascend950 promotes them"));
    TRY(check_same_dtype(call, GRAD_INPUT, GRAD_OUTPUT, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, GRAD_INPUT));
    TRY(check_same_shape(call, SELF, GRAD_OUTPUT, "Ascend950 broadcasts them"));
    return check_same_shape(call, GRAD_INPUT, GRAD_OUTPUT, NULL);
}

static aclnnStatus check_common(const struct call *call, aclDataType *dtype)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_promotion(call, inputs, 2, dtype));
    TRY(check_output_dtype(call, GRAD_INPUT, *dtype));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, GRAD_INPUT));
    return check_broadcast(call, inputs, 2, GRAD_INPUT);
}

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct call call __attribute__((uninitialized));
    TRY(check_arguments(&call, &silu_backward, argument, workspaceSize, executor));
    TRY(check_dtype(&call, GRAD_OUTPUT));
    TRY(check_dtype(&call, SELF));
    TRY(check_dtype(&call, GRAD_INPUT));
    aclDataType dtype = call.tensor[SELF].dtype;
    if (call.settings->product == PRODUCT_950)
        TRY(check_common(&call, &dtype));
    else
        TRY(check_same(&call));
    return elementwise_plan(&call, &elementwise, dtype, NULL, 0);
}

aclnnStatus aclnnSiluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                              aclTensor *gradInput, uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput}, {.tensor = self}, {.tensor = gradInput}};
    return operator_plan(&silu_backward, argument, workspaceSize, executor);
}

aclnnStatus aclnnSiluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                              aclrtStream stream)
{
    return executor_launch(&silu_backward.operation, workspace, workspaceSize, executor, stream);
}

#endif
