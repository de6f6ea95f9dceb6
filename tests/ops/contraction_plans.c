/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What contraction_prepare makes of a plan: matrices of a batch that share their right side are, bit for bit, as
 * each of them alone, whichever become rows of one matrix; and no plan takes more memory than is said of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/contraction/contraction.h"
#include "support/conversion.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/sanitizer.h"

enum { LEFT, RIGHT, SELF, OUT, MATRICES, AXES = 3, SIZES = 2 + AXES };

/* Elements of a matrix: all batches of as many lanes and steps. */
enum { BATCH_MOST = 6, LANES_MOST = 20, STEPS_MOST = 300, ROOM = 6 * 6 * 6 * LANES_MOST * STEPS_MOST };

static unsigned char *memory[MATRICES];
static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < MATRICES; i++)
        memory[i] = malloc(ROOM * sizeof(float));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MATRICES; i++)
        free(memory[i]);
    return 0;
}

/* Both sides of a matrix and the batch axes in any order in memory; what has no size repeats. */
static struct contraction_matrix lay(uint32_t address, uint64_t size0, uint64_t size1, const uint64_t *batch)
{
    const aclDataType dtype = dtypes[random_below(3)];
    const uint64_t size[SIZES] = {size0, size1, batch[0], batch[1], batch[2]};
    int64_t stride[SIZES] = {0}, step = 1;
    bool is_laid[SIZES] = {false};
    for (int left = SIZES; left > 0; left--) {
        int64_t at = random_below(SIZES);
        while (is_laid[at])
            at = (at + 1) % SIZES;
        is_laid[at] = true;
        stride[at] = size[at] == 0 ? 0 : step;
        step *= size[at] == 0 ? 1 : (int64_t)size[at];
    }
    return (struct contraction_matrix){.dtype = dtype,
                                       .bytes = (uint32_t)conversion_bytes(dtype),
                                       .address = address,
                                       .stride = {stride[0], stride[1]},
                                       .batch_stride = {stride[2], stride[3], stride[4]}};
}

/* Numbers of few bits, the same ones again at other places of vectors and rows. */
static void fill(const struct contraction_matrix *matrix, size_t room)
{
    enum { DRAWN = 4093 };
    unsigned char drawn[DRAWN * sizeof(float)];
    for (size_t i = 0; i < DRAWN; i++) {
        const float value = (float)(random_below(2001) - 1000) * 0x1p-10F;
        conversion_reference(&value, ACL_FLOAT, drawn + i * matrix->bytes, matrix->dtype);
    }
    for (size_t i = 0; i < room; i += DRAWN)
        memcpy(memory[matrix->address] + i * matrix->bytes, drawn,
               (room - i < DRAWN ? room - i : DRAWN) * matrix->bytes);
}

static void run_on(void *const *address, const struct contraction *asked, enum isa_level level,
                   uint32_t threads)
{
    struct contraction plan = *asked;
    contraction_prepare(&plan, level, threads);
    const size_t bytes = contraction_work_bytes(&plan);
    void *scratch = bytes > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    assert_int_equal(contraction_run(&plan, address, scratch), 0);
    free(scratch);
}

/* One matrix of the batch after the other, on the lowest level. */
static void run_each_alone(const struct contraction *plan, uint64_t count)
{
    const struct contraction_matrix *const matrix[] = {&plan->left, &plan->right, &plan->self, &plan->out};
    struct contraction alone = *plan;
    alone.batch_axes = 0;
    for (uint64_t number = 0; number < count; number++) {
        void *address[MATRICES];
        for (int i = 0; i < MATRICES; i++) {
            int64_t place = 0;
            uint64_t rest = number;
            for (uint32_t axis = AXES; axis-- > 0; rest /= plan->batch_size[axis])
                place += (int64_t)(rest % plan->batch_size[axis]) * matrix[i]->batch_stride[axis];
            address[i] = memory[i] + place * (int64_t)matrix[i]->bytes;
        }
        run_on(address, &alone, ISA_BASELINE, 1);
    }
}

static void matrices_that_share_a_side_are_as_each_alone(void **state)
{
    (void)state;
    for (int n = 0; n < times_effort(UNDER_SANITIZER ? 10 : 100); n++) {
        struct contraction plan = {.rows = 1 + (uint64_t)random_below(4),
                                   .columns = 1 + (uint64_t)random_below(LANES_MOST),
                                   .depth = 1 + (uint64_t)random_below(STEPS_MOST),
                                   .batch_axes = AXES,
                                   .has_self = random_below(2) == 0,
                                   .is_exact = random_below(4) == 0,
                                   .alpha = 1,
                                   .beta = 0.5};
        uint64_t shared[AXES], count = 1;
        for (int i = 0; i < AXES; i++) {
            plan.batch_size[i] = 1 + (uint64_t)random_below(BATCH_MOST);
            shared[i] = random_below(3) == 0 ? plan.batch_size[i] : 0;
            count *= plan.batch_size[i];
        }
        plan.left = lay(LEFT, plan.rows, plan.depth, plan.batch_size);
        plan.right = lay(RIGHT, plan.columns, plan.depth, shared);
        plan.self = lay(SELF, plan.rows, plan.columns, plan.batch_size);
        plan.out = lay(OUT, plan.rows, plan.columns, plan.batch_size);
        const struct contraction_matrix *const inputs[] = {&plan.left, &plan.right, &plan.self};
        for (int i = 0; i < OUT; i++)
            fill(inputs[i], (size_t)count * LANES_MOST * STEPS_MOST);
        run_each_alone(&plan, count);
        const size_t bytes = count * plan.rows * plan.columns * plan.out.bytes;
        unsigned char *alone = malloc(bytes);
        memcpy(alone, memory[OUT], bytes);
        for (enum isa_level level = 0; level <= processor_level(); level++)
            for (uint32_t threads = 1; threads <= 3; threads += 2) {
                memset(memory[OUT], 0xee, bytes);
                run_on((void *const[]){memory[LEFT], memory[RIGHT], memory[SELF], memory[OUT]}, &plan, level,
                       threads);
                assert_memory_equal(memory[OUT], alone, bytes);
            }
        free(alone);
    }
}

static void no_plan_takes_more_than_the_most(void **state)
{
    (void)state;
    static const int64_t rows_most[] = {4, 128, 5000};
    static const uint64_t no_batch[AXES] = {1, 1, 1};
    for (int n = 0; n < 3000; n++) {
        struct contraction plan = {.rows = 1 + (uint64_t)random_below(rows_most[n % 3]),
                                   .columns = 1 + (uint64_t)random_below(5000),
                                   .depth = (uint64_t)random_below(2000),
                                   .is_exact = random_below(3) == 0,
                                   .alpha = 1};
        const uint64_t depth = plan.depth;
        const uint32_t threads = UINT32_C(1) << random_below(7);
        const enum isa_level level = (enum isa_level)random_below((int64_t)processor_level() + 1);
        plan.left = lay(LEFT, plan.rows, depth, no_batch);
        plan.right = lay(RIGHT, plan.columns, depth, no_batch);
        plan.out = lay(OUT, plan.rows, plan.columns, no_batch);
        contraction_prepare(&plan, level, threads);
        assert_true(contraction_work_bytes(&plan) <= contraction_most_bytes(level, threads, depth));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_that_share_a_side_are_as_each_alone),
        cmocka_unit_test(no_plan_takes_more_than_the_most),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
