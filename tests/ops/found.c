/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MaskedSelect, Nonzero and NonzeroV2: whole tensors in random layouts against loops over indices, the shape
 * that out has in the end, and their rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/find_operator.h"
#include "ops/index_numbers.h"
#include "support/effort.h"

/* The shape of out behind the call, which is destroyed only then, unless it has to be before. */
static int64_t found[2];
static uint64_t found_rank;

enum { AT_END, BEFORE_THE_WORK };

static aclnnStatus call(const char *name, unsigned count, const struct view *const *view, int destroyed)
{
    const struct function *function = find(name);
    union argument argument[3] = {{.int64 = 0}};
    uint64_t workspace;
    aclOpExecutor *executor;
    int64_t *dims;
    for (unsigned i = 0; i < count; i++)
        argument[i].tensor = tensor_of(view[i]);
    const aclTensor *out = argument[count - 1].tensor;
    aclnnStatus status = function_plan_anew(function, argument, &workspace, &executor);
    if (status == 0 && destroyed == BEFORE_THE_WORK)
        assert_int_equal(aclDestroyTensor(out), 0);
    if (status == 0)
        status = finish(function->launch, status, workspace, executor);
    if (status == 0 && destroyed == AT_END) {
        assert_int_equal(aclGetViewShape(out, &dims, &found_rank), 0);
        memcpy(found, dims, sizeof *dims * found_rank);
        free(dims);
    }
    for (unsigned i = 0; i + (destroyed == BEFORE_THE_WORK) < count; i++)
        assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
    return status;
}

/* Of a view that broadcasts to an index's shape. */
static unsigned char *broadcast_element(const struct view *view, uint32_t rank, const int64_t *index)
{
    int64_t own[OPERAND_RANK_MAX] = {0};
    for (uint32_t i = 0; i < view->rank; i++)
        own[i] = view->shape[i] == 1 ? 0 : index[rank - view->rank + i];
    return arena[view->arena] + place_of(view, own);
}

static bool is_true(const unsigned char *element, aclDataType dtype)
{
    unsigned char truth;
    if (dtype == ACL_BOOL)
        return *element != 0;
    conversion_reference(element, dtype, &truth, ACL_BOOL);
    return truth != 0;
}

/* Numbers, of which about a third are 0. */
static void fill_sparsely(const struct view *view)
{
    const size_t bytes = conversion_bytes(view->dtype);
    fill_at_random(view->arena, bytes_of(view) + 64);
    for (int64_t i = 0; i <= last_of(view); i++)
        if (random_below(3) == 0)
            memset(arena[view->arena] + (size_t)i * bytes, 0, bytes);
}

static void masked_select(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_BF16, ACL_INT64, ACL_BOOL, ACL_DOUBLE, ACL_INT16};
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        struct view whole = draw_output(1 + (uint32_t)random_below(4), round % 10 == 0 ? 200 : 9);
        struct view self = draw_input(&whole), mask = draw_input(&whole);
        const struct view *const inputs[] = {&self, &mask};
        shrink(&whole, (const struct view[]){self, mask}, 2);
        self.dtype = dtypes[random_below(6)];
        mask.dtype = random_below(2) == 0 ? ACL_BOOL : ACL_UINT8;
        mask.arena = 3;
        int64_t index[OPERAND_RANK_MAX] = {0}, count = 0, all = count_of(&whole);
        struct view out =
            plain_view((unsigned)random_below(2), random_below(3) == 0 ? ACL_FLOAT : self.dtype, 1, &all);
        out.stride[0] = 1 + random_below(3);
        if (is_too_large(inputs[0]) || is_too_large(inputs[1]) || is_too_large(&out))
            continue;
        fill_sparsely(&self);
        fill_sparsely(&mask);
        begin_expecting(&out);
        do {
            if (!is_true(broadcast_element(&mask, whole.rank, index), mask.dtype))
                continue;
            conversion_reference(broadcast_element(&self, whole.rank, index), self.dtype,
                                 expected + place_of(&out, &count), out.dtype);
            count++;
        } while (next_index(whole.rank, whole.shape, index));
        if (call("aclnnMaskedSelect", 3, (const struct view *const[]){&self, &mask, &out}, AT_END) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_expected(&out);
        assert_int_equal(found_rank, 1);
        assert_int_equal(found[0], count);
    }
}

/* Both forms, packed or along strides of out. */
static void nonzero(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_BOOL, ACL_UINT32, ACL_INT8};
    static int64_t coordinates[200001][OPERAND_RANK_MAX];
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const bool is_by_column = random_below(2) == 0, is_packed = random_below(2) == 0;
        struct view self = draw_output((uint32_t)random_below(5), round % 10 == 0 ? 200 : 9);
        const int64_t all = count_of(&self), dims = self.rank;
        self.dtype = dtypes[random_below(6)];
        struct view out = plain_view(1, ACL_INT64, 2, is_by_column ? DIMS(dims, all) : DIMS(all, dims));
        if (!is_packed && dims > 0) {
            out.stride[1] = 2;
            out.stride[0] = out.shape[1] * 2 + 1;
        }
        if (is_too_large(&self) || last_of(&out) >= ARENA_BYTES / 16)
            continue;
        fill_sparsely(&self);
        memset(arena[1], 0x5a, bytes_of(&out) + 256);
        begin_expecting(&out);
        int64_t index[OPERAND_RANK_MAX] = {0}, count = 0;
        do
            if (is_true(arena[0] + place_of(&self, index), self.dtype))
                memcpy(coordinates[count++], index, sizeof index);
        while (next_index(self.rank, self.shape, index));
        if (out.stride[1] == 1)
            out.stride[0] = is_by_column ? count : dims; /* for what is expected */
        const struct view given = out.stride[1] == 1 ? plain_view(1, ACL_INT64, 2, out.shape) : out;
        for (int64_t i = 0; i < count; i++)
            for (int64_t d = 0; d < dims; d++)
                memcpy(expected + place_of(&out, is_by_column ? DIMS(d, i) : DIMS(i, d)), &coordinates[i][d],
                       sizeof(int64_t));
        if (call(is_by_column ? "aclnnNonzeroV2" : "aclnnNonzero", 2,
                 (const struct view *const[]){&self, &given}, AT_END) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_expected(&given);
        assert_int_equal(found_rank, 2);
        assert_int_equal(found[is_by_column], count);
        assert_int_equal(found[!is_by_column], dims);
    }
}

static void shapes_and_handles(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(2, 3)), mask = plain_view(3, ACL_BOOL, 1, DIMS(3));
    struct view out = plain_view(1, ACL_FLOAT, 1, DIMS(6)), rows = plain_view(1, ACL_INT64, 2, DIMS(5, 2));
    const float numbers[] = {1, 0, -0.0F, __builtin_nanf(""), 5, 6};
    memcpy(arena[0], numbers, sizeof numbers);
    memcpy(arena[3], "\1\0\1", 3);
    const struct view *const three[] = {&self, &mask, &out};
    memset(arena[1], 0, 64);
    assert_int_equal(call("aclnnMaskedSelect", 3, three, BEFORE_THE_WORK), 0);
    assert_memory_equal(arena[1], ((const float[]){1, -0.0F, numbers[3], 6}), 16);
    assert_failure(call("aclnnNonzero", 2, (const struct view *const[]){&self, &rows}, AT_END),
                   ACLNN_ERR_PARAM_INVALID, "out has shape [5, 2]; [6, 2]");
    rows = plain_view(1, ACL_INT64, 1, DIMS(12)); /* any shape with room */
    assert_int_equal(call("aclnnNonzero", 2, (const struct view *const[]){&self, &rows}, AT_END), 0);
    assert_memory_equal(arena[1], ((const int64_t[]){0, 0, 1, 0, 1, 1, 1, 2}), 64);
    assert_int_equal(found[0], 4);
    assert_int_equal(found[1], 2);
    self = plain_view(0, ACL_FLOAT, 2, DIMS(0, 3));
    rows = plain_view(1, ACL_INT64, 2, DIMS(1, 2));
    assert_int_equal(call("aclnnNonzero", 2, (const struct view *const[]){&self, &rows}, AT_END), 0);
    assert_int_equal(found[0], 0);
    out = plain_view(1, ACL_FLOAT, 1, DIMS(1));
    assert_failure(call("aclnnMaskedSelect", 3, (const struct view *const[]){&self, &mask, &out}, AT_END),
                   ACLNN_ERR_PARAM_INVALID, "out has shape [1]; [0]");
    self = plain_view(0, ACL_FLOAT, 0, NULL);
    rows = plain_view(1, ACL_INT64, 2, DIMS(1, 0));
    assert_int_equal(call("aclnnNonzero", 2, (const struct view *const[]){&self, &rows}, AT_END), 0);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_select),
        cmocka_unit_test(nonzero),
        cmocka_unit_test(shapes_and_handles),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
