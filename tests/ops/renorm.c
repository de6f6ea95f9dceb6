/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Renorm and its form in place, against long double in any layout and dtype; calls that are refused; and that
 * bits depend neither on the level nor on the number of threads.
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

enum { SELF, P, DIM, MAX_NORM, OUT };

static float power, most;
static int64_t dim;

static aclScalar *number(float value)
{
    return aclCreateScalar(&value, ACL_FLOAT);
}

static const struct function *draw_renorm(unsigned rank, const int64_t *shape)
{
    static const float powers[] = {0, 1, 2, 3, 0.5F, 30, INFINITY};
    const aclDataType dtype = draw_dtype();
    const bool is_in_place = random_below(2) == 0;
    power = powers[random_below(sizeof powers / sizeof powers[0])];
    most = (float)(1 + random_below(30)) / 4;
    dim = random_below(rank);
    give(SELF, dtype, rank, shape, !is_in_place, 2);
    call.argument[P].scalar = number(power);
    call.argument[DIM].int64 = random_below(2) == 0 ? dim : dim - rank;
    call.argument[MAX_NORM].scalar = number(most);
    if (!is_in_place)
        give(OUT, dtype, rank, shape, false, 1);
    return find(is_in_place ? "aclnnInplaceRenorm" : "aclnnRenorm");
}

/* The index of an element along the dim. */
static int64_t index_of(int64_t element)
{
    for (unsigned i = call.tensor[SELF].rank; i-- > (unsigned)dim + 1;)
        element /= call.tensor[SELF].shape[i];
    return element % call.tensor[SELF].shape[dim];
}

static void renorms_of_all_layouts_are_near(void **state)
{
    static long double norm[ELEMENTS];
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 2, 4, 5000);
        const struct function *function = draw_renorm(rank, shape);
        assert_int_equal(call_function(function, call.argument), 0);
        const struct layout *self = &call.tensor[SELF];
        const long double p = (long double)power;
        memset(norm, 0, sizeof norm);
        clear_exact();
        for (int64_t k = 0; k < self->count; k++) {
            const long double size = fabsl(call.before[SELF][k]);
            long double *n = &norm[index_of(k)];
            *n = isinf(power) ? fmaxl(*n, size) : *n + (p == 0 ? (size != 0) : powl(size, p));
        }
        for (int64_t k = 0; k < self->count; k++) {
            const long double sum = norm[index_of(k)], n = isinf(power) || p == 0 ? sum : powl(sum, 1 / p);
            const long double factor = n > (long double)most ? (long double)most / (n + 1e-7L) : 1;
            exact[0][k] = call.before[SELF][k] * factor;
        }
        assert_output("aclnnRenorm", call.is_given[OUT] ? OUT : SELF, true, exact[0], 0x1p-40L);
        forget_call(function);
    }
}

static void faults_are_refused(void **state)
{
    struct attempt attempt = accepted(find("aclnnRenorm"));
    (void)state;
    (void)aclDestroyScalar(attempt.argument[MAX_NORM].scalar);
    attempt.argument[MAX_NORM].scalar = number(-1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "maxNorm is -1; 0 or more is expected");
    (void)aclDestroyScalar(attempt.argument[P].scalar);
    attempt.argument[P].scalar = number(NAN);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "p is ");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 1 dims; from 2 to 8 are expected");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][2] = {{300, 60}, {20, 900}, {2500, 7}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 42; i++) {
        const struct function *function = draw_renorm(2, shapes[i % 3]);
        hash = hash_of_call(function, hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renorms_of_all_layouts_are_near),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
