/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexSelect: whole tensors in random layouts against loops over indices, indices out of range, and its
 * rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_index_select.h"
#include "ops/index_numbers.h"
#include "support/effort.h"

static aclnnStatus select_to(const struct view *self, int64_t dim, const struct view *index,
                             const struct view *out, bool *is_accepted)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclTensor *from = tensor_of(self), *at = tensor_of(index), *to = tensor_of(out);
    aclnnStatus status = aclnnIndexSelectGetWorkspaceSize(from, dim, at, to, &workspace, &executor);
    *is_accepted = status == 0;
    if (status == 0)
        status = finish(aclnnIndexSelect, status, workspace, executor);
    assert_int_equal(aclDestroyTensor(from) | aclDestroyTensor(to) | aclDestroyTensor(at), 0);
    return status;
}

static void assert_selected(const struct view *self, uint32_t dim, const struct view *index,
                            const struct view *out)
{
    int64_t to[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX];
    bool is_accepted;
    begin_expecting(out);
    do {
        memcpy(from, to, sizeof from);
        int64_t number = number_at(index, &to[dim]);
        from[dim] = number < 0 ? number + self->shape[dim] : number;
        memcpy(expected + place_of(out, to), arena[self->arena] + place_of(self, from),
               conversion_bytes(self->dtype));
    } while (next_index(out->rank, out->shape, to));
    if (select_to(self, dim, index, out, &is_accepted) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_expected(out);
}

static void any_layout_is_selected_from(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(500); round++) {
        uint32_t rank = 1 + (uint32_t)random_below(OPERAND_RANK_MAX), dim = (uint32_t)random_below(rank);
        struct view out = draw_output(rank, random_below(4) == 0 ? 200 : 8), self = out;
        struct view index = plain_view(3, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, &out.shape[dim]);
        self.shape[dim] = 1 + random_below(20);
        lay_out(&self, random_below(2) == 0, random_below(2) == 0);
        self.offset = random_below(30);
        self.dtype = out.dtype = of_each_size[random_below(5)];
        index.stride[0] = random_below(4);
        out.arena = (unsigned)random_below(2);
        if (is_too_large(&self) || is_too_large(&out))
            continue;
        fill_at_random(0, bytes_of(&self));
        fill_indices(&index, self.shape[dim]);
        assert_selected(&self, dim, &index, &out);
    }
}

static void large_tensors_are_selected_from(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const aclDataType dtype = of_each_size[i];
        struct view index = plain_view(3, ACL_INT64, 1, DIMS(1500));
        struct view self = plain_view(0, dtype, 2, DIMS(900, 1000)),
                    out = plain_view(1, dtype, 2, DIMS(1500, 1000));
        fill_at_random(0, bytes_of(&self));
        fill_indices(&index, 900);
        assert_selected(&self, 0, &index, &out);
        self = plain_view(0, dtype, 2, DIMS(1000, 900));
        out = plain_view(1, dtype, 2, DIMS(1000, 1500));
        assert_selected(&self, 1, &index, &out);
        index = plain_view(3, ACL_INT64, 1, DIMS(2));
        self = plain_view(0, dtype, 2, DIMS(3, 500001));
        out = plain_view(1, dtype, 2, DIMS(2, 500001));
        fill_indices(&index, 3);
        assert_selected(&self, 0, &index, &out);
        index = plain_view(3, ACL_INT32, 1, DIMS(1000000));
        self = plain_view(0, dtype, 1, DIMS(1000));
        out = plain_view(1, dtype, 1, DIMS(1000000));
        fill_indices(&index, 1000);
        assert_selected(&self, 0, &index, &out);
    }
}

/* The first of two is told, and nothing is written. */
static void an_index_out_of_range_fails_the_work(void **state)
{
    (void)state;
    bool is_accepted;
    for (int64_t count = 7; count <= 100007; count += 100000) {
        struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(10, 3)),
                    out = plain_view(1, ACL_FLOAT, 2, DIMS(count, 3));
        struct view index = plain_view(3, ACL_INT64, 1, &count);
        fill_indices(&index, 10);
        set_number(&index, DIMS(count - 1), 12);
        set_number(&index, DIMS(count - 2), -11);
        begin_expecting(&out);
        char text[96];
        snprintf(text, sizeof text, "aclnnIndexSelect: index holds -11 at [%lld]; -10 to 9 are",
                 (long long)count - 2);
        assert_failure(select_to(&self, 0, &index, &out, &is_accepted), FAULT, text);
        assert_true(is_accepted);
        assert_expected(&out);
        set_number(&index, DIMS(count - 1), 9);
        set_number(&index, DIMS(count - 2), -10);
        assert_selected(&self, 0, &index, &out);
    }
}

static void select_has_rules_of_its_own(void **state)
{
    (void)state;
    bool is_accepted;
    struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(4, 3)), out = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3));
    struct view index = plain_view(3, ACL_INT64, 1, DIMS(2));
    fill_indices(&index, 3);
    assert_int_equal(select_to(&self, -2, &index, &out, &is_accepted), 0);
    assert_failure(select_to(&self, 2, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "dim is 2; -2 to 1 are expected");
    assert_failure(select_to(&self, 1, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "out has shape [2, 3]; [4, 2]");
    index.dtype = ACL_FLOAT;
    assert_failure(select_to(&self, 0, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "index has dtype FLOAT; INT32 or INT64");
    index = plain_view(3, ACL_INT64, 2, DIMS(1, 2));
    assert_failure(select_to(&self, 0, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "index has 2 dims");
    index = plain_view(3, ACL_FLOAT16, 1, DIMS(0)); /* of none the dtype does not count */
    out = plain_view(1, ACL_FLOAT, 2, DIMS(0, 3));
    assert_int_equal(select_to(&self, 0, &index, &out, &is_accepted), 0);
    index = plain_view(3, ACL_INT64, 1, DIMS(2));
    self = plain_view(0, ACL_FLOAT, 2, DIMS(0, 3));
    out = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3));
    assert_failure(select_to(&self, 0, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "index has 2 elements; none is expected");
    self = plain_view(0, ACL_FLOAT, 0, NULL);
    out = plain_view(1, ACL_FLOAT, 0, NULL);
    assert_failure(select_to(&self, 0, &index, &out, &is_accepted), ACLNN_ERR_PARAM_INVALID,
                   "index has 2 elements; 1 is expected");
    index = plain_view(3, ACL_INT64, 1, DIMS(1));
    set_number(&index, DIMS(0), -1);
    memcpy(arena[0], "abcd", 4);
    assert_int_equal(select_to(&self, -1, &index, &out, &is_accepted), 0);
    assert_memory_equal(arena[1], "abcd", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layout_is_selected_from),
        cmocka_unit_test(large_tensors_are_selected_from),
        cmocka_unit_test(an_index_out_of_range_fails_the_work),
        cmocka_unit_test(select_has_rules_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
