/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Searches for the constants of src/simd/maths/logistic16.h: the same steps in fp32, begun with the
 * polynomial that is e^-r at Chebyshev's nodes, whose last coefficients and what else there is to choose are
 * varied until all results in FLOAT16 and BFLOAT16 are the exact values rounded once. What those are long
 * doubles tell, and which of them could be missed at all. Prints the constants of each function (seconds):
 *
 *   gcc -O2 -march=native -ffp-contract=off scripts/logistic_narrow.c -lm -o logistic_narrow &&
 * ./logistic_narrow
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum function { SILU, SIGMOID, TANH, GELU, FUNCTIONS };

struct constants {
    float c[7];                   /* of r^0 to r^6 */
    float rest_below, rest_above; /* sigmoid: what |y| is less where y is below or above 0 */
    float linear, shift;          /* gelu: v = |x| (linear + cubic x^2) + shift */
};

static const char *const names[FUNCTIONS] = {"silu", "sigmoid", "tanh", "gelu"};
static const int degrees[FUNCTIONS] = {6, 5, 6, 5};
static const float limits[FUNCTIONS] = {80, 80, 40, 4.75F}, least[FUNCTIONS] = {0x1p-13F, 0, 0, 0x1p-13F};

static float reduced(float b, float *power)
{
    const float exponent_sum = 0x1.8p23F + 127;
    const float sum = fmaf(-b, 0x1.715476p0F, exponent_sum);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits <<= 23;
    memcpy(power, &bits, sizeof bits);
    return fmaf(sum - exponent_sum, 0x1.62e43p-1F, b);
}

static float quick(enum function function, const struct constants *constants, float x)
{
    const float *c = constants->c, size = fabsf(x);
    float power, b = size;
    if (function == SILU)
        b = x;
    else if (function == SIGMOID)
        b = size - (x < 0 ? constants->rest_below : constants->rest_above);
    else if (function == TANH)
        b = 2 * size;
    else
        b = fmaf(size, fmaf(size * size, 0x1.2444f2p-4F, constants->linear), constants->shift);
    const float r = reduced(b, &power);
    float e = c[degrees[function]];
    for (int i = degrees[function] - 1; i > 0; i--)
        e = fmaf(r, e, c[i]);
    if (function == TANH) {
        const float n = fmaf(-power, r * e, 1 - power);
        return copysignf(n * (1 / (2 - n)), x);
    }
    e = fmaf(r, e, c[0]);
    const float factor = function != SILU && x < 0 ? e * power : 1;
    return (function == SIGMOID ? factor : x * factor) / fmaf(e, power, 1);
}

static long double exact(enum function function, long double x)
{
    const long double linear = sqrtl(8 / acosl(-1));
    if (function == TANH)
        return tanhl(x);
    if (function == SIGMOID)
        return 1 / (1 + expl(-x));
    return x / (1 + expl(function == SILU ? -x : -linear * (x + 0.044715L * x * x * x)));
}

static float value_of(uint16_t bits, bool is_bf16)
{
    _Float16 half;
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&half, &bits, sizeof half);
    memcpy(&value, &wide, sizeof value);
    return is_bf16 ? value : (float)half;
}

static uint16_t rounded(float value, bool is_bf16)
{
    const _Float16 half = (_Float16)value;
    uint16_t bits;
    uint32_t wide;
    memcpy(&bits, &half, sizeof bits);
    memcpy(&wide, &value, sizeof wide);
    return is_bf16 ? (uint16_t)((wide + 0x7fff + (wide >> 16 & 1)) >> 16) : bits;
}

/* A float between which and the exact value there is no tie of 16 bits. */
static float odd(long double value)
{
    float near = (float)value;
    uint32_t bits;
    if (near == value)
        return near;
    if (fabsl(near) > fabsl(value))
        near = nextafterf(near, 0);
    memcpy(&bits, &near, sizeof bits);
    bits |= 1;
    memcpy(&near, &bits, sizeof near);
    return near;
}

/* Arguments whose results could be missed, and those results. */
struct risk {
    float x;
    uint16_t wanted;
    bool is_bf16;
};

static unsigned find_risks(enum function function, struct risk *risks)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < 2 * 65536; i++) {
        const bool is_bf16 = i >> 16;
        const float x = value_of((uint16_t)i, is_bf16);
        if (!(fabsf(x) <= limits[function]) || fabsf(x) < least[function])
            continue;
        const long double value = exact(function, x);
        const uint16_t low = rounded((float)(value * (1 - 0x1p-20L)), is_bf16);
        const uint16_t high = rounded((float)(value * (1 + 0x1p-20L)), is_bf16);
        if (low != high)
            risks[count++] = (struct risk){x, rounded(odd(value), is_bf16), is_bf16};
    }
    return count;
}

/* e^-r by its values at Chebyshev's nodes of |r| <= ln 2 / 2 (Newton's form), with 1 - r in front. */
static void interpolate(int degree, float *c)
{
    double at[7], difference[7], polynomial[8] = {0};
    const int n = degree + 1;
    for (int i = 0; i < n; i++) {
        at[i] = 0.34658 * cos(acos(-1) * (i + 0.5) / n);
        difference[i] = exp(-at[i]);
    }
    for (int j = 1; j < n; j++)
        for (int i = n - 1; i >= j; i--)
            difference[i] = (difference[i] - difference[i - 1]) / (at[i] - at[i - j]);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = n; j > 0; j--)
            polynomial[j] = polynomial[j - 1] - at[i] * polynomial[j];
        polynomial[0] = difference[i] - at[i] * polynomial[0];
    }
    for (int i = 0; i < 7; i++)
        c[i] = i <= degree ? (float)polynomial[i] : 0;
    c[0] = 1;
    c[1] = -1;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* value moved by up to so many units of its last place, two times of three by none. */
static float moved(float value, int units, uint64_t *state)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (draw(state) % 3 == 0)
        bits += (uint32_t)(draw(state) % (2 * (unsigned)units + 1)) - (uint32_t)units;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int main(void)
{
    static struct risk risks[2 * 65536];
    for (enum function function = SILU; function < FUNCTIONS; function++) {
        struct constants base = {.rest_below = 0x1p-24F, .rest_above = 0x1.8p-23F, .linear = 0x1.988454p0F};
        const unsigned count = find_risks(function, risks);
        const int degree = degrees[function];
        uint64_t state = 1;
        interpolate(degree, base.c);
        for (unsigned long trial = 0; trial < 100000000; trial++) {
            struct constants tried = base;
            if (trial > 0) {
                for (int i = 3; i <= degree; i++)
                    tried.c[i] = moved(base.c[i], i == 3 ? 8 : i == 4 ? 64 : 512, &state);
                if (function == GELU)
                    tried.c[0] = draw(&state) % 2 ? 1 : 1 + 0x1p-23F;
                tried.rest_below = ldexpf((float)(8 + draw(&state) % 8), -26 - (int)(draw(&state) % 3));
                tried.rest_above = ldexpf((float)(8 + draw(&state) % 8), -26 - (int)(draw(&state) % 3));
                tried.linear = moved(base.linear, 4, &state);
                tried.shift = ldexpf((float)(draw(&state) % 16) - 8, -28);
            }
            unsigned wrong = 0;
            for (unsigned i = 0; i < count && wrong == 0; i++)
                wrong += rounded(quick(function, &tried, risks[i].x), risks[i].is_bf16) != risks[i].wanted;
            if (wrong)
                continue;
            printf("%s: %u could be missed; trial %lu:", names[function], count, trial);
            for (int i = 0; i <= degree; i++)
                printf(" %a", (double)tried.c[i]);
            if (function == SIGMOID)
                printf(", |y| less by %a below 0, %a above", (double)tried.rest_below,
                       (double)tried.rest_above);
            if (function == GELU)
                printf(", linear %a shift %a", (double)tried.linear, (double)tried.shift);
            printf("\n");
            break;
        }
    }
    return 0;
}
