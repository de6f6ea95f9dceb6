/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products whose weights lie in FRACTAL_NZ, which are packed from there: the bits of plain weights, for sizes
 * around those of blocks, panels and groups, widths of blocks, dims exchanged, batches and parts of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_addbmm.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_matmul.h"
#include "ops/blocks_reference.h"
#include "support/effort.h"
#include "support/open_stream.h"
#include "support/random.h"

enum { NUMBERS_MAX = 400000, BATCH_MAX = 3 };

/* Where the weights come from: all of them, the second of several matrices, or rows from the 17th on. */
enum part { WHOLE, ONE_OF_SEVERAL, SOME_ROWS, PARTS };

struct product {
    aclDataType dtype;
    int64_t rows, depth, columns, batch, c0;
    bool is_turned; /* the weights have columns by depth, and their dims are exchanged */
    enum part part;
};

static unsigned char *plain_memory, *left_memory, *out_memory[2], *self_memory;
static void *plain_block, *left_block, *out_block[2], *self_block;

static unsigned char *allocate(void **block)
{
    assert_int_equal(aclrtMalloc(block, NUMBERS_MAX * 4, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return host_side(*block, NUMBERS_MAX * 4);
}

/* Numbers of either sign with sizes from 1/8 to 4. */
static void draw(unsigned char *memory, aclDataType dtype, int64_t count)
{
    assert_true(count <= NUMBERS_MAX);
    for (int64_t i = 0; i < count; i++) {
        const float number = (float)(random_below(2001) - 1000) / 256;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        const uint16_t half = aclFloatToFloat16(number), brain = (uint16_t)(bits >> 16);
        if (dtype == ACL_FLOAT)
            memcpy(memory + i * 4, &number, 4);
        else
            memcpy(memory + i * 2, dtype == ACL_FLOAT16 ? &half : &brain, 2);
    }
}

static aclTensor *tensor_of(aclDataType dtype, const int64_t *shape, const int64_t *stride, int64_t offset,
                            const struct blocked *blocked, void *block)
{
    const int64_t storage = NUMBERS_MAX;
    aclTensor *made =
        blocked != NULL ? aclCreateTensor(shape, 3, dtype, stride, offset, blocked->format, blocked->storage,
                                          blocked->storage_rank, blocked->block)
                        : aclCreateTensor(shape, 3, dtype, stride, offset, ACL_FORMAT_ND, &storage, 1, block);
    assert_non_null(made);
    return made;
}

static void run(aclTensor *left, aclTensor *right, aclTensor *out)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclnnMatmulGetWorkspaceSize(left, right, out, 0, &bytes, &executor), 0);
    assert_int_equal(aclnnMatmul(NULL, bytes, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void compare(const struct product *of)
{
    const int64_t front = of->part == WHOLE ? 0 : of->part == ONE_OF_SEVERAL ? 1 : 17;
    const int64_t down = of->is_turned ? of->columns : of->depth,
                  across = of->is_turned ? of->depth : of->columns;
    const int64_t matrices = of->part == ONE_OF_SEVERAL ? BATCH_MAX : of->batch,
                  all_down = of->part == SOME_ROWS ? down + front + 3 : down;
    const int64_t whole[] = {matrices, all_down, across},
                  offset = front * (of->part == ONE_OF_SEVERAL ? down * across : across);
    const int64_t shape[] = {of->batch, of->depth, of->columns},
                  stride[] = {down * across, of->is_turned ? 1 : across, of->is_turned ? across : 1};
    const int64_t left_shape[] = {of->batch, of->rows, of->depth},
                  left_stride[] = {of->rows * of->depth, of->depth, 1};
    const int64_t out_shape[] = {of->batch, of->rows, of->columns},
                  out_stride[] = {of->rows * of->columns, of->columns, 1};
    const int64_t results = of->batch * of->rows * of->columns;
    draw(plain_memory, of->dtype, matrices * all_down * across);
    draw(left_memory, of->dtype, of->batch * of->rows * of->depth);
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, of->dtype, 3, whole, of->c0);
    blocked_fill(&blocked, plain_memory);
    aclTensor *left = tensor_of(of->dtype, left_shape, left_stride, 0, NULL, left_block);
    for (int i = 0; i < 2; i++) {
        aclTensor *out = tensor_of(of->dtype, out_shape, out_stride, 0, NULL, out_block[i]),
                  *right = tensor_of(of->dtype, shape, stride, offset, i == 0 ? NULL : &blocked, plain_block);
        memset(out_memory[i], 0x5a, (size_t)results * blocked.bytes);
        run(left, right, out);
        assert_int_equal(aclDestroyTensor(right), 0);
        assert_int_equal(aclDestroyTensor(out), 0);
    }
    if (memcmp(out_memory[0], out_memory[1], (size_t)results * blocked.bytes) != 0)
        fail_msg("dtype %d, %d of %d x %d by %d, C0 %d, %s, part %d: weights in blocks give other bits",
                 (int)of->dtype, (int)of->batch, (int)of->rows, (int)of->depth, (int)of->columns, (int)of->c0,
                 of->is_turned ? "exchanged" : "as they are", (int)of->part);
    assert_true(blocked_is(&blocked, plain_memory));
    assert_int_equal(aclDestroyTensor(left), 0);
    blocked_release(&blocked);
}

static void products_have_the_bits_of_plain_weights(void **state)
{
    (void)state;
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    static const int64_t sizes[][3] = {{1, 1, 1},     {1, 5, 7},     {1, 16, 16},   {1, 300, 70},
                                       {1, 1100, 33}, {1, 530, 130}, {2, 17, 40},   {3, 40, 3},
                                       {4, 257, 65},  {5, 33, 100},  {16, 64, 64},  {17, 31, 33},
                                       {70, 20, 18},  {40, 270, 1},  {33, 100, 530}};
    static const int64_t widths[] = {16, 8, 32, 5};
    for (unsigned d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            if (effort() < 0.2 && s % 3 != d) /* with small effort each size with one dtype */
                continue;
            for (unsigned i = 0; i < 2 * PARTS * sizeof widths / sizeof widths[0]; i++) {
                const enum part part = (enum part)(i / 2 % PARTS);
                if (part == WHOLE || i / (2 * PARTS) == s % 4) /* the others by turns */
                    compare(&(struct product){dtypes[d], sizes[s][0], sizes[s][1], sizes[s][2],
                                              part == WHOLE ? 1 + s % BATCH_MAX : 1, widths[i / (2 * PARTS)],
                                              i % 2 == 1, part});
            }
        }
}

/* A matrix that is added, in the output's place; and sums over a batch. */
static void products_that_are_added_have_them_too(void **state)
{
    (void)state;
    enum { ROWS = 9, DEPTH = 50, COLUMNS = 37, BATCH = 2 };
    const int64_t whole[] = {BATCH, DEPTH, COLUMNS}, left_shape[] = {BATCH, ROWS, DEPTH},
                  out_shape[] = {ROWS, COLUMNS}, matrix[] = {DEPTH, COLUMNS}, rows[] = {ROWS, DEPTH};
    float one = 1, half = 0.5F;
    aclScalar *beta = aclCreateScalar(&half, ACL_FLOAT), *alpha = aclCreateScalar(&one, ACL_FLOAT);
    draw(plain_memory, ACL_FLOAT16, BATCH * DEPTH * COLUMNS);
    draw(left_memory, ACL_FLOAT16, BATCH * ROWS * DEPTH);
    draw(self_memory, ACL_FLOAT16, ROWS * COLUMNS);
    for (int batched = 0; batched < 2; batched++) {
        const unsigned rank = batched == 1 ? 3 : 2;
        struct blocked blocked =
            blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, rank, batched ? whole : matrix, 16);
        blocked_fill(&blocked, plain_memory);
        for (int i = 0; i < 2; i++) {
            const int64_t *left_dims = batched ? left_shape : rows, *dims = batched ? whole : matrix;
            aclTensor *left = aclCreateTensor(left_dims, rank, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, left_dims,
                                              rank, left_block),
                      *plain = aclCreateTensor(dims, rank, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, dims, rank,
                                               plain_block),
                      *out = aclCreateTensor(out_shape, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, out_shape, 2,
                                             out_block[i]);
            aclTensor *right = i == 0 ? plain : blocked.tensor;
            memcpy(out_memory[i], self_memory, (size_t)ROWS * COLUMNS * 2);
            uint64_t bytes;
            aclOpExecutor *executor;
            if (batched) {
                assert_int_equal(
                    aclnnAddbmmGetWorkspaceSize(out, left, right, beta, alpha, out, 0, &bytes, &executor), 0);
                assert_int_equal(aclnnAddbmm(NULL, bytes, executor, stream), 0);
            } else {
                assert_int_equal(
                    aclnnAddmmGetWorkspaceSize(out, left, right, beta, alpha, out, 0, &bytes, &executor), 0);
                assert_int_equal(aclnnAddmm(NULL, bytes, executor, stream), 0);
            }
            assert_int_equal(aclrtSynchronizeStream(stream), 0);
            assert_int_equal(aclDestroyTensor(left), 0);
            assert_int_equal(aclDestroyTensor(plain), 0);
            assert_int_equal(aclDestroyTensor(out), 0);
        }
        assert_memory_equal(out_memory[0], out_memory[1], (size_t)ROWS * COLUMNS * 2);
        blocked_release(&blocked);
    }
    assert_int_equal(aclDestroyScalar(beta), 0);
    assert_int_equal(aclDestroyScalar(alpha), 0);
}

static int open(void **state)
{
    const int status = open_stream(state);
    plain_memory = allocate(&plain_block);
    left_memory = allocate(&left_block);
    self_memory = allocate(&self_block);
    for (int i = 0; i < 2; i++)
        out_memory[i] = allocate(&out_block[i]);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_plain_weights),
        cmocka_unit_test(products_that_are_added_have_them_too),
    };
    return cmocka_run_group_tests(tests, open, close_stream);
}
