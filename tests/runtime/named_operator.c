/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators by name: Identity copies, every other name is refused with its inputs; attributes and all
 * arguments are checked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "support/blocked_stream.h"
#include "support/failure.h"

/* Where the library that offers more kinds is not there: runtime/kinds_alone has it. */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode);
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

enum { BYTES = 96 }; /* FLOAT [2, 3, 4] */

static aclrtStream stream;
static unsigned char *from, *to;
static aclTensorDesc *desc;
static aclDataBuffer *input, *output;

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&from, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&to, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    desc = aclCreateTensorDesc(ACL_FLOAT, 3, (int64_t[]){2, 3, 4}, ACL_FORMAT_ND);
    input = aclCreateDataBuffer(from, BYTES);
    output = aclCreateDataBuffer(to, BYTES);
    return desc == NULL || input == NULL || output == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    aclDestroyTensorDesc(desc);
    return aclDestroyDataBuffer(input) != 0 || aclDestroyDataBuffer(output) != 0 || aclrtFree(from) != 0 ||
           aclrtFree(to) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

/* Both functions, by one signature. */
static aclError run(int version, const char *type, int inputs, aclTensorDesc *in, aclDataBuffer *from_buffer,
                    int outputs, aclTensorDesc *out, aclDataBuffer *to_buffer, aclopAttr *attr)
{
    aclTensorDesc *ins[] = {in, in}, *outs[] = {out, out};
    aclDataBuffer *froms[] = {from_buffer, from_buffer}, *tos[] = {to_buffer, to_buffer};
    if (version == 2)
        return aclopCompileAndExecuteV2(type, inputs, ins, froms, outputs, outs, tos, attr, ACL_ENGINE_SYS,
                                        ACL_COMPILE_SYS, NULL, stream);
    return aclopCompileAndExecute(
        type, inputs, (const aclTensorDesc *const *)ins, (const aclDataBuffer *const *)froms, outputs,
        (const aclTensorDesc *const *)outs, tos, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

/* It fails as work of its stream, which the next synchronise says, and the stream goes on. */
static void assert_fails_in_stream(int queued, const char *sentence)
{
    assert_int_equal(queued, 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, sentence);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void identity_copies_in_stream_order(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        unsigned char host[BYTES];
        aclTensorDesc *own = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){1}, ACL_FORMAT_NCHW);
        aclDataBuffer *own_output = aclCreateDataBuffer(to, BYTES);
        aclopAttr *attr = version == 2 ? aclopCreateAttr() : NULL;
        assert_int_equal(aclSetTensorFormat(own, ACL_FORMAT_ND), 0);
        assert_int_equal(aclSetTensorShape(own, 2, (int64_t[]){24, 1}), 0);
        assert_int_equal(aclrtMemset(from, BYTES, 1, BYTES), 0);
        assert_int_equal(aclrtMemset(to, BYTES, 2, BYTES), 0);
        assert_int_equal(block_stream(stream), 0);
        assert_int_equal(aclrtMemsetAsync(from, BYTES, 40 + version, BYTES, stream), 0);
        assert_int_equal(run(version, "Identity", 1, own, input, 1, desc, own_output, attr), 0);
        /* The program needs none of them any longer. */
        aclDestroyTensorDesc(own);
        assert_int_equal(aclDestroyDataBuffer(own_output), 0);
        aclopDestroyAttr(attr);
        unblock_stream();
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        for (int i = 0; i < BYTES; i++)
            assert_int_equal(host[i], 40 + version);
    }
}

/* Whatever the function is, which says its own name. */
static void operators_of_model_folders_are_those_of_their_names(void **state)
{
    (void)state;
    const aclTensorDesc *in[] = {desc}, *out[] = {desc};
    const aclDataBuffer *source[] = {input};
    aclDataBuffer *target[] = {output};
    unsigned char host[BYTES];
    for (int version = 0; version < 2; version++) {
        assert_int_equal(aclrtMemset(from, BYTES, 60 + version, BYTES), 0);
        assert_int_equal(version == 0
                             ? aclopExecute("Identity", 1, in, source, 1, out, target, NULL, stream)
                             : aclopExecuteV2("Identity", 1, (aclTensorDesc **)in, (aclDataBuffer **)source,
                                              1, (aclTensorDesc **)out, target, NULL, stream),
                         0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        for (int i = 0; i < BYTES; i++)
            assert_int_equal(host[i], 60 + version);
    }
    assert_failure(aclopExecute(NULL, 1, in, source, 1, out, target, NULL, stream), 100000,
                   "aclopExecute: opType is NULL");
    assert_failure(aclopExecuteV2(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, stream), 100000,
                   "aclopExecuteV2: opType is NULL");
    assert_fails_in_stream(aclopExecute("Identity", 0, in, source, 1, out, target, NULL, stream),
                           "aclopExecute: Identity has 0 inputs");
    assert_fails_in_stream(aclopExecuteV2("Identity", 0, NULL, NULL, 0, NULL, NULL, NULL, stream),
                           "aclopExecuteV2: Identity has 0 inputs");
    /* No library that computes it is there. */
    assert_fails_in_stream(aclopCast(desc, input, desc, output, 0, stream), "aclopCast: Cast of FLOAT");
    assert_fails_in_stream(aclopCast(NULL, NULL, NULL, NULL, 0, stream), "aclopCast: Cast of nothing");
    int not_a_stream;
    assert_failure(aclopCast(desc, input, desc, output, 0, (aclrtStream)&not_a_stream), 107017, "stream");
    assert_failure(aclopExecute("Identity", 0, in, source, 1, out, target, NULL, (aclrtStream)&not_a_stream),
                   107017, "stream");
}

static void handles_keep_what_they_were_made_of(void **state)
{
    (void)state;
    unsigned char host[BYTES];
    aclopHandle *handle;
    aclTensorDesc *own = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){24}, ACL_FORMAT_ND);
    const aclTensorDesc *const kept = own;
    const aclDataBuffer *const source = input;
    aclopAttr *attr = aclopCreateAttr();
    assert_int_equal(aclopCreateHandle("Identity", 1, &kept, 1, &kept, attr, &handle), 0);
    assert_int_equal(aclSetTensorShape(own, 1, (int64_t[]){1000}), 0);
    aclDestroyTensorDesc(own);
    aclopDestroyAttr(attr);
    for (int times = 0; times < 3; times++) {
        assert_int_equal(aclrtMemset(from, BYTES, 80 + times, BYTES), 0);
        assert_int_equal(aclopExecWithHandle(handle, 1, &source, 1, &output, stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        for (int i = 0; i < BYTES; i++)
            assert_int_equal(host[i], 80 + times);
    }
    assert_int_equal(aclrtMemset(from, BYTES, 90, BYTES), 0);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclopExecWithHandle(handle, 1, &source, 1, &output, stream), 0);
    aclopDestroyHandle(handle);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_int_equal(host[BYTES - 1], 90);
}

static void handles_check_what_they_are_made_of(void **state)
{
    (void)state;
    aclopHandle *handle = NULL;
    aclTensorDesc *gone = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){24}, ACL_FORMAT_ND);
    aclDestroyTensorDesc(gone);
    const aclTensorDesc *const one = desc, *const stale = gone, *const other = (aclTensorDesc *)input;
    assert_failure(aclopCreateHandle(NULL, 1, &one, 1, &one, NULL, &handle), 100000,
                   "aclopCreateHandle: opType is NULL");
    assert_failure(aclopCreateHandle("Identity", 1, &one, 1, &one, NULL, NULL), 100000, "handle is NULL");
    assert_failure(aclopCreateHandle("Identitty", 1, &one, 1, &one, NULL, &handle), 100024,
                   "Identitty is not in this release of Belay; the nearest kinds that it has by name are "
                   "Identity");
    assert_failure(aclopCreateHandle("Identity", 2, &one, 1, &one, NULL, &handle), 100000, "has 2 inputs");
    assert_failure(aclopCreateHandle("Identity", -1, &one, 1, &one, NULL, &handle), 100000, "has -1 inputs");
    assert_failure(aclopCreateHandle("Identity", 1, &one, 0, NULL, NULL, &handle), 100000, "has 0 outputs");
    assert_failure(aclopCreateHandle("Identity", 1, NULL, 1, &one, NULL, &handle), 100000, "inputs is NULL");
    assert_failure(aclopCreateHandle("Identity", 1, &one, 1, NULL, NULL, &handle), 100000, "outputs is NULL");
    assert_failure(aclopCreateHandle("Identity", 1, &stale, 1, &one, NULL, &handle), 100000, "destroyed");
    assert_failure(aclopCreateHandle("Identity", 1, &one, 1, &other, NULL, &handle), 100000,
                   "is a data buffer");
    assert_failure(aclopCreateHandle("Identity", 1, &one, 1, &one, (aclopAttr *)desc, &handle), 100000,
                   "attr is a tensor description");
    /* No library that computes it is there. */
    assert_failure(aclopCreateHandleForCast(desc, desc, 0, &handle), 100024, "Cast is not in this release");
    assert_failure(aclopCreateHandleForCast(NULL, desc, 0, &handle), 100000, "srcDesc is NULL");
    assert_failure(aclopCreateHandleForCast(desc, NULL, 0, &handle), 100000, "dstDesc is NULL");
    assert_null(handle);
}

/* What programs call before aclopExecuteV2. */
static void there_is_nothing_to_compile(void **state)
{
    (void)state;
    const aclTensorDesc *const one = desc, *const other = (aclTensorDesc *)input;
    assert_int_equal(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ), 0);
    assert_int_equal(aclopSetCompileFlag(ACL_OP_COMPILE_DEFAULT), 0);
    assert_failure(aclopSetCompileFlag((aclOpCompileFlag)2), 100000, "flag is 2");
    assert_int_equal(aclopSetMaxOpQueueNum(1), 0);
    assert_failure(aclopSetMaxOpQueueNum(0), 100000, "maxOpNum is 0");
    assert_int_equal(aclopCompile("Identity", 1, &one, 1, &one, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                     0);
    assert_failure(aclopCompile("Identitty", 1, &one, 1, &one, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                   100024, "aclopCompile: Identitty is not in this release of Belay");
    assert_failure(aclopCompile(NULL, 1, &one, 1, &one, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL), 100000,
                   "aclopCompile: opType is NULL");
    assert_failure(aclopCompile("Identity", 2, &one, 1, &one, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                   100000, "has 2 inputs");
    assert_failure(aclopCompile("Identity", 1, &other, 1, &one, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                   100000, "is a data buffer");
    assert_int_equal(aclopUpdateParams("Identity", 1, &one, 1, &one, NULL), 0);
    assert_failure(aclopUpdateParams("Identitty", 1, &one, 1, &one, NULL), 100024,
                   "aclopUpdateParams: Identitty is not in this release of Belay");
    assert_failure(aclopUpdateParams(NULL, 1, &one, 1, &one, NULL), 100000,
                   "aclopUpdateParams: opType is NULL");
    assert_failure(aclopUpdateParams("Identity", 1, &one, 2, &one, NULL), 100000, "has 2 outputs");
    assert_failure(aclopUpdateParams("Identity", 1, &other, 1, &one, NULL), 100000, "is a data buffer");
}

static void handles_check_what_they_run(void **state)
{
    (void)state;
    aclopHandle *handle = NULL, *nothing = NULL;
    const aclTensorDesc *const one = desc, *const none = NULL;
    const aclDataBuffer *const source = input;
    int not_a_stream;
    assert_int_equal(aclopCreateHandle("Identity", 1, &one, 1, &one, NULL, &handle), 0);
    assert_failure(aclopExecWithHandle(NULL, 1, &source, 1, &output, stream), 100000, "handle is NULL");
    assert_failure(aclopExecWithHandle((aclopHandle *)desc, 1, &source, 1, &output, stream), 100000,
                   "handle is a tensor description");
    assert_failure(aclopExecWithHandle((aclopHandle *)&not_a_stream, 1, &source, 1, &output, stream), 100000,
                   "a handle of aclopCreateHandle is expected");
    assert_failure(aclopExecWithHandle(handle, 0, &source, 1, &output, stream), 100000,
                   "there are 0 inputs and 1 outputs; the handle of Identity has 1 and 1");
    assert_failure(aclopExecWithHandle(handle, 1, &source, 2, &output, stream), 100000, "2 outputs");
    assert_failure(aclopExecWithHandle(handle, 1, &source, 1, &output, (aclrtStream)&not_a_stream), 107017,
                   "stream");
    assert_fails_in_stream(aclopExecWithHandle(handle, 1, NULL, 1, &output, stream),
                           "aclopExecWithHandle: the description or the buffer of the input is NULL");
    assert_int_equal(aclopCreateHandle("Identity", 1, &none, 1, &one, NULL, &nothing), 0);
    assert_fails_in_stream(aclopExecWithHandle(nothing, 1, &source, 1, &output, stream),
                           "the description or the buffer of the input is NULL");
    aclopDestroyHandle(nothing);
    aclopDestroyHandle(NULL);
    aclopDestroyHandle(handle);
    assert_failure(aclopExecWithHandle(handle, 1, &source, 1, &output, stream), 100000,
                   "handle was destroyed");
    (void)aclGetRecentErrMsg();
    aclopDestroyHandle(handle);
    assert_non_null(strstr(aclGetRecentErrMsg(), "aclopDestroyHandle: handle was destroyed"));
    aclopDestroyHandle((aclopHandle *)desc);
    assert_non_null(strstr(aclGetRecentErrMsg(), "aclopDestroyHandle: handle is a tensor description"));
    assert_int_equal(aclGetTensorDescNumDims(desc), 3);
}

static void overlapping_operands_are_copied_as_if_read_first(void **state)
{
    (void)state;
    unsigned char host[BYTES];
    for (int i = 0; i < BYTES; i++)
        host[i] = (unsigned char)i;
    assert_int_equal(aclrtMemcpy(to, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    aclTensorDesc *part = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){20}, ACL_FORMAT_ND);
    aclDataBuffer *first = aclCreateDataBuffer(to, 80), *last = aclCreateDataBuffer(to + 16, 80);
    assert_int_equal(run(1, "Identity", 1, part, first, 1, part, last, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(host[i], i < 16 ? i : i - 16);
    aclDestroyTensorDesc(part);
    aclDestroyDataBuffer(first);
    aclDestroyDataBuffer(last);
}

static void arguments_are_refused_in_the_order_of_the_contract(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        assert_failure(run(version, NULL, 1, desc, input, 1, desc, output, NULL), 100000, "opType is NULL");
        assert_fails_in_stream(run(version, "Identity", 2, desc, input, 1, desc, output, NULL), "2 inputs");
        assert_fails_in_stream(run(version, "Identity", 0, desc, input, 1, desc, output, NULL), "0 inputs");
        assert_fails_in_stream(run(version, "Identity", 1, desc, input, 2, desc, output, NULL), "2 outputs");
        assert_fails_in_stream(run(version, "Identity", 1, NULL, input, 1, desc, output, NULL),
                               "of the input is NULL");
        assert_fails_in_stream(run(version, "Identity", 1, desc, NULL, 1, desc, output, NULL),
                               "of the input is NULL");
        assert_fails_in_stream(run(version, "Identity", 1, desc, input, 1, NULL, output, NULL),
                               "of the output is NULL");
        assert_fails_in_stream(run(version, "Identity", 1, desc, input, 1, desc, NULL, NULL),
                               "of the output is NULL");
        assert_fails_in_stream(
            run(version, "Identity", 1, (aclTensorDesc *)input, input, 1, desc, output, NULL),
            "desc is a data buffer");
        assert_fails_in_stream(
            run(version, "Identity", 1, desc, (aclDataBuffer *)desc, 1, desc, output, NULL),
            "is a tensor description");
        assert_fails_in_stream(run(version, "Identity", 1, desc, input, 1, desc, output, (aclopAttr *)desc),
                               "attr is a tensor description");
        aclopAttr *attr = aclopCreateAttr();
        aclopDestroyAttr(attr);
        assert_fails_in_stream(run(version, "Identity", 1, desc, input, 1, desc, output, attr),
                               "attr was destroyed");
    }
    assert_fails_in_stream(aclopCompileAndExecute("Identity", 1, NULL, NULL, 1, NULL, NULL, NULL,
                                                  ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
                           "of the input is NULL");
}

static void operands_that_do_not_agree_are_refused(void **state)
{
    (void)state;
    aclTensorDesc *half = aclCreateTensorDesc(ACL_FLOAT16, 2, (int64_t[]){24, 2}, ACL_FORMAT_ND);
    aclTensorDesc *shorter = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){23}, ACL_FORMAT_ND);
    aclTensorDesc *longer = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){25}, ACL_FORMAT_ND);
    aclTensorDesc *unknown = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){-1}, ACL_FORMAT_ND);
    assert_fails_in_stream(run(1, "Identity", 1, desc, input, 1, half, output, NULL), "96 bytes of FLOAT16");
    assert_fails_in_stream(run(1, "Identity", 1, desc, input, 1, shorter, output, NULL), "92 bytes of FLOAT");
    assert_fails_in_stream(run(1, "Identity", 1, longer, input, 1, desc, output, NULL), "the input has 96");
    assert_fails_in_stream(run(1, "Identity", 1, unknown, input, 1, desc, output, NULL), "dimension 0");
    /* The addresses: a buffer that says more than there is, freed memory, host memory. */
    aclDataBuffer *too_long = aclCreateDataBuffer(from, 100);
    unsigned char host[BYTES];
    aclDataBuffer *outside = aclCreateDataBuffer(host, BYTES);
    aclTensorDesc *bytes = aclCreateTensorDesc(ACL_UINT8, 1, (int64_t[]){100}, ACL_FORMAT_ND);
    aclDataBuffer *target = aclCreateDataBuffer(to, 100);
    assert_fails_in_stream(run(1, "Identity", 1, bytes, too_long, 1, bytes, target, NULL), "past the end");
    assert_fails_in_stream(run(1, "Identity", 1, desc, outside, 1, desc, output, NULL), "src is host memory");
    for (int format = -1; format < 60; format++) {
        static const int blocked[] = {3, 4, 12, 29, 32, 33, 50, 51, 52, 53, 54};
        bool is_blocked = false;
        for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++)
            is_blocked = is_blocked || blocked[i] == format;
        aclTensorDesc *other = aclCreateTensorDesc(ACL_FLOAT, 1, (int64_t[]){24}, (aclFormat)format);
        for (int side = 0; side < 2; side++) {
            const int queued = run(1, "Identity", 1, side == 0 ? other : desc, input, 1,
                                   side == 0 ? desc : other, output, NULL);
            if (is_blocked)
                assert_fails_in_stream(queued, "elements lie in the order of the dims");
            else
                assert_int_equal(queued, 0);
        }
        aclDestroyTensorDesc(other);
    }
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    aclTensorDesc *const all[] = {half, shorter, longer, unknown, bytes};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        aclDestroyTensorDesc(all[i]);
    aclDestroyDataBuffer(too_long);
    aclDestroyDataBuffer(outside);
    aclDestroyDataBuffer(target);
}

/* torch_npu sets the option back around each operator: what it was once counts. */
static void a_missing_operator_says_what_switch_asked_for_it(void **state)
{
    (void)state;
    assert_int_equal(run(2, "NoSuchKind", 0, NULL, NULL, 0, NULL, NULL, NULL), 0);
    (void)aclGetRecentErrMsg();
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    const char *sentence = aclGetRecentErrMsg();
    assert_true(sentence != NULL && strstr(sentence, "jit_compile") == NULL);
    assert_int_equal(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"), 0);
    assert_int_equal(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable"), 0);
    assert_fails_in_stream(run(2, "NoSuchKind", 0, NULL, NULL, 0, NULL, NULL, NULL),
                           "set_compile_mode(jit_compile=False) is expected");
}

static void other_operators_are_named_with_their_inputs(void **state)
{
    (void)state;
    aclTensorDesc *bf16 = aclCreateTensorDesc(ACL_BF16, 0, NULL, ACL_FORMAT_ND);
    const aclTensorDesc *inputs[] = {desc, bf16, NULL};
    assert_fails_in_stream(aclopCompileAndExecute("MatMul", 3, inputs, NULL, 0, NULL, NULL, NULL,
                                                  ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
                           "MatMul of FLOAT [2, 3, 4], BF16 [], nothing is not in this release");
    assert_fails_in_stream(run(2, "Relu", 0, NULL, NULL, 0, NULL, NULL, NULL), "Relu of no inputs");
    assert_fails_in_stream(run(2, "Relu", -5, NULL, NULL, 0, NULL, NULL, NULL), "Relu of no inputs");
    const aclTensorDesc *many[200];
    for (int i = 0; i < 200; i++)
        many[i] = desc;
    assert_fails_in_stream(aclopCompileAndExecute("AddN", 200, many, NULL, 0, NULL, NULL, NULL,
                                                  ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
                           "AddN of FLOAT [2, 3, 4], FLOAT");
    int not_a_stream;
    assert_failure(aclopCompileAndExecute("Relu", 1, inputs, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS,
                                          ACL_COMPILE_SYS, NULL, (aclrtStream)&not_a_stream),
                   107017, "stream");
    aclDestroyTensorDesc(bf16);
}

static void attributes_are_checked_and_forgotten(void **state)
{
    (void)state;
    aclopAttr *attr = aclopCreateAttr();
    const int64_t numbers[] = {1, 2};
    const int64_t *lists[] = {numbers};
    const int lengths[] = {2};
    const aclDataType dtypes[] = {ACL_FLOAT};
    const uint8_t bools[] = {1};
    const float floats[] = {1};
    const char *texts[] = {"a"};
    assert_non_null(attr);
    assert_int_equal(aclopSetAttrBool(attr, "a", 1), 0);
    assert_int_equal(aclopSetAttrInt(attr, "a", 1), 0);
    assert_int_equal(aclopSetAttrFloat(attr, "a", 1), 0);
    assert_int_equal(aclopSetAttrString(attr, "a", "b"), 0);
    assert_int_equal(aclopSetAttrDataType(attr, "a", ACL_FLOAT), 0);
    assert_int_equal(aclopSetAttrListDataType(attr, "a", 1, dtypes), 0);
    assert_int_equal(aclopSetAttrListBool(attr, "a", 1, bools), 0);
    assert_int_equal(aclopSetAttrListInt(attr, "a", 2, numbers), 0);
    assert_int_equal(aclopSetAttrListFloat(attr, "a", 1, floats), 0);
    assert_int_equal(aclopSetAttrListString(attr, "a", 1, texts), 0);
    assert_int_equal(aclopSetAttrListListInt(attr, "a", 1, lengths, lists), 0);
    assert_int_equal(aclopSetAttrListInt(attr, "a", 0, NULL), 0);

    assert_failure(aclopSetAttrBool(NULL, "a", 1), 100000, "attr is NULL");
    assert_failure(aclopSetAttrBool((aclopAttr *)desc, "a", 1), 100000, "attr is a tensor description");
    assert_failure(aclopSetAttrInt(attr, NULL, 1), 100000, "attrName is NULL");
    assert_failure(aclopSetAttrString(attr, "a", NULL), 100000, "values is NULL");
    assert_failure(aclopSetAttrListInt(attr, "a", -1, numbers), 100000, "the number of values is -1");
    assert_failure(aclopSetAttrListFloat(attr, "a", 2, NULL), 100000, "2 values are expected");
    assert_failure(aclopSetAttrListListInt(attr, "a", 1, NULL, lists), 100000, "values is NULL");
    aclopDestroyAttr(attr);
    assert_failure(aclopSetAttrBool(attr, "a", 1), 100000, "attr was destroyed");
    aclopDestroyAttr(attr);
    assert_sentence("attr was destroyed");
    aclopDestroyAttr(NULL);
    assert_null(aclGetRecentErrMsg());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_copies_in_stream_order),
        cmocka_unit_test(operators_of_model_folders_are_those_of_their_names),
        cmocka_unit_test(handles_keep_what_they_were_made_of),
        cmocka_unit_test(handles_check_what_they_are_made_of),
        cmocka_unit_test(there_is_nothing_to_compile),
        cmocka_unit_test(handles_check_what_they_run),
        cmocka_unit_test(overlapping_operands_are_copied_as_if_read_first),
        cmocka_unit_test(arguments_are_refused_in_the_order_of_the_contract),
        cmocka_unit_test(operands_that_do_not_agree_are_refused),
        cmocka_unit_test(other_operators_are_named_with_their_inputs),
        cmocka_unit_test(a_missing_operator_says_what_switch_asked_for_it),
        cmocka_unit_test(attributes_are_checked_and_forgotten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
