/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads and runs the tables of contract.h.
 */
#include "ops/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/contract_operand.h"
#include "ops/contract_rows.h"
#include "support/effort.h"
#include "support/reference.h"

/* With small effort, of each call. */
enum { ELEMENTS_JUDGED = 64 };

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
    if (dtype_is_real(attributes->slope_dtype)) {
        reference_store_double(attributes->slope_dtype, value, bytes);
        attributes->slope = (long double)reference_load(attributes->slope_dtype, bytes);
    } else if (attributes->slope_dtype == ACL_COMPLEX64 || attributes->slope_dtype == ACL_COMPLEX128) {
        bool is_wide = attributes->slope_dtype == ACL_COMPLEX128;
        const char *comma = strpbrk(text, ", ");
        double imaginary = comma != NULL && *comma == ',' ? strtod(comma + 1, NULL) : 0;
        reference_store_double(is_wide ? ACL_DOUBLE : ACL_FLOAT, value, bytes);
        reference_store_double(is_wide ? ACL_DOUBLE : ACL_FLOAT, imaginary, bytes + (is_wide ? 8 : 4));
    } else {
        int64_t integer = strtoll(text + length + 1, NULL,
                                  0); /* little-endian: a prefix of the bytes is the narrower integer */
        memcpy(bytes, &integer, sizeof integer);
        attributes->slope = (long double)integer;
    }
    memcpy(attributes->slope_bytes, bytes, sizeof bytes);
    attributes->slope_handle = aclCreateScalar(bytes, attributes->slope_dtype);
}

static void make_alpha(const char *text, struct attributes *attributes)
{
    struct attributes made = {0};
    make_slope(text, &made);
    attributes->alpha_dtype = made.slope_dtype;
    attributes->alpha_handle = made.slope_handle;
    memcpy(attributes->alpha_bytes, made.slope_bytes, sizeof made.slope_bytes);
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
            } else if (strncmp(rest, "alpha", 5) == 0) {
                if (attributes.alpha_handle != NULL)
                    aclDestroyScalar(attributes.alpha_handle);
                make_alpha(value, &attributes);
            } else if (strncmp(rest, "slope", 5) == 0 || strncmp(rest, "value", 5) == 0 ||
                       strncmp(rest, "other", 5) == 0) {
                if (attributes.slope_handle != NULL)
                    aclDestroyScalar(attributes.slope_handle);
                make_slope(value, &attributes);
            } else if (strncmp(rest, "dtype", 5) == 0) {
                attributes.dtype = dtype_named(value, strcspn(value, " "));
                attributes.has_dtype = true;
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

/* The elements over which the inputs broadcast, as an operand without memory. */
static struct operand broadcast_of(const struct operand *operand, int inputs)
{
    struct operand all = {.count = 1};
    for (int i = 0; i < inputs; i++)
        all.rank = operand[i].rank > all.rank ? operand[i].rank : all.rank;
    for (int k = 0; k < all.rank; k++) {
        all.shape[k] = 1;
        for (int i = 0; i < inputs; i++) {
            int missing = all.rank - operand[i].rank;
            if (k >= missing && operand[i].shape[k - missing] != 1)
                all.shape[k] = operand[i].shape[k - missing];
        }
        all.count *= all.shape[k];
    }
    return all;
}

/* The sum of all elements' results, or their mean: to so many bits that only a tie could be missed. */
static void reduce_all(const struct operator_under_test *op, const struct operand *operand,
                       const struct attributes *attributes, aclDataType arithmetic, mpfr_ptr sum)
{
    struct operand all = broadcast_of(operand, contract_inputs(op));
    int64_t index[DIMS_MAX] = {0};
    mpfr_t result;
    mpfr_init2(result, REFERENCE_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t n = 0; n < all.count; n++) {
        double value[OPERANDS_MAX];
        for (int i = 0; i < contract_inputs(op); i++)
            value[i] =
                reference_load(operand[i].dtype, operand[i].before + place_of(&operand[i], &all, index) *
                                                                         operand[i].element_bytes);
        op->reference(result, value, attributes, (uint64_t)all.count, arithmetic);
        mpfr_add(sum, sum, result, MPFR_RNDN);
        for (int i = all.rank - 1; i >= 0 && ++index[i] == all.shape[i]; i--)
            index[i] = 0;
    }
    if (attributes->reduction == 1)
        mpfr_div_ui(sum, sum, (unsigned long)all.count, MPFR_RNDN);
    mpfr_clear(result);
}

/* A pass that repeats with small effort what another one has judged, as the sanitizers' do, which watch what a
 * call reads and writes, judges the first elements and then one of so many. */
static int64_t judged_step(void)
{
    return effort() < 0.2 ? stride_of_effort(1) : 1;
}

/* Computes what the output's memory should hold now and compares all of it; the number of wrong elements. */
static int compare(const struct operator_under_test *op, struct operand *operand,
                   const struct attributes *attributes)
{
    int inputs = contract_inputs(op);
    struct operand *output = &operand[op->operand_count - 1];
    unsigned char *expected = (unsigned char *)malloc(output->span),
                  *found = (unsigned char *)malloc(output->span);
    memcpy(expected, output->before, output->span);
    assert_int_equal(aclrtMemcpy(found, output->span, output->data, output->span, ACL_MEMCPY_DEFAULT), 0);
    aclDataType arithmetic = arithmetic_of(operand, inputs);
    mpfr_t result;
    mpfr_init2(result, REFERENCE_BITS);
    int64_t index[DIMS_MAX] = {0};
    const bool is_reduced = op->has_reductions && attributes->reduction != 0;
    const int64_t step = judged_step();
    if (is_reduced) {
        reduce_all(op, operand, attributes, arithmetic, result);
        reference_round(result, arithmetic);
        reference_store(output->dtype, result, expected + (size_t)output->offset * output->element_bytes);
    }
    for (int64_t n = 0; n < output->count && !is_reduced; n++) {
        unsigned char *target = expected + place_of(output, output, index) * output->element_bytes;
        const void *input[OPERANDS_MAX];
        double value[OPERANDS_MAX];
        aclDataType dtype[OPERANDS_MAX];
        for (int i = 0; i < inputs; i++) {
            input[i] = operand[i].before + place_of(&operand[i], output, index) * operand[i].element_bytes;
            dtype[i] = operand[i].dtype;
        }
        const bool is_judged = n < ELEMENTS_JUDGED || n % step == 0;
        if (op->element != NULL || !is_judged)
            memcpy(target, found + (target - expected), output->element_bytes);
        if (!is_judged) {
            /* It is what it is. */
        } else if (op->element != NULL) {
            op->element(input, dtype, target, output->dtype, attributes);
        } else {
            for (int i = 0; i < inputs; i++)
                value[i] = reference_load(dtype[i], input[i]);
            op->reference(result, value, attributes, (uint64_t)output->count, arithmetic);
            reference_round(result, arithmetic);
            reference_store(output->dtype, result, target);
        }
        for (int i = output->rank - 1; i >= 0 && ++index[i] == output->shape[i]; i--)
            index[i] = 0;
    }
    int wrong = 0;
    for (size_t i = 0; i < output->span; i += output->element_bytes)
        if (memcmp(expected + i, found + i, output->element_bytes) != 0 &&
            !(op->will_do != NULL && op->will_do(found + i, expected + i, output->dtype))) {
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
        operand_create(operand, &operand[i], call->operand[i], i >= contract_inputs(op));
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
    if (attributes.alpha_handle != NULL)
        aclDestroyScalar(attributes.alpha_handle);
    for (int i = op->operand_count - 1; i >= 0; i--)
        if (strcmp(call->operand[i], "scalar") == 0)
            aclDestroyScalar((const aclScalar *)(const void *)operand[i].tensor);
        else if (operand[i].is_live)
            operand_destroy(&operand[i]);
    return is_right;
}

double contract_slope(const struct attributes *attributes, aclDataType arithmetic)
{
    mpfr_t slope;
    mpfr_init2(slope, 64);
    mpfr_set_ld(slope, attributes->slope, MPFR_RNDN);
    reference_round(slope, arithmetic == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT);
    double value = mpfr_get_d(slope, MPFR_RNDN);
    mpfr_clear(slope);
    return value;
}

struct tally {
    int ran;
    int wrong;
};

static void run_rows(const struct operator_under_test *op, const struct call *calls, int count,
                     const char *soc, char letter, struct tally *tally)
{
    for (int i = 0; i < count; i++) {
        const struct call *call = &calls[i];
        if (call->products != NULL && strchr(call->products, letter) == NULL)
            continue;
        /* With small effort once, on a product that has it. */
        if (judged_step() > 1 && letter != 'b' &&
            (call->products == NULL || strchr(call->products, 'b') != NULL))
            continue;
        tally->ran++;
        if (!run_call(op, call)) {
            print_error("WRONG on %s: %s\n", soc, call->name);
            tally->wrong++;
        }
    }
}

/* All rows of one product, in a process of its own, because a process emulates one product. */
static int run_product(const struct operator_under_test *op, const char *soc, char letter)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("BELAY_SOC", soc, 1);
        static struct call rows[ROWS_MAX];
        struct tally tally = {0, 0};
        if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
            _exit(100);
        run_rows(op, op->calls, op->call_count, soc, letter, &tally);
        if (!op->has_own_rows_only)
            run_rows(op, rows, contract_rows(op, rows), soc, letter, &tally);
        printf("%s on %s: %d calls, %d wrong\n", op->api, soc, tally.ran, tally.wrong);
        aclrtResetDevice(0);
        aclFinalize();
        fflush(NULL);
        _exit(tally.wrong > 99 ? 99 : tally.wrong);
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
