/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with weights of 8 and 4 bits against sums in long double: in groups and without, with offsets,
 * bias and INT8 results, of weights in any of their layouts, which must not change a bit; calls that are
 * refused; and the weights that are laid out for products.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_stream.h"

enum { X, WEIGHT, SCALE, OFFSET, QUANT_SCALE, QUANT_OFFSET, BIAS, GROUP, Y, ARGUMENTS };

/* How elements of weights lie: by rows, by columns, with gaps, or eight INT4 of a row in an INT32. */
enum weights { ROWS, COLUMNS, GAPS, HALF_ROWS, HALF_COLUMNS, EIGHTS, WEIGHTS };

struct drawn {
    int64_t m, k, n, group, groups; /* groups 0: one scale for all */
    bool has_offset, has_bias, has_quant;
    aclDataType dtype;
    int8_t *weight; /* k by n */
};

static struct drawn draw(void)
{
    static const int64_t depths[] = {1, 7, 32, 64, 100, 256, 300, 640};
    static const int64_t sizes[] = {1, 3, 8, 17, 64, 130};
    struct drawn drawn = {.m = sizes[random_below(4)],
                          .k = depths[random_below(8)],
                          .n = sizes[1 + random_below(5)],
                          .has_offset = random_below(2) == 0,
                          .has_bias = random_below(2) == 0,
                          .has_quant = random_below(4) == 0,
                          .dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16};
    const int64_t group[] = {0, 0, 32, 5, 64, 1};
    drawn.group = group[random_below(6)];
    drawn.groups = drawn.group == 0 ? random_below(2) : (drawn.k + drawn.group - 1) / drawn.group;
    drawn.weight = malloc((size_t)(drawn.k * drawn.n));
    for (int64_t i = 0; i < drawn.k * drawn.n; i++)
        drawn.weight[i] = (int8_t)(random_below(16) - 8);
    return drawn;
}

struct made {
    aclTensor *tensor;
    void *memory;
};

/* The weights, in memory that ends with them. */
static struct made make_weights(const struct drawn *drawn, enum weights how)
{
    const int64_t k = drawn->k, n = drawn->n,
                  offset = how == ROWS || how == COLUMNS ? 0
                           : how == GAPS                 ? 2
                                                         : 3;
    const bool turned = how == COLUMNS || how == HALF_COLUMNS, in_halves = how >= HALF_ROWS;
    const int64_t gap = how == GAPS ? 2 : 1;
    const int64_t stride[] = {turned ? 1 : n * gap + (how == GAPS), turned ? k : gap};
    const int64_t reach = offset + (k - 1) * stride[0] + (n - 1) * stride[1];
    const int64_t bytes = how == EIGHTS ? k * n / 2 : in_halves ? reach / 2 + 1 : reach + 1;
    unsigned char *bytes_at;
    struct made made;
    assert_int_equal(aclrtMalloc(&made.memory, (size_t)bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    bytes_at = host_side(made.memory, (size_t)bytes);
    memset(bytes_at, 0x5a, (size_t)bytes);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t at = how == EIGHTS ? i * n + j : offset + i * stride[0] + j * stride[1];
            const uint8_t value = (uint8_t)drawn->weight[i * n + j];
            if (!in_halves)
                bytes_at[at] = value;
            else if (at % 2 == 0)
                bytes_at[at / 2] = (uint8_t)((bytes_at[at / 2] & 0xf0) | (value & 15));
            else
                bytes_at[at / 2] = (uint8_t)((bytes_at[at / 2] & 15) | value << 4);
        }
    if (how == EIGHTS)
        made.tensor = aclCreateTensor(DIMS(k, n / 8), 2, ACL_INT32, DIMS(n / 8, 1), 0, ACL_FORMAT_ND,
                                      DIMS(k, n / 8), 2, made.memory);
    else
        made.tensor = aclCreateTensor(DIMS(k, n), 2, in_halves ? ACL_INT4 : ACL_INT8, stride, offset,
                                      ACL_FORMAT_ND, DIMS(reach + 1), 1, made.memory);
    assert_non_null(made.tensor);
    return made;
}

/* Scales and offsets: one, or groups by columns, or what lies the other way round. */
static struct layout make_factor(const struct drawn *drawn, double low, double high)
{
    const int64_t rows = drawn->groups > 0 ? drawn->groups : 1, columns = drawn->groups > 0 ? drawn->n : 1;
    struct layout factor =
        layout_create(drawn->dtype, 2, DIMS(rows, columns), (enum layout_kind)random_below(3));
    for (int64_t i = 0; i < factor.count; i++)
        set_element(&factor, i, low + (draw_number(0.5, false) + 0.5) * (high - low));
    return factor;
}

struct operands {
    struct layout x, scale, offset, bias, quant_scale, quant_offset, y;
};

static double factor_at(const struct drawn *drawn, const struct layout *factor, int64_t k, int64_t n)
{
    const int64_t group = drawn->group == 0 ? 0 : k / drawn->group;
    return element_of(factor, drawn->groups == 0 ? 0 : group * drawn->n + n);
}

static void check(const struct drawn *drawn, const struct operands *of)
{
    for (int64_t i = 0; i < drawn->m; i++)
        for (int64_t j = 0; j < drawn->n; j++) {
            long double sum = drawn->has_bias ? (long double)element_of(&of->bias, j) : 0, size = fabsl(sum);
            for (int64_t k = 0; k < drawn->k; k++) {
                const long double offset =
                    drawn->has_offset ? (long double)factor_at(drawn, &of->offset, k, j) : 0;
                const long double weight = ((long double)drawn->weight[k * drawn->n + j] + offset) *
                                           (long double)factor_at(drawn, &of->scale, k, j);
                const long double term = (long double)element_of(&of->x, i * drawn->k + k) * weight;
                sum += term;
                size += fabsl(term);
            }
            const long double slack = size * (long double)(drawn->k + 4) * 0x1p-24L;
            if (!drawn->has_quant) {
                assert_near("product", &of->y, i * drawn->n + j, sum, drawn->dtype, slack);
                continue;
            }
            const long double scale = (long double)element_of(&of->quant_scale, j);
            long double wanted = sum * scale + (long double)element_of(&of->quant_offset, 0);
            wanted = fminl(fmaxl(wanted, -128), 127);
            const int8_t got = *(const int8_t *)layout_element(&of->y, i * drawn->n + j);
            assert_true(fabsl((long double)got - wanted) <= 0.501L + slack * fabsl(scale));
        }
}

static void products(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        struct drawn drawn = draw();
        const int64_t n = drawn.n;
        const aclDataType result = drawn.has_quant ? ACL_INT8 : drawn.dtype;
        struct operands of = {
            .x = layout_create(drawn.dtype, 2, DIMS(drawn.m, drawn.k),
                               (enum layout_kind)random_below(LAYOUT_KINDS)),
            .scale = make_factor(&drawn, -0.1, 0.1),
            .offset = make_factor(&drawn, -3, 3),
            .bias = layout_create(random_below(2) == 0 ? ACL_FLOAT : drawn.dtype, 1, &n, LAYOUT_GAPS),
            .quant_scale = layout_create(ACL_FLOAT, 1, &n, LAYOUT_CONTIGUOUS),
            .quant_offset = layout_create(ACL_FLOAT, 1, DIMS(1), LAYOUT_CONTIGUOUS),
            .y = layout_create(result, 2, DIMS(drawn.m, n), (enum layout_kind)random_below(LAYOUT_REPEATED))};
        layout_fill(&of.x, 2, false);
        layout_fill(&of.bias, 2, false);
        layout_fill(&of.quant_scale, 9, false);
        layout_fill(&of.quant_offset, 9, false);
        unsigned char *first = malloc((size_t)of.y.count * of.y.bytes);
        for (int how = 0; how < WEIGHTS; how++) {
            if (how == EIGHTS && n % 8 != 0)
                continue;
            struct made weights = make_weights(&drawn, (enum weights)how);
            const union argument argument[ARGUMENTS] = {
                [X] = {.tensor = of.x.tensor},
                [WEIGHT] = {.tensor = weights.tensor},
                [SCALE] = {.tensor = of.scale.tensor},
                [OFFSET] = {.tensor = drawn.has_offset ? of.offset.tensor : NULL},
                [QUANT_SCALE] = {.tensor = drawn.has_quant ? of.quant_scale.tensor : NULL},
                [QUANT_OFFSET] = {.tensor = drawn.has_quant ? of.quant_offset.tensor : NULL},
                [BIAS] = {.tensor = drawn.has_bias ? of.bias.tensor : NULL},
                [GROUP] = argument_of_integer(drawn.group),
                [Y] = {.tensor = of.y.tensor}};
            assert_int_equal(call_function(find("aclnnWeightQuantBatchMatmulV2"), argument), 0);
            if (how == 0)
                check(&drawn, &of);
            for (int64_t i = 0; i < of.y.count; i++) {
                unsigned char *saved = first + (size_t)i * of.y.bytes;
                if (how == 0)
                    memcpy(saved, layout_element(&of.y, i), of.y.bytes);
                assert_memory_equal(layout_element(&of.y, i), saved, of.y.bytes);
            }
            assert_int_equal(aclDestroyTensor(weights.tensor) | aclrtFree(weights.memory), 0);
        }
        struct layout *const all[] = {&of.x,           &of.scale,        &of.offset, &of.bias,
                                      &of.quant_scale, &of.quant_offset, &of.y};
        for (int i = 0; i < 7; i++)
            layout_destroy(all[i]);
        free(first);
        free(drawn.weight);
    }
}

/* Scales of INT8 as files of models have them, those of a column side by side; some are 0, negative or subnormal,
 * and some are infinite where that is asked for. */
static struct made make_column_scales(const struct drawn *drawn, bool has_infinite)
{
    const size_t count = (size_t)(drawn->groups * drawn->n);
    struct made made;
    assert_int_equal(aclrtMalloc(&made.memory, 2 * count, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    unsigned char *to = host_side(made.memory, 2 * count);
    for (size_t i = 0; i < count; i++, to += 2) {
        const int64_t kind = random_below(8);
        const double value = has_infinite && random_below(200) == 0 ? (double)INFINITY
                             : kind == 0                            ? 0
                             : kind == 1                            ? draw_number(0x1p-14, false)
                             : kind == 2                            ? draw_number(0x1p-20, false)
                                                                    : draw_number(0.1, false);
        conversion_reference(&value, ACL_DOUBLE, to, drawn->dtype);
    }
    made.tensor = aclCreateTensor(DIMS(drawn->groups, drawn->n), 2, drawn->dtype, DIMS(1, drawn->groups), 0,
                                  ACL_FORMAT_ND, DIMS(drawn->n, drawn->groups), 2, made.memory);
    assert_non_null(made.tensor);
    return made;
}

/* Few rows take weights by columns as they lie, and weights by rows in panels: of all INT8, and several blocks. */
static void columns_have_the_bits_of_rows(void **state)
{
    (void)state;
    static const int64_t depths[] = {1320, 2048, 96, 512, 1024, 800, 1792};
    enum { DEPTHS = sizeof depths / sizeof *depths };
    for (int round = 0; round < 8 * DEPTHS; round++) {
        struct drawn drawn = {.m = 1 + random_below(3),
                              .k = depths[round % DEPTHS],
                              .n = 35,
                              .group = 32,
                              .groups = (depths[round % DEPTHS] + 31) / 32,
                              .dtype = round / DEPTHS % 2 == 0 ? ACL_FLOAT16 : ACL_BF16,
                              .weight = malloc((size_t)depths[round % DEPTHS] * 35)};
        /* Products of one sign, so that infinite ones stay infinite. */
        const bool has_infinite = round >= 4 * DEPTHS;
        for (int64_t i = 0; i < drawn.k * drawn.n; i++)
            drawn.weight[i] = (int8_t)(has_infinite ? 1 + random_below(127) : random_below(256) - 128);
        struct made scale = make_column_scales(&drawn, has_infinite);
        struct layout x = layout_create(drawn.dtype, 2, DIMS(drawn.m, drawn.k), LAYOUT_CONTIGUOUS), y[2];
        for (int64_t i = 0; i < x.count; i++)
            set_element(&x, i, (has_infinite ? 2.5 : 0) + draw_number(2, false));
        if (round % 4 == 3)
            set_element(&x, random_below(x.count), (double)INFINITY);
        for (int how = 0; how < 2; how++) {
            struct made weights = make_weights(&drawn, how == 0 ? ROWS : COLUMNS);
            y[how] = layout_create(drawn.dtype, 2, DIMS(drawn.m, drawn.n), LAYOUT_CONTIGUOUS);
            const union argument argument[ARGUMENTS] = {[X] = {.tensor = x.tensor},
                                                        [WEIGHT] = {.tensor = weights.tensor},
                                                        [SCALE] = {.tensor = scale.tensor},
                                                        [GROUP] = argument_of_integer(drawn.group),
                                                        [Y] = {.tensor = y[how].tensor}};
            assert_int_equal(call_function(find("aclnnWeightQuantBatchMatmulV2"), argument), 0);
            assert_int_equal(aclDestroyTensor(weights.tensor) | aclrtFree(weights.memory), 0);
        }
        assert_memory_equal(y[0].memory, y[1].memory, (size_t)y[0].count * y[0].bytes);
        assert_int_equal(aclDestroyTensor(scale.tensor) | aclrtFree(scale.memory), 0);
        struct layout *const all[] = {&x, &y[0], &y[1]};
        for (int i = 0; i < 3; i++)
            layout_destroy(all[i]);
        free(drawn.weight);
    }
}

/* The output lies on the weights, and reads as if they had been copied. */
static void an_output_on_the_weights(void **state)
{
    (void)state;
    struct layout x = layout_create(ACL_FLOAT16, 2, DIMS(1, 32), LAYOUT_CONTIGUOUS),
                  scale = layout_create(ACL_FLOAT16, 1, DIMS(1), LAYOUT_CONTIGUOUS);
    void *place;
    assert_int_equal(aclrtMalloc(&place, 32 * 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    memset(host_side(place, 32 * 64), 1, 32 * 64);
    set_element(&scale, 0, 1);
    for (int64_t i = 0; i < 32; i++)
        set_element(&x, i, 1);
    aclTensor *weight =
        aclCreateTensor(DIMS(32, 64), 2, ACL_INT8, DIMS(64, 1), 0, ACL_FORMAT_ND, DIMS(32, 64), 2, place);
    aclTensor *y =
        aclCreateTensor(DIMS(1, 64), 2, ACL_FLOAT16, DIMS(64, 1), 0, ACL_FORMAT_ND, DIMS(1, 64), 2, place);
    const union argument argument[ARGUMENTS] = {[X] = {.tensor = x.tensor},
                                                [WEIGHT] = {.tensor = weight},
                                                [SCALE] = {.tensor = scale.tensor},
                                                [Y] = {.tensor = y}};
    assert_int_equal(call_function(find("aclnnWeightQuantBatchMatmulV2"), argument), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(((uint16_t *)memory_reach(place))[i], 0x5000); /* 32 */
    assert_int_equal(aclDestroyTensor(weight) | aclDestroyTensor(y) | aclrtFree(place), 0);
    layout_destroy(&x);
    layout_destroy(&scale);
}

static void refuse_shape(unsigned parameter, aclDataType dtype, unsigned rank, const int64_t *shape,
                         const char *sentence)
{
    struct attempt attempt = accepted(find("aclnnWeightQuantBatchMatmulV2"));
    replace(&attempt, parameter, tensor_with(dtype, rank, shape, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    release(&attempt);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refuse_shape(X, ACL_FLOAT, 2, DIMS(2, 3), "x has dtype FLOAT");
    refuse_shape(X, ACL_FLOAT16, 1, DIMS(3), "x has 1 dims and weight 2; 2 are expected");
    refuse_shape(X, ACL_FLOAT16, 2, DIMS(2, 4), "x has 4 columns and weight 3 rows");
    refuse_shape(WEIGHT, ACL_UINT8, 2, DIMS(3, 8), "weight has dtype UINT8");
    refuse_shape(SCALE, ACL_BF16, 1, DIMS(1), "antiquantScale has dtype BFLOAT16");
    refuse_shape(SCALE, ACL_UINT64, 1, DIMS(1), "antiquantScale has dtype UINT64");
    refuse_shape(SCALE, ACL_FLOAT16, 2, DIMS(3, 8),
                 "antiquantScale has shape [3, 8]; one element, 8 or (1, 8)");
    refuse_shape(OFFSET, ACL_FLOAT16, 1, DIMS(8), "antiquantOffsetOptional has shape [8]");
    refuse_shape(QUANT_SCALE, ACL_FLOAT, 1, DIMS(7), "quantScaleOptional has shape [7]");
    refuse_shape(BIAS, ACL_FLOAT, 1, DIMS(1), "biasOptional has 1 elements; 8 are expected");
    refuse_shape(Y, ACL_FLOAT16, 2, DIMS(2, 8), "y has dtype FLOAT16");
    refuse_shape(Y, ACL_INT8, 2, DIMS(2, 7), "y has shape [2, 7]; [2, 8]");
    struct attempt attempt = accepted(find("aclnnWeightQuantBatchMatmulV2"));
    attempt.argument[GROUP] = argument_of_integer(-1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "antiquantGroupSize is -1; 0 or more is expected");
    attempt.argument[GROUP] = argument_of_integer(0);
    assert_int_equal(aclDestroyTensor(attempt.argument[QUANT_SCALE].tensor), 0);
    attempt.argument[QUANT_SCALE].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "quantOffsetOptional is given and quantScaleOptional is not");
    release(&attempt);
}

static void weights_stay_as_they_are(void **state)
{
    static const struct {
        int64_t dim[7];
        uint64_t rank;
        aclDataType dtype;
        aclnnStatus status;
        uint64_t size;
    } rows[] = {
        {{17, 33}, 2, ACL_FLOAT16, 0, 32 * 48},
        {{17, 33}, 2, ACL_BF16, 0, 32 * 48},
        {{17, 33}, 2, ACL_INT8, 0, 32 * 64},
        {{17, 33}, 2, ACL_FLOAT, 0, 32 * 48},
        {{3, 1, 16, 16}, 4, ACL_FLOAT16, 0, 3 * 256},
        {{16}, 1, ACL_FLOAT16, 161002, 0},
        {{1, 1, 1, 1, 1, 1, 1}, 7, ACL_FLOAT16, 161002, 0},
        {{16, 0}, 2, ACL_FLOAT16, 161002, 0},
        {{INT64_MAX, 2}, 2, ACL_FLOAT16, 161002, 0},
        {{INT64_C(1) << 40, INT64_C(1) << 40}, 2, ACL_FLOAT16, 161002, 0},
    };
    uint64_t size, plain;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aclIntArray *shape = aclCreateIntArray(rows[i].dim, rows[i].rank);
        size = plain = 77;
        assert_int_equal(aclnnCalculateMatmulWeightSizeV2(shape, rows[i].dtype, &size), rows[i].status);
        assert_int_equal(size, rows[i].status == 0 ? rows[i].size : 77);
        assert_int_equal(aclnnCalculateMatmulWeightSize(shape, &plain), rows[i].status);
        if (rows[i].status == 0 && rows[i].dtype == ACL_FLOAT16)
            assert_int_equal(plain, size);
        assert_int_equal(aclnnCalculateMatmulWeightSize(shape, NULL), 161001);
        assert_int_equal(aclDestroyIntArray(shape), 0);
        assert_int_equal(aclnnCalculateMatmulWeightSize(shape, &size), 161002); /* stale */
    }
    assert_int_equal(aclnnCalculateMatmulWeightSizeV2(NULL, ACL_FLOAT, &size), 161001);
    struct layout weight = layout_create(ACL_FLOAT, 2, DIMS(3, 5), LAYOUT_CONTIGUOUS);
    unsigned char before[60];
    layout_fill(&weight, 1, false);
    memcpy(before, weight.memory, sizeof before);
    const union argument argument[] = {{.tensor = weight.tensor}};
    assert_int_equal(call_function(find("aclnnTransMatmulWeight"), argument), 0);
    assert_memory_equal(weight.memory, before, sizeof before);
    layout_destroy(&weight);
    void *block = NULL;
    assert_int_equal(aclrtMalloc(&block, 32, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    aclTensor *longer =
        aclCreateTensor(DIMS(100, 100), 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, DIMS(100, 100), 2, block);
    const struct function *function = find("aclnnTransMatmulWeight");
    aclOpExecutor *executor;
    assert_int_equal(function_plan_anew(function, &(union argument){.tensor = longer}, &size, &executor), 0);
    assert_int_equal(function->launch(NULL, 0, executor, NULL), 161002);
    assert_non_null(strstr(aclGetRecentErrMsg(), "mmWeightRef"));
    assert_int_equal(aclDestroyTensor(longer), 0);
    assert_int_equal(aclrtFree(block), 0);
    struct attempt attempt = accepted(find("aclnnTransMatmulWeight"));
    replace_dtype(&attempt, 0, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mmWeightRef has dtype DOUBLE");
    replace(&attempt, 0, tensor_with(ACL_FLOAT16, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mmWeightRef has 1 dims; 2 to 8 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(columns_have_the_bits_of_rows),
        cmocka_unit_test(an_output_on_the_weights),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(weights_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
