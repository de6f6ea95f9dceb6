/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * NpuFormatCast of views of matrices in blocks: a row as one dim, and where the elements of a view go that does
 * not begin at the first one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/format_casts.h"
#include "support/release.h"

/*
 * A row of a matrix, as a view of one dim, does not say how long rows are; it is taken where every length that
 * fills the columns of blocks makes it the same row.
 */
static void a_row_is_read_where_its_place_is_sure(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    static const struct {
        int64_t columns, row, first, count;
        bool is_sure;
    } rows[] = {{37, 1, 0, 37, true},   {37, 0, 0, 37, true},  {37, 0, 5, 20, true},  {48, 39, 0, 48, true},
                {48, 7, 0, 48, true},   {37, 4, 0, 37, false}, {48, 3, 4, 37, false}, {37, 1, 2, 3, false},
                {37, 39, 0, 37, false}, {37, 0, 0, 1, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int64_t columns = rows[i].columns, at = rows[i].row * columns + rows[i].first;
        struct blocked blocked =
            blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(ROWS, columns), 16);
        struct plain plain = plain_create(ACL_FLOAT16, 1, DIMS(rows[i].count));
        uint16_t elements[ROWS * 48];
        for (int k = 0; k < ROWS * columns; k++)
            elements[k] = (uint16_t)(k + 1);
        blocked_fill(&blocked, (const unsigned char *)elements);
        aclTensor *view = aclCreateTensor(DIMS(rows[i].count), 1, ACL_FLOAT16, DIMS(1), at, blocked.format,
                                          blocked.storage, blocked.storage_rank, blocked.block);
        if (rows[i].is_sure) {
            cast(view, plain.tensor);
            assert_memory_equal(plain.memory, elements + at, plain.bytes);
        } else {
            refuse(view, plain.tensor, ACLNN_ERR_PARAM_INVALID,
                   "srcTensor has format FRACTAL_NZ (29), shape [");
        }
        assert_int_equal(aclDestroyTensor(view), 0);
        plain_release(&plain);
        blocked_release(&blocked);
    }
}

/*
 * torch_npu makes memory of as many elements as the answer has dims for, as one dim, has the elements cast, and
 * then reads them with srcTensor's offset. Whoever gives the dims themselves finds them at the beginning.
 */
static void what_begins_later_has_room_in_front(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 37 };
    static const struct {
        unsigned rank;
        int64_t shape[3], offset, dims[3];
    } views[] = {{2, {2, 37}, 111, {5, 37}},
                 {2, {40, 37}, 0, {40, 37}},
                 {1, {37}, 37, {74}},
                 {3, {1, 3, 37}, 37, {2, 3, 37}}};
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS), 16);
    uint16_t elements[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i] = (uint16_t)(i + 1);
    blocked_fill(&blocked, (const unsigned char *)elements);
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        const unsigned rank = views[i].rank;
        int64_t stride[3], all = 1, count = 1;
        for (unsigned k = rank; k-- > 0; count *= views[i].shape[k], all *= views[i].dims[k])
            stride[k] = count;
        aclTensor *view = aclCreateTensor(views[i].shape, rank, ACL_FLOAT16, stride, views[i].offset,
                                          blocked.format, blocked.storage, 4, blocked.block);
        struct answer answer = ask(view, ACL_FORMAT_ND, -1);
        assert_int_equal(answer.rank, rank);
        assert_memory_equal(answer.dims, views[i].dims, rank * sizeof *answer.dims);
        release_array(answer.dims);
        struct plain plain = plain_create(ACL_FLOAT16, 1, &all);
        const struct {
            unsigned rank;
            const int64_t *dims;
            int64_t first;
        } storages[] = {{1, &all, views[i].offset}, {rank, views[i].shape, 0}, {1, &count, 0}};
        for (unsigned k = 0; k < sizeof storages / sizeof storages[0]; k++) {
            aclTensor *to = aclCreateTensor(views[i].shape, rank, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND,
                                            storages[k].dims, storages[k].rank, plain.block);
            memset(plain.memory, 0xee, plain.bytes);
            cast(view, to);
            for (int64_t e = 0; e < all; e++) {
                const bool is_there = e >= storages[k].first && e < storages[k].first + count;
                assert_int_equal(((uint16_t *)(void *)plain.memory)[e],
                                 is_there ? elements[views[i].offset + e - storages[k].first] : 0xeeee);
            }
            assert_int_equal(aclDestroyTensor(to), 0);
        }
        plain_release(&plain);
        assert_int_equal(aclDestroyTensor(view), 0);
    }
    blocked_release(&blocked);
}

/* torch_npu would give the blocks srcTensor's offset, and read zeros there. */
static void what_begins_later_goes_into_blocks_that_have_no_room_in_front(void **state)
{
    (void)state;
    struct plain plain = plain_create(ACL_FLOAT16, 2, DIMS(50, 32));
    aclTensor *ragged = aclCreateTensor(DIMS(2, 32), 2, ACL_FLOAT16, NULL, 96, ACL_FORMAT_ND, DIMS(1600), 1,
                                        plain.block),
              *whole = aclCreateTensor(DIMS(16, 32), 2, ACL_FLOAT16, NULL, 96, ACL_FORMAT_ND, DIMS(1600), 1,
                                       plain.block);
    struct blocked two = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(2, 32), 16),
                   all = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(16, 32), 16);
    for (size_t i = 0; i < plain.bytes; i++)
        plain.memory[i] = (unsigned char)(i % 251);
    cast(whole, all.tensor);
    assert_true(blocked_is(&all, plain.memory + 96 * sizeof(uint16_t)));
    if (strncmp(aclrtGetSocName(), "Ascend950", 9) == 0) {
        refuse(ragged, two.tensor, ACLNN_ERR_PARAM_INVALID, "srcTensor has offset 96; 0 is expected");
    } else {
        cast(ragged, two.tensor);
        assert_true(blocked_is(&two, plain.memory + 96 * sizeof(uint16_t)));
    }
    blocked_release(&all);
    blocked_release(&two);
    assert_int_equal(aclDestroyTensor(whole), 0);
    assert_int_equal(aclDestroyTensor(ragged), 0);
    plain_release(&plain);
}

/*
 * Any row, part of a row, element, and column of a matrix of one column is sure where NpuFormatCast laid the
 * tensor out there; not where other matrices have been copied there since, which it is told by the room around.
 */
static void what_was_laid_out_by_a_cast_has_all_its_views(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 37 };
    static const struct {
        unsigned rank;
        int64_t shape[3], stride[3], offset;
    } views[] = {{1, {37}, {1}, 39 * 37},
                 {1, {37}, {1}, 4 * 37},
                 {1, {3}, {1}, 37 + 2},
                 {0, {0}, {0}, 37 + 2},
                 {0, {0}, {0}, 0},
                 {2, {1, 4}, {37, 1}, 2 * 37 + 33},
                 {3, {1, 2, 37}, {1480, 37, 1}, 38 * 37},
                 {2, {3, 2}, {37, 1}, 5 * 37 + 35},
                 {1, {40}, {37}, 11}};
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS), 16);
    struct plain source = plain_create(ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS));
    struct plain wider = plain_create(ACL_FLOAT16, 2, DIMS(38, 39));
    uint16_t elements[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i] = (uint16_t)(i + 1);
    memcpy(source.memory, elements, sizeof elements);
    memset(wider.memory, 1, wider.bytes);
    cast(source.tensor, blocked.tensor);
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        int64_t count = 1;
        for (unsigned k = 0; k < views[i].rank; k++)
            count *= views[i].shape[k];
        aclTensor *view = aclCreateTensor(views[i].shape, views[i].rank, ACL_FLOAT16, views[i].stride,
                                          views[i].offset, blocked.format, blocked.storage, 4, blocked.block);
        struct plain plain = plain_create(ACL_FLOAT16, views[i].rank, views[i].shape);
        cast(view, plain.tensor);
        for (int64_t e = 0; e < count; e++) {
            int64_t at = views[i].offset, left = e;
            for (unsigned k = views[i].rank; k-- > 0; left /= views[i].shape[k])
                at += left % views[i].shape[k] * views[i].stride[k];
            assert_int_equal(((uint16_t *)(void *)plain.memory)[e], elements[at]);
        }
        plain_release(&plain);
        assert_int_equal(aclDestroyTensor(view), 0);
    }
    aclTensor *row = aclCreateTensor(DIMS(37), 1, ACL_FLOAT16, DIMS(1), 39 * 37, blocked.format,
                                     blocked.storage, 4, blocked.block),
              *across = aclCreateTensor(DIMS(37), 1, ACL_FLOAT16, DIMS(1), 4 * 37 + 5, blocked.format,
                                        blocked.storage, 4, blocked.block);
    struct plain plain = plain_create(ACL_FLOAT16, 1, DIMS(37));
    refuse(across, plain.tensor, ACLNN_ERR_PARAM_INVALID, "srcTensor has format FRACTAL_NZ (29), shape [37]");
    /* A matrix of 38 x 39 has elements behind column 37, and may be copied as it lies. */
    unsigned char other_blocks[48 * 48 * sizeof(uint16_t)];
    const size_t stored_bytes = (size_t)blocked.stored * blocked.bytes;
    assert_int_equal(stored_bytes, sizeof other_blocks);
    aclTensor *other = aclCreateTensor(DIMS(38, 39), 2, ACL_FLOAT16, NULL, 0, blocked.format, blocked.storage,
                                       4, blocked.block);
    cast(wider.tensor, other);
    memcpy(other_blocks, blocked.memory, stored_bytes);
    cast(source.tensor, blocked.tensor);
    memcpy(blocked.memory, other_blocks, stored_bytes);
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclnnNpuFormatCastGetWorkspaceSize(row, plain.tensor, &bytes, &executor), 0);
    assert_int_equal(aclnnNpuFormatCast(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "a view within a tensor in blocks is read"));
    assert_int_equal(aclDestroyTensor(other), 0);
    assert_int_equal(aclDestroyTensor(across), 0);
    assert_int_equal(aclDestroyTensor(row), 0);
    plain_release(&plain);
    plain_release(&wider);
    plain_release(&source);
    blocked_release(&blocked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_read_where_its_place_is_sure),
        cmocka_unit_test(what_begins_later_has_room_in_front),
        cmocka_unit_test(what_begins_later_goes_into_blocks_that_have_no_room_in_front),
        cmocka_unit_test(what_was_laid_out_by_a_cast_has_all_its_views),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
