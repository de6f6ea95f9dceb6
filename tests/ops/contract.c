/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads and runs the tables of contract.h.
 */
#include "ops/contract.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/reference.h"

enum { DIMS_MAX = 26, GUARD_BYTES = 64, FILL = 0xA5 };

static const struct {
    const char *name;
    aclDataType dtype;
    size_t bytes;
} dtypes[] = {
    {"f32", ACL_FLOAT, 4},
    {"f16", ACL_FLOAT16, 2},
    {"bf16", ACL_BF16, 2},
    {"f64", ACL_DOUBLE, 8},
    {"i8", ACL_INT8, 1},
    {"i16", ACL_INT16, 2},
    {"i32", ACL_INT32, 4},
    {"i64", ACL_INT64, 8},
    {"u8", ACL_UINT8, 1},
    {"u16", ACL_UINT16, 2},
    {"u32", ACL_UINT32, 4},
    {"u64", ACL_UINT64, 8},
    {"bool", ACL_BOOL, 1},
    {"c32", ACL_COMPLEX32, 4},
    {"c64", ACL_COMPLEX64, 8},
    {"c128", ACL_COMPLEX128, 16},
    {"str", ACL_STRING, 8},
    {"undefined", ACL_DT_UNDEFINED, 4},
    {"unknown", (aclDataType)999, 4},
};

/* One operand of one row: its text, parsed, and what was made of it. */
struct operand {
    aclDataType dtype;
    size_t element_bytes;
    int rank;
    int64_t shape[DIMS_MAX];
    int64_t stride[DIMS_MAX];
    int64_t offset;
    int64_t count;
    int shares; /* the operand whose memory this one uses, or -1 */
    bool has_no_data, is_odd, is_short, is_host, is_pinned, is_freed, is_interior;
    unsigned char *block;  /* owned unless it is shared */
    unsigned char *data;   /* the raw address that the tensor is given */
    unsigned char *before; /* host copy of the memory behind data before the run, span bytes */
    size_t span;
    aclTensor *tensor;
    bool is_live;
};

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_value(void)
{
    static const double special[] = {0.0,     -0.0,   HUGE_VAL,  -HUGE_VAL, (double)NAN, 3.0,        -3.0,
                                     1.5,     -1.5,   1.0,       -1.0,      1e-45,       -1e-45,     6e-8,
                                     9.1e-41, 3.4e38, -3.4e38,   65504.0,   0.5,         -1.2784645, 88.0,
                                     -88.8,   -104.0, 2.9999998, 3.0000002, -3.0000002,  1e-310,     0.1,
                                     -0.3,    -20.0,  -17.0,     12.0};
    uint64_t bits = random_bits();
    switch (bits % 4) {
    case 0:
        return special[(bits >> 8) % (sizeof special / sizeof special[0])];
    case 1:
        return ldexp((double)(int64_t)(bits >> 3), (int)(bits >> 40 & 127) - 120);
    default:
        return (double)((int64_t)(bits >> 20 & 0xFFFFFF) - 0x800000) * 0x1p-20;
    }
}

static bool parse_operand(const char *text, struct operand *operand)
{
    *operand = (struct operand){.shares = -1, .count = 1};
    size_t length = strcspn(text, "[");
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strlen(dtypes[i].name) == length && memcmp(dtypes[i].name, text, length) == 0) {
            operand->dtype = dtypes[i].dtype;
            operand->element_bytes = dtypes[i].bytes;
        }
    if (text[length] != '[' || operand->element_bytes == 0)
        return false;
    char *rest = (char *)(uintptr_t)(text + length + 1);
    while (*rest != ']') {
        operand->shape[operand->rank++] = strtoll(rest, &rest, 0);
        rest += *rest == ',';
    }
    rest++;
    int64_t stride = 1;
    for (int i = operand->rank - 1; i >= 0; i--) {
        operand->stride[i] = stride;
        if (__builtin_mul_overflow(stride, operand->shape[i], &stride))
            stride = 1;
        operand->count = operand->shape[i] == 0 || operand->count == 0 ? 0 : operand->count;
        if (operand->count != 0 && __builtin_mul_overflow(operand->count, operand->shape[i], &operand->count))
            operand->count = INT64_MAX;
    }
    if (*rest == '{') {
        rest++;
        for (int i = 0; i < operand->rank; i++) {
            operand->stride[i] = strtoll(rest, &rest, 0);
            rest++;
        }
    }
    if (*rest == '+')
        operand->offset = strtoll(rest + 1, &rest, 0);
    if (*rest == '=')
        operand->shares = (int)strtol(rest + 1, &rest, 10);
    if (*rest == '+')
        operand->offset = strtoll(rest + 1, &rest, 0);
    operand->has_no_data = strstr(rest, "!nodata") != NULL;
    operand->is_odd = strstr(rest, "!odd") != NULL;
    operand->is_short = strstr(rest, "!short") != NULL;
    operand->is_host = strstr(rest, "!host") != NULL;
    operand->is_pinned = strstr(rest, "!pinned") != NULL;
    operand->is_freed = strstr(rest, "!freed") != NULL;
    operand->is_interior = strstr(rest, "!interior") != NULL;
    return *rest == '\0' || *rest == '!';
}

/* Bytes from the raw address to the end of the last element; 0 where the view is empty or cannot be real. */
static size_t span_of(const struct operand *operand)
{
    int64_t last = operand->offset;
    if (operand->count == 0 || operand->offset < 0)
        return 0;
    for (int i = 0; i < operand->rank; i++) {
        if (operand->shape[i] < 0 || operand->stride[i] < 0 || operand->shape[i] > 1 << 20 ||
            operand->stride[i] > 1 << 20)
            return 0;
        last += (operand->shape[i] - 1) * operand->stride[i];
    }
    return last > 1 << 22 ? 0 : (size_t)(last + 1) * operand->element_bytes;
}

static bool is_real(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

/* Device memory of the size that the view needs, filled with values (inputs) or with a pattern (output). */
static void provide_memory(struct operand *all, struct operand *operand, bool is_output)
{
    operand->span = span_of(operand);
    size_t bytes = operand->span != 0 ? operand->span : operand->element_bytes;
    if (operand->shares >= 0) {
        operand->data = all[operand->shares].data;
        return;
    }
    size_t extra = operand->is_interior ? 128 : operand->is_odd ? 1 : 0;
    size_t size = bytes + extra - (operand->is_short ? operand->element_bytes : 0);
    if (size == 0)
        size = 1;
    if (operand->is_host)
        operand->block = (unsigned char *)malloc(size);
    else if (operand->is_pinned)
        assert_int_equal(aclrtMallocHost((void **)&operand->block, size), 0);
    else
        assert_int_equal(aclrtMalloc((void **)&operand->block, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    operand->data = operand->block + (operand->is_interior ? 64 : extra);
    unsigned char *host = (unsigned char *)malloc(size);
    memset(host, FILL, size);
    if (!is_output && is_real(operand->dtype) && !operand->is_short)
        for (size_t i = 0; i < operand->span / operand->element_bytes; i++)
            reference_store_double(operand->dtype, random_value(),
                                   host + extra / (operand->is_interior ? 2 : 1) +
                                       i * operand->element_bytes);
    assert_int_equal(aclrtMemcpy(operand->block, size, host, size, ACL_MEMCPY_DEFAULT), 0);
    free(host);
}

static void make_operand(struct operand *all, struct operand *operand, const char *text, bool is_output)
{
    static uint32_t word = 1;
    if (strcmp(text, "NULL") == 0) {
        *operand = (struct operand){.shares = -1};
    } else if (strcmp(text, "foreign") == 0) {
        *operand = (struct operand){.shares = -1, .tensor = (aclTensor *)(void *)&word};
    } else if (strcmp(text, "scalar") == 0) {
        float one = 1;
        *operand =
            (struct operand){.shares = -1, .tensor = (aclTensor *)(void *)aclCreateScalar(&one, ACL_FLOAT)};
    } else if (strcmp(text, "stale") == 0) {
        assert_true(parse_operand("f32[1]", operand));
        operand->tensor =
            aclCreateTensor(operand->shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
        assert_int_equal(aclDestroyTensor(operand->tensor), 0);
    } else {
        if (!parse_operand(text, operand))
            fail_msg("cannot read the operand %s", text);
        provide_memory(all, operand, is_output);
        operand->tensor =
            aclCreateTensor(operand->shape, (uint64_t)operand->rank, operand->dtype, operand->stride,
                            operand->offset, ACL_FORMAT_ND, operand->shape, (uint64_t)operand->rank,
                            operand->has_no_data ? NULL : operand->data);
        assert_non_null(operand->tensor);
        operand->is_live = true;
    }
}

static void release_operand(struct operand *operand)
{
    if (operand->is_live)
        aclDestroyTensor(operand->tensor);
    if (operand->is_host)
        free(operand->block);
    else if (operand->is_pinned)
        aclrtFreeHost(operand->block);
    else if (operand->block != NULL)
        aclrtFree(operand->block);
    free(operand->before);
    operand->before = NULL;
}

static aclDataType dtype_named(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strlen(dtypes[i].name) == length && memcmp(dtypes[i].name, text, length) == 0)
            return dtypes[i].dtype;
    fail_msg("no such dtype: %s", text);
    return ACL_DT_UNDEFINED;
}

static void make_slope(const char *text, struct attributes *attributes)
{
    static uint32_t word = 1;
    size_t length = strcspn(text, ": ");
    if (strncmp(text, "NULL", 4) == 0) {
        attributes->slope_handle = NULL;
        return;
    }
    if (strncmp(text, "foreign", 7) == 0) {
        attributes->slope_handle = (const aclScalar *)(const void *)&word;
        return;
    }
    if (strncmp(text, "stale", 5) == 0) {
        float one = 1;
        aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
        aclDestroyScalar(scalar);
        attributes->slope_handle = scalar;
        return;
    }
    attributes->slope_dtype = dtype_named(text, length);
    double value = strtod(text + length + 1, NULL);
    unsigned char bytes[16] = {0};
    if (is_real(attributes->slope_dtype)) {
        reference_store_double(attributes->slope_dtype, value, bytes);
        attributes->slope = (long double)reference_load(attributes->slope_dtype, bytes);
    } else if (attributes->slope_dtype != ACL_COMPLEX64) {
        int64_t integer = strtoll(text + length + 1, NULL,
                                  0); /* little-endian: a prefix of the bytes is the narrower integer */
        memcpy(bytes, &integer, sizeof integer);
        attributes->slope = (long double)integer;
    }
    attributes->slope_handle = aclCreateScalar(bytes, attributes->slope_dtype);
}

static struct attributes make_attributes(const char *defaults, const char *text)
{
    struct attributes attributes = {0};
    for (int pass = 0; pass < 2; pass++) {
        const char *rest = pass == 0 ? defaults : text;
        while (rest != NULL && *rest != '\0') {
            const char *value = strchr(rest, '=') + 1;
            if (strncmp(rest, "reduction", 9) == 0) {
                attributes.reduction = strtoll(value, NULL, 0);
            } else if (strncmp(rest, "beta", 4) == 0) {
                attributes.beta = strtof(value, NULL);
            } else if (strncmp(rest, "slope", 5) == 0) {
                if (attributes.slope_handle != NULL)
                    aclDestroyScalar(attributes.slope_handle);
                make_slope(value, &attributes);
            } else if (strncmp(rest, "result", 6) == 0) {
                attributes.self_is_result = *value == 't';
            } else if (strncmp(rest, "workspaceSize", 13) == 0) {
                attributes.workspace_is_null = true;
            } else if (strncmp(rest, "executor", 8) == 0) {
                attributes.executor_is_null = true;
            } else {
                fail_msg("no such attribute: %s", rest);
            }
            rest = strchr(rest, ' ');
            rest = rest == NULL ? NULL : rest + 1;
        }
    }
    return attributes;
}

static bool contains_words(const char *sentence, const char *words)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", words);
    char *save = NULL;
    for (char *word = strtok_r(copy, "|", &save); word != NULL; word = strtok_r(NULL, "|", &save))
        if (strstr(sentence, word) == NULL)
            return false;
    return true;
}

static aclDataType arithmetic_of(const struct operand *operand, int inputs)
{
    aclDataType dtype = operand[0].dtype;
    for (int i = 1; i < inputs; i++)
        if (operand[i].dtype != dtype)
            dtype = operand[i].dtype == ACL_DOUBLE || dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    return dtype;
}

/* The place of the element at a multi-index of the output's shape, in elements from the raw address. */
static size_t place_of(const struct operand *operand, const struct operand *output, const int64_t *index)
{
    int64_t place = operand->offset;
    for (int i = 0; i < operand->rank; i++) {
        int64_t at = index[output->rank - operand->rank + i];
        place += (operand->shape[i] == 1 ? 0 : at) * operand->stride[i];
    }
    return (size_t)place;
}

/* Computes what the output's memory should hold now and compares all of it; the number of wrong elements. */
static int compare(const struct operator_under_test *op, struct operand *operand,
                   const struct attributes *attributes)
{
    int inputs = op->operand_count - 1;
    struct operand *output = &operand[inputs];
    unsigned char *expected = (unsigned char *)malloc(output->span),
                  *found = (unsigned char *)malloc(output->span);
    memcpy(expected, output->before, output->span);
    assert_int_equal(aclrtMemcpy(found, output->span, output->data, output->span, ACL_MEMCPY_DEFAULT), 0);
    aclDataType arithmetic = arithmetic_of(operand, inputs);
    mpfr_t result;
    mpfr_init2(result, REFERENCE_BITS);
    int64_t index[DIMS_MAX] = {0};
    for (int64_t n = 0; n < output->count; n++) {
        double value[OPERANDS_MAX];
        for (int i = 0; i < inputs; i++)
            value[i] =
                reference_load(operand[i].dtype, operand[i].before + place_of(&operand[i], output, index) *
                                                                         operand[i].element_bytes);
        op->reference(result, value, attributes, (uint64_t)output->count, arithmetic);
        reference_round(result, arithmetic);
        reference_store(output->dtype, result,
                        expected + place_of(output, output, index) * output->element_bytes);
        for (int i = output->rank - 1; i >= 0 && ++index[i] == output->shape[i]; i--)
            index[i] = 0;
    }
    int wrong = 0;
    for (size_t i = 0; i < output->span; i += output->element_bytes)
        if (memcmp(expected + i, found + i, output->element_bytes) != 0) {
            uint64_t want = 0, got = 0;
            memcpy(&want, expected + i, output->element_bytes > 8 ? 8 : output->element_bytes);
            memcpy(&got, found + i, output->element_bytes > 8 ? 8 : output->element_bytes);
            if (wrong++ < 3)
                print_error("  element at %zu: %llx, expected %llx\n", i / output->element_bytes,
                            (unsigned long long)got, (unsigned long long)want);
        }
    mpfr_clear(result);
    free(expected);
    free(found);
    return wrong;
}

static bool run_call(const struct operator_under_test *op, const struct call *call)
{
    struct operand operand[OPERANDS_MAX];
    aclTensor *tensor[OPERANDS_MAX] = {0};
    for (int i = 0; i < op->operand_count; i++) {
        make_operand(operand, &operand[i], call->operand[i], i == op->operand_count - 1);
        tensor[i] = operand[i].tensor;
    }
    /* Only now, or one of the other operands would be given the memory. */
    for (int i = 0; i < op->operand_count; i++)
        if (operand[i].is_freed) {
            assert_int_equal(aclrtFree(operand[i].block), 0);
            operand[i].block = NULL;
        }
    struct attributes attributes = make_attributes(op->default_attributes, call->attributes);
    for (int i = 0; i < op->operand_count; i++)
        if (operand[i].is_live && operand[i].data != NULL && !operand[i].is_freed && operand[i].span != 0 &&
            !operand[i].is_short && !operand[i].is_host) {
            operand[i].before = (unsigned char *)malloc(operand[i].span);
            if (operand[i].shares < 0 || operand[i].span <= operand[operand[i].shares].span)
                assert_int_equal(aclrtMemcpy(operand[i].before, operand[i].span, operand[i].data,
                                             operand[i].span, ACL_MEMCPY_DEFAULT),
                                 0);
        }
    (void)aclGetRecentErrMsg();

    uint64_t workspace_size = 77;
    aclOpExecutor *const untouched = (aclOpExecutor *)(uintptr_t)77;
    aclOpExecutor *executor = untouched;
    int status = op->phase_1(tensor, &attributes, attributes.workspace_is_null ? NULL : &workspace_size,
                             attributes.executor_is_null ? NULL : &executor);
    bool is_right = status == call->status;
    const char *sentence = aclGetRecentErrMsg();
    if (status != 0 && (workspace_size != 77 || executor != untouched)) {
        print_error("  a failed phase 1 wrote its results\n");
        is_right = false;
    }
    if (status != 0 && (sentence == NULL || strstr(sentence, op->api) == NULL ||
                        (call->message != NULL && !contains_words(sentence, call->message)))) {
        print_error("  the sentence does not say %s: %s\n", call->message ? call->message : "anything",
                    sentence ? sentence : "(none)");
        is_right = false;
    }
    if (status == 0) {
        is_right = is_right && workspace_size == 0 && executor != untouched && executor != NULL;
        int status_2 = op->phase_2(NULL, 0, executor, NULL);
        if (status_2 != call->status_of_phase_2) {
            const char *why = aclGetRecentErrMsg();
            print_error("  phase 2 answered %d, %d expected: %s\n", status_2, call->status_of_phase_2,
                        why ? why : "");
            is_right = false;
        } else if (status_2 == 0) {
            assert_int_equal(aclrtSynchronizeStream(NULL), 0);
            if (operand[op->operand_count - 1].before != NULL)
                is_right = compare(op, operand, &attributes) == 0 && is_right;
        }
        /* A single-use executor is consumed by phase 2, whether that succeeded or not. */
        is_right = op->phase_2(NULL, 0, executor, NULL) == INVALID && is_right;
    }
    if (status != call->status)
        print_error("  phase 1 answered %d, %d expected: %s\n", status, call->status,
                    sentence ? sentence : "");
    if (attributes.slope_handle != NULL)
        aclDestroyScalar(
            attributes.slope_handle); /* a stale or foreign one answers 161002 and nothing happens */
    for (int i = op->operand_count - 1; i >= 0; i--)
        if (strcmp(call->operand[i], "scalar") == 0)
            aclDestroyScalar((const aclScalar *)(const void *)operand[i].tensor);
        else if (operand[i].is_live)
            release_operand(&operand[i]);
    return is_right;
}

/* All rows of one product, in a process of its own, because a process emulates one product. */
static int run_product(const struct operator_under_test *op, const char *soc, char letter)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("BELAY_SOC", soc, 1);
        int wrong = 0, ran = 0;
        if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
            _exit(100);
        for (int i = 0; i < op->call_count; i++) {
            const struct call *call = &op->calls[i];
            if (call->products != NULL && strchr(call->products, letter) == NULL)
                continue;
            ran++;
            if (!run_call(op, call)) {
                print_error("WRONG on %s: %s\n", soc, call->name);
                wrong++;
            }
        }
        printf("%s on %s: %d calls, %d wrong\n", op->api, soc, ran, wrong);
        aclrtResetDevice(0);
        aclFinalize();
        fflush(NULL);
        _exit(wrong > 99 ? 99 : wrong);
    }
    int result = 0;
    waitpid(child, &result, 0);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 101;
}

static const struct operator_under_test *current;

static void every_row_holds_on_ascend910a(void **state)
{
    (void)state;
    assert_int_equal(run_product(current, "Ascend910A", 'a'), 0);
}

static void every_row_holds_on_ascend910b3(void **state)
{
    (void)state;
    assert_int_equal(run_product(current, "Ascend910B3", 'b'), 0);
}

static void every_row_holds_on_ascend950pr(void **state)
{
    (void)state;
    assert_int_equal(run_product(current, "Ascend950PR", 'c'), 0);
}

int contract_main(const struct operator_under_test *operator_under_test)
{
    current = operator_under_test;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_holds_on_ascend910a),
        cmocka_unit_test(every_row_holds_on_ascend910b3),
        cmocka_unit_test(every_row_holds_on_ascend950pr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
