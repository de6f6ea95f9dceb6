/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Casts into each format in blocks and back, of every dtype and ragged shapes, byte by byte against the
 * formulas; what a cast would write to; views of such tensors; and what is refused.
 */
#include "aclnnop/aclnn_npu_format_cast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/format_casts.h"
#include "support/failure.h"
#include "support/open_stream.h"
#include "support/random.h"
#include "support/release.h"

static void draw_bytes(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)random_below(256);
}

struct form {
    aclFormat format;
    unsigned rank;
    int64_t shape[BLOCKED_RANK_MAX];
};

static const struct form forms[] = {
    {ACL_FORMAT_FRACTAL_NZ, 2, {3, 20}},
    {ACL_FORMAT_FRACTAL_NZ, 2, {16, 32}},
    {ACL_FORMAT_FRACTAL_NZ, 2, {1, 1}},
    {ACL_FORMAT_FRACTAL_NZ, 2, {37, 1}},
    {ACL_FORMAT_FRACTAL_NZ, 2, {1, 53}},
    {ACL_FORMAT_FRACTAL_NZ, 3, {3, 17, 33}},
    {ACL_FORMAT_FRACTAL_NZ, 6, {2, 1, 2, 2, 5, 9}},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, 2, {40, 37}},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, 2, {40, 37}},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, 2, {40, 37}},
    {ACL_FORMAT_NC1HWC0, 4, {2, 35, 3, 5}},
    {ACL_FORMAT_NC1HWC0, 4, {1, 16, 2, 2}},
    {ACL_FORMAT_NC1HWC0, 3, {5, 3, 4}},
    {ACL_FORMAT_NC1HWC0, 2, {20, 3}},
    {ACL_FORMAT_NC1HWC0, 1, {40}},
    {ACL_FORMAT_FRACTAL_Z, 4, {18, 35, 3, 2}},
    {ACL_FORMAT_FRACTAL_Z, 4, {16, 16, 1, 1}},
    {ACL_FORMAT_NDC1HWC0, 5, {2, 35, 2, 3, 5}},
    {ACL_FRACTAL_Z_3D, 5, {18, 35, 2, 3, 2}},
    {ACL_FORMAT_FRACTAL_NZ, 2, {700, 650}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const aclDataType dtypes[] = {ACL_INT8,  ACL_UINT8,  ACL_BOOL,   ACL_FLOAT16,   ACL_BF16,
                                     ACL_INT16, ACL_UINT16, ACL_FLOAT,  ACL_INT32,     ACL_UINT32,
                                     ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};

static void round_trip(const struct form *form, aclDataType dtype, int64_t c0)
{
    struct plain plain = plain_create(dtype, form->rank, form->shape);
    struct plain back = plain_create(dtype, form->rank, form->shape);
    struct blocked blocked = blocked_create(form->format, dtype, form->rank, form->shape, c0);
    struct blocked other = blocked_create(form->format, dtype, form->rank, form->shape, c0 == 16 ? 8 : 16);
    draw_bytes(plain.memory, plain.bytes);
    cast(plain.tensor, blocked.tensor);
    if (!blocked_is(&blocked, plain.memory))
        fail_msg("format %d of dtype %d, rank %u, %lld x ..., C0 %lld", form->format, dtype, form->rank,
                 (long long)form->shape[0], (long long)c0);
    cast(blocked.tensor, back.tensor);
    assert_memory_equal(back.memory, plain.memory, plain.bytes);
    cast(blocked.tensor, other.tensor);
    assert_true(blocked_is(&other, plain.memory));
    blocked_release(&other);
    blocked_release(&blocked);
    plain_release(&back);
    plain_release(&plain);
}

static void casts_are_the_formulas_and_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FORMS; i++)
        for (unsigned k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
            if (forms[i].shape[0] > 100 && k % 5 != 3) /* large: for threads, and one of each size will do */
                continue;
            round_trip(&forms[i], dtypes[k], 16);
            if (i % 3 == k % 3)
                round_trip(&forms[i], dtypes[k], (int64_t)(32 / aclDataTypeSize(dtypes[k])));
        }
}

/* F16 (3, 20): (2, 17) lies at 256 + 2 * 16 + 1, as the page has it. */
static void an_element_lies_where_the_page_says(void **state)
{
    (void)state;
    struct plain plain = plain_create(ACL_FLOAT16, 2, DIMS(3, 20));
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(3, 20), 16);
    memset(plain.memory, 0, plain.bytes);
    ((uint16_t *)(void *)plain.memory)[2 * 20 + 17] = 0x3c00;
    cast(plain.tensor, blocked.tensor);
    assert_int_equal(blocked.stored, 512);
    for (int64_t i = 0; i < blocked.stored; i++)
        assert_int_equal(((uint16_t *)(void *)blocked.memory)[i], i == 289 ? 0x3c00 : 0);
    blocked_release(&blocked);
    plain_release(&plain);
}

static aclTensor *view_of(const struct blocked *blocked, const int64_t *shape, const int64_t *stride,
                          int64_t offset)
{
    aclTensor *view = aclCreateTensor(shape, 2, ACL_FLOAT16, stride, offset, blocked->format,
                                      blocked->storage, blocked->storage_rank, blocked->block);
    assert_non_null(view);
    return view;
}

static void rows_and_exchanged_dims_are_read_and_written(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 37 };
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS), 16);
    struct plain turned = plain_create(ACL_FLOAT16, 2, DIMS(COLUMNS, ROWS));
    struct plain rows = plain_create(ACL_FLOAT16, 2, DIMS(4, COLUMNS));
    uint16_t elements[ROWS * COLUMNS], *got = (uint16_t *)(void *)turned.memory;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i] = (uint16_t)(i + 1);
    blocked_fill(&blocked, (const unsigned char *)elements);

    aclTensor *view = view_of(&blocked, DIMS(COLUMNS, ROWS), DIMS(1, COLUMNS), 0);
    cast(view, turned.tensor);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            assert_int_equal(got[j * ROWS + i], elements[i * COLUMNS + j]);
    assert_int_equal(aclDestroyTensor(view), 0);

    view = view_of(&blocked, DIMS(4, COLUMNS), DIMS(COLUMNS, 1), 14 * COLUMNS);
    cast(view, rows.tensor);
    assert_memory_equal(rows.memory, elements + 14 * COLUMNS, rows.bytes);
    for (int i = 0; i < 4 * COLUMNS; i++)
        elements[14 * COLUMNS + i] = ((uint16_t *)(void *)rows.memory)[i] = (uint16_t)(9000 + i);
    cast(rows.tensor, view); /* the others stay, and so do the zeros */
    assert_true(blocked_is(&blocked, (const unsigned char *)elements));
    assert_int_equal(aclDestroyTensor(view), 0);
    plain_release(&rows);
    plain_release(&turned);
    blocked_release(&blocked);
}

static void some_of_several_matrices_are_read_and_written(void **state)
{
    (void)state;
    enum { ROWS = 20, COLUMNS = 37, MATRIX = ROWS * COLUMNS };
    struct blocked blocked =
        blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 3, DIMS(3, ROWS, COLUMNS), 16);
    static uint16_t elements[3 * MATRIX];
    for (int i = 0; i < 3 * MATRIX; i++)
        elements[i] = (uint16_t)(i + 1);
    blocked_fill(&blocked, (const unsigned char *)elements);
    for (int first = 0; first < 3; first++)
        for (int count = 1; first + count <= 3; count++) {
            struct plain plain = plain_create(ACL_FLOAT16, 3, DIMS(count, ROWS, COLUMNS));
            aclTensor *view =
                aclCreateTensor(DIMS(count, ROWS, COLUMNS), 3, ACL_FLOAT16, DIMS(MATRIX, COLUMNS, 1),
                                first * MATRIX, ACL_FORMAT_FRACTAL_NZ, blocked.storage, 5, blocked.block);
            cast(view, plain.tensor);
            assert_memory_equal(plain.memory, elements + first * MATRIX, plain.bytes);
            for (int i = 0; i < count * MATRIX; i++)
                elements[first * MATRIX + i] = ((uint16_t *)(void *)plain.memory)[i] =
                    (uint16_t)(5000 * (first + 1) + 7 * i);
            cast(plain.tensor, view);
            assert_true(blocked_is(&blocked, (const unsigned char *)elements));
            assert_int_equal(aclDestroyTensor(view), 0);
            plain_release(&plain);
        }
    /* One, as a matrix, with its dims exchanged. */
    struct plain turned = plain_create(ACL_FLOAT16, 2, DIMS(COLUMNS, ROWS));
    aclTensor *view = view_of(&blocked, DIMS(COLUMNS, ROWS), DIMS(1, COLUMNS), 2 * MATRIX);
    cast(view, turned.tensor);
    for (int i = 0; i < MATRIX; i++)
        assert_int_equal(((uint16_t *)(void *)turned.memory)[i % COLUMNS * ROWS + i / COLUMNS],
                         elements[2 * MATRIX + i]);
    assert_int_equal(aclDestroyTensor(view), 0);
    plain_release(&turned);
    blocked_release(&blocked);
}

static void what_is_no_whole_matrix_or_no_such_storage_is_refused_by_its_format(void **state)
{
    (void)state;
    struct plain plain = plain_create(ACL_FLOAT16, 2, DIMS(8, 8));
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(40, 37), 16);
    struct blocked stack = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 3, DIMS(3, 8, 8), 16);
    static const struct {
        int64_t shape[2], stride[2], offset;
    } views[] = {{{8, 8}, {37, 1}, 0},  {{8, 8}, {74, 2}, 0},        {{8, 8}, {8, 1}, 0},
                 {{8, 37}, {37, 1}, 3}, {{8, 37}, {37, 1}, 41 * 37}, {{40, 38}, {38, 1}, 12 * 38},
                 {{40, 37}, {0, 1}, 0}};
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        aclTensor *view = view_of(&blocked, views[i].shape, views[i].stride, views[i].offset);
        refuse(view, plain.tensor, ACLNN_ERR_PARAM_INVALID, "srcTensor has format FRACTAL_NZ (29), shape [");
        refuse(plain.tensor, view, ACLNN_ERR_PARAM_INVALID, "dstTensor has format FRACTAL_NZ (29), shape [");
        assert_int_equal(aclDestroyTensor(view), 0);
    }
    for (int64_t offset = 32; offset <= 192; offset += 160) { /* between two matrices, and behind the last */
        aclTensor *selected = view_of(&stack, DIMS(8, 8), DIMS(8, 1), offset);
        refuse(selected, plain.tensor, ACLNN_ERR_PARAM_INVALID,
               "and storage shape [3, 1, 1, 16, 16]; a whole");
        assert_int_equal(aclDestroyTensor(selected), 0);
    }

    static const struct {
        aclFormat format;
        unsigned rank;
        int64_t storage[6];
        const char *name;
    } storages[] = {{ACL_FORMAT_NC1HWC0, 5, {1, 1, 8, 9, 16}, "NC1HWC0 (3)"},
                    {ACL_FORMAT_FRACTAL_Z, 4, {64, 1, 16, 16}, "FRACTAL_Z (4)"},
                    {ACL_FORMAT_NDC1HWC0, 6, {1, 1, 1, 8, 8, 16}, "NDC1HWC0 (32)"},
                    {ACL_FRACTAL_Z_3D, 4, {64, 1, 16, 16}, "FRACTAL_Z_3D (33)"},
                    {ACL_FORMAT_NC1HWC0_C04, 5, {1, 2, 8, 8, 4}, "NC1HWC0_C04 (12)"},
                    {ACL_FORMAT_FRACTAL_NZ, 4, {1, 1, 16, 0}, "FRACTAL_NZ (29)"},
                    {ACL_FORMAT_FRACTAL_NZ, 4, {2, 1, 16, 16}, "FRACTAL_NZ (29)"},
                    {ACL_FORMAT_FRACTAL_NZ, 4, {INT64_MAX, INT64_MAX, 16, 16}, "FRACTAL_NZ (29)"}};
    for (unsigned i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        aclTensor *other = aclCreateTensor(DIMS(8, 8), 2, ACL_FLOAT16, NULL, 0, storages[i].format,
                                           storages[i].storage, storages[i].rank, plain.block);
        refuse(other, plain.tensor, ACLNN_ERR_PARAM_INVALID, storages[i].name);
        assert_int_equal(aclDestroyTensor(other), 0);
    }
    aclTensor *halves = aclCreateTensor(DIMS(8, 8), 2, ACL_UINT1, NULL, 0, ACL_FORMAT_FRACTAL_NZ,
                                        DIMS(1, 1, 16, 64), 4, plain.block);
    refuse(halves, plain.tensor, ACLNN_ERR_PARAM_INVALID, "srcTensor has format FRACTAL_NZ (29)");
    assert_int_equal(aclDestroyTensor(halves), 0);
    refuse(NULL, plain.tensor, ACLNN_ERR_PARAM_NULLPTR, "srcTensor is NULL");
    refuse(plain.tensor, NULL, ACLNN_ERR_PARAM_NULLPTR, "dstTensor is NULL");
    aclTensor *of_other =
        aclCreateTensor(DIMS(8, 8), 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, DIMS(8, 8), 2, plain.block);
    refuse(plain.tensor, of_other, ACLNN_ERR_PARAM_INVALID, "FLOAT");
    assert_int_equal(aclDestroyTensor(of_other), 0);
    blocked_release(&stack);
    blocked_release(&blocked);
    plain_release(&plain);
}

/* ggml says FRACTAL_NZ of plain weights, whose storage is a row or the view's dims. */
static void plain_memory_may_be_called_so(void **state)
{
    (void)state;
    struct plain plain = plain_create(ACL_FLOAT16, 2, DIMS(8, 8)),
                 to = plain_create(ACL_FLOAT16, 2, DIMS(8, 8));
    draw_bytes(plain.memory, plain.bytes);
    for (unsigned rank = 0; rank <= 2; rank++) {
        aclTensor *called = aclCreateTensor(DIMS(8, 8), 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_FRACTAL_NZ,
                                            rank == 1 ? DIMS(64) : DIMS(8, 8), rank, plain.block);
        memset(to.memory, 0, to.bytes);
        cast(called, to.tensor);
        assert_memory_equal(to.memory, plain.memory, plain.bytes);
        assert_int_equal(aclDestroyTensor(called), 0);
    }
    plain_release(&to);
    plain_release(&plain);
}

/* Memory that ends before the storage does is told in phase 2, though the view would fit. */
static void the_whole_storage_must_lie_in_the_block(void **state)
{
    (void)state;
    struct plain plain = plain_create(ACL_FLOAT16, 2, DIMS(3, 20)),
                 room = plain_create(ACL_FLOAT16, 1, DIMS(496));
    aclTensor *short_of = aclCreateTensor(DIMS(3, 20), 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_FRACTAL_NZ,
                                          DIMS(2, 1, 16, 16), 4, room.block);
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclnnNpuFormatCastGetWorkspaceSize(plain.tensor, short_of, &bytes, &executor), 0);
    assert_failure(aclnnNpuFormatCast(NULL, 0, executor, stream), ACLNN_ERR_PARAM_INVALID, "dstTensor");
    assert_int_equal(aclDestroyTensor(short_of), 0);
    plain_release(&room);
    plain_release(&plain);
}

static void expect(aclDataType dtype, aclFormat format, const struct form *form, int counted, int64_t c0)
{
    struct plain plain = plain_create(dtype, form->rank, form->shape);
    struct blocked wanted = blocked_create(format, dtype, form->rank, form->shape, c0);
    struct answer answer = ask(plain.tensor, (int)format, counted);
    const bool is_newest = strncmp(aclrtGetSocName(), "Ascend950", 9) == 0 &&
                           format == ACL_FORMAT_FRACTAL_NZ && aclDataTypeSize(dtype) == 4;
    assert_int_equal(answer.rank, wanted.storage_rank);
    assert_memory_equal(answer.dims, wanted.storage, answer.rank * sizeof *answer.dims);
    assert_int_equal(answer.format, !is_newest ? (int)format
                                    : c0 == 16 ? ACL_FORMAT_FRACTAL_NZ_C0_16
                                    : c0 == 32 ? ACL_FORMAT_FRACTAL_NZ_C0_32
                                               : ACL_FORMAT_FRACTAL_NZ);
    release_array(answer.dims);
    answer = ask(wanted.tensor, ACL_FORMAT_ND, -1);
    assert_int_equal(answer.rank, form->rank);
    assert_memory_equal(answer.dims, form->shape, form->rank * sizeof *answer.dims);
    assert_int_equal(answer.format, ACL_FORMAT_ND);
    release_array(answer.dims);
    blocked_release(&wanted);
    plain_release(&plain);
}

static void the_storage_shape_is_told_before(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        const aclFormat format = is_matrix_format(forms[i].format) ? ACL_FORMAT_FRACTAL_NZ : forms[i].format;
        expect(ACL_FLOAT16, format, &forms[i], -1, 16);
        expect(ACL_INT8, format, &forms[i], -1, 32);
        expect(ACL_FLOAT, format, &forms[i], ACL_FLOAT16, 16);
        expect(ACL_INT32, format, &forms[i], ACL_INT32, 8);
        expect(ACL_FLOAT, format, &forms[i], ACL_FLOAT8_E4M3FN, 32);
    }
}

static void what_has_no_such_storage_is_told(void **state)
{
    (void)state;
    struct plain matrix = plain_create(ACL_FLOAT16, 2, DIMS(8, 8)),
                 row = plain_create(ACL_FLOAT16, 1, DIMS(8)),
                 seven = plain_create(ACL_FLOAT16, 7, DIMS(1, 1, 1, 1, 1, 2, 2));
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(8, 8), 16);
    aclTensor *empty =
                  aclCreateTensor(DIMS(0, 8), 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, DIMS(0, 8), 2, NULL),
              *halves = aclCreateTensor(DIMS(8, 8), 2, ACL_INT4, NULL, 0, ACL_FORMAT_ND, DIMS(8, 8), 2, NULL);
    const struct {
        const aclTensor *tensor;
        int format, dtype, status;
        const char *sentence;
    } calls[] = {
        {NULL, 29, -1, 161001, "srcTensor is NULL"},
        {(const aclTensor *)(const void *)matrix.memory, 29, -1, 161002, "srcTensor is not a handle"},
        {empty, 29, -1, 161002, "srcTensor is empty"},
        {halves, 29, -1, 161002, "INT4"},
        {row.tensor, 29, -1, 161002, "srcTensor has 1 dims"},
        {seven.tensor, 29, -1, 161002, "srcTensor has 7 dims"},
        {matrix.tensor, 32, -1, 161002, "NDC1HWC0"},
        {matrix.tensor, 33, -1, 161002, "FRACTAL_Z_3D"},
        {matrix.tensor, 12, -1, 361001, "dstFormat is 12 (NC1HWC0_C04)"},
        {matrix.tensor, 77, -1, 361001, "dstFormat is 77 (unknown)"},
        {blocked.tensor, 3, -1, 361001, "srcTensor is FRACTAL_NZ"},
        {matrix.tensor, 29, 29, 361001, "additionalDtype is 29 (INT4)"},
    };
    struct answer answer = {NULL, 5, 5};
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_failure(aclnnNpuFormatCastCalculateSizeAndFormat(calls[i].tensor, calls[i].format,
                                                                calls[i].dtype, &answer.dims, &answer.rank,
                                                                &answer.format),
                       calls[i].status, calls[i].sentence);
    assert_failure(
        aclnnNpuFormatCastCalculateSizeAndFormat(matrix.tensor, 29, -1, NULL, &answer.rank, &answer.format),
        161001, "dstShape is NULL");
    assert_failure(
        aclnnNpuFormatCastCalculateSizeAndFormat(matrix.tensor, 29, -1, &answer.dims, NULL, &answer.format),
        161001, "dstShapeSize is NULL");
    assert_failure(
        aclnnNpuFormatCastCalculateSizeAndFormat(matrix.tensor, 29, -1, &answer.dims, &answer.rank, NULL),
        161001, "actualFormat is NULL");
    assert_true(answer.dims == NULL && answer.rank == 5 && answer.format == 5);
    assert_int_equal(aclDestroyTensor(halves), 0);
    assert_int_equal(aclDestroyTensor(empty), 0);
    blocked_release(&blocked);
    plain_release(&seven);
    plain_release(&row);
    plain_release(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_are_the_formulas_and_come_back),
        cmocka_unit_test(an_element_lies_where_the_page_says),
        cmocka_unit_test(rows_and_exchanged_dims_are_read_and_written),
        cmocka_unit_test(some_of_several_matrices_are_read_and_written),
        cmocka_unit_test(what_is_no_whole_matrix_or_no_such_storage_is_refused_by_its_format),
        cmocka_unit_test(plain_memory_may_be_called_so),
        cmocka_unit_test(the_whole_storage_must_lie_in_the_block),
        cmocka_unit_test(the_storage_shape_is_told_before),
        cmocka_unit_test(what_has_no_such_storage_is_told),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
