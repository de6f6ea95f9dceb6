/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of Add, Sub, Mul and Div.
 */
#include "ops/contract_arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/contract_operand.h"
#include "ops/contract_pairs.h"
#include "support/reference.h"

enum { OUTPUTS = 4, PRODUCTS = 3, ROWS = 8192 };

static const char *const product_letters[PRODUCTS] = {"a", "b", "c"};

/* Scalars of every dtype, of each some that a 16-bit tensor has and some that it has not. */
static const char *const scalars[CONVERSION_DTYPES][3] = {
    {"f32:-1.5", "f32:0.1", "f32:inf"},
    {"f16:0.25", "f16:-0.3", "f16:-0.0"},
    {"bf16:-2", "bf16:0.3", "bf16:1e30"},
    {"f64:0.1", "f64:-3", "f64:1e-310"},
    {"i8:-3", "i8:1", "i8:77"},
    {"i16:-300", "i16:4099", "i16:2"},
    {"i32:100003", "i32:-2", "i32:16777217"},
    {"i64:-5", "i64:9007199254740993", "i64:3000000000"},
    {"u8:200", "u8:3", "u8:0"},
    {"u16:40000", "u16:1", "u16:7"},
    {"u32:4000000000", "u32:3", "u32:1"},
    {"u64:-1", "u64:5", "u64:1"},
    {"bool:1", "bool:0", "bool:1"},
    {"c64:0.5,-2", "c64:1,0", "c64:0,0.1"},
    {"c128:0.1,0.7", "c128:-3,0", "c128:1e-200,1e200"},
};

/* The first is that of the rows that do not care. */
static const char *const alphas[] = {"i64:1",       "f32:1",    "bool:1",      "f64:0.1", "c64:1.5,-2",
                                     "u8:7",        "i64:-2",   "bf16:0.3125", "i32:3",   "f16:-0.3",
                                     "c128:1,0",    "u16:3",    "f32:1e-30",   "bool:0",  "f64:-1",
                                     "c128:0,-1e9", "f32:-1e20"};

static bool has_scalar(enum arithmetic_form form)
{
    return form == SCALAR || form == SCALAR_IN_PLACE;
}

static bool is_in_place(enum arithmetic_form form)
{
    return form == TENSORS_IN_PLACE || form == SCALAR_IN_PLACE;
}

static bool has_alpha(enum arithmetic_operation operation)
{
    return operation == ARITHMETIC_ADD || operation == ARITHMETIC_SUB;
}

/* The texts of the rows of one operator. */
static char texts[1 << 20];
static size_t texts_used;

static const char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *text_of(const char *format, ...)
{
    char *text = texts + texts_used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof texts - texts_used, format, arguments);
    va_end(arguments);
    assert_in_range(length, 0, sizeof texts - texts_used - 1);
    texts_used += (size_t)length + 1;
    return text;
}

/* As contract.c makes a scalar, for what the values of scalars decide. */
static aclDataType read_scalar(const char *text, unsigned char bytes[16])
{
    size_t length = strcspn(text, ":");
    aclDataType dtype = dtype_named(text, length);
    memset(bytes, 0, 16);
    if (dtype_is_real(dtype)) {
        reference_store_double(dtype, strtod(text + length + 1, NULL), bytes);
    } else {
        int64_t integer = strtoll(text + length + 1, NULL, 0);
        memcpy(bytes, &integer, sizeof integer);
    }
    return dtype;
}

struct rows {
    struct call *rows;
    int count;
    enum arithmetic_operation operation;
    enum arithmetic_form form;
};

/* A row of one product, for dtypes by their indices among conversion_dtypes. */
static void add_row(struct rows *to, int self, int other, int out, int which, int product)
{
    static const char *const self_layout[] = {"[67]", "[5,7]{1,5}", "[5,1]{3,1}", "[3,5,7]{1,3,15}+2"};
    static const char *const other_layout[] = {"[67]", "[7]{3}", "[5,7]{7,1}", "[3,1,7]{7,0,1}"};
    static const char *const out_layout[] = {"[67]", "[5,7]{16,2}+1", "[5,7]{1,5}", "[3,5,7]{35,1,5}"};
    static const char *const same_layout[] = {"[67]", "[5,7]{16,2}+1", "[5,7]{1,5}", "[3,5,7]{35,1,5}"};
    const int layout = which % 4;
    const bool in_place = is_in_place(to->form), scalar = has_scalar(to->form);
    unsigned char other_bytes[16], alpha_bytes[16];
    struct arithmetic_call call = {.operation = to->operation,
                                   .has_scalar = scalar,
                                   .product = *product_letters[product],
                                   .self = conversion_dtypes[self],
                                   .other = conversion_dtypes[other],
                                   .out = conversion_dtypes[out],
                                   .other_bytes = other_bytes,
                                   .alpha_bytes = alpha_bytes};
    const char *value = scalars[other][which % 3],
               *alpha = alphas[which % (int)(sizeof alphas / sizeof *alphas)];
    call.alpha = read_scalar(alpha, alpha_bytes);
    if (scalar)
        (void)read_scalar(value, other_bytes);
    struct call row = {.products = product_letters[product],
                       .status = arithmetic_is_accepted(&call) ? OK_ : INVALID};
    /* A column of self is no output for all of other. */
    const char *own = in_place ? same_layout[layout] : scalar ? out_layout[layout] : self_layout[layout];
    const char *text[3];
    int operands = 0;
    if (!in_place)
        text[operands++] = text_of("%s%s", pair_names[self], own);
    if (!scalar)
        text[operands++] = text_of("%s%s", pair_names[other], other_layout[layout]);
    text[operands++] = in_place ? text_of("%s%s", pair_names[self], own)
                                : text_of("%s%s", pair_names[out], out_layout[layout]);
    for (int i = 0; i < operands; i++)
        row.operand[i] = text[i];
    const char *scaled = has_alpha(to->operation) ? text_of("alpha=%s", alpha) : "";
    row.attributes = scalar ? text_of("other=%s %s", value, scaled) : scaled;
    row.name = text_of("%s %s", text[operands - 1], row.attributes);
    assert_true(to->count < ROWS);
    to->rows[to->count++] = row;
}

/* Every dtype of self with every one of other, and with each several of out. */
static void add_dtypes(struct rows *to)
{
    int which = 0;
    for (int self = 0; self < CONVERSION_DTYPES; self++)
        for (int other = 0; other < CONVERSION_DTYPES; other++)
            for (int k = 0; k < (is_in_place(to->form) ? 2 : OUTPUTS); k++) {
                /* Those of the operands, complex ones to which most go, and one after the other. */
                int out = is_in_place(to->form) || k == 0 ? self
                          : k == 1                        ? other
                          : k == 2                        ? 13 + (self + other) % 2
                                                          : (self * 4 + other) % CONVERSION_DTYPES;
                which += 1 + (which % 7 == 0);
                for (int product = 0; product < PRODUCTS; product++)
                    add_row(to, self, other, out, which, product);
            }
}

/* The operator whose rows run, for element. */
static enum arithmetic_operation operation_in_use;
static enum arithmetic_form form_in_use;

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    static char product;
    product = product == 0 ? arithmetic_product() : product;
    const bool is_of_scalar = has_scalar(form_in_use), other_comes_first = form_in_use == TENSORS_IN_PLACE;
    struct arithmetic_call call = {
        .operation = operation_in_use,
        .has_scalar = is_of_scalar,
        .product = product,
        .self = input_dtype[other_comes_first],
        .other = is_of_scalar ? attributes->slope_dtype : input_dtype[!other_comes_first],
        .alpha = attributes->alpha_dtype,
        .out = output_dtype,
        .other_bytes = attributes->slope_bytes,
        .alpha_bytes = attributes->alpha_bytes,
    };
    arithmetic_element(&call, input[other_comes_first],
                       is_of_scalar ? attributes->slope_bytes : input[!other_comes_first], output);
}

/* Of one operator. */
static int run_rows(enum arithmetic_operation operation, enum arithmetic_form form,
                    const struct operator_under_test *phases, const struct arithmetic_rows *own)
{
    static struct call rows[ROWS];
    operation_in_use = operation;
    form_in_use = form;
    texts_used = 0;
    struct rows to = {.rows = rows, .operation = operation, .form = form};
    for (int i = 0; i < own->count; i++)
        rows[to.count++] = own->calls[i];
    add_dtypes(&to);
    struct operator_under_test tested = *phases;
    tested.element = element;
    tested.is_in_place = is_in_place(form);
    tested.output_comes_first = form == TENSORS_IN_PLACE;
    tested.operand_count = form == TENSORS ? 3 : form == SCALAR_IN_PLACE ? 1 : 2;
    const char *const names[ARITHMETIC_FORMS][3] = {
        {"self", "other", "out"}, {"self", "out"}, {"other", "selfRef"}, {"selfRef"}};
    for (int i = 0; i < tested.operand_count; i++)
        tested.operand_names[i] = names[form][i];
    tested.calls = rows;
    tested.call_count = to.count;
    tested.default_attributes = has_alpha(operation)
                                    ? has_scalar(form) ? "other=f32:-0.75 alpha=f32:1" : "alpha=f32:1"
                                : has_scalar(form) ? "other=f32:-0.75"
                                                   : NULL;
    tested.accepted =
        ALL_DTYPES & ~(UINT64_C(1) << ACL_UINT16 | UINT64_C(1) << ACL_UINT32 | UINT64_C(1) << ACL_UINT64);
    return contract_main(&tested);
}

int arithmetic_main(enum arithmetic_operation operation, const struct operator_under_test *phases,
                    const struct arithmetic_rows *own)
{
    int failed = 0;
    for (int form = 0; form < ARITHMETIC_FORMS; form++)
        failed += run_rows(operation, (enum arithmetic_form)form, &phases[form], &own[form]);
    return failed;
}
