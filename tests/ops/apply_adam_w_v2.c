/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of AdamW against the same in long double, in any layout and dtype, with and without its maximum;
 * numbers that are known; tensors that share memory; calls that are refused; and that bits depend neither on
 * the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/normalisation.h"
#include "support/effort.h"

enum { VAR, M, V, MAX, GRAD, STEP, LR, BETA1, BETA2, DECAY, EPS, AMSGRAD, MAXIMIZE };

static const char NAME[] = "aclnnApplyAdamWV2";
static long double wanted[MAX + 1][ELEMENTS];

static void give_step(aclDataType dtype, unsigned rank, double step)
{
    give(STEP, dtype, rank, (const int64_t[]){1}, false, 1);
    set_element(&call.tensor[STEP], 0, step);
    call.before[STEP][0] = (long double)step;
}

static void set_numbers(float lr, float decay, float eps, bool amsgrad, bool maximize)
{
    call.argument[LR] = argument_of_fp32(lr);
    call.argument[BETA1] = argument_of_fp32(0.9F);
    call.argument[BETA2] = argument_of_fp32(0.999F);
    call.argument[DECAY] = argument_of_fp32(decay);
    call.argument[EPS] = argument_of_fp32(eps);
    call.argument[AMSGRAD] = argument_of_bool(amsgrad);
    call.argument[MAXIMIZE] = argument_of_bool(maximize);
}

static void draw_call(unsigned rank, const int64_t *shape)
{
    const aclDataType dtype = draw_dtype();
    const bool amsgrad = random_below(2) == 0;
    give(VAR, dtype, rank, shape, false, 2), give(M, dtype, rank, shape, false, 1);
    give_positive(V, dtype, rank, shape);
    if (amsgrad)
        give_positive(MAX, dtype, rank, shape);
    else if (random_below(2) == 0) /* what it holds nobody looks at */
        give(MAX, dtype, rank, shape, false, 1);
    give(GRAD, draw_dtype(), rank, shape, true, 2);
    give_step(random_below(2) == 0 ? ACL_FLOAT : ACL_INT64, (unsigned)random_below(2),
              (double)random_below(random_below(2) == 0 ? 3 : 5000));
    set_numbers(0.125F, random_below(2) == 0 ? 0 : 0.25F, 0x1p-10F, amsgrad, random_below(2) == 0);
}

static void reference(void)
{
    const long double lr = (long double)call.argument[LR].fp32,
                      beta1 = (long double)call.argument[BETA1].fp32,
                      beta2 = (long double)call.argument[BETA2].fp32,
                      decay = (long double)call.argument[DECAY].fp32,
                      eps = (long double)call.argument[EPS].fp32, t = call.before[STEP][0] + 1;
    for (int64_t i = 0; i < call.tensor[VAR].count; i++) {
        const long double g = call.argument[MAXIMIZE].boolean ? -call.before[GRAD][i] : call.before[GRAD][i];
        const long double m = call.before[M][i] + (g - call.before[M][i]) * (1 - beta1);
        const long double v = beta2 * call.before[V][i] + (1 - beta2) * g * g;
        long double size = v;
        if (call.argument[AMSGRAD].boolean)
            size = call.before[MAX][i] > v ? call.before[MAX][i] : v;
        wanted[VAR][i] = call.before[VAR][i] * (1 - lr * decay) -
                         lr / (1 - powl(beta1, t)) * m / (sqrtl(size) / sqrtl(1 - powl(beta2, t)) + eps);
        wanted[M][i] = m;
        wanted[V][i] = v;
        wanted[MAX][i] = size;
    }
}

static void try_call(void)
{
    reference();
    assert_int_equal(call_function(find(NAME), call.argument), 0);
    for (unsigned i = VAR; i <= STEP; i++) {
        const bool is_written = i < MAX || (i == MAX && call.argument[AMSGRAD].boolean);
        assert_output(NAME, i, is_written, is_written ? wanted[i] : NULL, 0x1p-40L);
    }
    forget_call(find(NAME));
}

static void all_layouts_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 0, 4, 10000);
        draw_call(rank, shape);
        try_call();
    }
    draw_call(3, (const int64_t[]){2, 0, 3});
    try_call();
}

/* A first step is by lr, whatever the gradient. */
static void known_numbers(void **state)
{
    static const aclDataType steps[] = {ACL_FLOAT, ACL_INT64};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const bool amsgrad = (i & 1) != 0, maximize = (i & 2) != 0;
        static const double before[] = {1, 0, 0, 0, 1};
        const double after[] = {maximize ? 1.1 : 0.9, maximize ? -0.1 : 0.1, 0.001, 0.001};
        for (unsigned k = VAR; k <= GRAD; k++)
            if (k != MAX || amsgrad) {
                give(k, ACL_FLOAT, 1, (const int64_t[]){1}, false, 1);
                set_element(&call.tensor[k], 0, before[k]);
            }
        give_step(steps[i >> 2], 1, 0);
        set_numbers(0.1F, 0, 0, amsgrad, maximize);
        assert_int_equal(call_function(find(NAME), call.argument), 0);
        for (unsigned k = VAR; k <= MAX; k++)
            if (call.is_given[k])
                assert_true(fabs(element_of(&call.tensor[k], 0) / after[k] - 1) < (k < V ? 0x1p-21 : 2e-5));
        assert_true(element_of(&call.tensor[STEP], 0) == 0);
        forget_call(find(NAME));
    }
}

/* NaN of either stays in the maximum. */
static void not_a_number(void **state)
{
    (void)state;
    for (unsigned of = V; of <= MAX; of++) {
        for (unsigned k = VAR; k <= GRAD; k++) {
            give(k, ACL_FLOAT, 1, (const int64_t[]){2}, false, 1);
            set_element(&call.tensor[k], 0, k == of ? (double)NAN : 1);
            set_element(&call.tensor[k], 1, 1);
        }
        give_step(ACL_INT64, 0, 4);
        set_numbers(0.1F, 0, 0, true, false);
        assert_int_equal(call_function(find(NAME), call.argument), 0);
        assert_true(isnan(element_of(&call.tensor[MAX], 0)) && isnan(element_of(&call.tensor[VAR], 0)));
        assert_true(element_of(&call.tensor[MAX], 1) == 1);
        forget_call(find(NAME));
    }
}

/* grad is var itself, or lies one element before it, where pieces of var would be written before they are
 * read as grad; the step is an element of both. */
static void shared_memory_is_read_first(void **state)
{
    enum { COUNT = 3000 };
    static const int64_t shape[] = {COUNT}, storage[] = {COUNT + 1};
    (void)state;
    for (int64_t offset = 0; offset <= 1; offset++) {
        for (unsigned k = VAR; k <= V; k++)
            give_positive(k, ACL_FLOAT, 1, k == VAR ? storage : shape);
        layout_destroy(&call.tensor[VAR]);
        call.tensor[VAR] = layout_create(ACL_FLOAT, 1, storage, LAYOUT_CONTIGUOUS);
        struct layout *var = &call.tensor[VAR];
        layout_fill(var, 1, false);
        set_element(var, COUNT / 2, 7);
        void *const block = memory_known_as(var->memory);
        const int64_t one = 1;
        for (int64_t i = 0; i < COUNT; i++) {
            call.before[VAR][i] = (long double)element_of(var, i + offset);
            call.before[GRAD][i] = (long double)element_of(var, i);
        }
        assert_int_equal(aclDestroyTensor(var->tensor), 0);
        var->tensor = aclCreateTensor(shape, 1, ACL_FLOAT, &one, offset, ACL_FORMAT_ND, storage, 1, block);
        call.argument[VAR].tensor = var->tensor;
        call.argument[GRAD].tensor =
            aclCreateTensor(shape, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, storage, 1, block);
        call.argument[STEP].tensor =
            aclCreateTensor(&one, 1, ACL_FLOAT, &one, COUNT / 2, ACL_FORMAT_ND, storage, 1, block);
        set_numbers(0.125F, 0.25F, 0x1p-10F, false, false);
        call.before[STEP][0] = 7;
        var->count = COUNT;
        var->offset = offset;
        reference();
        assert_int_equal(call_function(find(NAME), call.argument), 0);
        for (unsigned i = VAR; i <= V; i++)
            assert_output(NAME, i, true, wanted[i], 0x1p-40L);
        (void)aclDestroyTensor(call.argument[GRAD].tensor);
        (void)aclDestroyTensor(call.argument[STEP].tensor);
        forget_call(find(NAME));
    }
}

static void faults_are_refused(void **state)
{
    struct attempt attempt = accepted(find(NAME));
    (void)state;
    assert_accepted(&attempt);
    const aclTensor *max = attempt.argument[MAX].tensor;
    attempt.argument[MAX].tensor = NULL;
    assert_accepted(&attempt);
    attempt.argument[AMSGRAD].boolean = true;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR,
                   "maxGradNormOptionalRef is NULL, which amsgrad asks for");
    attempt.argument[MAX].tensor = max;
    assert_accepted(&attempt);
    replace_dtype(&attempt, MAX, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "maxGradNormOptionalRef has dtype FLOAT16");
    replace(&attempt, MAX, tensor_with(ACL_FLOAT, 1, DIMS(6), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "maxGradNormOptionalRef has shape");
    attempt.argument[AMSGRAD].boolean = false;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "maxGradNormOptionalRef has shape");
    replace(&attempt, MAX, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), NULL));
    assert_accepted(&attempt);
    replace_dtype(&attempt, GRAD, ACL_FLOAT16);
    assert_accepted(&attempt);
    replace_dtype(&attempt, GRAD, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grad has dtype DOUBLE");
    replace(&attempt, GRAD, tensor_with(ACL_FLOAT, 2, DIMS(1, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grad has shape");
    replace_dtype(&attempt, V, ACL_BF16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "vRef has dtype BFLOAT16");
    replace_dtype(&attempt, STEP, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "step has dtype INT32");
    release(&attempt);
    attempt = accepted(find(NAME));
    replace(&attempt, STEP, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "step has 2 elements");
    replace(&attempt, STEP, tensor_with(ACL_INT64, 0, DIMS(1), NULL));
    assert_accepted(&attempt);
    replace(&attempt, M, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mRef has shape");
    replace(&attempt, M, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 1)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mRef");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][3] = {{300, 60, 1}, {10, 20, 90}, {2, 4, 2000}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 12; i++) {
        draw_call(3, shapes[i % 3]);
        hash = hash_of_call(find(NAME), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_are_near),
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(shared_memory_is_read_first),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
