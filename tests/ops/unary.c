/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of one tensor that pointwise/unary.h lists, each with an output and in place: the rows of
 * every contract, every pair of dtypes, and layouts; what comes out is judged by MPFR.
 *
 *     unary [NAME]     one of them: Exp, Sqrt
 */

#include <complex.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/contract.h"
#include "ops/find_operator.h"
#include "support/conversion.h"
#include "support/effort.h"
#include "support/sanitizer.h"
#include "support/unary_reference.h"

/* Which dtypes the contract names, written here a second time. */
#define FLT3     " f32 f16 bf16"
#define FLT4     FLT3 " f64"
#define COMPLEX  " c64 c128"
#define INTEGERS " i8 i16 i32 i64 u8"
#define NATURALS " u16 u32 u64"
#define REAL     FLT4 INTEGERS " bool"
#define WHOLE    FLT4 INTEGERS NATURALS
#define ROUND    FLT4 " i32 i64"
#define NEG      FLT4 " i8 i32 i64" COMPLEX
#define SIGN     FLT4 " i32 i64 bool" COMPLEX
#define ALL      REAL NATURALS COMPLEX

/* What out may be, of the list. */
enum out_rule {
    ANY,
    CAN_CAST,      /* what the result may be cast to: no integers from floats, no BOOL from numbers */
    SAME,          /* self's dtype */
    SAME_OR_FLOAT, /* FLOAT where self is no float */
};

/* in_place: NULL where there is no such form. */
static const struct dtype_lists {
    const char *name, *self, *out, *in_place;
    enum out_rule out_rule;
} rules[] = {
    {"TO_FLOATS", REAL, FLT4, FLT4, ANY},
    {"TO_COMPLEX", REAL COMPLEX, FLT4 COMPLEX, FLT4 COMPLEX, ANY},
    {"CASTABLE", REAL, ALL, FLT4, CAN_CAST},
    {"FROM_COMPLEX", REAL COMPLEX, ALL, FLT4 COMPLEX, CAN_CAST},
    {"ROOT", REAL COMPLEX, ALL, FLT4 COMPLEX, CAN_CAST},
    {"EXP", FLT4 " i64 bool" COMPLEX, ALL, FLT4 COMPLEX, CAN_CAST},
    {"EXPM1", FLT3 " i64 bool", ALL, FLT3, CAN_CAST},
    {"LOG10", REAL COMPLEX, FLT4 COMPLEX, FLT4 COMPLEX, SAME_OR_FLOAT},
    {"SAME_FLOATS", FLT4, FLT4, FLT4, SAME},
    {"WHOLE", WHOLE, WHOLE, WHOLE, SAME},
    {"FRAC", FLT3 INTEGERS, FLT3 INTEGERS, FLT3 INTEGERS, SAME},
    {"ROUND", ROUND, ROUND, ROUND, SAME},
    {"NEG", NEG, ALL, NEG, CAN_CAST},
    {"ABS", REAL " c64", REAL, NULL, SAME},
    {"ANGLE", REAL " c64", FLT4, NULL, SAME_OR_FLOAT},
    {"SIGN", SIGN, SIGN, NULL, SAME},
    {"SQUARE", FLT4 INTEGERS, FLT4 INTEGERS, NULL, SAME},
    {"TO_BOOL", REAL, " bool", NULL, ANY},
};

/* Results of integers that are computed as such; they wrap. */
typedef uint64_t integer_function(uint64_t x);

static uint64_t integer_abs(uint64_t x)
{
    return x >> 63 != 0 ? 0 - x : x;
}

static uint64_t integer_neg(uint64_t x)
{
    return 0 - x;
}

static uint64_t integer_sign(uint64_t x)
{
    return x == 0 ? 0 : x >> 63 != 0 ? UINT64_MAX : 1;
}

static uint64_t integer_square(uint64_t x)
{
    return x * x;
}

static uint64_t integer_same(uint64_t x)
{
    return x;
}

static uint64_t integer_zero(uint64_t x)
{
    return 0 * x;
}

#define FROM_FLOATS     NULL
#define ABS_INTEGERS    integer_abs
#define NEG_INTEGERS    integer_neg
#define SIGN_INTEGERS   integer_sign
#define SQUARE_INTEGERS integer_square
#define SAME_INTEGERS   integer_same
#define ZERO_INTEGERS   integer_zero
#define ROOT_INTEGERS   NULL

typedef aclnnStatus phase_1_function(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize,
                                     aclOpExecutor **executor);
typedef aclnnStatus in_place_function(aclTensor *selfRef, uint64_t *workspaceSize, aclOpExecutor **executor);
static const struct member {
    const char *name, *self, *out, *rule;
    bool is_rounded_once;
    integer_function *integers;
    reference_function *reference;
} members[] = {
#define ROUNDED    true
#define MATHS      false
#define LONG_MATHS false
#define UNARY(api, stem, self, out, rule, integers, promise, reference) \
    {#api, #self, #out, #rule, promise, integers, reference},
#define UNARY_IN_PLACE(...)
#include "ops/pointwise/unary.h"
};

/* Of the element that was last asked for. */
static bool is_computed_in_float;

/* What is under test. */
static const struct member *member;
static phase_1_function *phase_1_of_member;
static in_place_function *in_place_of_member;

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return phase_1_of_member(operand[0], operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return in_place_of_member(operand[0], workspace_size, executor);
}

/* The function of this name, and in *phase_1 a pointer to its phase 1. */
static const struct function *find_phases(const char *name, void *phase_1)
{
    char name_of_phase_1[96];
    snprintf(name_of_phase_1, sizeof name_of_phase_1, "%sGetWorkspaceSize", name);
    const struct function *function = find(name);
    void *address = dlsym(RTLD_DEFAULT, name_of_phase_1);
    memcpy(phase_1, &address, sizeof address);
    return function;
}

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

/* Functions of a complex number, in more bits than DOUBLE has. */
static long double complex of_negative(long double complex z)
{
    return -z;
}

static long double complex of_absolute(long double complex z)
{
    return cabsl(z);
}

static long double complex of_inverse(long double complex z)
{
    return 1 / z;
}

static long double complex of_inverse_root(long double complex z)
{
    return 1 / csqrtl(z);
}

static long double complex of_log2(long double complex z)
{
    return clogl(z) / logl(2);
}

static long double complex of_log10(long double complex z)
{
    return clogl(z) / logl(10);
}

static long double complex of_sign(long double complex z)
{
    return z == 0 ? 0 : z / cabsl(z);
}

static long double complex of_angle(long double complex z)
{
    return cargl(z);
}

static const struct {
    const char *name;
    long double complex (*of)(long double complex z);
} complex_references[] = {
    {"aclnnAbs", of_absolute},
    {"aclnnAcosh", cacoshl},
    {"aclnnAngleV2", of_angle},
    {"aclnnAsinh", casinhl},
    {"aclnnAtanh", catanhl},
    {"aclnnCos", ccosl},
    {"aclnnCosh", ccoshl},
    {"aclnnExp", cexpl},
    {"aclnnLog", clogl},
    {"aclnnLog10", of_log10},
    {"aclnnLog2", of_log2},
    {"aclnnNeg", of_negative},
    {"aclnnReciprocal", of_inverse},
    {"aclnnRsqrt", of_inverse_root},
    {"aclnnSign", of_sign},
    {"aclnnSin", csinl},
    {"aclnnSinh", csinhl},
    {"aclnnSqrt", csqrtl},
    {"aclnnTan", ctanl},
};

static bool is_real_of_complex(void)
{
    return strcmp(member->name, "aclnnAbs") == 0 || strcmp(member->name, "aclnnAngleV2") == 0;
}

static bool is_of_complex; /* the call under test has a complex input */

/* What is infinite, NaN, or so large or small that results are, is not judged, as the formulas' limits are
 * theirs: NaN stands for it. */
static void complex_element(const void *input, aclDataType input_dtype, void *output,
                            aclDataType output_dtype)
{
    double z[2], result[2] = {(double)NAN, (double)NAN};
    unsigned char rounded[16];
    const aclDataType computed = is_real_of_complex() ? ACL_FLOAT : input_dtype;
    conversion_reference(input, input_dtype, z, ACL_COMPLEX128);
    const double size = fmax(fabs(z[0]), fabs(z[1]));
    for (size_t i = 0;
         size < 1e2 && size > 1e-30 && i < sizeof complex_references / sizeof complex_references[0]; i++)
        if (strcmp(complex_references[i].name, member->name) == 0) {
            const long double parts[2] = {(long double)z[0], (long double)z[1]};
            long double complex value;
            memcpy(&value, parts, sizeof value); /* a sum would lose the sign of a zero */
            value = complex_references[i].of(value);
            result[0] = (double)creall(value);
            result[1] = (double)cimagl(value);
        }
    conversion_reference(result, ACL_COMPLEX128, rounded, computed);
    conversion_reference(rounded, computed, output, output_dtype);
}

/* Within 2^-44 of the absolute value, or in dtypes with fewer bits within two units of their last place; of
 * a real part alone the absolute value is taken to be 1 at least. */
static bool is_near(const void *found, const void *expected, aclDataType dtype)
{
    double parts[2][2];
    const void *const element[2] = {found, expected};
    for (int i = 0; i < 2; i++)
        conversion_reference(element[i], dtype, parts[i], ACL_COMPLEX128);
    const double size = hypot(parts[1][0], parts[1][1]);
    const bool is_real = is_float(dtype);
    const double share = dtype == ACL_COMPLEX128 || dtype == ACL_DOUBLE ? 0x1p-44
                         : dtype == ACL_COMPLEX64 || dtype == ACL_FLOAT ? 0x1p-22
                         : dtype == ACL_FLOAT16                         ? 0x1p-9
                                                                        : 0x1p-6;
    return isnan(size) || hypot(parts[0][0] - parts[1][0], parts[0][1] - parts[1][1]) <=
                              share * (is_real ? fmax(size, 1) : size) + 0x1p-148;
}

/* Floats in their own dtype, other dtypes as integers or in FLOAT; then as a cast. */
static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    is_of_complex = input_dtype[0] == ACL_COMPLEX64 || input_dtype[0] == ACL_COMPLEX128;
    if (is_of_complex) {
        complex_element(input[0], input_dtype[0], output, output_dtype);
        return;
    }
    if (!is_float(input_dtype[0]) && member->integers != NULL) {
        uint64_t x;
        unsigned char wrapped[8];
        conversion_reference(input[0], input_dtype[0], &x, ACL_INT64);
        x = member->integers(x);
        conversion_reference(&x, input_dtype[0] == ACL_UINT64 ? ACL_UINT64 : ACL_INT64, wrapped,
                             input_dtype[0]);
        conversion_reference(wrapped, input_dtype[0], output, output_dtype);
        return;
    }
    const aclDataType computed = is_float(input_dtype[0]) ? input_dtype[0] : ACL_FLOAT;
    unsigned char argument[8], rounded[8];
    double x, result;
    if (input_dtype[0] == ACL_INT64 &&
        strcmp(member->name, "aclnnSqrt") == 0) { /* of all bits, to FLOAT at once */
        int64_t integer;
        mpfr_t root;
        memcpy(&integer, input[0], sizeof integer);
        mpfr_init2(root, 64);
        mpfr_set_sj(root, integer, MPFR_RNDN);
        mpfr_t single;
        mpfr_init2(single, 24);
        mpfr_sqrt(single, root, MPFR_RNDN);
        result = mpfr_get_d(single, MPFR_RNDN);
        mpfr_clears(root, single, (mpfr_ptr)NULL);
        result = isnan(result) ? (double)NAN : result;
        conversion_reference(&result, ACL_DOUBLE, rounded, ACL_FLOAT);
        conversion_reference(rounded, ACL_FLOAT, output, output_dtype);
        return;
    }
    is_computed_in_float = computed == ACL_FLOAT;
    conversion_reference(input[0], input_dtype[0], argument, computed);
    conversion_reference(argument, computed, &x, ACL_DOUBLE);
    result = unary_nearest(member->reference, arithmetic_of(computed), x);
    result = isnan(result) ? (double)NAN : result;
    conversion_reference(&result, ACL_DOUBLE, rounded, computed);
    conversion_reference(rounded, computed, output, output_dtype);
}

/* The next number of DOUBLE, or of FLOAT where that is computed, as a real part too and converted to whatever
 * is given; 16 bits that are computed are the nearest. */
static bool will_do(const void *found, const void *expected, aclDataType dtype)
{
    double value[2][2] = {{0}};
    if (is_of_complex)
        return is_near(found, expected, dtype);
    const bool is_complex = dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
    const bool is_wide = dtype == ACL_DOUBLE || dtype == ACL_COMPLEX128;
    if (member->is_rounded_once || !(is_computed_in_float || is_wide))
        return false;
    conversion_reference(found, dtype, value[0], is_complex ? ACL_COMPLEX128 : ACL_DOUBLE);
    conversion_reference(expected, dtype, value[1], is_complex ? ACL_COMPLEX128 : ACL_DOUBLE);
    const double unit = dtype == ACL_FLOAT16   ? 0x1p-10
                        : dtype == ACL_BF16    ? 0x1p-7
                        : is_computed_in_float ? 0x1p-23
                                               : 0x1p-52;
    const double least = dtype == ACL_FLOAT16 ? 0x1p-24 : is_computed_in_float ? 0x1p-149 : 0x1p-1074;
    const double apart = fabs(value[0][0] - value[1][0]);
    return apart <= fmax(unit * fabs(value[1][0]), least) && value[0][1] == value[1][1];
}

static const char *const dtype_names[CONVERSION_DTYPES] = {
    "f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "c64", "c128"};

static bool is_in(const char *list, const char *dtype)
{
    char word[8];
    snprintf(word, sizeof word, " %s", dtype);
    const size_t length = strlen(word);
    for (const char *found = strstr(list, word); found != NULL; found = strstr(found + 1, word))
        if (found[length] == ' ' || found[length] == '\0')
            return true;
    return false;
}

static bool is_out(const struct dtype_lists *rule, const char *self, const char *out)
{
    const bool self_is_float = is_in(FLT4, self), is_number = strcmp(self, "bool") != 0;
    const bool is_absolute = strcmp(rule->name, "ABS") == 0 || strcmp(rule->name, "ANGLE") == 0;
    if (!is_in(rule->out, out))
        return false;
    if (is_in(COMPLEX, self) && rule->out_rule != ANY) /* but for sizes and angles complex again */
        return is_absolute ? strcmp(out, "f32") == 0
                           : is_in(COMPLEX, out) && (rule->out_rule == CAN_CAST || strcmp(self, out) == 0);
    switch (rule->out_rule) {
    case SAME:
        return strcmp(self, out) == 0;
    case SAME_OR_FLOAT:
        return strcmp(self_is_float ? self : "f32", out) == 0;
    case CAN_CAST: /* only Neg has integers that do not count as FLOAT */
        if (strcmp(rule->name, "NEG") == 0 && !self_is_float)
            return !is_number || strcmp(out, "bool") != 0;
        return is_in(FLT4 COMPLEX, out);
    default:
        return true;
    }
}

enum { ROWS = CONVERSION_DTYPES * CONVERSION_DTYPES + CONVERSION_DTYPES + 8 };

static char texts[ROWS * 3][32];
static int texts_used;

static const char *text_of(const char *one, const char *between, const char *other)
{
    char *text = texts[texts_used++];
    snprintf(text, sizeof texts[0], "%s%s%s", one, between, other);
    return text;
}

/* Every pair of dtypes; on the products that have BFLOAT16, as the others are told of by the common rows. */
static int write_rows(const struct dtype_lists *rule, struct call *rows, bool is_in_place)
{
    int count = 0;
    texts_used = 0;
    for (int i = 0; i < CONVERSION_DTYPES; i++) {
        const char *self = dtype_names[i];
        if (is_in_place) {
            rows[count++] = (struct call){.name = text_of(self, " in place", ""),
                                          .operand = {text_of(self, "[301]", "")},
                                          .products = "bc",
                                          .status = is_in(rule->in_place, self) ? OK_ : INVALID};
            continue;
        }
        for (int k = 0; k < CONVERSION_DTYPES; k++) {
            const char *out = dtype_names[k];
            bool is_right = is_in(rule->self, self) && is_out(rule, self, out);
            rows[count++] = (struct call){.name = text_of(self, " to ", out),
                                          .operand = {text_of(self, "[301]", ""), text_of(out, "[301]", "")},
                                          .products = "bc",
                                          .status = is_right ? OK_ : INVALID};
        }
    }
    if (rule->out_rule == ANY && strcmp(rule->out, " bool") == 0 && !is_in_place) {
        rows[count++] = (struct call){.name = "transposed", .operand = {"f32[7,9]{1,7}", "bool[7,9]"}};
        rows[count++] = (struct call){.name = "many", .operand = {"f16[70003]", "bool[70003]"}};
        rows[count++] = (struct call){.name = "NULL", .operand = {"NULL", "bool[4]"}, .status = NULLPTR_};
        rows[count++] = (struct call){
            .name = "rank 9", .operand = {"f32[1,1,1,1,1,1,1,1,2]", "bool[2]"}, .status = INVALID};
        rows[count++] = (struct call){.name = "shape", .operand = {"f32[4]", "bool[5]"}, .status = INVALID};
    }
    return count;
}

/* A bit for each dtype that is one of self's or out's. */
static uint64_t accepted(const struct dtype_lists *rule)
{
    uint64_t set = 0;
    for (int i = 0; i < CONVERSION_DTYPES; i++)
        if (is_in(rule->self, dtype_names[i]) || is_in(rule->out, dtype_names[i]))
            set |= UINT64_C(1) << conversion_dtypes[i];
    return set;
}

static int judge(const struct dtype_lists *rule, bool is_in_place)
{
    static struct call rows[ROWS];
    static char api[80], self_ref[16];
    snprintf(api, sizeof api, "aclnn%s%s", is_in_place ? "Inplace" : "", member->name + strlen("aclnn"));
    snprintf(self_ref, sizeof self_ref, "%sRef", member->self);
    const struct function *function =
        is_in_place ? find_phases(api, &in_place_of_member) : find_phases(api, &phase_1_of_member);
    const struct operator_under_test op = {
        .api = api,
        .operand_count = is_in_place ? 1 : 2,
        .is_in_place = is_in_place,
        .operand_names = {is_in_place ? self_ref : member->self, member->out},
        .calls = rows,
        .call_count = write_rows(rule, rows, is_in_place),
        .accepted = accepted(rule),
        .has_own_rows_only = strcmp(rule->name, "TO_BOOL") == 0,
        .phase_1 = is_in_place ? phase_1_in_place : phase_1,
        .phase_2 = function->launch,
        .element = element,
        .will_do = will_do,
    };
    return contract_main(&op);
}

int main(int argc, char **argv)
{
    int wrong = 0;
    /* Of those that differ by their formula alone a sanitizer sees a sample. */
    const size_t step = UNDER_SANITIZER ? (size_t)stride_of_effort(1) : 1;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i += step) {
        member = &members[i];
        if (argc > 1 && strcmp(argv[1], member->name) != 0)
            continue;
        const struct dtype_lists *rule = rules;
        while (strcmp(rule->name, member->rule) != 0)
            rule++;
        wrong += judge(rule, false);
        if (rule->in_place != NULL)
            wrong += judge(rule, true);
    }
    mpfr_free_cache();
    return wrong != 0;
}
