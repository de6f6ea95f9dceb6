/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ChunkCat: whole tensors in random layouts, dtypes and overlaps against a loop over indices, and what it
 * refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_chunk_cat.h"
#include "ops/whole_tensor.h"
#include "support/effort.h"
#include "tensor/dtype.h"

enum { TENSORS_MAX = 5 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static aclnnStatus chunk_cat(const struct view *view, uint64_t count, int64_t dim, int64_t chunks,
                             const struct view *out)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    const aclTensor *tensor[TENSORS_MAX];
    for (uint64_t i = 0; i < count; i++)
        tensor[i] = tensor_of(&view[i]);
    aclTensor *to = tensor_of(out);
    aclTensorList *list = aclCreateTensorList(tensor, count);
    aclnnStatus status = aclnnChunkCatGetWorkspaceSize(list, dim, chunks, to, &workspace, &executor);
    if (status == 0)
        assert_int_equal(finish(aclnnChunkCat, status, workspace, executor), 0);
    assert_int_equal(aclDestroyTensorList(list) | aclDestroyTensor(to), 0);
    return status;
}

/* What out[..., chunk, column] is, column by column: an element of a tensor, or zero. */
static void assert_cut_and_joined(const struct view *view, uint64_t count, uint32_t dim, int64_t chunks,
                                  const struct view *out)
{
    int64_t to[OPERAND_RANK_MAX] = {0};
    begin_expecting(out);
    do {
        int64_t column = to[dim + 1];
        for (uint64_t i = 0; i < count; i++) {
            int64_t from[OPERAND_RANK_MAX] = {0}, size = view[i].shape[dim];
            int64_t piece = (size + chunks - 1) / chunks, width = 1;
            for (uint32_t k = dim + 1; k < view[i].rank; k++)
                width *= view[i].shape[k];
            if (column >= piece * width) {
                column -= piece * width;
                continue;
            }
            memcpy(from, to, dim * sizeof from[0]);
            from[dim] = to[dim] * piece + column / width;
            for (uint32_t k = view[i].rank; k-- > dim + 1; column /= view[i].shape[k])
                from[k] = column % view[i].shape[k];
            static const unsigned char zero[16];
            const unsigned char *element =
                from[dim] < size ? arena[view[i].arena] + place_of(&view[i], from) : zero;
            conversion_reference(element, view[i].dtype, expected + place_of(out, to), out->dtype);
            break;
        }
    } while (next_index(out->rank, out->shape, to));
    if (chunk_cat(view, count, dim, chunks, out) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_expected(out);
}

/* Draws tensors and the output that belongs to them. */
static void draw(struct view *view, uint64_t count, uint32_t dim, int64_t chunks, int64_t largest,
                 struct view *out)
{
    const aclDataType dtype = dtypes[random_below(3)];
    *out = (struct view){.rank = dim + 2, .dtype = dtypes[random_below(3)]};
    for (uint32_t k = 0; k < dim; k++)
        out->shape[k] = 1 + random_below(3);
    out->shape[dim] = chunks;
    for (uint64_t i = 0; i < count; i++) {
        view[i] = (struct view){.rank = dim + 1 + (uint32_t)random_below(3), .dtype = dtype};
        view[i].rank = view[i].rank > OPERAND_RANK_MAX ? OPERAND_RANK_MAX : view[i].rank;
        int64_t width = 1;
        for (uint32_t k = 0; k < view[i].rank; k++) {
            view[i].shape[k] = k < dim    ? out->shape[k]
                               : k == dim ? random_below(largest)
                                          : 1 + random_below(4);
            width *= k > dim ? view[i].shape[k] : 1;
        }
        out->shape[dim + 1] += (view[i].shape[dim] + chunks - 1) / chunks * width;
        view[i].arena = random_below(3) == 0 ? 0 : 2;
        lay_out(&view[i], random_below(2) == 0, random_below(2) == 0);
        if (random_below(5) == 0)
            view[i].stride[random_below(view[i].rank)] = 0;
        view[i].offset = random_below(50);
    }
    lay_out(out, random_below(2) == 0, random_below(2) == 0);
    out->arena = random_below(3) == 0 ? 0 : 1;
    out->offset = random_below(20);
}

static void any_layouts_are_cut_and_joined(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(500); round++) {
        struct view view[TENSORS_MAX], out;
        const uint64_t count = 1 + (uint64_t)random_below(TENSORS_MAX);
        const uint32_t dim = random_below(2) == 0 ? 0 : (uint32_t)random_below(OPERAND_RANK_MAX - 1);
        const int64_t chunks = 1 + random_below(7);
        draw(view, count, dim, chunks, random_below(4) == 0 ? 200 : 12, &out);
        bool is_usable = count_of(&out) > 0 && !is_too_large(&out);
        for (uint64_t i = 0; i < count; i++)
            is_usable = is_usable && (count_of(&view[i]) == 0 || !is_too_large(&view[i]));
        if (!is_usable)
            continue;
        fill_at_random(0, 1 << 14);
        fill_at_random(2, 1 << 14);
        assert_cut_and_joined(view, count, dim, chunks, &out);
    }
}

static void large_tensors_are_cut_and_joined(void **state)
{
    (void)state;
    const int64_t shape[2][2] = {{1001, 300}, {7, 50000}}, joined[2] = {4, 251 * 300 + 2 * 50000};
    struct view view[2] = {plain_view(0, ACL_BF16, 2, shape[0]), plain_view(0, ACL_BF16, 2, shape[1])};
    struct view out = plain_view(1, ACL_FLOAT, 2, joined);
    fill_at_random(0, bytes_of(&view[1]));
    assert_cut_and_joined(view, 2, 0, 4, &out);
}

static void assert_refused(const struct view *view, uint64_t count, int64_t dim, int64_t chunks,
                           const struct view *out, const char *text)
{
    assert_failure(chunk_cat(view, count, dim, chunks, out), ACLNN_ERR_PARAM_INVALID, text);
}

static void its_rules(void **state)
{
    (void)state;
    const int64_t shape[] = {3, 5}, joined[] = {2, 20}, three[] = {1, 3, 10};
    struct view view[2] = {plain_view(0, ACL_FLOAT, 2, shape), plain_view(0, ACL_FLOAT, 2, shape)};
    struct view out = plain_view(1, ACL_FLOAT, 2, joined);
    assert_int_equal(chunk_cat(view, 2, 0, 2, &out), 0);
    assert_refused(view, 0, 0, 2, &out, "tensors is an empty list; 1 tensor or more");
    assert_refused(view, 2, 0, 0, &out, "numChunks is 0; 1 or more");
    assert_refused(view, 2, -1, 2, &out, "dim is -1; 0 to 6 are expected");
    assert_refused(view, 2, 2, 2, &out, "tensor 0 of tensors has 2 dims");
    assert_refused(view, 2, 0, 3, &out, "out has shape [2, 20]; [3, 10]");
    view[1].rank = 3;
    memcpy(view[1].shape, three, sizeof three);
    lay_out(&view[1], false, false);
    assert_refused(view, 2, 1, 2, &out, "tensor 1 of tensors has 3 dims, or other sizes than tensor 0");
    view[1].dtype = ACL_FLOAT16;
    assert_refused(view, 2, 0, 2, &out,
                   "tensor 1 of tensors has dtype FLOAT16; FLOAT, the dtype of tensor 0");
    view[1].dtype = ACL_INT32;
    assert_refused(view, 2, 0, 2, &out, "tensors has dtype INT32");
    const int64_t none[] = {0, 5}, nothing[] = {2, 0};
    view[0] = plain_view(0, ACL_FLOAT, 2, none);
    out = plain_view(1, ACL_FLOAT, 2, nothing);
    assert_int_equal(chunk_cat(view, 1, 0, 2, &out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layouts_are_cut_and_joined),
        cmocka_unit_test(large_tensors_are_cut_and_joined),
        cmocka_unit_test(its_rules),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
