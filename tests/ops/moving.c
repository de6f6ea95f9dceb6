/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that move elements: whole tensors in random layouts, dtypes and overlaps against a loop over
 * indices, and the rules that are each one's own. The build runs this program with several numbers of threads
 * and on each level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_permute.h"
#include "ops/loops/move.h"
#include "ops/promote.h"
#include "ops/whole_tensor.h"
#include "support/effort.h"
#include "tensor/dtype.h"

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static const aclDataType of_each_size[] = {ACL_BOOL, ACL_BF16, ACL_FLOAT, ACL_INT64, ACL_COMPLEX128};

static void permute(const struct view *self, const int64_t *dims, const struct view *out)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclTensor *from = tensor_of(self), *to = tensor_of(out);
    aclIntArray *order = aclCreateIntArray(dims, self->rank);
    aclnnStatus status = aclnnPermuteGetWorkspaceSize(from, order, to, &workspace, &executor);
    assert_int_equal(finish(aclnnPermute, status, workspace, executor), 0);
    assert_int_equal(aclDestroyTensor(from) | aclDestroyTensor(to) | aclDestroyIntArray(order), 0);
}

static void assert_permuted(const struct view *self, const int64_t *order, const struct view *out)
{
    int64_t index[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX] = {0}, dims[OPERAND_RANK_MAX] = {0};
    const size_t bytes = conversion_bytes(self->dtype);
    begin_expecting(out);
    do {
        for (uint32_t i = 0; i < out->rank; i++)
            from[order[i]] = index[i];
        memcpy(expected + place_of(out, index), arena[self->arena] + place_of(self, from), bytes);
    } while (next_index(out->rank, out->shape, index));
    for (uint32_t i = 0; i < out->rank; i++)
        dims[i] = random_below(2) == 0 ? order[i] : order[i] - (int64_t)out->rank;
    permute(self, dims, out);
    assert_expected(out);
}

static void shuffle(int64_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        int64_t other = random_below(i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

static void any_layout_is_permuted(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(500); round++) {
        int64_t order[OPERAND_RANK_MAX];
        uint32_t rank = (uint32_t)random_below(OPERAND_RANK_MAX + 1);
        struct view out = draw_output(rank, random_below(4) == 0 ? 300 : 9), self = {.rank = rank};
        shuffle(order, rank);
        for (uint32_t i = 0; i < rank; i++)
            self.shape[order[i]] = out.shape[i];
        if (random_below(4) == 0)
            for (uint32_t i = 0; i < rank; i++)
                self.stride[i] = random_below(4);
        else
            lay_out(&self, random_below(2) == 0, random_below(2) == 0);
        self.offset = random_below(20);
        self.dtype = out.dtype = of_each_size[random_below(5)];
        out.arena = (unsigned)random_below(2);
        if (is_too_large(&self) || is_too_large(&out))
            continue;
        fill_at_random(0, bytes_of(&self));
        assert_permuted(&self, order, &out);
    }
}

static void large_tensors_are_permuted(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct view self = plain_view(0, of_each_size[i], 2, DIMS(1021, 1300));
        struct view out = plain_view(1, of_each_size[i], 2, DIMS(1300, 1021));
        fill_at_random(0, bytes_of(&self));
        assert_permuted(&self, DIMS(1, 0), &out);
        self = plain_view(0, of_each_size[i], 4, DIMS(8, 100, 3, 500));
        out = plain_view(1, of_each_size[i], 4, DIMS(8, 500, 100, 3));
        out.offset = 3;
        assert_permuted(&self, DIMS(0, 3, 1, 2), &out);
        struct view turned = plain_view(0, of_each_size[i], 2, DIMS(900, 900));
        struct view over = turned;
        assert_permuted(&turned, DIMS(1, 0), &over);
        over.offset = 1;
        assert_permuted(&turned, DIMS(0, 1), &over);
    }
}

/* Tensors that make up out along a dim. */
enum { PARTS_MAX = 6 };

static aclnnStatus cat(const struct view *part, uint64_t count, int64_t dim, const struct view *out)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    const aclTensor *tensor[PARTS_MAX];
    for (uint64_t i = 0; i < count; i++)
        tensor[i] = tensor_of(&part[i]);
    aclTensor *to = tensor_of(out);
    aclTensorList *list = aclCreateTensorList(tensor, count);
    aclnnStatus status = aclnnCatGetWorkspaceSize(list, dim, to, &workspace, &executor);
    if (status == 0)
        assert_int_equal(finish(aclnnCat, status, workspace, executor), 0);
    assert_int_equal(aclDestroyTensorList(list) | aclDestroyTensor(to), 0);
    return status;
}

static bool is_left_out(const struct view *view)
{
    return view->rank == 1 && view->shape[0] == 0;
}

static void assert_joined(const struct view *part, uint64_t count, uint32_t dim, aclDataType promoted,
                          const struct view *out)
{
    int64_t joined = 0;
    begin_expecting(out);
    for (uint64_t i = 0; i < count; i++) {
        int64_t index[OPERAND_RANK_MAX] = {0}, to[OPERAND_RANK_MAX] = {0};
        if (is_left_out(&part[i]) || count_of(&part[i]) == 0)
            continue;
        do {
            unsigned char through[16];
            memcpy(to, index, sizeof to);
            to[dim] += joined;
            conversion_reference(arena[part[i].arena] + place_of(&part[i], index), part[i].dtype, through,
                                 promoted);
            conversion_reference(through, promoted, expected + place_of(out, to), out->dtype);
        } while (next_index(out->rank, part[i].shape, index));
        joined += part[i].shape[dim];
    }
    int64_t given = random_below(2) == 0 ? (int64_t)dim : (int64_t)dim - (int64_t)out->rank;
    if (cat(part, count, given, out) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_expected(out);
}

/* A dtype of Cat's for the next part and what it and those before promote to. */
static aclDataType draw_dtype(bool is_mixed, aclDataType first, aclDataType *promoted)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE,   ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64,    ACL_UINT8,
                                         ACL_BOOL,  ACL_BF16,    ACL_COMPLEX64};
    for (;;) {
        aclDataType dtype = is_mixed ? dtypes[random_below(11)] : first;
        aclDataType both = *promoted == ACL_DT_UNDEFINED ? dtype : promote(*promoted, dtype);
        if (both == ACL_DT_UNDEFINED || both == ACL_COMPLEX128 || both == ACL_COMPLEX32)
            continue;
        *promoted = both;
        return dtype;
    }
}

static void any_layouts_are_joined(void **state)
{
    (void)state;
    static const aclDataType alike[] = {ACL_BOOL, ACL_BF16, ACL_FLOAT, ACL_INT64, ACL_INT8};
    for (int round = 0; round < times_effort(500); round++) {
        struct view part[PARTS_MAX] = {{0}};
        uint32_t rank = 1 + (uint32_t)random_below(OPERAND_RANK_MAX), dim = (uint32_t)random_below(rank);
        uint64_t count = 1 + (uint64_t)random_below(PARTS_MAX);
        struct view out = draw_output(rank, random_below(4) == 0 ? 100 : 9);
        bool is_mixed = random_below(3) == 0, is_usable = !is_too_large(&out);
        aclDataType first = alike[random_below(5)], promoted = ACL_DT_UNDEFINED;
        int64_t left = out.shape[dim];
        out.arena = (unsigned)random_below(3) == 0 ? 0 : 1;
        for (uint64_t i = 0; i < count; i++) {
            part[i] = out;
            part[i].arena = random_below(3) == 0 ? 0 : 2;
            if (i + 1 < count && random_below(6) == 0) { /* its dtype is not looked at */
                part[i].rank = 1;
                part[i].shape[0] = 0;
                part[i].stride[0] = 1;
                part[i].dtype = ACL_COMPLEX128;
                continue;
            }
            part[i].shape[dim] = i + 1 < count ? random_below(left + 1) : left;
            left -= part[i].shape[dim];
            aclDataType of_none = ACL_DT_UNDEFINED;
            part[i].dtype = draw_dtype(is_mixed, first, is_left_out(&part[i]) ? &of_none : &promoted);
            lay_out(&part[i], random_below(2) == 0, random_below(2) == 0);
            if (random_below(5) == 0)
                part[i].stride[random_below(rank)] = 0;
            part[i].offset = random_below(50);
            is_usable = is_usable && (count_of(&part[i]) == 0 || !is_too_large(&part[i]));
        }
        out.dtype = promoted;
        if (promoted == ACL_FLOAT && is_mixed)
            out.dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_COMPLEX64;
        if (!is_usable)
            continue;
        fill_at_random(0, 1 << 14);
        fill_at_random(2, 1 << 14);
        assert_joined(part, count, dim, promoted, &out);
    }
}

static void large_tensors_are_joined(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const aclDataType dtype = of_each_size[i];
        struct view part[3] = {plain_view(0, dtype, 2, DIMS(700, 1000)),
                               plain_view(0, dtype, 2, DIMS(300, 1000)),
                               plain_view(0, dtype, 2, DIMS(1, 1000))};
        struct view out = plain_view(1, dtype, 2, DIMS(1001, 1000));
        fill_at_random(0, bytes_of(&part[0]));
        assert_joined(part, 3, 0, dtype, &out);
        struct view beside[3] = {plain_view(0, dtype, 2, DIMS(1000, 700)),
                                 plain_view(0, dtype, 2, DIMS(1000, 300)),
                                 plain_view(0, dtype, 2, DIMS(1000, 1))};
        out = plain_view(1, dtype, 2, DIMS(1000, 1001));
        out.offset = 5;
        assert_joined(beside, 3, 1, dtype, &out);
        /* What lies where it is to go already stays, and what is written over is read before. */
        struct view in_place[2] = {plain_view(1, dtype, 1, DIMS(400000)),
                                   plain_view(1, dtype, 1, DIMS(300000))};
        out = plain_view(1, dtype, 1, DIMS(700000));
        assert_joined(in_place, 2, 0, dtype, &out);
        in_place[0].offset = 100000;
        assert_joined(in_place, 2, 0, dtype, &out);
    }
}

/* Runs that are written past the caches: whole lines, and what comes before and behind them. */
static void long_runs_are_written_past_the_caches(void **state)
{
    (void)state;
    struct {
        struct move_plan plan;
        struct move_part part;
    } made = {
        .plan = {.transfer = transfer_of(ISA_BASELINE), .streams = true, .part_count = 1, .tiles_at_once = 1},
        .part = {.from = 0, .to = 1, .dtype = ACL_FLOAT, .from_first = 3, .to_first = 5, .axis_count = 1}};
    assert_ptr_equal(move_parts(&made.plan), &made.part);
    made.part.axis[0] = (struct move_axis){1000003, 1, 1};
    made.plan.tile_count = move_tile(&made.part, 4, false);
    void *const address[] = {arena[0], arena[1]};
    struct view out = plain_view(1, ACL_FLOAT, 1, DIMS(1000008));
    fill_at_random(0, 4000100);
    begin_expecting(&out);
    memcpy(expected + 20, arena[0] + 12, 4000012);
    assert_int_equal(move_run(&made.plan, address, NULL), 0);
    assert_expected(&out);
}

static void assert_permute_refused(const struct view *self, const int64_t *dims, uint64_t count,
                                   const struct view *out, const char *text)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclTensor *from = tensor_of(self), *to = tensor_of(out);
    aclIntArray *order = aclCreateIntArray(dims, count);
    assert_failure(aclnnPermuteGetWorkspaceSize(from, order, to, &workspace, &executor),
                   ACLNN_ERR_PARAM_INVALID, text);
    assert_int_equal(aclDestroyTensor(from) | aclDestroyTensor(to) | aclDestroyIntArray(order), 0);
}

static void permute_has_rules_for_dims(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_INT32, 3, DIMS(2, 3, 4)),
                out = plain_view(1, ACL_INT32, 3, DIMS(4, 2, 3));
    assert_permuted(&self, DIMS(2, 0, 1), &out);
    assert_permute_refused(&self, DIMS(2, 0), 2, &out, "dims has 2 elements; 3, as many as self has dims");
    assert_permute_refused(&self, DIMS(2, 0, 3), 3, &out, "dims is 3; -3 to 2 are expected");
    assert_permute_refused(&self, DIMS(2, -4, 1), 3, &out, "dims is -4; -3 to 2 are expected");
    assert_permute_refused(&self, DIMS(2, 0, -1), 3, &out, "dims names dim 2 twice");
    assert_permute_refused(&self, DIMS(0, 1, 2), 3, &out,
                           "out has shape [4, 2, 3]; [2, 3, 4], the shape that");
    out.dtype = ACL_FLOAT;
    assert_permute_refused(&self, DIMS(2, 0, 1), 3, &out, "out has dtype FLOAT; INT32");
    struct view one = plain_view(0, ACL_INT32, 0, NULL), copy = plain_view(1, ACL_INT32, 0, NULL);
    assert_permuted(&one, DIMS(0), &copy);
    assert_permute_refused(&one, DIMS(0), 1, &copy, "dims has 1 elements; 0");
    struct view nothing = plain_view(0, ACL_INT32, 2, DIMS(0, 3)),
                none = plain_view(1, ACL_INT32, 2, DIMS(3, 0));
    permute(&nothing, DIMS(1, 0), &none);
}

static void assert_cat_refused(const struct view *part, uint64_t count, int64_t dim, const struct view *out,
                               const char *text)
{
    assert_failure(cat(part, count, dim, out), ACLNN_ERR_PARAM_INVALID, text);
}

static void cat_has_rules_for_its_list(void **state)
{
    (void)state;
    struct view part[2] = {plain_view(0, ACL_FLOAT, 2, DIMS(2, 3)), plain_view(0, ACL_FLOAT, 2, DIMS(4, 3))};
    struct view out = plain_view(1, ACL_FLOAT, 2, DIMS(6, 3));
    assert_int_equal(cat(part, 2, 0, &out), 0);
    assert_int_equal(cat(part, 2, -2, &out), 0);
    struct view nothing = plain_view(1, ACL_FLOAT, 1, DIMS(0));
    assert_int_equal(cat(part, 0, 0, &nothing), 0); /* of an empty list nothing comes out */
    assert_cat_refused(part, 0, 0, &out, "out has shape [6, 3]");
    assert_cat_refused(part, 2, 2, &out, "dim is 2; -2 to 1 are expected");
    assert_cat_refused(part, 2, -3, &out, "dim is -3; -2 to 1 are expected");
    assert_cat_refused(part, 2, 1, &out, "tensor 1 of tensors has 2 dims, or another size than tensor 0");
    assert_cat_refused(part, 1, 0, &out, "out has shape [6, 3]; [2, 3]");
    part[1] = plain_view(0, ACL_FLOAT, 1, DIMS(3));
    assert_cat_refused(part, 2, 0, &out, "tensor 1 of tensors has 1 dims");
    part[1] = plain_view(0, ACL_FLOAT, 0, NULL);
    assert_cat_refused(part, 2, 0, &out, "tensor 1 of tensors has 0 dims");
    part[1] = plain_view(0, ACL_COMPLEX128, 2, DIMS(4, 3));
    assert_cat_refused(part, 2, 0, &out, "tensors has dtype COMPLEX128");
    part[1] = plain_view(0, ACL_COMPLEX64, 2, DIMS(4, 3));
    assert_cat_refused(part, 2, 0, &out, "out has dtype FLOAT");
    part[0].dtype = ACL_DOUBLE; /* the two promote to COMPLEX128 */
    assert_cat_refused(part, 2, 0, &out,
                       "tensor 1 of tensors has dtype COMPLEX64, which does not promote with DOUBLE");
    part[0] = plain_view(0, ACL_COMPLEX128, 1, DIMS(0));
    part[1] = plain_view(0, ACL_INT32, 2, DIMS(6, 3));
    assert_int_equal(cat(part, 2, 0, &out), 0); /* what is left out does not promote */
    assert_cat_refused(part, 1, 0, &out, "out has shape [6, 3]");
    out = plain_view(1, ACL_INT8, 2, DIMS(6, 0));
    assert_int_equal(cat(part, 1, 0, &out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layout_is_permuted),
        cmocka_unit_test(large_tensors_are_permuted),
        cmocka_unit_test(any_layouts_are_joined),
        cmocka_unit_test(large_tensors_are_joined),
        cmocka_unit_test(long_runs_are_written_past_the_caches),
        cmocka_unit_test(permute_has_rules_for_dims),
        cmocka_unit_test(cat_has_rules_for_its_list),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
