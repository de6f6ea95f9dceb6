/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The operands of contract.h.
 */
#include "ops/contract_operand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/random.h"
#include "support/reference.h"

enum { FILL = 0xA5 };

struct dtype_text {
    const char *name;
    aclDataType dtype;
    size_t bytes;
};

static const struct dtype_text dtypes[] = {
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

static const struct dtype_text *find_dtype(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strlen(dtypes[i].name) == length && memcmp(dtypes[i].name, text, length) == 0)
            return &dtypes[i];
    return NULL;
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
    const struct dtype_text *dtype = find_dtype(text, length);
    if (dtype == NULL || text[length] != '[')
        return false;
    operand->dtype = dtype->dtype;
    operand->element_bytes = dtype->bytes;
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
    operand->is_tame = strstr(rest, "!tame") != NULL;
    operand->is_benign = strstr(rest, "!benign") != NULL;
    operand->is_minute = strstr(rest, "!minute") != NULL;
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

bool dtype_is_real(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static double value_for(const struct operand *operand)
{
    if (!operand->is_tame && !operand->is_benign && !operand->is_minute)
        return random_value();
    uint64_t bits = random_bits();
    double value = (double)((int64_t)(bits >> 20 & 0xFFFFFF) - 0x800000) * 0x1p-21;
    if (operand->is_minute)
        return ldexp(value, -78);
    return operand->is_tame && bits % 16 == 0 ? ldexp(value, (int)(bits >> 50 & 63) - 58) : value;
}

/* Values for an input: of floats and complex numbers special ones too, of others bytes, some of them 0. */
static void fill(const struct operand *operand, unsigned char *to)
{
    bool is_complex = operand->dtype == ACL_COMPLEX64 || operand->dtype == ACL_COMPLEX128;
    aclDataType part = operand->dtype == ACL_COMPLEX64    ? ACL_FLOAT
                       : operand->dtype == ACL_COMPLEX128 ? ACL_DOUBLE
                                                          : operand->dtype;
    size_t bytes = operand->element_bytes / (is_complex ? 2 : 1);
    for (size_t i = 0; i < operand->span / bytes; i++) {
        uint64_t bits = random_bits();
        bits = bits % 4 == 0 ? 0 : bits >> 8;
        if (dtype_is_real(part))
            reference_store_double(part, value_for(operand), to + i * bytes);
        else
            memcpy(to + i * bytes, &bits, bytes < sizeof bits ? bytes : sizeof bits);
    }
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
    if (!is_output && !operand->is_short)
        fill(operand, host + extra / (operand->is_interior ? 2 : 1));
    assert_int_equal(aclrtMemcpy(operand->block, size, host, size, ACL_MEMCPY_DEFAULT), 0);
    free(host);
}

void operand_create(struct operand *all, struct operand *operand, const char *text, bool is_output)
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

void operand_destroy(struct operand *operand)
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

aclDataType dtype_named(const char *text, size_t length)
{
    const struct dtype_text *dtype = find_dtype(text, length);
    if (dtype == NULL)
        fail_msg("no such dtype: %s", text);
    return dtype->dtype;
}
