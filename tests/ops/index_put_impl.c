/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexPutImpl and Index: indices and masks in random layouts against loops over indices, sums in their
 * order, indices out of range, and their rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "ops/index_numbers.h"
#include "support/effort.h"

enum { ENTRIES_MAX = OPERAND_RANK_MAX };

/* A call of IndexPutImpl, or of Index, whose out is `values`. */
struct put {
    struct view self, values, entry[ENTRIES_MAX];
    uint32_t count;
    bool accumulates, reads;
};

static aclnnStatus run_put(const struct put *put, bool *is_accepted)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    const aclTensor *entry[ENTRIES_MAX];
    for (uint32_t i = 0; i < put->count; i++)
        entry[i] = tensor_of(&put->entry[i]);
    aclTensor *self = tensor_of(&put->self), *values = tensor_of(&put->values);
    aclTensorList *list = aclCreateTensorList(entry, put->count);
    aclnnStatus status = put->reads ? aclnnIndexGetWorkspaceSize(self, list, values, &workspace, &executor)
                                    : aclnnIndexPutImplGetWorkspaceSize(self, list, values, put->accumulates,
                                                                        false, &workspace, &executor);
    *is_accepted = status == 0;
    if (status == 0)
        status = finish(put->reads ? aclnnIndex : aclnnIndexPutImpl, status, workspace, executor);
    assert_int_equal(aclDestroyTensor(self) | aclDestroyTensor(values) | aclDestroyTensorList(list), 0);
    return status;
}

/* What an index or a mask says for each dim that it is for: a list of numbers with a shape. */
struct numbers {
    uint32_t rank;
    int64_t shape[OPERAND_RANK_MAX];
    int64_t *value[OPERAND_RANK_MAX]; /* for each dim that a mask is over */
    uint32_t dims;
};

static struct numbers read_entry(const struct view *view)
{
    struct numbers numbers = {.rank = view->rank, .dims = 1};
    int64_t index[OPERAND_RANK_MAX] = {0}, count = 0;
    bool is_mask = view->dtype == ACL_BOOL;
    numbers.dims = is_mask ? view->rank : 1;
    for (uint32_t d = 0; d < numbers.dims; d++)
        numbers.value[d] = malloc(sizeof(int64_t) * (size_t)(count_of(view) + 1));
    memcpy(numbers.shape, view->shape, sizeof numbers.shape);
    do {
        if (!is_mask)
            numbers.value[0][count++] = number_at(view, index);
        else if (arena[view->arena][place_of(view, index)] != 0) {
            for (uint32_t d = 0; d < numbers.dims; d++)
                numbers.value[d][count] = index[d];
            count++;
        }
    } while (next_index(view->rank, view->shape, index));
    if (is_mask) {
        numbers.rank = 1;
        numbers.shape[0] = count;
    }
    return numbers;
}

/* The place of an index among numbers that broadcast to its shape. */
static int64_t place_in(const struct numbers *numbers, uint32_t rank, const int64_t *index)
{
    int64_t place = 0;
    for (uint32_t i = 0; i < numbers->rank; i++)
        place = place * numbers->shape[i] + (numbers->shape[i] == 1 ? 0 : index[rank - numbers->rank + i]);
    return place;
}

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

/* Sums of every byte place of self that an element begins at. */
static union {
    double real;
    int64_t integer;
} sums[1 << 21];
static bool is_summed[1 << 21];

static void add_to(const struct put *put, size_t to, size_t from)
{
    const aclDataType dtype = put->self.dtype, wide = is_float(dtype) ? ACL_DOUBLE : ACL_INT64;
    const size_t element = to / conversion_bytes(dtype);
    union {
        double real;
        int64_t integer;
    } value;
    if (!is_summed[element])
        conversion_reference(arena[put->self.arena] + to, dtype, &sums[element], wide);
    is_summed[element] = true;
    conversion_reference(arena[put->values.arena] + from, dtype, &value, wide);
    if (wide == ACL_DOUBLE)
        sums[element].real += value.real;
    else
        sums[element].integer = (int64_t)((uint64_t)sums[element].integer + (uint64_t)value.integer);
}

static void store_sums(const struct view *self)
{
    const size_t bytes = conversion_bytes(self->dtype);
    static const uint64_t canonical = UINT64_C(0x7FF8000000000000);
    for (size_t i = 0; i < bytes_of(self) / bytes; i++) {
        if (!is_summed[i])
            continue;
        if (is_float(self->dtype) && sums[i].real != sums[i].real)
            memcpy(&sums[i], &canonical, sizeof canonical);
        conversion_reference(&sums[i], is_float(self->dtype) ? ACL_DOUBLE : ACL_INT64, expected + i * bytes,
                             self->dtype);
        is_summed[i] = false;
    }
}

/* The shape of the indices together, and which dims they are for. */
struct target {
    uint32_t rank, first, dims; /* of indices; the first indexed dim; how many are */
    int64_t shape[OPERAND_RANK_MAX];
    bool is_indexed[OPERAND_RANK_MAX], is_in_front;
    struct numbers numbers[ENTRIES_MAX];
    uint32_t dim[ENTRIES_MAX]; /* of each entry; unused for those without elements */
    uint32_t result_rank;
    int64_t result[2 * OPERAND_RANK_MAX];
};

static void set_target(const struct put *put, struct target *target)
{
    uint32_t dim = 0, last = 0;
    *target = (struct target){.first = OPERAND_RANK_MAX};
    for (uint32_t i = 0; i < put->count; i++) {
        target->dim[i] = dim;
        if (count_of(&put->entry[i]) == 0) {
            dim++;
            continue;
        }
        struct numbers *numbers = &target->numbers[i];
        *numbers = read_entry(&put->entry[i]);
        for (uint32_t d = 0; d < numbers->dims; d++)
            target->is_indexed[dim + d] = true;
        target->first = target->first < dim ? target->first : dim;
        last = dim + numbers->dims - 1;
        target->dims += numbers->dims;
        dim += numbers->dims;
        uint32_t before = target->rank, rank = before > numbers->rank ? before : numbers->rank;
        for (uint32_t k = 1; k <= rank; k++) {
            int64_t old = k <= before ? target->shape[before - k] : 1;
            int64_t own = k <= numbers->rank ? numbers->shape[numbers->rank - k] : 1;
            target->result[rank - k] = own == 1 ? old : own;
        }
        target->rank = rank;
        memcpy(target->shape, target->result, rank * sizeof(int64_t));
    }
    target->is_in_front = last - target->first + 1 != target->dims;
    for (uint32_t d = 0; d <= put->self.rank; d++) {
        bool is_here = target->is_in_front ? d == 0 : d == target->first;
        for (uint32_t k = 0; is_here && k < target->rank; k++)
            target->result[target->result_rank++] = target->shape[k];
        if (d < put->self.rank && !target->is_indexed[d])
            target->result[target->result_rank++] = put->self.shape[d];
    }
}

/* One position, for all elements of its slice. */
static void expect_slices(const struct put *put, const struct target *target, const int64_t *position)
{
    int64_t to[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX] = {0}, free[OPERAND_RANK_MAX];
    const size_t bytes = conversion_bytes(put->self.dtype);
    for (uint32_t d = 0; d < put->self.rank; d++)
        free[d] = target->is_indexed[d] ? 1 : put->self.shape[d];
    for (uint32_t i = 0; i < put->count; i++)
        for (uint32_t d = 0; count_of(&put->entry[i]) > 0 && d < target->numbers[i].dims; d++) {
            int64_t size = put->self.shape[target->dim[i] + d];
            int64_t number =
                target->numbers[i].value[d][place_in(&target->numbers[i], target->rank, position)];
            to[target->dim[i] + d] = number < 0 ? number + size : number;
        }
    int64_t slice[OPERAND_RANK_MAX] = {0};
    do {
        int64_t at[2 * OPERAND_RANK_MAX];
        uint32_t rank = 0;
        for (uint32_t d = 0; d <= put->self.rank; d++) {
            bool is_here = target->is_in_front ? d == 0 : d == target->first;
            for (uint32_t k = 0; is_here && k < target->rank; k++)
                at[rank++] = position[k];
            if (d < put->self.rank && !target->is_indexed[d])
                at[rank++] = to[d] = slice[d];
        }
        for (uint32_t d = 0; d < put->values.rank; d++)
            from[d] = put->values.shape[d] == 1 ? 0 : at[rank - put->values.rank + d];
        size_t written = place_of(&put->self, to), read = place_of(&put->values, from);
        if (put->reads)
            memcpy(expected + read, arena[put->self.arena] + written, bytes);
        else if (put->accumulates)
            add_to(put, written, read);
        else
            memcpy(expected + written, arena[put->values.arena] + read, bytes);
    } while (next_index(put->self.rank, free, slice));
}

static void assert_put(const struct put *put)
{
    struct target target;
    int64_t position[OPERAND_RANK_MAX] = {0}, count = 1;
    bool is_accepted;
    set_target(put, &target);
    begin_expecting(put->reads ? &put->values : &put->self);
    for (uint32_t i = 0; i < target.rank; i++)
        count *= target.shape[i];
    if (count > 0)
        do
            expect_slices(put, &target, position);
        while (next_index(target.rank, target.shape, position));
    if (put->accumulates)
        store_sums(&put->self);
    for (uint32_t i = 0; i < put->count; i++)
        for (uint32_t d = 0; d < target.numbers[i].dims; d++)
            free(target.numbers[i].value[d]);
    if (run_put(put, &is_accepted) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_expected(put->reads ? &put->values : &put->self);
}

/* Values that the shape of self[indices] takes; of one element now and then. */
static void set_values(struct put *put)
{
    struct target target;
    set_target(put, &target);
    uint32_t left_out =
        !put->reads && random_below(4) == 0 ? (uint32_t)random_below(target.result_rank + 1) : 0;
    put->values = (struct view){.arena = 1, .dtype = put->self.dtype, .rank = target.result_rank - left_out};
    for (uint32_t i = 0; i < put->values.rank; i++)
        put->values.shape[i] = random_below(6) == 0 && !put->reads ? 1 : target.result[i + left_out];
    lay_out(&put->values, random_below(2) == 0, random_below(2) == 0);
    for (uint32_t i = 0; i < put->count; i++)
        for (uint32_t d = 0; d < target.numbers[i].dims; d++)
            free(target.numbers[i].value[d]);
}

/* An entry for a dim and those behind it; how many dims it is for. */
static uint32_t draw_entry(struct view *entry, uint32_t index, const struct view *self, uint32_t dim,
                           const int64_t *together, bool may_be_mask)
{
    const int64_t place = (int64_t)index * 40000;
    uint32_t rank = 1 + (uint32_t)random_below(2);
    if (random_below(4) == 0) {
        *entry = plain_view(3, ACL_FLOAT, 1, DIMS(0)); /* its dtype does not count */
        return 1;
    }
    if (may_be_mask && rank <= self->rank - dim) {
        *entry = plain_view(3, ACL_BOOL, rank, self->shape + dim);
        entry->offset = place * 8;
        for (int64_t i = 0; i < count_of(entry); i++)
            arena[3][entry->offset + i] = random_below(3) == 0;
        return rank;
    }
    *entry = plain_view(3, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, rank, together + 2 - rank);
    for (uint32_t i = 0; i < rank; i++)
        entry->shape[i] = random_below(4) == 0 || may_be_mask ? 1 : entry->shape[i];
    entry->offset = place * (entry->dtype == ACL_INT32 ? 2 : 1);
    fill_indices(entry, self->shape[dim]);
    return 1;
}

static void values_are_put_everywhere(void **state)
{
    (void)state;
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
    for (int round = 0; round < times_effort(600); round++) {
        struct put put = {.self = draw_output(1 + (uint32_t)random_below(5), 9)};
        const int64_t together[2] = {1 + random_below(4), 1 + random_below(random_below(5) == 0 ? 300 : 9)};
        bool has_mask = random_below(3) == 0, has_any = false;
        put.self.dtype = dtypes[random_below(10)];
        put.reads = random_below(3) == 0;
        put.accumulates = !put.reads && random_below(2) == 0;
        for (uint32_t dim = 0; dim < put.self.rank && (dim == 0 || random_below(4) > 0);) {
            struct view *entry = &put.entry[put.count++];
            dim += draw_entry(entry, put.count, &put.self, dim, together, has_mask);
            has_mask = has_mask && entry->dtype != ACL_BOOL;
            has_any = has_any || count_of(entry) > 0;
            if (entry->dtype == ACL_BOOL)
                break;
        }
        if (is_too_large(&put.self) || last_of(&put.self) >= 1 << 21)
            continue;
        if (has_any || put.reads)
            set_values(&put);
        else
            put.values = plain_view(1, put.self.dtype, 1, DIMS(2));
        if (count_of(&put.values) == 0 || is_too_large(&put.values) || put.values.rank > OPERAND_RANK_MAX)
            continue;
        put.values.arena = random_below(4) == 0 ? 0 : 1;
        fill_at_random(0, bytes_of(&put.self) + bytes_of(&put.values));
        fill_at_random(1, bytes_of(&put.values));
        if (has_any || put.reads) {
            assert_put(&put);
            continue;
        }
        bool is_accepted; /* without indices nothing is written */
        begin_expecting(&put.self);
        assert_int_equal(run_put(&put, &is_accepted), 0);
        assert_expected(&put.self);
    }
}

static void many_values_are_put(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct put put = {.self = plain_view(0, i < 2 ? ACL_FLOAT : ACL_FLOAT16, 1, DIMS(5000)),
                          .values = plain_view(1, i < 2 ? ACL_FLOAT : ACL_FLOAT16, 1, DIMS(200000)),
                          .entry = {plain_view(3, ACL_INT64, 1, DIMS(200000))},
                          .count = 1,
                          .accumulates = i % 2 == 0};
        fill_at_random(0, bytes_of(&put.self));
        fill_at_random(1, bytes_of(&put.values));
        fill_indices(&put.entry[0], 5000);
        assert_put(&put);
        put.self = plain_view(0, put.self.dtype, 2, DIMS(500, 600));
        put.values = plain_view(1, put.self.dtype, 2, DIMS(1000, 600));
        put.entry[0] = plain_view(3, ACL_INT64, 1, DIMS(1000));
        fill_at_random(0, bytes_of(&put.self));
        fill_at_random(1, bytes_of(&put.values));
        fill_indices(&put.entry[0], 500);
        assert_put(&put);
    }
}

static void many_values_are_read(void **state)
{
    (void)state;
    struct put put = {
        .self = plain_view(0, ACL_FLOAT, 2, DIMS(500, 600)),
        .values = plain_view(1, ACL_FLOAT, 2, DIMS(3, 60000)),
        .entry = {plain_view(3, ACL_INT64, 2, DIMS(3, 60000)), plain_view(3, ACL_INT32, 1, DIMS(60000))},
        .count = 2,
        .reads = true};
    put.entry[1].offset = 400000;
    fill_at_random(0, bytes_of(&put.self));
    fill_indices(&put.entry[0], 500);
    fill_indices(&put.entry[1], 600);
    assert_put(&put);
    put.count = 1;
    put.entry[0] = plain_view(3, ACL_INT64, 1, DIMS(900));
    put.values = plain_view(1, ACL_FLOAT, 2, DIMS(900, 600));
    assert_put(&put);
}

static void assert_put_fails(const struct put *put, int status, bool runs, const char *text)
{
    bool is_accepted;
    begin_expecting(put->reads ? &put->values : &put->self);
    assert_failure(run_put(put, &is_accepted), status, text);
    assert_int_equal(is_accepted, runs);
    assert_expected(put->reads ? &put->values : &put->self);
}

static void reading_has_rules_of_its_own(void **state)
{
    (void)state;
    const struct put good = {
        .self = plain_view(0, ACL_FLOAT, 2, DIMS(4, 6)),
        .values = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3)),
        .entry = {plain_view(3, ACL_INT64, 1, DIMS(3)), plain_view(3, ACL_INT64, 2, DIMS(2, 1))},
        .count = 2,
        .reads = true};
    struct put put = good;
    fill_indices(&put.entry[0], 4);
    set_number(&put.entry[0], DIMS(2), -5);
    assert_put_fails(&put, FAULT, true, "aclnnIndex: indices[0] holds -5 at [2]; -4 to 3 are expected");
    put.values.dtype = ACL_DOUBLE;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "out has dtype DOUBLE; FLOAT");
    put = good;
    put.values.shape[0] = 3;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "out has shape [3, 3]; [2, 3]");
    put.values.shape[0] = 0; /* nothing to do, whatever it is */
    bool is_accepted;
    assert_int_equal(run_put(&put, &is_accepted), 0);
    put = good;
    put.entry[1].dtype = ACL_UINT8;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "indices has dtype UINT8; INT32, INT64 or BOOL");
    put = good;
    put.entry[0] = plain_view(3, ACL_BOOL, 2, DIMS(4, 6));
    put.values = plain_view(1, ACL_FLOAT, 1, DIMS(3));
    put.count = 1;
    memset(arena[3], 0, 24);
    arena[3][2] = arena[3][9] = 1;
    assert_put_fails(&put, FAULT, true, "out holds 3 elements in another shape than the 2 that the masks");
    arena[3][23] = 1;
    assert_put(&put);
}

static void put_has_rules_of_its_own(void **state)
{
    (void)state;
    const struct put good = {
        .self = plain_view(0, ACL_FLOAT, 2, DIMS(4, 6)),
        .values = plain_view(1, ACL_FLOAT, 1, DIMS(3)),
        .entry = {plain_view(3, ACL_INT64, 1, DIMS(3)), plain_view(3, ACL_INT64, 2, DIMS(2, 1))},
        .count = 2};
    struct put put = good;
    fill_indices(&put.entry[0], 4);
    assert_put(&put);
    put.entry[1].offset = 10; /* apart from the other */
    fill_indices(&put.entry[1], 6);
    set_number(&put.entry[1], DIMS(1, 0), 6);
    assert_put_fails(&put, FAULT, true,
                     "aclnnIndexPutImpl: indices[1] holds 6 at [1, 0]; -6 to 5 are expected");
    set_number(&put.entry[1], DIMS(1, 0), 0);
    put.values.shape[0] = 2;
    assert_put_fails(
        &put, ACLNN_ERR_PARAM_INVALID, false,
        "values has shape [2], which does not broadcast to [2, 3], the shape of selfRef[indices]");
    put = good;
    put.values.dtype = ACL_DOUBLE;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false,
                     "values has dtype DOUBLE; FLOAT, the dtype of selfRef");
    put = good;
    put.entry[1].dtype = ACL_UINT8;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "indices has dtype UINT8; INT32, INT64 or BOOL");
    put = good;
    put.entry[2] = put.entry[0];
    put.count = 3;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "indices has 3 entries; at most 2");
    put = good;
    put.entry[1].shape[1] = 2;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false,
                     "the tensors of indices do not broadcast together");
    put = good;
    put.entry[1] = plain_view(3, ACL_BOOL, 2, DIMS(4, 6));
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false, "indices has entries for more than 2 dims");
    put = good;
    put.entry[0] = plain_view(3, ACL_BOOL, 2, DIMS(4, 5));
    put.count = 1;
    assert_put_fails(&put, ACLNN_ERR_PARAM_INVALID, false,
                     "a mask, has size 5 in dim 1; 6, the size of dim 1");
    put.entry[0] = plain_view(3, ACL_BOOL, 2, DIMS(4, 6));
    memset(arena[3], 0, 24);
    arena[3][2] = arena[3][9] = 1;
    assert_put_fails(&put, FAULT, true,
                     "values holds 3 elements, whose shape does not broadcast to the 2 that");
    arena[3][23] = 1;
    assert_put(&put);
    memset(arena[3], 0, 24);
    put.values.shape[0] = 1;
    assert_put(&put);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_put_everywhere),    cmocka_unit_test(many_values_are_put),
        cmocka_unit_test(many_values_are_read),         cmocka_unit_test(put_has_rules_of_its_own),
        cmocka_unit_test(reading_has_rules_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
