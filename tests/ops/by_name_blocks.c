/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Identity from and into every format in blocks, by each way to describe one, byte by byte; another operator
 * by name with such operands; and what is refused, in the stream.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "ops/blocks_reference.h"
#include "support/failure.h"
#include "support/open_stream.h"
#include "support/random.h"

/* So that the linker takes the library, of which nothing else is called by a symbol. */
extern int aclnnNpuFormatCast(void *, uint64_t, aclOpExecutor *, aclrtStream);
__attribute__((used)) static int (*const of_library)(void *, uint64_t, aclOpExecutor *,
                                                     aclrtStream) = aclnnNpuFormatCast;

/* An operand of a call. */
#define DIMS(...) ((int64_t[]){__VA_ARGS__})

struct side {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
};

enum way { SET_ON_IT, SET_AS_STORAGE, STORAGE_ALONE, WAYS };

static struct side blocked_side(const struct blocked *of, aclDataType dtype, enum way way)
{
    const size_t bytes = (size_t)of->stored * of->bytes;
    struct side side = {.buffer = aclCreateDataBuffer(of->block, bytes)};
    if (way == STORAGE_ALONE) {
        side.desc = aclCreateTensorDesc(dtype, (int)of->storage_rank, of->storage, of->format);
        return side;
    }
    side.desc = aclCreateTensorDesc(dtype, (int)of->rank, of->shape, ACL_FORMAT_ND);
    if (way == SET_ON_IT) {
        assert_int_equal(aclSetTensorFormat(side.desc, of->format), 0);
        assert_int_equal(aclSetTensorShape(side.desc, (int)of->storage_rank, of->storage), 0);
    } else {
        assert_int_equal(aclSetTensorStorageFormat(side.desc, of->format), 0);
        assert_int_equal(aclSetTensorStorageShape(side.desc, (int)of->storage_rank, of->storage), 0);
        assert_int_equal(aclSetTensorOriginShape(side.desc, (int)of->rank, of->shape), 0);
    }
    return side;
}

static struct side plain_side(void *memory, size_t bytes, aclDataType dtype, const struct blocked *like)
{
    return (struct side){aclCreateTensorDesc(dtype, (int)like->rank, like->shape, ACL_FORMAT_ND),
                         aclCreateDataBuffer(memory, bytes)};
}

/* Numbers in memory of the host, which the call reads. */
static struct side numbers_side(int count, const int64_t *numbers)
{
    static int64_t kept[8][2];
    static unsigned next;
    int64_t *own = kept[next++ % 8];
    memcpy(own, numbers, (size_t)count * sizeof *own);
    return (struct side){aclCreateTensorDesc(ACL_INT64, 1, (int64_t[]){count}, ACL_FORMAT_ND),
                         aclCreateDataBuffer(own, (size_t)count * sizeof *own)};
}

static int call(const char *kind, struct side from, struct side to, aclopAttr *attr)
{
    const aclTensorDesc *const in[] = {from.desc}, *const out[] = {to.desc};
    const aclDataBuffer *const source[] = {from.buffer};
    aclDataBuffer *target[] = {to.buffer};
    return aclopCompileAndExecute(kind, 1, in, source, 1, out, target, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                  NULL, stream);
}

static void release_side(struct side *side)
{
    aclDestroyTensorDesc(side->desc);
    assert_int_equal(aclDestroyDataBuffer(side->buffer), 0);
}

static void run(const char *kind, struct side from, struct side to, aclopAttr *attr)
{
    assert_int_equal(call(kind, from, to, attr), 0);
    if (aclrtSynchronizeStream(stream) != 0)
        fail_msg("%s: %s", kind, aclGetRecentErrMsg());
    release_side(&from);
    release_side(&to);
}

static void *allocate(size_t bytes)
{
    void *memory;
    assert_int_equal(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return memory;
}

static void round_trip(aclFormat format, aclDataType dtype, unsigned rank, const int64_t *shape, int64_t c0)
{
    struct blocked blocked = blocked_create(format, dtype, rank, shape, c0),
                   other = blocked_create(format, dtype, rank, shape, 8);
    const size_t bytes = (size_t)blocked.count * blocked.bytes;
    void *from = allocate(bytes), *to = allocate(bytes);
    unsigned char *elements = host_side(from, bytes), *back = host_side(to, bytes);
    for (size_t i = 0; i < bytes; i++)
        elements[i] = (unsigned char)random_below(256);
    for (int way = 0; way < WAYS; way++) {
        memset(blocked.memory, 0x5a, (size_t)blocked.stored * blocked.bytes);
        memset(back, 0, bytes);
        run("Identity", plain_side(from, bytes, dtype, &blocked),
            blocked_side(&blocked, dtype, (enum way)way), NULL);
        if (!blocked_is(&blocked, elements))
            fail_msg("Identity into format %d of dtype %d, way %d", format, dtype, way);
        run("Identity", blocked_side(&blocked, dtype, (enum way)way), plain_side(to, bytes, dtype, &blocked),
            NULL);
        assert_memory_equal(back, elements, bytes);
    }
    run("Identity", blocked_side(&blocked, dtype, SET_ON_IT), blocked_side(&other, dtype, SET_ON_IT), NULL);
    assert_true(blocked_is(&other, elements));
    assert_int_equal(aclrtFree(from), 0);
    assert_int_equal(aclrtFree(to), 0);
    blocked_release(&other);
    blocked_release(&blocked);
}

static void identity_casts_into_blocks_and_back(void **state)
{
    (void)state;
    static const aclDataType dtypes[] = {ACL_INT8, ACL_BOOL, ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT64};
    static const struct {
        aclFormat format;
        unsigned rank;
        int64_t shape[5];
    } forms[] = {{ACL_FORMAT_FRACTAL_NZ, 2, {3, 20}},       {ACL_FORMAT_FRACTAL_NZ, 3, {3, 37, 53}},
                 {ACL_FORMAT_NC1HWC0, 4, {2, 35, 3, 5}},    {ACL_FORMAT_FRACTAL_Z, 4, {18, 35, 3, 2}},
                 {ACL_FORMAT_NDC1HWC0, 5, {2, 5, 2, 3, 5}}, {ACL_FRACTAL_Z_3D, 5, {18, 5, 2, 3, 2}}};
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (unsigned k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
            round_trip(forms[i].format, dtypes[k], forms[i].rank, forms[i].shape,
                       dtypes[k] == ACL_INT8 ? 32 : 16);
}

/* Cast, of FLOAT in blocks to FLOAT16 in blocks of another size. */
static void another_operator_reads_and_writes_blocks(void **state)
{
    (void)state;
    struct blocked from = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT, 2, (int64_t[]){5, 21}, 8),
                   to = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, (int64_t[]){5, 21}, 16);
    float numbers[5 * 21];
    uint16_t wanted[5 * 21];
    for (int i = 0; i < 5 * 21; i++) {
        wanted[i] = aclFloatToFloat16((float)i / 4);
        numbers[i] = (float)i / 4;
    }
    blocked_fill(&from, (const unsigned char *)numbers);
    aclopAttr *attr = aclopCreateAttr();
    assert_int_equal(aclopSetAttrInt(attr, "dst_type", ACL_FLOAT16), 0);
    run("Cast", blocked_side(&from, ACL_FLOAT, SET_ON_IT), blocked_side(&to, ACL_FLOAT16, SET_ON_IT), attr);
    assert_true(blocked_is(&to, (const unsigned char *)wanted));
    aclopDestroyAttr(attr);
    blocked_release(&to);
    blocked_release(&from);
}

/* PyTorch for Ascend writes so into slices of weights: the places are counted in the plain tensor. */
static void places_of_a_tensor_in_blocks_are_written(void **state)
{
    (void)state;
    enum { ROWS = 20, COLUMNS = 37, PLACES = 6 };
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS), 16);
    static uint16_t elements[ROWS * COLUMNS];
    uint16_t new_ones[PLACES];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i] = (uint16_t)(i + 1);
    blocked_fill(&blocked, (const unsigned char *)elements);
    void *memory = allocate(sizeof new_ones);
    for (int i = 0; i < PLACES; i++) /* columns 15 to 17 of rows 15 and 17 */
        elements[(15 + i / 3 * 2) * COLUMNS + 15 + i % 3] = new_ones[i] = (uint16_t)(5000 + i);
    memcpy(host_side(memory, sizeof new_ones), new_ones, sizeof new_ones);
    struct side side[8] = {
        blocked_side(&blocked, ACL_FLOAT16, SET_ON_IT),
        numbers_side(2, DIMS(2, 3)),
        numbers_side(2, DIMS(2 * COLUMNS, 1)),
        numbers_side(1, DIMS(15 * COLUMNS + 15)),
        {aclCreateTensorDesc(ACL_FLOAT16, 1, DIMS(PLACES), ACL_FORMAT_ND),
         aclCreateDataBuffer(memory, sizeof new_ones)},
        numbers_side(2, DIMS(2, 3)),
        numbers_side(2, DIMS(3, 1)),
        numbers_side(1, DIMS(0)),
    };
    const aclTensorDesc *desc[8];
    const aclDataBuffer *buffer[8];
    for (int i = 0; i < 8; i++) {
        desc[i] = side[i].desc;
        buffer[i] = side[i].buffer;
    }
    aclDataBuffer *out = side[0].buffer;
    assert_int_equal(aclopCompileAndExecute("ViewCopy", 8, desc, buffer, 1, desc, &out, NULL, ACL_ENGINE_SYS,
                                            ACL_COMPILE_SYS, NULL, stream),
                     0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(blocked_is(&blocked, (const unsigned char *)elements));
    for (int i = 0; i < 8; i++)
        release_side(&side[i]);
    assert_int_equal(aclrtFree(memory), 0);
    blocked_release(&blocked);
}

static void refuse(struct side from, struct side to, const char *sentence)
{
    assert_int_equal(call("Identity", from, to, NULL), 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, sentence);
    release_side(&from);
    release_side(&to);
}

static void what_is_no_such_storage_fails_in_the_stream(void **state)
{
    (void)state;
    struct blocked blocked = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, (int64_t[]){3, 20}, 16);
    void *memory = allocate(1024);
    struct side side = blocked_side(&blocked, ACL_FLOAT16, SET_ON_IT);
    assert_int_equal(aclSetTensorShape(side.desc, 4, (int64_t[]){1, 1, 16, 16}), 0);
    refuse(plain_side(memory, 120, ACL_FLOAT16, &blocked), side, "dstTensor has format FRACTAL_NZ (29)");
    side = blocked_side(&blocked, ACL_FLOAT16, SET_ON_IT);
    assert_int_equal(aclSetTensorShape(side.desc, 2, (int64_t[]){3, 20}), 0);
    refuse(plain_side(memory, 120, ACL_FLOAT16, &blocked), side, "an output has format FRACTAL_NZ (29)");
    side = blocked_side(&blocked, ACL_FLOAT16, SET_ON_IT);
    assert_int_equal(aclUpdateDataBuffer(side.buffer, blocked.block, 1022), 0);
    refuse(plain_side(memory, 120, ACL_FLOAT16, &blocked), side, "the buffer of the output has 1022 bytes");
    struct blocked taller = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 2, DIMS(40, 20), 16);
    taller.shape[0] = 3;
    refuse(
        plain_side(memory, 120, ACL_FLOAT16, &blocked), blocked_side(&taller, ACL_FLOAT16, SET_ON_IT),
        "FRACTAL_NZ (29) and a storage for more rows or matrices than it has, and descriptions do not say");
    blocked_release(&taller);
    struct blocked more = blocked_create(ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT16, 3, DIMS(2, 3, 20), 16);
    more.shape[0] = 1;
    refuse(
        plain_side(memory, 120, ACL_FLOAT16, &blocked), blocked_side(&more, ACL_FLOAT16, SET_ON_IT),
        "FRACTAL_NZ (29) and a storage for more rows or matrices than it has, and descriptions do not say");
    blocked_release(&more);
    refuse(blocked_side(&blocked, ACL_FLOAT16, SET_ON_IT), plain_side(memory, 240, ACL_FLOAT, &blocked),
           "Identity is to copy 120 bytes of FLOAT16 to 240 bytes of FLOAT");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtFree(memory), 0);
    blocked_release(&blocked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_casts_into_blocks_and_back),
        cmocka_unit_test(another_operator_reads_and_writes_blocks),
        cmocka_unit_test(places_of_a_tensor_in_blocks_are_written),
        cmocka_unit_test(what_is_no_such_storage_fails_in_the_stream),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
