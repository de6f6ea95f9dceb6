/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that only move elements, by their descriptions: each takes small numbers, floats of 8 and 4 bits and
 * INT4, on the newest product and on no other one, and does with them what it does with INT8, byte by byte, also
 * where two of them lie in a byte. What is added up or rounded on the way is refused, and a number that is
 * written is rounded to them.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#include <cmocka.h>

#include "ops/attempt.h"
#include "support/random.h"

enum { OPERANDS_MOST = 8, PLACE_BYTES = 1 << 12 };

static const struct {
    aclDataType dtype;
    uint8_t code; /* of 0.3 */
} formats[] = {{ACL_FLOAT8_E4M3FN, 0x2A},
               {ACL_FLOAT8_E5M2, 0x35},
               {ACL_FLOAT8_E8M0, 0x7D},
               {ACL_HIFLOAT8, 0x32},
               {ACL_FLOAT4_E2M1, 1},
               {ACL_FLOAT4_E1M2, 1},
               {ACL_INT4, 0}};
enum { FORMATS = sizeof formats / sizeof formats[0] };
#define FLOATS                                                                                \
    (DTYPE_BIT(ACL_FLOAT8_E4M3FN) | DTYPE_BIT(ACL_FLOAT8_E5M2) | DTYPE_BIT(ACL_FLOAT8_E8M0) | \
     DTYPE_BIT(ACL_HIFLOAT8) | DTYPE_BIT(ACL_FLOAT4_E2M1) | DTYPE_BIT(ACL_FLOAT4_E1M2))
#define ALL_FORMATS (FLOATS | DTYPE_BIT(ACL_INT4))

static bool lies_in_halves(aclDataType dtype)
{
    return dtype == ACL_INT4 || dtype == ACL_FLOAT4_E2M1 || dtype == ACL_FLOAT4_E1M2;
}

static unsigned char *arena; /* a place for each operand */
static aclrtStream stream;
static uint64_t draws; /* the state of what is drawn; 0: zeros are */

/* Each name with "aclnn" in front. */
static const char *const movers[] = {
    "Cat",
    "ChannelShuffle",
    "CircularPad2d",
    "CircularPad3d",
    "ConfusionTranspose",
    "ConstantPadNd",
    "Diag",
    "Embedding",
    "Expand",
    "Flatten",
    "Flip",
    "ForeachCopy",
    "ForeachZeroInplace",
    "Gather",
    "GatherNd",
    "GatherV2",
    "GatherV3",
    "Im2col",
    "Index",
    "IndexCopy",
    "IndexFill",
    "IndexFillTensor",
    "IndexPutImpl",
    "IndexSelect",
    "InplaceCopy",
    "InplaceFillDiagonal",
    "InplaceFillScalar",
    "InplaceFillTensor",
    "InplaceIndexCopy",
    "InplaceIndexFill",
    "InplaceIndexFillTensor",
    "InplaceMaskedFillScalar",
    "InplaceMaskedFillTensor",
    "InplaceMaskedScatter",
    "InplacePut",
    "InplaceScatter",
    "InplaceScatterValue",
    "InplaceTril",
    "InplaceTriu",
    "InplaceZero",
    "MaskedSelect",
    "Permute",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "Repeat",
    "RepeatInterleave",
    "RepeatInterleaveInt",
    "RepeatInterleaveIntWithDim",
    "RepeatInterleaveWithDim",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Roll",
    "SWhere",
    "Scatter",
    "ScatterNd",
    "ScatterNdUpdate",
    "ScatterValue",
    "Slice",
    "SliceV2",
    "SplitTensor",
    "SplitWithSize",
    "Stack",
    "StridedSlice",
    "Take",
    "Tril",
    "Triu",
};

static const struct function *mover(size_t i)
{
    char name[64];
    snprintf(name, sizeof name, "aclnn%s", movers[i]);
    return find(name);
}

/* Elements of the dtype, and not an index or a mask, whose sample says what it is. */
static bool is_moved(const struct parameter *parameter)
{
    return parameter_is_tensor(parameter) && parameter->dtypes != NULL &&
           (parameter->dtypes->on[PRODUCT_950] & ALL_FORMATS) == ALL_FORMATS;
}

static void small_numbers_are_in_the_sets_of_the_newest_product(void **state)
{
    size_t count;
    const struct function *const *list = functions(&count);
    (void)state;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        unsigned moved = 0;
        for (unsigned k = 0; k < mover(i)->parameter_count; k++)
            moved += is_moved(&mover(i)->parameter[k]);
        if (moved == 0)
            fail_msg("aclnn%s takes no small numbers", movers[i]);
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < list[i]->parameter_count; k++) {
            const struct dtype_set *set = list[i]->parameter[k].dtypes;
            const uint64_t older = set == NULL ? 0 : set->on[PRODUCT_910A] | set->on[PRODUCT_910B];
            assert_true((older & (set != NULL && is_moved(&list[i]->parameter[k]) ? ALL_FORMATS : FLOATS)) ==
                        0);
        }
}

struct place {
    unsigned operand, halves; /* which of them lie in halves of bytes: a bit each */
    uint64_t mask;            /* of what is drawn */
    unsigned char *address;
    int64_t bytes;
};

/* A tensor at a place of its own: what is moved has bytes at random, indices are 0, 1, 1, ..., a single
 * one 1. */
static aclTensor *placed(struct place *place, aclDataType dtype, unsigned rank, const int64_t *shape,
                         bool is_random)
{
    int64_t count = 1;
    for (unsigned i = 0; i < rank; i++)
        count *= shape[i];
    const bool is_packed = lies_in_halves(dtype);
    place->halves |= (unsigned)is_packed << place->operand;
    place->address = arena + (size_t)place->operand++ * PLACE_BYTES;
    place->bytes = is_packed ? (count + 1) / 2 : count * (int64_t)dtype_bytes(dtype);
    assert_true(place->operand <= OPERANDS_MOST && place->bytes <= PLACE_BYTES);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t drawn = draws != 0 ? random_next(&draws) : 0;
        const uint64_t element = is_random ? drawn & place->mask : (uint64_t)(i > 0 || count == 1);
        if (is_packed)
            place->address[i / 2] |= (unsigned char)((element & 15) << i % 2 * 4);
        else
            memcpy(place->address + i * (int64_t)dtype_bytes(dtype), &element, dtype_bytes(dtype));
    }
    aclTensor *tensor =
        aclCreateTensor(shape, rank, dtype, NULL, 0, ACL_FORMAT_ND, shape, rank, place->address);
    assert_non_null(tensor);
    return tensor;
}

/* Of a list all tensors, each at a place. */
static const void *placed_sample(const struct parameter *parameter, struct place *place, aclDataType dtype)
{
    const bool is_list = parameter->kind == PARAMETER_TENSOR_LIST, moves = is_moved(parameter);
    const unsigned length = is_list ? sample_length(parameter) : 1;
    const aclTensor *tensor[LIST_LENGTH];
    for (unsigned i = 0; i < length; i++) {
        struct tensor_view view;
        aclTensor *sample = sample_tensor(parameter);
        assert_true(tensor_read(sample, &view));
        tensor[i] = placed(place, moves ? dtype : view.dtype, view.rank, view.shape, moves);
        assert_int_equal(aclDestroyTensor(sample), 0);
    }
    return is_list ? (const void *)aclCreateTensorList(tensor, length) : (const void *)tensor[0];
}

static void make_inputs(struct attempt *attempt, struct place *place, aclDataType dtype, float number)
{
    for (unsigned i = 0; i < attempt->function->parameter_count; i++) {
        const struct parameter *parameter = &attempt->function->parameter[i];
        if (parameter_is_output(parameter))
            continue;
        if (parameter_is_tensor(parameter))
            attempt->argument[i].handle = placed_sample(parameter, place, dtype);
        else if (parameter->kind == PARAMETER_SCALAR)
            attempt->argument[i].scalar = aclCreateScalar(&number, ACL_FLOAT);
        else
            attempt->argument[i] = sample_argument(parameter);
    }
}

static void make_outputs(struct attempt *attempt, struct place *place, aclDataType dtype)
{
    const struct function *function = attempt->function;
    struct result result;
    if (function_infer(function, attempt->argument, &result) != 0)
        fail_msg("%s: %s", function->operation.name, aclGetRecentErrMsg());
    for (unsigned i = 0, written = 0; i < function->parameter_count; i++) {
        const struct output *output = &result.output[written];
        written += parameter_is_written(&function->parameter[i]);
        if (!parameter_is_output(&function->parameter[i]))
            continue;
        if (function->parameter[i].kind == PARAMETER_TENSOR_LIST) { /* of ForeachCopy, like what it reads */
            const aclTensor *pair[LIST_LENGTH];
            for (unsigned k = 0; k < LIST_LENGTH; k++)
                pair[k] = placed(place, dtype, 2, DIMS(2, 3), true);
            attempt->argument[i].tensors = aclCreateTensorList(pair, LIST_LENGTH);
        } else
            attempt->argument[i].tensor =
                placed(place, output->dtype, output->shape.rank, output->shape.dim, true);
    }
}

/* What lies in halves, a byte each. */
static void take_apart(const struct place *place, unsigned char *after)
{
    for (unsigned k = 0; k < place->operand; k++)
        for (unsigned i = PLACE_BYTES; (place->halves >> k & 1) != 0 && i-- > 0;)
            after[k * PLACE_BYTES + i] = after[k * PLACE_BYTES + i / 2] >> i % 2 * 4 & 15;
}

/* Everything that lies there after the call, whose scalars are the number; with a seed of 0 tensors are 0. */
static void run(const struct function *function, aclDataType dtype, float number, uint64_t seed,
                uint64_t mask, unsigned char *after)
{
    struct attempt attempt = {.function = function};
    struct place place = {.mask = mask};
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    draws = seed;
    memset(arena, 0, OPERANDS_MOST * PLACE_BYTES);
    make_inputs(&attempt, &place, dtype, number);
    make_outputs(&attempt, &place, dtype);
    if (function_plan_anew(function, attempt.argument, &workspace_bytes, &executor) != 0)
        fail_msg("%s: %s", function->operation.name, aclGetRecentErrMsg());
    assert_int_equal(function->launch(NULL, workspace_bytes, executor, stream), 0);
    if (aclrtSynchronizeStream(stream) != 0)
        fail_msg("%s: %s", function->operation.name, aclGetRecentErrMsg());
    memcpy(after, arena, OPERANDS_MOST * PLACE_BYTES);
    take_apart(&place, after);
    release(&attempt);
}

static void bytes_are_moved_as_those_of_int8(void **state)
{
    static unsigned char wanted[OPERANDS_MOST * PLACE_BYTES], found[OPERANDS_MOST * PLACE_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++)
        for (uint64_t seed = 1; seed < 6; seed++) {
            for (int f = 0; f < FORMATS; f++) {
                const uint64_t mask = lies_in_halves(formats[f].dtype) ? 15 : UINT64_MAX;
                run(mover(i), ACL_INT8, 0, seed, mask, wanted);
                run(mover(i), formats[f].dtype, 0, seed, mask, found);
                if (memcmp(wanted, found, sizeof found) != 0)
                    fail_msg("aclnn%s moves %s otherwise than INT8", movers[i], dtype_name(formats[f].dtype));
            }
        }
}

/* 0.3 is 0.3125 in most, 0.25 and 0.5 in others, and 0 as INT4, which cannot be told. In tensors of zeros it is all that is there, beside the one that indices are. */
static void a_number_is_rounded_to_them(void **state)
{
    static const char *const names[] = {"aclnnConstantPadNd",          "aclnnIndexFill",
                                        "aclnnIndexFillTensor",        "aclnnInplaceFillDiagonal",
                                        "aclnnInplaceFillScalar",      "aclnnInplaceIndexFill",
                                        "aclnnInplaceIndexFillTensor", "aclnnInplaceMaskedFillScalar",
                                        "aclnnInplaceScatterValue",    "aclnnScatterValue"};
    static unsigned char found[OPERANDS_MOST * PLACE_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int f = 0; f < FORMATS - 1; f++) {
            unsigned times = 0;
            const aclDataType dtype = formats[f].dtype;
            run(find(names[i]), dtype, 0.3F, 0, UINT64_MAX, found);
            for (size_t k = 0; k < sizeof found; k++) {
                if (found[k] > 1 && found[k] != formats[f].code)
                    fail_msg("%s writes 0.3 as 0x%02X into %s", names[i], found[k], dtype_name(dtype));
                times += found[k] == formats[f].code;
            }
            if (times == 0)
                fail_msg("%s has not written 0.3 into %s", names[i], dtype_name(dtype));
        }
}

/* A mask is of any dtype that stays what it is; a complex value is its real part. */
static void masks_and_values_of_other_dtypes(void **state)
{
    static const float complex_[] = {0.3F, 7};
    (void)state;
    struct attempt attempt = accepted(find("aclnnSWhere"));
    for (unsigned i = 1; i < 4; i++)
        replace_dtype(&attempt, i, ACL_FLOAT8_E5M2);
    assert_accepted(&attempt);
    replace_dtype(&attempt, 0, ACL_INT64);
    assert_accepted(&attempt);
    replace_dtype(&attempt, 0, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "condition has dtype FLOAT16 beside elements of FLOAT8_E5M2");
    release(&attempt);

    struct place place = {.mask = UINT64_MAX};
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    memset(arena, 0, OPERANDS_MOST * PLACE_BYTES);
    draws = 1;
    const union argument fill[] = {{.tensor = placed(&place, ACL_FLOAT8_E4M3FN, 1, DIMS(3), true)},
                                   {.tensor = placed(&place, ACL_BOOL, 1, DIMS(3), false)},
                                   {.scalar = aclCreateScalar((void *)(uintptr_t)complex_, ACL_COMPLEX64)}};
    const struct function *function = find("aclnnInplaceMaskedFillScalar");
    const unsigned char first = arena[0];
    assert_int_equal(function_plan_anew(function, fill, &workspace_bytes, &executor), 0);
    assert_int_equal(function->launch(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(arena[0], first);
    assert_int_equal(arena[1], 0x2A);
    assert_int_equal(arena[2], 0x2A);
    assert_int_equal(aclDestroyTensor(fill[0].tensor), 0);
    assert_int_equal(aclDestroyTensor(fill[1].tensor), 0);
    assert_int_equal(aclDestroyScalar(fill[2].scalar), 0);
}

static void elements_that_are_put_together_are_refused(void **state)
{
    static const struct {
        const char *name;
        unsigned how; /* the parameter that says what becomes of several */
        unsigned moved[3];
    } functions[] = {
        {"aclnnScatter", 4, {0, 3, 5}},      {"aclnnInplaceScatter", 4, {0, 3, 3}},
        {"aclnnScatterValue", 4, {0, 0, 5}}, {"aclnnInplaceScatterValue", 4, {0, 0, 0}},
        {"aclnnInplacePut", 3, {0, 2, 2}},   {"aclnnIndexPutImpl", 3, {0, 2, 2}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        struct attempt attempt = accepted(find(functions[i].name));
        for (unsigned k = 0; k < 3; k++)
            replace_dtype(&attempt, functions[i].moved[k], ACL_FLOAT8_E4M3FN);
        assert_accepted(&attempt);
        if (functions[i].how == 3)
            attempt.argument[3] = argument_of_bool(true);
        else
            attempt.argument[4] = argument_of_integer(1);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       find(functions[i].name)->parameter[0].role == ROLE_BOTH
                           ? "selfRef has dtype FLOAT8_E4M3FN, which is moved and not computed in"
                           : "self has dtype FLOAT8_E4M3FN, which is moved and not computed in");
        release(&attempt);
    }
    static const char *const adders[] = {"aclnnScatterAdd", "aclnnIndexAdd", "aclnnCumsum"};
    for (size_t i = 0; i < sizeof adders / sizeof adders[0]; i++) {
        struct attempt attempt = accepted(find(adders[i]));
        replace_dtype(&attempt, 0, ACL_FLOAT8_E5M2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype FLOAT8_E5M2");
        release(&attempt);
    }
}

static int set_up(void **state)
{
    (void)state;
    return aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&arena, OPERANDS_MOST * PLACE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(arena) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0 ||
           aclFinalize() != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_numbers_are_in_the_sets_of_the_newest_product),
        cmocka_unit_test(bytes_are_moved_as_those_of_int8),
        cmocka_unit_test(a_number_is_rounded_to_them),
        cmocka_unit_test(masks_and_values_of_other_dtypes),
        cmocka_unit_test(elements_that_are_put_together_are_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
