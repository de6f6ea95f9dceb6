/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What attention has around it, row by row: rotary position embedding, the softmax that is scaled and masked,
 * and their gradients, against loops in long double, in any layout.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/attempt.h"
#include "ops/layout.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static long double number(const struct layout *layout, int64_t index)
{
    double value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_DOUBLE);
    return (long double)value;
}

static void assert_near(const struct layout *layout, const char *what, int64_t index, long double wanted,
                        long double size)
{
    const long double got = number(layout, index);
    const long double unit = layout->dtype == ACL_FLOAT     ? 0x1p-23L
                             : layout->dtype == ACL_FLOAT16 ? 0x1p-10L
                                                            : 0x1p-7L;
    if (!(fabsl(got - wanted) <= unit * fabsl(wanted) + size + (layout->dtype == ACL_FLOAT16 ? 0x1p-24L : 0)))
        fail_msg("%s of %s: element %lld is %.9Lg instead of %.9Lg", what, dtype_name(layout->dtype),
                 (long long)index, got, wanted);
}

static struct layout fresh(aclDataType dtype, unsigned rank, const int64_t *shape, bool may_repeat)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(may_repeat ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 2, false);
    return layout;
}

static void run(const char *api, const union argument *argument)
{
    const struct function *function = find(api);
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = function_plan_anew(function, argument, &bytes, &executor);
    finish(function->launch, status, executor);
}

/* x's element that result i of a row takes with its cosine, and the one with its sine, with what sign. */
struct turn {
    int64_t own, other;
    int sign;
};

static struct turn turn_of(int64_t mode, int64_t depth, int64_t i)
{
    const int64_t half = depth / 2, quarter = depth / 4;
    switch (mode) {
    case 0:
        return i < half ? (struct turn){i, i + half, -1} : (struct turn){i, i - half, 1};
    case 1:
        return i % 2 == 0 ? (struct turn){i, i + 1, -1} : (struct turn){i, i - 1, 1};
    case 2:
        return i / quarter % 2 == 0 ? (struct turn){i, i + quarter, -1} : (struct turn){i, i - quarter, 1};
    default:
        return i < half ? (struct turn){2 * i, 2 * i + 1, -1}
                        : (struct turn){2 * (i - half) + 1, 2 * (i - half), 1};
    }
}

struct rotary {
    int64_t mode, shape[4], angles[4];
    struct layout x, cosine, sine, out, dy, dx, dcos, dsin;
};

static struct rotary draw_rotary(aclDataType dtype, int64_t mode)
{
    struct rotary drawn = {.mode = mode};
    for (int i = 0; i < 4; i++) {
        drawn.shape[i] = i < 3 ? 1 + random_below(4) : 4 * random_below(9);
        drawn.angles[i] = i < 3 && random_below(2) == 0 ? 1 : drawn.shape[i];
    }
    struct layout *wholes[] = {&drawn.x, &drawn.out, &drawn.dy, &drawn.dx},
                  *angles[] = {&drawn.cosine, &drawn.sine, &drawn.dcos, &drawn.dsin};
    for (int i = 0; i < 4; i++) {
        *wholes[i] = fresh(dtype, 4, drawn.shape, i == 0 || i == 2);
        *angles[i] = fresh(dtype, 4, drawn.angles, i < 2);
    }
    return drawn;
}

static void release_rotary(struct rotary *drawn)
{
    struct layout *all[] = {&drawn->x,    &drawn->out,  &drawn->dy,     &drawn->dx,
                            &drawn->dcos, &drawn->dsin, &drawn->cosine, &drawn->sine};
    for (int i = 0; i < 8; i++)
        layout_destroy(all[i]);
}

/* The angle that belongs to an element of x. */
static int64_t angle_of(const struct rotary *drawn, int64_t index)
{
    int64_t place = 0, step = 1;
    for (int i = 4; i-- > 0; index /= drawn->shape[i]) {
        place += drawn->angles[i] == 1 ? 0 : index % drawn->shape[i] * step;
        step *= drawn->angles[i];
    }
    return place;
}

static void call_rotary(const struct rotary *drawn)
{
    const union argument forward[] = {ARG(drawn->x.tensor), ARG(drawn->cosine.tensor),
                                      ARG(drawn->sine.tensor), ARG(drawn->mode), ARG(drawn->out.tensor)};
    const union argument backward[] = {
        ARG(drawn->dy.tensor), ARG(drawn->cosine.tensor), ARG(drawn->sine.tensor), ARG(drawn->x.tensor),
        ARG(drawn->mode),      ARG(drawn->dx.tensor),     ARG(drawn->dcos.tensor), ARG(drawn->dsin.tensor)};
    run("aclnnRotaryPositionEmbedding", forward);
    run("aclnnRotaryPositionEmbeddingGrad", backward);
}

static void rotary_turns_pairs(void **state)
{
    (void)state;
    static long double dx[4096], dcos[4096], dsin[4096];
    for (int round = 0; round < 120; round++) {
        struct rotary drawn = draw_rotary(dtypes[round % 3], round / 3 % 4);
        const int64_t depth = drawn.shape[3];
        memset(dx, 0, sizeof dx);
        memset(dcos, 0, sizeof dcos);
        memset(dsin, 0, sizeof dsin);
        call_rotary(&drawn);
        for (int64_t i = 0; i < drawn.x.count; i++) {
            const struct turn turn = turn_of(drawn.mode, depth, i % depth);
            const int64_t row = i / depth * depth, angle = angle_of(&drawn, i);
            const long double own = number(&drawn.x, row + turn.own),
                              other = turn.sign * number(&drawn.x, row + turn.other),
                              cosine = number(&drawn.cosine, angle), sine = number(&drawn.sine, angle),
                              dy = number(&drawn.dy, i);
            assert_near(&drawn.out, "rotary", i, own * cosine + other * sine, 1e-14L);
            dx[row + turn.own] += dy * cosine;
            dx[row + turn.other] += turn.sign * dy * sine;
            dcos[angle] += dy * own;
            dsin[angle] += dy * other;
        }
        for (int64_t i = 0; i < drawn.dx.count; i++)
            assert_near(&drawn.dx, "dx", i, dx[i], 1e-14L);
        for (int64_t i = 0; i < drawn.dcos.count && drawn.x.count > 0; i++) {
            assert_near(&drawn.dcos, "dcos", i, dcos[i], 1e-13L);
            assert_near(&drawn.dsin, "dsin", i, dsin[i], 1e-13L);
        }
        release_rotary(&drawn);
    }
}

static void rotary_works_in_place(void **state)
{
    (void)state;
    for (int64_t mode = 0; mode < 4; mode++) {
        struct rotary drawn = draw_rotary(ACL_FLOAT, mode);
        layout_destroy(&drawn.x);
        drawn.x = fresh(ACL_FLOAT, 4, drawn.shape, false);
        call_rotary(&drawn);
        const union argument forward[] = {ARG(drawn.x.tensor), ARG(drawn.cosine.tensor),
                                          ARG(drawn.sine.tensor), ARG(mode), ARG(drawn.x.tensor)};
        run("aclnnRotaryPositionEmbedding", forward);
        for (int64_t i = 0; i < drawn.x.count; i++)
            assert_memory_equal(layout_element(&drawn.x, i), layout_element(&drawn.out, i), sizeof(float));
        release_rotary(&drawn);
    }
}

/* Queries and keys in place: (batch, row, head, element), in the order that the layout has them. */
struct applied {
    int64_t layout, mode, batches, rows, heads[2], depth, angle_batches;
    struct layout x[2], before[2], cosine, sine;
};

static struct layout in_order(aclDataType dtype, const struct applied *drawn, int64_t batches, int64_t heads)
{
    const int64_t s = drawn->rows, d = drawn->depth;
    const int64_t shapes[][4] = {
        {batches, s, heads, d}, {s, batches, heads, d}, {batches, heads, s, d}, {s, heads, d, 0}};
    return fresh(dtype, drawn->layout == 4 ? 3 : 4, shapes[drawn->layout - 1], false);
}

static int64_t place_in(const struct applied *drawn, int64_t batches, int64_t heads, const int64_t *at)
{
    const int64_t s = drawn->rows, d = drawn->depth;
    return drawn->layout == 2   ? ((at[1] * batches + at[0]) * heads + at[2]) * d + at[3]
           : drawn->layout == 3 ? ((at[0] * heads + at[2]) * s + at[1]) * d + at[3]
                                : ((at[0] * s + at[1]) * heads + at[2]) * d + at[3];
}

static struct applied apply_to_drawn(int round)
{
    struct applied drawn = {.layout = 1 + round % 4, .mode = round / 4 % 3};
    drawn.batches = drawn.layout == 4 ? 1 : random_below(4);
    drawn.rows = random_below(5);
    drawn.depth = 4 * random_below(10);
    drawn.angle_batches = random_below(2) == 0 ? 1 : drawn.batches;
    const aclDataType dtype = dtypes[round % 3], of_angles = dtypes[random_below(3)];
    for (int i = 0; i < 2; i++) {
        drawn.heads[i] = 1 + random_below(4);
        drawn.x[i] = in_order(dtype, &drawn, drawn.batches, drawn.heads[i]);
        drawn.before[i] = in_order(dtype, &drawn, drawn.batches, drawn.heads[i]);
        for (int64_t k = 0; k < drawn.x[i].count; k++)
            memcpy(layout_element(&drawn.before[i], k), layout_element(&drawn.x[i], k), drawn.x[i].bytes);
    }
    drawn.cosine = in_order(of_angles, &drawn, drawn.angle_batches, 1);
    drawn.sine = in_order(of_angles, &drawn, drawn.angle_batches, 1);
    static const char *const modes[] = {"half", "interleave", "quarter"};
    const union argument argument[] = {ARG(drawn.x[0].tensor),   ARG(drawn.x[1].tensor),
                                       ARG(drawn.cosine.tensor), ARG(drawn.sine.tensor),
                                       ARG(drawn.layout),        argument_of_pointer(modes[drawn.mode])};
    run(drawn.mode == 0 && round % 2 == 0 ? "aclnnApplyRotaryPosEmb" : "aclnnApplyRotaryPosEmbV2", argument);
    return drawn;
}

static void release_applied(struct applied *drawn)
{
    for (int i = 0; i < 2; i++) {
        layout_destroy(&drawn->x[i]);
        layout_destroy(&drawn->before[i]);
    }
    layout_destroy(&drawn->cosine);
    layout_destroy(&drawn->sine);
}

static void expect_applied(const struct applied *drawn, int which)
{
    const int64_t heads = drawn->heads[which];
    for (int64_t k = 0; k < drawn->x[which].count; k++) {
        const int64_t at[] = {k / drawn->depth / heads / drawn->rows, k / drawn->depth / heads % drawn->rows,
                              k / drawn->depth % heads, k % drawn->depth};
        const struct turn turn = turn_of(drawn->mode, drawn->depth, at[3]);
        const int64_t own = place_in(drawn, drawn->batches, heads, DIMS(at[0], at[1], at[2], turn.own)),
                      other = place_in(drawn, drawn->batches, heads, DIMS(at[0], at[1], at[2], turn.other)),
                      angle = place_in(drawn, drawn->angle_batches, 1,
                                       DIMS(drawn->angle_batches == 1 ? 0 : at[0], at[1], 0, at[3]));
        assert_near(&drawn->x[which], "applied", place_in(drawn, drawn->batches, heads, at),
                    number(&drawn->before[which], own) * number(&drawn->cosine, angle) +
                        turn.sign * number(&drawn->before[which], other) * number(&drawn->sine, angle),
                    1e-14L);
    }
}

static void queries_and_keys_are_turned_in_place(void **state)
{
    (void)state;
    for (int round = 0; round < 96; round++) {
        struct applied drawn = apply_to_drawn(round);
        expect_applied(&drawn, 0);
        expect_applied(&drawn, 1);
        release_applied(&drawn);
    }
}

struct masked {
    int64_t shape[4], mask_shape[4];
    double scale;
    struct layout x, mask, y, gradient, out;
};

static struct masked draw_masked(aclDataType dtype)
{
    struct masked drawn = {.scale = 1.7};
    for (int i = 0; i < 4; i++) {
        drawn.shape[i] = i < 3 ? random_below(4) : 1 + random_below(70);
        drawn.mask_shape[i] = random_below(3) == 0 ? 1 : drawn.shape[i];
    }
    drawn.x = fresh(dtype, 4, drawn.shape, true);
    drawn.gradient = fresh(dtype, 4, drawn.shape, true);
    drawn.mask = fresh(ACL_BOOL, 4, drawn.mask_shape, true);
    drawn.y = fresh(dtype, 4, drawn.shape, false);
    drawn.out = fresh(dtype, 4, drawn.shape, false);
    return drawn;
}

static void call_masked(const struct masked *drawn)
{
    const union argument forward[] = {ARG(drawn->x.tensor), ARG(drawn->mask.tensor), ARG(drawn->scale),
                                      argument_of_bool(false), ARG(drawn->y.tensor)};
    const union argument backward[] = {ARG(drawn->gradient.tensor), ARG(drawn->y.tensor),
                                       ARG(drawn->mask.tensor),     ARG(drawn->scale),
                                       argument_of_bool(false),     ARG(drawn->out.tensor)};
    run("aclnnScaledMaskedSoftmax", forward);
    run("aclnnScaledMaskedSoftmaxBackward", backward);
}

static void release_masked(struct masked *drawn)
{
    layout_destroy(&drawn->x);
    layout_destroy(&drawn->gradient);
    layout_destroy(&drawn->mask);
    layout_destroy(&drawn->y);
    layout_destroy(&drawn->out);
}

static bool is_masked(const struct masked *drawn, int64_t index)
{
    int64_t place = 0, step = 1;
    for (int i = 4; i-- > 0; index /= drawn->shape[i]) {
        place += drawn->mask_shape[i] == 1 ? 0 : index % drawn->shape[i] * step;
        step *= drawn->mask_shape[i];
    }
    return *layout_element(&drawn->mask, place) != 0;
}

static void softmax_is_scaled_and_masked(void **state)
{
    (void)state;
    for (int round = 0; round < 90; round++) {
        struct masked drawn = draw_masked(dtypes[round % 3]);
        const int64_t length = drawn.shape[3];
        call_masked(&drawn);
        for (int64_t row = 0; row < drawn.x.count; row += length) {
            long double term[70] = {0}, sum = 0, product = 0;
            for (int64_t i = row; i < row + length; i++) {
                term[i - row] =
                    is_masked(&drawn, i) ? -10000 : number(&drawn.x, i) * (long double)drawn.scale;
                product += number(&drawn.gradient, i) * number(&drawn.y, i);
            }
            long double most = term[0];
            for (int64_t i = 0; i < length; i++)
                most = term[i] > most ? term[i] : most;
            for (int64_t i = 0; i < length; i++)
                sum += expl(term[i] - most);
            for (int64_t i = row; i < row + length; i++) {
                const long double y = number(&drawn.y, i), g = number(&drawn.gradient, i);
                assert_near(&drawn.y, "softmax", i, expl(term[i - row] - most) / sum, 1e-12L);
                assert_near(&drawn.out, "gradient", i,
                            is_masked(&drawn, i) ? 0 : (g * y - y * product) * (long double)drawn.scale,
                            1e-7L);
            }
        }
        release_masked(&drawn);
    }
}

static uint64_t hash_of_results(void)
{
    uint64_t hash = 1;
    for (int round = 0; round < 24; round++) {
        struct rotary rotary = draw_rotary(dtypes[round % 3], round % 4);
        struct masked masked = draw_masked(dtypes[round % 3]);
        struct applied applied = apply_to_drawn(round);
        call_rotary(&rotary);
        call_masked(&masked);
        const struct layout *results[] = {&rotary.out,  &rotary.dx, &rotary.dcos,
                                          &rotary.dsin, &masked.y,  &masked.out};
        for (unsigned k = 0; k < sizeof results / sizeof results[0]; k++)
            for (int64_t i = 0; i < results[k]->count; i++)
                hash = hash_of(layout_element(results[k], i), results[k]->bytes, hash);
        release_rotary(&rotary);
        release_masked(&masked);
        release_applied(&applied);
    }
    return hash;
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    assert_same_everywhere(hash_of_results);
}

static void refuse_tensor(const char *api, unsigned place, aclTensor *tensor, const char *sentence)
{
    struct attempt attempt = accepted(find(api));
    replace(&attempt, place, tensor);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    release(&attempt);
}

static void refuse_mode(const char *api, unsigned place, int64_t mode)
{
    struct attempt attempt = accepted(find(api));
    attempt.argument[place].int64 = mode;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mode is ");
    release(&attempt);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const char *rotary = "aclnnRotaryPositionEmbedding", *grad = "aclnnRotaryPositionEmbeddingGrad",
               *softmax = "aclnnScaledMaskedSoftmax", *backward = "aclnnScaledMaskedSoftmaxBackward";
    refuse_mode(rotary, 3, 4);
    refuse_mode(rotary, 3, -1);
    refuse_mode(grad, 4, 4);
    refuse_tensor(rotary, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 4), NULL), "x has shape [2, 4]; rank 3 or 4");
    refuse_tensor(rotary, 1, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 2, 4), NULL), "cos has shape");
    refuse_tensor(rotary, 2, tensor_with(ACL_FLOAT, 4, DIMS(1, 1, 1, 4), NULL), "sin has shape");
    refuse_tensor(rotary, 4, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 3, 5), NULL), "out has shape");
    refuse_tensor(grad, 3, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 2, 4), NULL), "xOptional has shape");
    refuse_tensor(grad, 6, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 3, 4), NULL), "dcosOut has shape");
    refuse_tensor(softmax, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 2, 3), NULL),
                  "x has shape [2, 2, 3]; rank 4");
    refuse_tensor(softmax, 1, tensor_with(ACL_BOOL, 2, DIMS(2, 2), NULL), "mask has shape");
    refuse_tensor(backward, 1, tensor_with(ACL_FLOAT16, 4, DIMS(1, 2, 2, 3), NULL), "y has dtype FLOAT16");
    refuse_tensor("aclnnApplyRotaryPosEmb", 1, tensor_with(ACL_FLOAT, 4, DIMS(1, 3, 1, 4), NULL),
                  "keyRef has");
    refuse_tensor("aclnnApplyRotaryPosEmb", 2, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 3, 4), NULL), "cos has");
    refuse_tensor("aclnnApplyRotaryPosEmb", 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 4), NULL),
                  "queryRef has");
    struct attempt turned = accepted(find("aclnnApplyRotaryPosEmbV2"));
    turned.argument[4].int64 = 5;
    assert_refused(&turned, ACLNN_ERR_PARAM_INVALID, "layout is 5");
    turned.argument[4].int64 = 1;
    turned.argument[5].string = "whole";
    assert_refused(&turned, ACLNN_ERR_PARAM_INVALID, "rotaryMode is \"whole\"");
    release(&turned);
    struct attempt attempt = accepted(find(softmax));
    attempt.argument[3] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "fixedTriuMask is true");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest first[] = {cmocka_unit_test(bits_are_the_same_everywhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotary_turns_pairs),
        cmocka_unit_test(rotary_works_in_place),
        cmocka_unit_test(queries_and_keys_are_turned_in_place),
        cmocka_unit_test(softmax_is_scaled_and_masked),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(first, NULL, NULL) + cmocka_run_group_tests(tests, open_arena, close_arena);
}
