/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay eval: computes an operator on arrays from files, through the same two phases that programs call, and
 * writes the results. What the operator refuses is answered with the library's own sentence.
 */
#include "tools/belay.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "ops/operator.h"
#include "ops/promote.h"
#include "tensor/dtype.h"
#include "tools/operand.h"
#include "tools/specification.h"

enum { KEY_FIRST = 256, KEY_OUT = KEY_FIRST + PARAMETERS_MAX };

/* One evaluation. Arrays are indexed by parameter. */
struct evaluation {
    const struct operator_description *description;
    const char *text[PARAMETERS_MAX + 1]; /* as given on the line; NULL where it was not; the last is --out
                                             of an operator that works in place */
    struct operand operand[PARAMETERS_MAX];
    union argument argument[PARAMETERS_MAX];
    void *workspace;
    aclDataType number_dtype; /* of inputs that are a number and say none */
    struct fault fault;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct evaluation *evaluation = state->input;
    const struct operator_description *description = evaluation->description;
    if (key == ARGP_KEY_ARG)
        argp_error(state, "%s is not an option; every argument is given as --NAME VALUE", argument);
    if (key < KEY_FIRST || key > KEY_OUT)
        return ARGP_ERR_UNKNOWN;
    uint32_t index = (uint32_t)(key - KEY_FIRST);
    if (key == KEY_OUT)
        index = PARAMETERS_MAX;
    for (uint32_t i = 0; key == KEY_OUT && i < description->parameter_count; i++)
        if (description->parameter[i].kind == PARAMETER_OUTPUT)
            index = i;
    if (evaluation->text[index])
        argp_error(state, "--%s is given twice",
                   index < description->parameter_count ? description->parameter[index].name : "out");
    evaluation->text[index] = argument;
    return 0;
}

enum { CHOICES_TEXT = 128 };

/* "none, mean, sum", or NULL where any number will do. */
static const char *list_choices(const struct parameter *parameter, char *text)
{
    size_t length = 0;
    for (int i = 0; parameter->choice_names && parameter->choice_names[i] && length < CHOICES_TEXT; i++)
        length += (size_t)snprintf(text + length, CHOICES_TEXT - length, i ? ", %s" : "%s",
                                   parameter->choice_names[i]);
    return length ? text : NULL;
}

/* The help of an option; NULL where there is nothing to say. */
static const char *describe(const struct parameter *parameter, char *text)
{
    text[0] = 0;
    list_choices(parameter, text);
    size_t length = strlen(text);
    if (parameter->default_text)
        snprintf(text + length, CHOICES_TEXT - length, "%s%s unless given", length ? "; " : "",
                 parameter->default_text);
    return text[0] ? text : NULL;
}

/* The options of this operator: its parameters by their names, and --out for its output. */
static void parse_line(struct evaluation *evaluation, int argc, char **argv)
{
    static const char *const value_names[] = {
        [PARAMETER_INPUT] = "FILE",       [PARAMETER_OUTPUT] = "FILE",  [PARAMETER_IN_PLACE] = "FILE",
        [PARAMETER_OVERWRITTEN] = "FILE", [PARAMETER_DTYPE] = "DTYPE",  [PARAMETER_SCALAR] = "NUMBER",
        [PARAMETER_INT64] = "NUMBER",     [PARAMETER_FLOAT] = "NUMBER", [PARAMETER_DOUBLE] = "NUMBER",
        [PARAMETER_BOOL] = "true|false",
    };
    static const char documentation[] =
        "Computes OPERATOR on arrays from files.\v"
        "FILE of an input is an .npy file, FILE:BF16 one whose 2-byte elements are bfloat16, FILE:FLOAT:4x2 "
        "a file of raw elements, and a number, such as 1:FLOAT, a tensor with no dims; without a dtype it "
        "has "
        "that of the first input that says one, or FLOAT. FILE of the "
        "output is the .npy file to write, FILE:FLOAT16 with another dtype than the promoted one, or than "
        "FLOAT for quotients of integers; without it "
        "the results are printed. A file that is there already is replaced once all is written, and stays as "
        "it is when writing fails. A scalar is a NUMBER, NUMBER:INT32 with another dtype than DOUBLE.\n\n"
        "Results are exact: the operator's formula rounded once. BELAY_ACCURACY=default gives what programs "
        "get by default. BELAY_SOC selects the product.";
    const struct operator_description *description = evaluation->description;
    struct argp_option options[PARAMETERS_MAX + 2] = {0};
    static char choices[PARAMETERS_MAX][CHOICES_TEXT];
    bool has_out = false;
    uint32_t count = 0;
    for (; count < description->parameter_count; count++) {
        const struct parameter *parameter = &description->parameter[count];
        options[count] = (struct argp_option){.name = parameter->name,
                                              .key = KEY_FIRST + (int)count,
                                              .arg = value_names[parameter->kind],
                                              .doc = describe(parameter, choices[count]),
                                              .group = (int)count};
        has_out = has_out || strcmp(parameter->name, "out") == 0;
    }
    if (!has_out)
        options[count] = (struct argp_option){
            .name = "out", .key = KEY_OUT, .arg = "FILE", .doc = "the output, whatever its name is"};
    const struct argp argp = {options, parse, NULL, documentation, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, evaluation);
    for (uint32_t i = 0; i < description->parameter_count; i++)
        if (!evaluation->text[i])
            evaluation->text[i] = description->parameter[i].default_text;
}

static bool read_int64(struct evaluation *evaluation, uint32_t index)
{
    const struct parameter *parameter = &evaluation->description->parameter[index];
    const char *text = evaluation->text[index];
    for (int64_t i = 0; parameter->choice_names && parameter->choice_names[i]; i++)
        if (strcmp(text, parameter->choice_names[i]) == 0) {
            evaluation->argument[index].int64 = i;
            return true;
        }
    char choices[CHOICES_TEXT];
    if (element_parse(text, ACL_INT64, &evaluation->argument[index].int64, &evaluation->fault))
        return true;
    if (list_choices(parameter, choices))
        fault_set(&evaluation->fault, "%s is none of %s", text, choices);
    return false;
}

static bool read_dtype(struct evaluation *evaluation, uint32_t index)
{
    const char *text = evaluation->text[index];
    aclDataType dtype = dtype_from_name(text, strlen(text));
    evaluation->argument[index].int64 = dtype;
    return dtype != ACL_DT_UNDEFINED || fault_set(&evaluation->fault, "%s is not a dtype", text);
}

static bool read_boolean(struct evaluation *evaluation, uint32_t index)
{
    const char *text = evaluation->text[index];
    if (element_parse(text, ACL_BOOL, &evaluation->argument[index].boolean, &evaluation->fault))
        return true;
    return fault_set(&evaluation->fault, "%s is not a truth value; true or false is expected", text);
}

/* NUMBER or NUMBER:DTYPE; the value is copied into the scalar. */
static bool read_scalar(struct evaluation *evaluation, uint32_t index)
{
    unsigned char element[16];
    char number[ELEMENT_TEXT];
    const char *text = evaluation->text[index], *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    aclDataType dtype = colon ? dtype_from_name(colon + 1, strlen(colon + 1)) : ACL_DOUBLE;
    if (dtype == ACL_DT_UNDEFINED)
        return fault_set(&evaluation->fault, "%s is not a dtype", colon + 1);
    if (length >= sizeof number)
        return fault_set(&evaluation->fault, "%s is too long for a number", text);
    memcpy(number, text, length);
    number[length] = 0;
    if (!element_parse(number, dtype, element, &evaluation->fault))
        return false;
    evaluation->argument[index].scalar = aclCreateScalar(element, dtype);
    if (!evaluation->argument[index].scalar)
        return fault_from_library(&evaluation->fault, 0);
    return true;
}

/* Everything but the outputs, which depend on the inputs. */
static bool read_argument(struct evaluation *evaluation, uint32_t index)
{
    const struct parameter *parameter = &evaluation->description->parameter[index];
    union argument *argument = &evaluation->argument[index];
    const char *text = evaluation->text[index];
    if (!text)
        return true;
    switch (parameter->kind) {
    case PARAMETER_INPUT:
    case PARAMETER_IN_PLACE:
    case PARAMETER_OVERWRITTEN:
        if (!operand_read(&evaluation->operand[index], text, evaluation->number_dtype, &evaluation->fault))
            return false;
        argument->tensor = evaluation->operand[index].tensor;
        return true;
    case PARAMETER_SCALAR:
        return read_scalar(evaluation, index);
    case PARAMETER_DTYPE:
        return read_dtype(evaluation, index);
    case PARAMETER_INT64:
        return read_int64(evaluation, index);
    case PARAMETER_FLOAT:
        return element_parse(text, ACL_FLOAT, &argument->fp32, &evaluation->fault);
    case PARAMETER_DOUBLE:
        return element_parse(text, ACL_DOUBLE, &argument->fp64, &evaluation->fault);
    case PARAMETER_BOOL:
        return read_boolean(evaluation, index);
    case PARAMETER_OUTPUT:
        return true;
    }
    return fault_set(&evaluation->fault, "a parameter of this kind cannot be given");
}

/* Whether the result is one element. */
static bool is_reduced(const struct evaluation *evaluation)
{
    const struct operator_description *description = evaluation->description;
    for (uint32_t i = 0; description->reduced_by && i < description->parameter_count; i++)
        if (strcmp(description->parameter[i].name, description->reduced_by) == 0)
            return evaluation->argument[i].int64 != 0;
    return false;
}

/*
 * Whether an output has the dtype of inputs on every product whose inputs may have it. Quotients of integers
 * may be integers on some products, but are FLOAT everywhere.
 */
static bool is_usual(const struct operator_description *description, const struct parameter *output,
                     aclDataType dtype)
{
    uint64_t taken = 0, missing = 0;
    for (int product = 0; product < PRODUCTS; product++) {
        taken |= output->dtypes->on[product];
        for (uint32_t i = 0; i < description->parameter_count; i++)
            if (description->parameter[i].kind == PARAMETER_INPUT)
                missing |= description->parameter[i].dtypes->on[product] & ~output->dtypes->on[product];
    }
    return (taken & ~missing & DTYPE_BIT(dtype)) != 0;
}

/*
 * What an output is unless the user says otherwise: the dtype that an argument names or that the inputs
 * promote to, FLOAT where that is not usual, the shape that they broadcast to, or none. Where they do
 * neither, anything will do, as the operator refuses the inputs.
 */
static void predict_output(const struct evaluation *evaluation, const struct parameter *output,
                           struct array *array)
{
    bool is_first = true;
    for (uint32_t i = 0; i < evaluation->description->parameter_count; i++) {
        if (evaluation->description->parameter[i].kind != PARAMETER_INPUT)
            continue;
        const struct array *input = &evaluation->operand[i].array;
        aclDataType dtype = is_first ? input->dtype : promote(array->dtype, input->dtype);
        array->dtype = dtype == ACL_DT_UNDEFINED ? input->dtype : dtype;
        array_broadcast(array, input);
        is_first = false;
    }
    for (uint32_t i = 0; i < evaluation->description->parameter_count; i++)
        if (evaluation->description->parameter[i].kind == PARAMETER_DTYPE && evaluation->text[i])
            array->dtype = (aclDataType)evaluation->argument[i].int64;
    if (!is_usual(evaluation->description, output, array->dtype))
        array->dtype = ACL_FLOAT;
    if (is_reduced(evaluation))
        array->rank = 0;
}

static bool create_output(struct evaluation *evaluation, uint32_t index)
{
    struct array predicted = {0};
    predict_output(evaluation, &evaluation->description->parameter[index], &predicted);
    if (!operand_create(&evaluation->operand[index], evaluation->text[index], &predicted, &evaluation->fault))
        return false;
    evaluation->argument[index].tensor = evaluation->operand[index].tensor;
    for (uint32_t i = 0; i < evaluation->description->parameter_count; i++)
        if (evaluation->description->parameter[i].kind == PARAMETER_DTYPE && !evaluation->text[i])
            evaluation->argument[i].int64 = evaluation->operand[index].array.dtype;
    return true;
}

static bool compute(struct evaluation *evaluation)
{
    const struct operator_description *description = evaluation->description;
    uint64_t workspace_bytes = 0;
    aclOpExecutor *executor = NULL;
    int status = operator_plan_anew(description, evaluation->argument, &workspace_bytes, &executor);
    if (status == 0 && workspace_bytes > 0)
        status = aclrtMalloc(&evaluation->workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0)
        status = description->launch(evaluation->workspace, workspace_bytes, executor, NULL);
    if (status == 0)
        status = aclrtSynchronizeStream(NULL);
    if (status != 0)
        return fault_from_library(&evaluation->fault, status);
    return true;
}

/* What to complain of: the option where one is at fault. */
static int complain(const struct evaluation *evaluation, const char *option)
{
    fprintf(stderr, "belay eval: %s%s%s%s\n", option ? "--" : "", option ? option : "", option ? ": " : "",
            evaluation->fault.text);
    return STATUS_REFUSED;
}

static bool is_plain_number(const struct evaluation *evaluation, uint32_t index)
{
    const struct parameter *parameter = &evaluation->description->parameter[index];
    return (parameter_is_read(parameter) || parameter_is_changed(parameter)) && evaluation->text[index] &&
           array_is_plain_number(evaluation->text[index]);
}

static int evaluate(struct evaluation *evaluation)
{
    const struct operator_description *description = evaluation->description;
    int status = aclrtSetDevice(0);
    if (status != 0) {
        fault_from_library(&evaluation->fault, status);
        return complain(evaluation, NULL);
    }
    for (uint32_t i = 0; i < description->parameter_count; i++)
        if (description->parameter[i].kind != PARAMETER_OUTPUT &&
            description->parameter[i].kind != PARAMETER_DTYPE && !evaluation->text[i] &&
            !description->parameter[i].is_optional) {
            fault_set(&evaluation->fault, "--%s is missing", description->parameter[i].name);
            return complain(evaluation, NULL);
        }
    /* Plain numbers after the others, which decide their dtype. */
    evaluation->number_dtype = ACL_DT_UNDEFINED;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < description->parameter_count; i++) {
            if (description->parameter[i].kind == PARAMETER_OUTPUT || is_plain_number(evaluation, i) != pass)
                continue;
            if (!read_argument(evaluation, i))
                return complain(evaluation, description->parameter[i].name);
            if (evaluation->operand[i].tensor && evaluation->number_dtype == ACL_DT_UNDEFINED)
                evaluation->number_dtype = evaluation->operand[i].array.dtype;
        }
        if (evaluation->number_dtype == ACL_DT_UNDEFINED)
            evaluation->number_dtype = ACL_FLOAT;
    }
    for (uint32_t i = 0; i < description->parameter_count; i++)
        if (description->parameter[i].kind == PARAMETER_OUTPUT && !create_output(evaluation, i))
            return complain(evaluation, description->parameter[i].name);
    if (!compute(evaluation))
        return complain(evaluation, NULL);
    for (uint32_t i = 0; i < description->parameter_count; i++)
        if (parameter_is_changed(&description->parameter[i]) &&
            !operand_name_file(&evaluation->operand[i], evaluation->text[PARAMETERS_MAX], &evaluation->fault))
            return complain(evaluation, "out");
    for (uint32_t i = 0; i < description->parameter_count; i++)
        if (parameter_is_written(&description->parameter[i]) &&
            !operand_write(&evaluation->operand[i], &evaluation->fault))
            return complain(evaluation, description->parameter[i].name);
    return finish_output("belay eval");
}

static void release(struct evaluation *evaluation)
{
    for (uint32_t i = 0; i < evaluation->description->parameter_count; i++) {
        operand_destroy(&evaluation->operand[i]);
        if (evaluation->description->parameter[i].kind == PARAMETER_SCALAR)
            aclDestroyScalar(evaluation->argument[i].scalar);
    }
    if (evaluation->workspace)
        aclrtFree(evaluation->workspace);
    aclrtResetDevice(0);
}

/* Whether name is that of the API in words: "inplace_add" of aclnnInplaceAdd. */
static bool is_in_words(const char *name, const char *api)
{
    char words[128];
    size_t length = 0;
    for (const char *from = api + strlen("aclnn"); *from != 0 && length + 2 < sizeof words; from++) {
        if (isupper((unsigned char)*from) && length > 0)
            words[length++] = '_';
        words[length++] = (char)tolower((unsigned char)*from);
    }
    words[length] = 0;
    return strcmp(words, name) == 0;
}

/* By the stem of a header last: where it declares several operators, it is the name in words of the first. */
static const struct operator_description *find_operator(const char *name)
{
    size_t count;
    const struct operator_description *const *list = operators(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->operation.name, name) == 0 || is_in_words(name, list[i]->operation.name))
            return list[i];
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->stem, name) == 0)
            return list[i];
    return NULL;
}

int verb_eval(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        bool is_asked_for = argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--usage") == 0);
        fprintf(is_asked_for ? stdout : stderr,
                "Usage: belay eval OPERATOR --ARGUMENT VALUE...\n"
                "`belay eval OPERATOR --help` lists the arguments, `belay ops` the operators.\n");
        return is_asked_for ? finish_output("belay eval") : STATUS_USAGE;
    }
    struct evaluation evaluation = {.description = find_operator(argv[1])};
    if (!evaluation.description) {
        fprintf(stderr, "belay eval: there is no operator %s; belay ops lists them\n", argv[1]);
        return STATUS_USAGE;
    }
    char title[128];
    snprintf(title, sizeof title, "belay eval %s", evaluation.description->operation.name);
    argv[1] = title; /* for argp's messages */
    parse_line(&evaluation, argc - 1, argv + 1);
    /* Results are meant to be references. What the user asks for by the variable stands. */
    setenv("BELAY_ACCURACY", "exact", 0);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the write, with a sentence */
    int status = evaluate(&evaluation);
    release(&evaluation);
    return status;
}
