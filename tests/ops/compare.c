/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparisons and logic, with an output and in place: the rows of every contract, every pair of dtypes, and
 * every dtype beside scalars of all kinds. Numbers are compared as long doubles, which have all of them.
 *
 *     compare [NAME]     one of them: EqTensor, InplaceGtScalar, LogicalNot
 */
#include "ops/pointwise/compare.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/contract.h"
#include "ops/contract_pairs.h"
#include "ops/find_operator.h"
#include "support/arithmetic.h"
#include "support/effort.h"
#include "support/sanitizer.h"

_Static_assert(sizeof(long double) > 8, "long doubles have 64 bits of a number");

/* In one number: real and, of complex dtypes, imaginary part. */
struct number {
    long double real, imaginary;
};

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static struct number number_of(aclDataType dtype, const void *element)
{
    double parts[2] = {0, 0};
    int64_t integer;
    uint64_t natural;
    if (is_complex(dtype) || is_float(dtype)) {
        conversion_reference(element, dtype, parts, is_complex(dtype) ? ACL_COMPLEX128 : ACL_DOUBLE);
        return (struct number){(long double)parts[0], (long double)parts[1]};
    }
    if (dtype == ACL_BOOL) {
        unsigned char byte;
        memcpy(&byte, element, 1);
        return (struct number){byte != 0, 0};
    }
    if (dtype == ACL_UINT64) {
        memcpy(&natural, element, sizeof natural);
        return (struct number){(long double)natural, 0};
    }
    conversion_reference(element, dtype, &integer, ACL_INT64);
    return (struct number){(long double)integer, 0};
}

/* The element as it is in another dtype; of the same it stays. */
static struct number number_in(aclDataType computed, aclDataType dtype, const void *element)
{
    unsigned char converted[16];
    conversion_reference(element, dtype, converted, computed);
    return number_of(computed, converted);
}

static bool is_true(struct number number)
{
    return !(number.real == 0 && number.imaginary == 0);
}

static bool holds(enum relation relation, struct number a, struct number b)
{
    switch (relation) {
    case RELATION_EQUAL:
        return a.real == b.real && a.imaginary == b.imaginary;
    case RELATION_NOT_EQUAL:
        return !(a.real == b.real && a.imaginary == b.imaginary);
    case RELATION_LESS:
        return a.real < b.real;
    case RELATION_LESS_OR_EQUAL:
        return a.real <= b.real;
    case RELATION_GREATER:
        return a.real > b.real;
    case RELATION_GREATER_OR_EQUAL:
        return a.real >= b.real;
    case RELATION_BOTH_TRUE:
        return is_true(a) && is_true(b);
    case RELATION_ANY_TRUE:
        return is_true(a) || is_true(b);
    case RELATION_ONE_TRUE:
        return is_true(a) != is_true(b);
    default:
        return !is_true(a);
    }
}

static bool is_logic(enum relation relation)
{
    return relation >= RELATION_BOTH_TRUE;
}

/* What a tensor and a scalar are compared in; undefined: as the numbers that they are, which is exact. */
static bool compares_exactly(aclDataType self, aclDataType scalar)
{
    return !is_float(self) && !is_complex(self) && !is_float(scalar) && !is_complex(scalar);
}

static aclDataType computed_beside_scalar(aclDataType self, aclDataType scalar)
{
    bool is_own = is_complex(self) || (is_float(self) && !is_complex(scalar));
    return is_own ? self : arithmetic_promoted(self, scalar);
}

enum form { TENSORS, TENSORS_IN_PLACE, SCALAR_AND_OUT, SCALAR_IN_PLACE, ONE, ONE_IN_PLACE };

static const struct member {
    const char *name;
    enum relation relation;
    enum form form;
} members[] = {
#define COMPARISON(api, stem, relation, form, dtypes) {#api, RELATION_##relation, form},
#define LOGIC(api, stem, relation, form)              {#api, RELATION_##relation, form},
#include "ops/pointwise/comparisons.h"
};

static const struct member *member; /* that is under test */

static bool is_in_place(void)
{
    return member->form == TENSORS_IN_PLACE || member->form == SCALAR_IN_PLACE ||
           member->form == ONE_IN_PLACE;
}

static bool has_scalar(void)
{
    return member->form == SCALAR_AND_OUT || member->form == SCALAR_IN_PLACE;
}

/* The one of the six signatures that it has. */
static union {
    void *any;
    aclnnStatus (*tensors)(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*tensors_in_place)(aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*scalar)(const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*scalar_in_place)(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*one)(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*one_in_place)(aclTensor *, uint64_t *, aclOpExecutor **);
} phases;

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes, uint64_t *bytes,
                           aclOpExecutor **executor)
{
    const aclScalar *scalar = attributes->slope_handle;
    switch (member->form) {
    case TENSORS:
        return phases.tensors(operand[0], operand[1], operand[2], bytes, executor);
    case TENSORS_IN_PLACE:
        return phases.tensors_in_place(operand[1], operand[0], bytes, executor);
    case SCALAR_AND_OUT:
        return phases.scalar(operand[0], scalar, operand[1], bytes, executor);
    case SCALAR_IN_PLACE:
        return phases.scalar_in_place(operand[0], scalar, bytes, executor);
    case ONE:
        return phases.one(operand[0], operand[1], bytes, executor);
    default:
        return phases.one_in_place(operand[0], bytes, executor);
    }
}

static void element(const void *const *input, const aclDataType *dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    /* In place the harness has the operand that is written behind the other one. */
    const bool is_turned = member->form == TENSORS_IN_PLACE;
    const void *self = input[is_turned], *other = has_scalar() ? attributes->slope_bytes : input[!is_turned];
    const aclDataType self_dtype = dtype[is_turned];
    struct number a = number_of(self_dtype, self), b = {0, 0};
    if (member->form != ONE && member->form != ONE_IN_PLACE) {
        const aclDataType other_dtype = has_scalar() ? attributes->slope_dtype : dtype[!is_turned];
        bool is_exact =
            is_logic(member->relation) || (has_scalar() && compares_exactly(self_dtype, other_dtype));
        const aclDataType computed = has_scalar() ? computed_beside_scalar(self_dtype, other_dtype)
                                                  : arithmetic_promoted(self_dtype, other_dtype);
        b = number_of(other_dtype, other);
        if (!is_exact) {
            a = number_in(computed, self_dtype, self);
            b = number_in(computed, other_dtype, other);
        }
    }
    const unsigned char truth = holds(member->relation, a, b);
    conversion_reference(&truth, ACL_BOOL, output, output_dtype);
}

/* Whether the dtypes of the operands that are read may be compared. */
static bool is_accepted(aclDataType self, aclDataType other)
{
    const bool is_ordered = member->relation >= RELATION_LESS && !is_logic(member->relation);
    if (is_logic(member->relation))
        return true;
    if (is_ordered && (is_complex(self) || is_complex(other)))
        return false;
    if (has_scalar() && compares_exactly(self, other))
        return true;
    return (has_scalar() ? computed_beside_scalar(self, other) : arithmetic_promoted(self, other)) !=
           ACL_DT_UNDEFINED;
}

static const char *const scalars[] = {"f32:0.1",        "f32:nan", "f16:-1.5",     "bf16:inf", "f64:0.1",
                                      "f64:3",          "i8:-1",   "i16:300",      "i32:77",   "i64:-129",
                                      "i64:5000000000", "u8:200",  "u64:-1",       "u32:3",    "bool:1",
                                      "bool:0",         "c64:1,0", "c128:-0.0,0.5"};
static const aclDataType scalar_dtypes[] = {ACL_FLOAT,  ACL_FLOAT,     ACL_FLOAT16,   ACL_BF16,   ACL_DOUBLE,
                                            ACL_DOUBLE, ACL_INT8,      ACL_INT16,     ACL_INT32,  ACL_INT64,
                                            ACL_INT64,  ACL_UINT8,     ACL_UINT64,    ACL_UINT32, ACL_BOOL,
                                            ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

enum {
    SCALARS = sizeof scalars / sizeof scalars[0],
    ROWS = CONVERSION_DTYPES * (CONVERSION_DTYPES + SCALARS)
};

static char texts[ROWS * 4][40];

/* Of every self an other tensor or scalar, in layouts that take turns; out has each dtype at times. */
static int write_rows(struct call *rows)
{
    static const char *const self_layout[] = {"[1037]", "[5,7]{1,5}", "[9,5,7]"};
    static const char *const other_layout[] = {"[1037]", "[5,1]{3,3}", "[5,7]{7,1}+3"};
    static const char *const out_layout[] = {"[1037]", "[5,7]{16,2}+1", "[9,5,7]{35,1,5}"};
    const bool is_one = member->form == ONE || member->form == ONE_IN_PLACE;
    const int others = is_one ? 3 : has_scalar() ? SCALARS : CONVERSION_DTYPES;
    int count = 0, used = 0;
    for (int i = 0; i < CONVERSION_DTYPES; i++)
        for (int k = 0; k < others; k++) {
            const int layout = (i + k) % 3, out = is_in_place() ? i : (i * 4 + k * 7) % CONVERSION_DTYPES;
            const aclDataType other = has_scalar() ? scalar_dtypes[k] : conversion_dtypes[k];
            const char *self = pair_names[i];
            char *name = texts[used++], *first = texts[used++], *second = texts[used++],
                 *third = texts[used++];
            bool is_right = is_one || is_accepted(conversion_dtypes[i], other);
            struct call row = {.name = name, .products = "bc", .status = is_right ? OK_ : INVALID};
            snprintf(name, sizeof texts[0], "%s beside %s", self,
                     is_one         ? "nothing"
                     : has_scalar() ? scalars[k]
                                    : pair_names[k]);
            snprintf(first, sizeof texts[0], "%s%s", self,
                     is_in_place() ? out_layout[layout] : self_layout[layout]);
            snprintf(second, sizeof texts[0], "%s%s", pair_names[k % CONVERSION_DTYPES],
                     other_layout[layout]);
            snprintf(third, sizeof texts[0], "%s%s", pair_names[out], out_layout[layout]);
            if (member->form == TENSORS) {
                row.operand[0] = first;
                row.operand[1] = second;
                row.operand[2] = third;
            } else if (member->form == TENSORS_IN_PLACE) {
                row.operand[0] = second;
                row.operand[1] = first;
            } else {
                row.operand[0] = first;
                row.operand[1] = is_in_place() ? NULL : third;
            }
            if (has_scalar()) {
                snprintf(second, sizeof texts[0], "other=%s", scalars[k]);
                row.attributes = second;
            }
            rows[count++] = row;
        }
    return count;
}

static int judge(void)
{
    static struct call rows[ROWS];
    const char *const api = member->name;
    char phase_1_name[96];
    snprintf(phase_1_name, sizeof phase_1_name, "%sGetWorkspaceSize", api);
    const struct function *function = find(api);
    phases.any = dlsym(RTLD_DEFAULT, phase_1_name);
    struct operator_under_test op = {
        .api = api,
        .operand_count = member->form == TENSORS                             ? 3
                         : is_in_place() && member->form != TENSORS_IN_PLACE ? 1
                                                                             : 2,
        .is_in_place = is_in_place(),
        .broadcasts_to_output = member->form == TENSORS_IN_PLACE,
        .output_comes_first = member->form == TENSORS_IN_PLACE,
        .accepted = ALL_DTYPES,
        .calls = rows,
        .call_count = write_rows(rows),
        .default_attributes = has_scalar() ? "other=f32:0.5" : NULL,
        .phase_1 = phase_1,
        .phase_2 = function->launch,
        .element = element,
    };
    const char *const self = is_in_place() ? "selfRef" : "self";
    op.operand_names[0] = member->form == TENSORS_IN_PLACE ? "other" : self;
    op.operand_names[1] = member->form == TENSORS ? "other" : member->form == TENSORS_IN_PLACE ? self : "out";
    op.operand_names[2] = "out";
    return contract_main(&op);
}

int main(int argc, char **argv)
{
    int wrong = 0;
    /* Of those that differ by their formula alone a sanitizer sees a sample. */
    const size_t step = UNDER_SANITIZER ? (size_t)stride_of_effort(1) : 1;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i += step) {
        member = &members[i];
        if (argc < 2 || strcmp(argv[1], member->name) == 0)
            wrong += judge();
    }
    return wrong != 0;
}
