/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Losses and their gradients against long double, in any layout and dtype, broadcast; what they refuse; and
 * that their bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { NONE, MEAN, SUM, BATCH_MEAN, INPUTS_MOST = 5 };

/* x: the tensors in the order of the call; of a gradient the first one is the gradient. */
struct member {
    const char *name;
    unsigned inputs;
    bool is_gradient, is_of_one_dtype, is_of_one_shape; /* all but the gradient and weights are */
    unsigned first_optional;                            /* inputs that may be NULL, 1 then; 0: none */
    bool has_target_flag;                               /* logTarget behind the reduction */
    bool is_in_unit;                                    /* from 0 to 1 */
    long double (*reference)(const long double *x, bool flag);
};

static long double mse(const long double *x, bool flag)
{
    (void)flag;
    return (x[0] - x[1]) * (x[0] - x[1]);
}

static long double mse_backward(const long double *x, bool flag)
{
    (void)flag;
    return 2 * x[0] * (x[1] - x[2]);
}

static long double l1(const long double *x, bool flag)
{
    (void)flag;
    return fabsl(x[0] - x[1]);
}

static long double l1_backward(const long double *x, bool flag)
{
    const long double d = x[1] - x[2];
    (void)flag;
    return x[0] * (d > 0 ? 1 : d < 0 ? -1 : d);
}

static long double at_least_minus_100(long double x)
{
    return x < -100 ? -100 : x;
}

static long double cross_entropy(const long double *x, bool flag)
{
    (void)flag;
    return -x[2] * (x[1] * at_least_minus_100(logl(x[0])) + (1 - x[1]) * at_least_minus_100(log1pl(-x[0])));
}

static long double cross_entropy_backward(const long double *x, bool flag)
{
    const long double spread = x[1] * (1 - x[1]);
    (void)flag;
    return x[0] * x[3] * (x[1] - x[2]) / (spread < 1e-12L ? 1e-12L : spread);
}

static long double ln_1_and_power(long double x)
{
    return log1pl(expl(-fabsl(x))) + (x > 0 ? x : 0);
}

static long double logistic(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

/* With 1 - sigma(x) = sigma(-x) nothing cancels. */
static long double logits_backward(const long double *x, bool flag)
{
    const long double p = x[4], y = x[2];
    (void)flag;
    const bool is_infinite = isinf(y) || isinf(p);
    return x[0] * x[3] *
           (is_infinite ? (p * y + 1 - y) * logistic(x[1]) - p * y
                        : (1 - y) * logistic(x[1]) - p * y * logistic(-x[1]));
}

static long double logits_target_backward(const long double *x, bool flag)
{
    (void)flag;
    if (x[4] == 1)
        return x[0] * x[3] * -x[1];
    return x[0] * x[3] * (x[4] * ln_1_and_power(-x[1]) - ln_1_and_power(x[1]));
}

static long double kl_div(const long double *x, bool is_logarithm)
{
    if (is_logarithm)
        return expl(x[1]) * (x[1] - x[0]);
    return x[1] == 0 ? 0 - 0 * x[0] : x[1] * logl(x[1]) - x[1] * x[0];
}

static long double kl_div_backward(const long double *x, bool is_logarithm)
{
    return is_logarithm ? -x[0] * expl(x[2]) : x[2] > 0 ? -x[0] * x[2] : 0;
}

static long double kl_div_target_backward(const long double *x, bool is_logarithm)
{
    if (is_logarithm)
        return x[0] * expl(x[2]) * (x[2] - x[1] + 1);
    return x[2] == 0 ? 0 : x[0] * (logl(x[2]) - x[1] + 1);
}

static long double soft_margin(const long double *x, bool flag)
{
    (void)flag;
    return ln_1_and_power(-x[0] * x[1]);
}

static long double soft_margin_backward(const long double *x, bool flag)
{
    (void)flag;
    return -x[0] * x[2] * logistic(-x[1] * x[2]);
}

static const struct member members[] = {
    {"aclnnMseLoss", 2, .reference = mse},
    {"aclnnL1Loss", 2, .reference = l1},
    {"aclnnMseLossBackward", 3, .is_gradient = true, .is_of_one_dtype = true, .reference = mse_backward},
    {"aclnnBinaryCrossEntropy", 3, .is_of_one_dtype = true, .is_of_one_shape = true, .first_optional = 2,
     .is_in_unit = true, .reference = cross_entropy},
    {"aclnnBinaryCrossEntropyBackward", 4, .is_gradient = true, .first_optional = 3, .is_in_unit = true,
     .reference = cross_entropy_backward},
    {"aclnnL1LossBackward", 3, .is_gradient = true, .reference = l1_backward},
    {"aclnnBinaryCrossEntropyWithLogitsBackward", 5, .is_gradient = true, .is_of_one_dtype = true,
     .is_of_one_shape = true, .first_optional = 3, .reference = logits_backward},
    {"aclnnBinaryCrossEntropyWithLogitsTargetBackward", 5, .is_gradient = true, .is_of_one_shape = true,
     .first_optional = 3, .reference = logits_target_backward},
    {"aclnnKlDiv", 2, .has_target_flag = true, .is_in_unit = true, .reference = kl_div},
    {"aclnnKlDivBackward", 3, .is_gradient = true, .has_target_flag = true, .reference = kl_div_backward},
    {"aclnnKlDivTargetBackward", 3, .is_gradient = true, .is_of_one_dtype = true, .is_of_one_shape = true,
     .has_target_flag = true, .is_in_unit = true, .reference = kl_div_target_backward},
    {"aclnnSoftMarginLoss", 2, .reference = soft_margin},
    {"aclnnSoftMarginLossBackward", 3, .is_gradient = true, .reference = soft_margin_backward},
};

enum { MEMBERS = sizeof members / sizeof members[0] };

static const struct member *find_member(const char *name)
{
    const struct member *member = members;
    while (strcmp(member->name, name) != 0)
        member++;
    return member;
}

/* The place of the k-th element of a shape in what broadcasts to it. */
static int64_t index_in(const struct layout *own, unsigned rank, const int64_t *shape, int64_t k)
{
    const unsigned missing = rank - own->rank;
    int64_t index = 0, step = 1;
    for (unsigned i = rank; i-- > missing; k /= shape[i]) {
        index += own->shape[i - missing] == 1 ? 0 : k % shape[i] * step;
        step *= own->shape[i - missing];
    }
    return index;
}

/* A call: what is given, and what comes out. */
struct made {
    const struct member *member;
    unsigned rank;
    int64_t shape[LAYOUT_RANK_MAX], count, reduction;
    struct layout in[INPUTS_MOST], out;
    bool is_given[INPUTS_MOST], flag;
    aclDataType computed;
};

static void fill(const struct made *made, unsigned k, bool has_special)
{
    const struct layout *in = &made->in[k];
    layout_fill(in, 3, has_special);
    for (int64_t i = 0; made->member->is_in_unit && i < layout_drawn(in); i++) {
        struct layout flat = {.dtype = in->dtype,
                              .rank = 1,
                              .shape = {in->reach + 1},
                              .stride = {1},
                              .bytes = in->bytes,
                              .memory = in->memory};
        set_element(&flat, i, fabs(element_of(&flat, i)) / 3);
    }
    layout_repeat(in);
}

static void make(struct made *made, const struct member *member, int64_t reduction, bool is_one_dtype)
{
    const enum layout_kind kind = (enum layout_kind)random_below(LAYOUT_KINDS);
    const bool has_special = random_below(4) == 0;
    *made = (struct made){.member = member, .reduction = reduction, .flag = random_below(2) == 0, .count = 1};
    made->rank = draw_dims(made->shape, 0, 4, 6000);
    for (unsigned i = 0; i < made->rank; i++)
        made->count *= made->shape[i];
    const aclDataType first = short_dtypes[random_below(3)];
    const unsigned self = member->is_gradient;
    for (unsigned k = 0; k < member->inputs; k++) {
        const aclDataType dtype =
            is_one_dtype || member->is_of_one_dtype ? first : short_dtypes[random_below(3)];
        const bool is_whole = k == self || (member->is_of_one_shape && k == self + 1);
        made->is_given[k] = member->first_optional == 0 || k < member->first_optional || random_below(2) == 0;
        made->in[k] = is_whole ? layout_create(dtype, made->rank, made->shape, kind)
                               : draw_smaller(dtype, made->rank, made->shape, kind);
        if (made->is_given[k])
            made->computed = k == 0 || dtype == made->computed ? dtype : ACL_FLOAT;
        fill(made, k, has_special);
    }
    const bool is_single = reduction != NONE && !member->is_gradient;
    const aclDataType out = is_one_dtype ? first : short_dtypes[random_below(3)];
    made->out = layout_create(out, is_single ? 0 : made->rank, made->shape,
                              kind == LAYOUT_REPEATED ? LAYOUT_GAPS : kind);
}

static void unmake(struct made *made)
{
    for (unsigned k = 0; k < made->member->inputs; k++)
        layout_destroy(&made->in[k]);
    layout_destroy(&made->out);
}

static void run(const struct made *made)
{
    union argument argument[PARAMETERS_MAX];
    unsigned count = 0;
    for (unsigned k = 0; k < made->member->inputs; k++)
        argument[count++].tensor = made->is_given[k] ? made->in[k].tensor : NULL;
    argument[count++].int64 = made->reduction;
    if (made->member->has_target_flag)
        argument[count++] = argument_of_bool(made->flag);
    argument[count].tensor = made->out.tensor;
    assert_int_equal(call_function(find(made->member->name), argument), 0);
}

static long double divisor_of(const struct made *made)
{
    return made->reduction == MEAN         ? (long double)made->count
           : made->reduction == BATCH_MEAN ? (made->rank > 0 ? (long double)made->shape[0] : 1)
                                           : 1;
}

static void check(const struct made *made)
{
    long double sum = 0, size = 0;
    for (int64_t i = 0; i < made->count; i++) {
        long double x[INPUTS_MOST];
        for (unsigned k = 0; k < made->member->inputs; k++)
            x[k] = made->is_given[k]
                       ? (long double)broadcast_element(&made->in[k], made->rank, made->shape, i)
                       : 1;
        long double exact = made->member->reference(x, made->flag);
        if (made->member->is_gradient)
            exact /= divisor_of(made);
        if (made->reduction == NONE || made->member->is_gradient)
            assert_near(made->member->name, &made->out, i, exact, made->computed, 0);
        sum += exact;
        size += isfinite(exact) ? fabsl(exact) : 0;
    }
    if (made->reduction != NONE && !made->member->is_gradient)
        assert_near(made->member->name, &made->out, 0, sum / divisor_of(made), made->computed,
                    size / divisor_of(made) * 0x1p-45L);
}

static void losses_and_gradients_of_all_layouts_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(480); i++) {
        const struct member *member = &members[(size_t)i % MEMBERS];
        struct made made;
        make(&made, member, random_below(member->has_target_flag ? 4 : 3),
             member->is_of_one_shape || random_below(2) == 0);
        run(&made);
        check(&made);
        unmake(&made);
    }
}

/* The gradient of what is smaller than the losses, in the shape that it has. */
static void what_was_broadcast_is_summed(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(100); i++) {
        const bool of_target = random_below(2) == 0;
        const struct member *member =
            find_member(of_target ? "aclnnKlDivTargetBackward" : "aclnnKlDivBackward");
        struct made made;
        make(&made, member, random_below(4), true);
        const unsigned of = of_target ? 2 : 1;
        layout_destroy(&made.in[of]);
        layout_destroy(&made.out);
        struct layout *own = &made.in[of];
        *own = draw_smaller(made.computed, made.rank, made.shape, LAYOUT_GAPS);
        fill(&made, of, false);
        layout_destroy(&made.in[3 - of]);
        made.in[3 - of] = layout_create(made.computed, made.rank, made.shape, LAYOUT_PERMUTED);
        fill(&made, 3 - of, false);
        made.out = layout_create(made.computed, own->rank, own->shape, LAYOUT_PERMUTED);
        run(&made);
        long double *sum = calloc((size_t)own->count + 1, sizeof *sum);
        assert_non_null(sum);
        for (int64_t k = 0; k < made.count; k++) {
            long double x[3];
            for (unsigned n = 0; n < 3; n++)
                x[n] = (long double)broadcast_element(&made.in[n], made.rank, made.shape, k);
            sum[index_in(own, made.rank, made.shape, k)] +=
                member->reference(x, made.flag) / divisor_of(&made);
        }
        for (int64_t k = 0; k < own->count; k++)
            assert_near(member->name, &made.out, k, sum[k], made.computed, 6000 * 0x1p-42L);
        free(sum);
        unmake(&made);
    }
}

static void of_nothing_means_are_nan_and_sums_0(void **state)
{
    static const int64_t shape[] = {2, 0};
    (void)state;
    for (size_t m = 0; m < MEMBERS; m++)
        for (int64_t reduction = 0; reduction < (members[m].has_target_flag ? 4 : 3); reduction++) {
            struct made made = {.member = &members[m], .reduction = reduction};
            for (unsigned k = 0; k < members[m].inputs; k++) {
                made.in[k] = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
                made.is_given[k] = true;
            }
            const bool is_single = reduction != NONE && !members[m].is_gradient;
            made.out = layout_create(ACL_FLOAT, is_single ? 0 : 2, shape, LAYOUT_CONTIGUOUS);
            run(&made);
            if (is_single && reduction == SUM)
                assert_true(element_of(&made.out, 0) == 0);
            else if (is_single)
                assert_true(isnan(element_of(&made.out, 0)));
            unmake(&made);
        }
}

/* INT64 promotes, wraps, and has no mean. */
static void l1_of_integers(void **state)
{
    static const int64_t shape[] = {3}, x[] = {5, INT64_MIN, -7}, y[] = {9, 0, -7};
    (void)state;
    struct layout self = layout_create(ACL_INT64, 1, shape, LAYOUT_CONTIGUOUS),
                  target = layout_create(ACL_INT64, 1, shape, LAYOUT_CONTIGUOUS);
    struct layout out = layout_create(ACL_INT64, 1, shape, LAYOUT_CONTIGUOUS),
                  one = layout_create(ACL_INT64, 0, shape, LAYOUT_CONTIGUOUS);
    memcpy(self.memory, x, sizeof x);
    memcpy(target.memory, y, sizeof y);
    union argument argument[] = {
        {.tensor = self.tensor}, {.tensor = target.tensor}, {.int64 = NONE}, {.tensor = out.tensor}};
    assert_int_equal(call_function(find("aclnnL1Loss"), argument), 0);
    assert_memory_equal(out.memory, ((int64_t[]){4, INT64_MIN, 0}), sizeof x);
    argument[2].int64 = SUM;
    argument[3].tensor = one.tensor;
    assert_int_equal(call_function(find("aclnnL1Loss"), argument), 0);
    assert_memory_equal(one.memory, ((int64_t[]){INT64_MIN + 4}), 8);
    argument[2].int64 = MEAN;
    assert_refused(
        &(struct attempt){find("aclnnL1Loss"), {argument[0], argument[1], argument[2], argument[3]}},
        ACLNN_ERR_PARAM_INVALID, "self and target promote to INT64, of which there is no mean");
    layout_destroy(&self);
    layout_destroy(&target);
    layout_destroy(&out);
    layout_destroy(&one);
}

static void faults_are_refused(void **state)
{
    (void)state;
    for (size_t m = 0; m < MEMBERS; m++) {
        const struct member *member = &members[m];
        struct attempt attempt = accepted(find(member->name));
        const int64_t wrong[] = {member->has_target_flag ? 4 : 3, -1};
        for (int i = 0; i < 2; i++) {
            attempt.argument[member->inputs].int64 = wrong[i];
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "reduction is");
        }
        release(&attempt);
        attempt = accepted(find(member->name));
        replace(&attempt, member->is_gradient + 1, tensor_with(ACL_FLOAT, 2, DIMS(2, 4), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
        release(&attempt);
        attempt = accepted(find(member->name));
        replace_dtype(&attempt, 0, ACL_DOUBLE);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       member->is_gradient ? "gradOutput has dtype DOUBLE" : "self has dtype DOUBLE");
        release(&attempt);
        attempt = accepted(find(member->name));
        attempt.argument[member->inputs].int64 = NONE; /* the output has one element, or must have */
        replace(&attempt, member->inputs + 1 + member->has_target_flag,
                tensor_with(ACL_FLOAT, 1, DIMS(5), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnMseLossBackward"));
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
    release(&attempt);
}

/* The bytes of what all members make of the same large tensors. */
static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    static const int64_t shape[] = {300, 401};
    for (size_t m = 0; m < MEMBERS; m++)
        for (int64_t reduction = 0; reduction < 3; reduction++) {
            struct made made = {.member = &members[m], .reduction = reduction};
            const bool is_single = reduction != NONE && !members[m].is_gradient;
            for (unsigned k = 0; k < members[m].inputs; k++) {
                made.in[k] = layout_create(ACL_FLOAT, 2, shape, k == 0 ? LAYOUT_PERMUTED : LAYOUT_CONTIGUOUS);
                made.is_given[k] = true;
                fill(&made, k, false);
            }
            made.out = layout_create(ACL_FLOAT, is_single ? 0 : 2, shape, LAYOUT_CONTIGUOUS);
            run(&made);
            hash = hash_of(made.out.memory, (size_t)(made.out.reach + 1) * made.out.bytes, hash);
            unmake(&made);
        }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_of_all_layouts_are_near),
        cmocka_unit_test(what_was_broadcast_is_summed),
        cmocka_unit_test(of_nothing_means_are_nan_and_sums_0),
        cmocka_unit_test(l1_of_integers),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
