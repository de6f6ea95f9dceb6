/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of ApplyAdam, ApplyAdamW, FusedAdam, FusedAdamw and FusedSgd against the same in long double, in any
 * layout and dtype; tensors that several indices share, what is refused, and that bits depend neither on the
 * level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { VAR, M, V, MAX, GRAD, TENSORS, INDICES = 3, ELEMENTS = 3000, NUMBERS = 7 };
enum kind { ADAM, ADAM_W, FUSED_ADAM, FUSED_ADAM_W, FUSED_SGD, KINDS };

static const char *const names[] = {"aclnnApplyAdam", "aclnnApplyAdamW", "aclnnFusedAdam", "aclnnFusedAdamw",
                                    "aclnnFusedSgd"};

/* A call: its tensors, one for each index, and its numbers. */
struct step {
    enum kind kind;
    unsigned indices;
    struct layout tensor[INDICES][TENSORS], count[INDICES], number[NUMBERS], scale, found;
    bool has_scale, has_found, amsgrad, maximize, nesterov, is_first;
    double lr, beta1, beta2, decay, eps, momentum, dampening, power1, power2;
    double t[INDICES];
};

static long double before[INDICES][TENSORS][ELEMENTS], wanted[INDICES][TENSORS][ELEMENTS];

static struct layout one_element(aclDataType dtype, double value)
{
    const int64_t one = 1;
    struct layout layout = layout_create(dtype, (unsigned)random_below(2), &one, LAYOUT_CONTIGUOUS);
    set_element(&layout, 0, value);
    return layout;
}

static struct step draw_step(enum kind kind, unsigned rank, const int64_t *shape)
{
    const aclDataType dtype = short_dtypes[random_below(3)], states = short_dtypes[random_below(3)];
    struct step step = {.kind = kind,
                        .indices = kind < FUSED_ADAM ? 1 : INDICES,
                        .has_scale = random_below(2) == 0,
                        .has_found = random_below(2) == 0,
                        .amsgrad = kind != ADAM && kind != FUSED_SGD && random_below(2) == 0,
                        .maximize = kind != ADAM && random_below(2) == 0,
                        .nesterov = random_below(2) == 0,
                        .is_first = random_below(2) == 0,
                        .lr = 0.125,
                        .beta1 = 0.875,
                        .beta2 = 0.96875,
                        .decay = kind != ADAM && random_below(2) == 0 ? 0.25 : 0,
                        .eps = 0x1p-10,
                        .momentum = random_below(4) == 0 ? 0 : 0.5,
                        .dampening = 0.125,
                        .power1 = 0.75,
                        .power2 = 0.875};
    for (unsigned i = 0; i < step.indices; i++) {
        int64_t own[LAYOUT_RANK_MAX];
        memcpy(own, shape, sizeof own);
        if (i > 0 && rank > 0)
            own[0] = i == 1 ? 0 : 1; /* one is empty */
        for (unsigned k = VAR; k < TENSORS; k++) {
            const bool is_free = kind >= FUSED_ADAM;
            const aclDataType as = !is_free || k == VAR ? dtype : k == GRAD ? short_dtypes[0] : states;
            step.tensor[i][k] =
                layout_create(as, rank, own, (enum layout_kind)random_below(k == GRAD ? LAYOUT_KINDS : 3));
            layout_fill(&step.tensor[i][k], 2, false);
            for (int64_t n = 0; (k == V || k == MAX) && n < step.tensor[i][k].count; n++)
                set_element(&step.tensor[i][k], n, 0.25 + fabs(element_of(&step.tensor[i][k], n)));
            for (int64_t n = 0; n < step.tensor[i][k].count; n++)
                before[i][k][n] = (long double)element_of(&step.tensor[i][k], n);
        }
        step.t[i] = (double)random_below(50);
        step.count[i] = one_element(ACL_FLOAT, step.t[i]);
    }
    step.scale = one_element(ACL_FLOAT, 4);
    step.found = one_element(ACL_FLOAT, random_below(4) == 0);
    return step;
}

static const aclTensorList *tensors_of(const struct step *step, unsigned k)
{
    const aclTensor *tensor[INDICES];
    for (unsigned i = 0; i < step->indices; i++)
        tensor[i] = k < TENSORS ? step->tensor[i][k].tensor : step->count[i].tensor;
    return aclCreateTensorList(tensor, step->indices);
}

static void fill_arguments(struct step *step, union argument *to)
{
    const double by_w[] = {step->power1, step->power2, step->lr, step->decay,
                           step->beta1,  step->beta2,  step->eps};
    const double by_adam[] = {step->power1, step->power2, step->lr, step->beta1, step->beta2, step->eps};
    const aclTensor *scale = step->has_scale ? step->scale.tensor : NULL;
    if (step->kind == FUSED_SGD) {
        const union argument all[] = {{.tensors = tensors_of(step, VAR)},
                                      {.tensors = tensors_of(step, GRAD)},
                                      {.tensors = step->momentum != 0 ? tensors_of(step, M) : NULL},
                                      {.tensor = scale},
                                      argument_of_fp32((float)step->decay),
                                      argument_of_fp32((float)step->momentum),
                                      argument_of_fp32((float)step->lr),
                                      argument_of_fp32((float)step->dampening),
                                      argument_of_bool(step->nesterov),
                                      argument_of_bool(step->maximize),
                                      argument_of_bool(step->is_first)};
        memcpy(to, all, sizeof all);
        return;
    }
    if (step->kind >= FUSED_ADAM) {
        const union argument all[] = {
            {.tensors = tensors_of(step, VAR)},
            {.tensors = tensors_of(step, GRAD)},
            {.tensors = tensors_of(step, M)},
            {.tensors = tensors_of(step, V)},
            {.tensors = step->amsgrad || step->nesterov ? tensors_of(step, MAX) : NULL},
            {.tensors = tensors_of(step, TENSORS)},
            {.tensor = scale},
            {.tensor = step->has_found ? step->found.tensor : NULL},
            argument_of_fp64(step->lr),
            argument_of_fp64(step->beta1),
            argument_of_fp64(step->beta2),
            argument_of_fp64(step->decay),
            argument_of_fp64(step->eps),
            argument_of_bool(step->amsgrad),
            argument_of_bool(step->maximize)};
        memcpy(to, all, sizeof all);
        return;
    }
    const bool is_w = step->kind == ADAM_W;
    const unsigned numbers = is_w ? 7 : 6;
    unsigned at = 0;
    for (; at <= V; at++)
        to[at].tensor = step->tensor[0][at].tensor;
    for (unsigned i = 0; i < numbers; i++) {
        step->number[i] = one_element(i % 2 == 0 ? ACL_FLOAT : ACL_BF16, is_w ? by_w[i] : by_adam[i]);
        to[at++].tensor = step->number[i].tensor;
    }
    to[at++].tensor = step->tensor[0][GRAD].tensor;
    if (is_w)
        to[at++].tensor = step->amsgrad || step->nesterov ? step->tensor[0][MAX].tensor : NULL;
    to[at++] = argument_of_bool(is_w && step->amsgrad);
    to[at] = argument_of_bool(is_w ? step->maximize : step->nesterov);
}

/* One element; g with scale and sign, decay as the kind has it. */
static void expect(const struct step *step, unsigned i, int64_t n)
{
    const long double lr = (long double)step->lr, beta1 = (long double)step->beta1,
                      beta2 = (long double)step->beta2, decay = (long double)step->decay,
                      eps = (long double)step->eps;
    long double g = before[i][GRAD][n], var = before[i][VAR][n], m = before[i][M][n], v = before[i][V][n];
    for (unsigned k = VAR; k < TENSORS; k++)
        wanted[i][k][n] = before[i][k][n];
    if (step->kind >= FUSED_ADAM && step->has_scale)
        g /= 4;
    g = step->maximize ? -g : g;
    if (step->kind == FUSED_SGD) {
        const long double momentum = (long double)step->momentum;
        g += decay * var;
        if (step->momentum != 0) {
            m = step->is_first ? g : momentum * m + (1 - (long double)step->dampening) * g;
            g = step->nesterov ? g + momentum * m : m;
            wanted[i][M][n] = m;
        }
        wanted[i][VAR][n] = var - lr * g;
        return;
    }
    if (step->kind >= FUSED_ADAM && step->has_found && element_of(&step->found, 0) != 0)
        return;
    if (step->kind == FUSED_ADAM)
        g += decay * var;
    else
        var *= 1 - lr * decay;
    m += (g - m) * (1 - beta1);
    v = beta2 * v + (1 - beta2) * g * g;
    long double size = v;
    if (step->amsgrad)
        size = before[i][MAX][n] > v ? before[i][MAX][n] : v;
    const long double t = (long double)step->t[i] + 1;
    long double power1 = powl(beta1, t), power2 = powl(beta2, t);
    if (step->kind == ADAM_W) {
        power1 = (long double)step->power1 * beta1;
        power2 = (long double)step->power2 * beta2;
        v = size; /* it is v that gets the maximum */
    }
    wanted[i][M][n] = m;
    wanted[i][V][n] = v;
    if (step->kind == ADAM) {
        const long double move = step->nesterov ? beta1 * m + (1 - beta1) * g : m;
        const long double rate = lr * sqrtl(1 - (long double)step->power2) / (1 - (long double)step->power1);
        wanted[i][VAR][n] = var - rate * move / (sqrtl(v) + eps);
        return;
    }
    if (step->amsgrad && step->kind >= FUSED_ADAM)
        wanted[i][MAX][n] = size;
    wanted[i][VAR][n] = var - lr / (1 - power1) * m / (sqrtl(size) / sqrtl(1 - power2) + eps);
}

static void forget(struct step *step)
{
    for (unsigned i = 0; i < step->indices; i++) {
        for (unsigned k = VAR; k < TENSORS; k++)
            layout_destroy(&step->tensor[i][k]);
        layout_destroy(&step->count[i]);
    }
    for (unsigned i = 0; i < NUMBERS; i++)
        if (step->number[i].tensor != NULL)
            layout_destroy(&step->number[i]);
    layout_destroy(&step->scale);
    layout_destroy(&step->found);
}

static void try_step(struct step *step)
{
    union argument argument[PARAMETERS_MAX] = {{0}};
    fill_arguments(step, argument);
    assert_int_equal(call_function(find(names[step->kind]), argument), 0);
    for (unsigned i = 0; i < step->indices; i++) {
        for (int64_t n = 0; n < step->tensor[i][VAR].count; n++)
            expect(step, i, n);
        for (unsigned k = VAR; k < TENSORS; k++)
            for (int64_t n = 0; n < step->tensor[i][k].count; n++) {
                const bool is_kept = wanted[i][k][n] == before[i][k][n];
                assert_near(names[step->kind], &step->tensor[i][k], n, wanted[i][k][n],
                            step->tensor[i][k].dtype, is_kept ? 0 : 0x1p-40L);
            }
    }
    forget(step);
}

static void all_layouts_are_near(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        int64_t shape[LAYOUT_RANK_MAX] = {0};
        const unsigned rank = draw_dims(shape, 0, 3, ELEMENTS);
        struct step step = draw_step((enum kind)(round % KINDS), rank, shape);
        try_step(&step);
    }
}

/* A tensor that stands at two indices takes both steps. */
static void indices_go_one_after_the_other(void **state)
{
    (void)state;
    const int64_t count = 700;
    struct layout x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = layout_create(ACL_FLOAT, 1, &count, LAYOUT_GAPS);
        layout_fill(&x[k], 1, false);
    }
    float first[700];
    for (int64_t i = 0; i < count; i++)
        first[i] = (float)element_of(&x[0], i);
    const union argument argument[] = {
        {.tensors = aclCreateTensorList((const aclTensor *const[]){x[0].tensor, x[0].tensor}, 2)},
        {.tensors = aclCreateTensorList((const aclTensor *const[]){x[1].tensor, x[2].tensor}, 2)},
        {.tensors = NULL},
        {.tensor = NULL},
        argument_of_fp32(0),
        argument_of_fp32(0),
        argument_of_fp32(0.5F),
        argument_of_fp32(0),
        argument_of_bool(false),
        argument_of_bool(false),
        argument_of_bool(false)};
    assert_int_equal(call_function(find("aclnnFusedSgd"), argument), 0);
    for (int64_t i = 0; i < count; i++) {
        const float once = first[i] - 0.5F * (float)element_of(&x[1], i);
        assert_true((float)element_of(&x[0], i) == once - 0.5F * (float)element_of(&x[2], i));
    }
    for (int k = 0; k < 3; k++)
        layout_destroy(&x[k]);
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnFusedAdam"));
    const aclTensorList *maxes = attempt.argument[4].tensors;
    attempt.argument[4].tensors = NULL;
    assert_accepted(&attempt);
    attempt.argument[13] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "maxExpAvgSqs is NULL, which amsgrad asks for");
    attempt.argument[4].tensors = maxes;
    assert_accepted(&attempt);
    const aclTensorList *grads = attempt.argument[1].tensors;
    attempt.argument[1].tensors = aclCreateTensorList((const aclTensor *const[]){plain(ACL_FLOAT)}, 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grads has 1");
    attempt.argument[1].tensors =
        aclCreateTensorList((const aclTensor *const[]){plain(ACL_FLOAT), plain(ACL_BF16)}, 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 1 of grads has dtype BFLOAT16; FLOAT");
    attempt.argument[1].tensors = aclCreateTensorList(
        (const aclTensor *const[]){plain(ACL_FLOAT), tensor_with(ACL_FLOAT, 1, DIMS(6), NULL)}, 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 1 of grads and that of params differ in shape");
    attempt.argument[1].tensors = grads;
    replace(&attempt, 6, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradScale has 2 elements");
    release(&attempt);
    attempt = accepted(find("aclnnFusedSgd"));
    attempt.argument[2].tensors = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "momentumBuffers is NULL, which momentum asks for");
    attempt.argument[5] = argument_of_fp32(0);
    assert_accepted(&attempt);
    release(&attempt);
    attempt = accepted(find("aclnnApplyAdamW"));
    replace(&attempt, 5, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "lr has 2 elements");
    release(&attempt);
    attempt = accepted(find("aclnnApplyAdam"));
    replace_dtype(&attempt, 9, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grad has dtype FLOAT16");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 2 * KINDS; i++) {
        union argument argument[PARAMETERS_MAX] = {{0}};
        struct step step = draw_step((enum kind)(i % KINDS), 1, (const int64_t[LAYOUT_RANK_MAX]){2900});
        fill_arguments(&step, argument);
        if (call_function(find(names[step.kind]), argument) != 0)
            return 0;
        for (unsigned n = 0; n < step.indices; n++)
            for (unsigned k = VAR; k < TENSORS; k++)
                hash = hash_of(step.tensor[n][k].memory,
                               (size_t)(step.tensor[n][k].reach + 1) * step.tensor[n][k].bytes, hash);
        forget(&step);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_are_near),
        cmocka_unit_test(indices_go_one_after_the_other),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
