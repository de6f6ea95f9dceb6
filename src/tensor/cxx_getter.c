/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Members of the classes behind the handles that clients in C++ are linked with (numpy-ascend): aclTensor,
 * aclScalar and aclArray<long> by the names that their compilers make of them. No header declares them; a
 * handle that is stale or foreign answers NULL, 0 or an undefined dtype with a recorded sentence, as nothing
 * can be thrown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/report.h"
#include "tensor/array.h"
#include "tensor/dtype.h"
#include "tensor/lifetime.h"
#include "tensor/tensor.h"

/* ge::DataType numbers dtypes as aclDataType does, but for this one. */
enum { GE_DT_UNDEFINED = 28 };

#pragma GCC visibility push(default)
void *tensor_get_data(const aclTensor *tensor) __asm__("_ZNK9aclTensor7GetDataEv");
const int64_t *int_array_get_data(const aclIntArray *array) __asm__("_ZNK8aclArrayIlE7GetDataEv");
int32_t scalar_get_data_type(const aclScalar *scalar) __asm__("_ZNK9aclScalar11GetDataTypeEv");
const void *scalar_get_data(const aclScalar *scalar) __asm__("_ZNK9aclScalar7GetDataEv");
float scalar_to_float(const aclScalar *scalar) __asm__("_ZNK9aclScalar7ToFloatEv");
/* The classes of C++ for complex numbers are returned as C's types are. */
float _Complex scalar_to_complex64(const aclScalar *scalar) __asm__("_ZNK9aclScalar11ToComplex64Ev");
double _Complex scalar_to_complex128(const aclScalar *scalar) __asm__("_ZNK9aclScalar12ToComplex128Ev");
#pragma GCC visibility pop

/* Where the first element of the view lies. */
void *tensor_get_data(const aclTensor *tensor)
{
    struct tensor_view view;
    if (lifetime_check() != 0)
        return NULL;
    if (!tensor_read(tensor, &view)) {
        report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                      "aclTensor::GetData: tensor %s; a tensor is expected", tensor_fault(tensor));
        return NULL;
    }
    if (view.data == NULL || !view.is_possible)
        return view.data;
    return (char *)view.data + view.offset * (int64_t)dtype_bytes(view.dtype);
}

const int64_t *int_array_get_data(const aclIntArray *array)
{
    const void *values = NULL;
    if (lifetime_check() == 0 && !array_values(HANDLE_INT_ARRAY, array, &values))
        report_misuse(array_rule(HANDLE_INT_ARRAY, array), ACLNN_ERR_PARAM_INVALID,
                      "aclArray::GetData: array %s; an array of integers is expected",
                      array_fault(HANDLE_INT_ARRAY, array));
    return (const int64_t *)values;
}

/* False with a sentence where the handle is no live scalar. */
static bool read(const char *api, const aclScalar *scalar, struct scalar_value *value)
{
    if (lifetime_check() != 0)
        return false;
    if (scalar_read(scalar, value))
        return true;
    report_misuse(scalar_rule(scalar), ACLNN_ERR_PARAM_INVALID,
                  "aclScalar::%s: scalar %s; a scalar is expected", api, scalar_fault(scalar));
    return false;
}

int32_t scalar_get_data_type(const aclScalar *scalar)
{
    struct scalar_value value;
    return read("GetDataType", scalar, &value) ? (int32_t)value.dtype : GE_DT_UNDEFINED;
}

const void *scalar_get_data(const aclScalar *scalar)
{
    struct scalar_value value;
    return read("GetData", scalar, &value) ? scalar_given(scalar) : NULL;
}

static bool is_complex(const struct scalar_value *value)
{
    return dtype_is_one_of(value->dtype, DTYPES_COMPLEX);
}

static bool is_natural(const struct scalar_value *value)
{
    return dtype_is_one_of(value->dtype, DTYPES_NATURALS | DTYPE_BIT(ACL_UINT8));
}

static bool is_integer(const struct scalar_value *value)
{
    return dtype_is_one_of(value->dtype, DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL)) && !is_natural(value);
}

/* The real part in one step: a conversion to double first would round some integers twice. */
float scalar_to_float(const aclScalar *scalar)
{
    struct scalar_value value;
    if (!read("ToFloat", scalar, &value))
        return 0;
    return is_natural(&value)   ? (float)value.value.natural
           : is_integer(&value) ? (float)value.value.integer
           : is_complex(&value) ? (float)value.value.complex_[0]
                                : (float)value.value.real;
}

float _Complex scalar_to_complex64(const aclScalar *scalar)
{
    union {
        float part[2];
        float _Complex whole;
    } result = {{0, 0}};
    struct scalar_value value;
    if (read("ToComplex64", scalar, &value)) {
        result.part[0] = scalar_to_float(scalar);
        result.part[1] = is_complex(&value) ? (float)value.value.complex_[1] : 0;
    }
    return result.whole;
}

double _Complex scalar_to_complex128(const aclScalar *scalar)
{
    union {
        double part[2];
        double _Complex whole;
    } result = {{0, 0}};
    struct scalar_value value;
    if (read("ToComplex128", scalar, &value)) {
        result.part[0] = is_natural(&value)   ? (double)value.value.natural
                         : is_integer(&value) ? (double)value.value.integer
                         : is_complex(&value) ? value.value.complex_[0]
                                              : value.value.real;
        result.part[1] = is_complex(&value) ? value.value.complex_[1] : 0;
    }
    return result.whole;
}

/*
 * ge::AscendString, a shared pointer to a string: the clients' code copies and destroys it by itself, through
 * the counts and the virtual functions of the block that owns the string, laid out as libstdc++ does on every
 * processor.
 */
struct owned_string {
    const struct functions *functions;
    int32_t uses, watchers;
    struct {
        char *characters;
        size_t length, capacity, unused;
    } string;
    char text[96];
};

struct ascend_string {
    void *string;
    struct owned_string *owner;
};

/* A string of characters has nothing to destroy; the block is freed when nobody knows of it any more. */
static void dispose(struct owned_string *owner)
{
    (void)owner;
}

static void destroy(struct owned_string *owner)
{
    free(owner);
}

static void *no_deleter(struct owned_string *owner, const void *type)
{
    (void)owner, (void)type;
    return NULL;
}

/* Two destructors, then what the last user, the last watcher, and whoever asks for a deleter call. */
static const struct functions {
    void (*end)(struct owned_string *);
    void (*end_and_free)(struct owned_string *);
    void (*dispose)(struct owned_string *);
    void (*destroy)(struct owned_string *);
    void *(*deleter)(struct owned_string *, const void *);
} functions = {dispose, destroy, dispose, destroy, no_deleter};

static void print(const struct scalar_value *value, char *text, size_t bytes)
{
    if (value->dtype == ACL_BOOL)
        snprintf(text, bytes, "%s", value->value.integer != 0 ? "true" : "false");
    else if (is_natural(value))
        snprintf(text, bytes, "%" PRIu64, value->value.natural);
    else if (is_integer(value))
        snprintf(text, bytes, "%" PRId64, value->value.integer);
    else if (is_complex(value))
        snprintf(text, bytes, "(%.17g,%.17g)", value->value.complex_[0], value->value.complex_[1]);
    else
        snprintf(text, bytes, "%.9g", value->value.real);
    if (value->dtype == ACL_DOUBLE)
        snprintf(text, bytes, "%.17g", value->value.real);
}

/* The empty string, which has no owner, where there is no scalar or no memory. */
struct ascend_string *scalar_to_string(struct ascend_string *result,
                                       const aclScalar *scalar) __asm__("belay_scalar_to_string")
    __attribute__((visibility("hidden"), used));

struct ascend_string *scalar_to_string(struct ascend_string *result, const aclScalar *scalar)
{
    struct scalar_value value;
    *result = (struct ascend_string){NULL, NULL};
    if (!read("ToString", scalar, &value))
        return result;
    struct owned_string *owner = (struct owned_string *)malloc(sizeof *owner);
    if (owner == NULL) {
        fail(ACLNN_ERR_INNER, "aclScalar::ToString: there is no memory for a text");
        return result;
    }
    *owner = (struct owned_string){.functions = &functions, .uses = 1, .watchers = 1};
    print(&value, owner->text, sizeof owner->text);
    owner->string.characters = owner->text;
    owner->string.length = strlen(owner->text);
    owner->string.capacity = sizeof owner->text - 1;
    *result = (struct ascend_string){&owner->string, owner};
    return result;
}

/*
 * C++ has the place of a result that is a class as a hidden argument, which C has for no structure of this
 * size: the first argument on x86-64, so that the function above is the member, a register of its own on
 * AArch64.
 */
#if defined(__x86_64__)
#define HIDDEN_ARGUMENT "endbr64\n\tjmp belay_scalar_to_string\n"
#elif defined(__aarch64__)
#define HIDDEN_ARGUMENT "hint #34\n\tmov x1, x0\n\tmov x0, x8\n\tb belay_scalar_to_string\n"
#else
#error "there is no entry for this processor yet"
#endif
__asm__(
    ".text\n\t.p2align 4\n\t.globl _ZNK9aclScalar8ToStringEv\n\t.type _ZNK9aclScalar8ToStringEv, %function\n"
    "_ZNK9aclScalar8ToStringEv:\n\t" HIDDEN_ARGUMENT
    "\t.size _ZNK9aclScalar8ToStringEv, .-_ZNK9aclScalar8ToStringEv\n");
