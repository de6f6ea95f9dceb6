/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay eval: computes an operator on arrays from files, through the same two phases that programs call, and
 * writes the results. What the operator refuses is answered with the library's own sentence.
 */
#include "tools/belay.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "base/name_distance.h"
#include "ops/call.h"
#include "tensor/dtype.h"
#include "tools/argument.h"
#include "tools/complete.h"
#include "tools/exact_result.h"
#include "tools/operator_name.h"
#include "tools/specification.h"

enum { KEY_FIRST = 256, KEY_OUT = KEY_FIRST + PARAMETERS_MAX };

/* One evaluation. */
struct evaluation {
    const struct function *function;
    struct given given[PARAMETERS_MAX]; /* by parameter */
    const char *out;                    /* --out of a function that works in place */
    void *workspace;
    struct fault fault;
    bool adds_up; /* sums are to be exact */
};

/* The parameter that --out stands for, or PARAMETERS_MAX: the first output. */
static uint32_t first_output(const struct function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (parameter_is_output(&function->parameter[i]))
            return i;
    return PARAMETERS_MAX;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct evaluation *evaluation = state->input;
    if (key == ARGP_KEY_ARG) {
        complain("%s: %.256s is not an option; every argument is given as --NAME VALUE", state->name,
                 argument);
        argp_state_help(state, state->err_stream, ARGP_HELP_STD_ERR);
    }
    if (key < KEY_FIRST || key > KEY_OUT)
        return ARGP_ERR_UNKNOWN;
    uint32_t index = key == KEY_OUT ? first_output(evaluation->function) : (uint32_t)(key - KEY_FIRST);
    const char **text = index < PARAMETERS_MAX ? &evaluation->given[index].text : &evaluation->out;
    if (*text)
        argp_error(state, "--%s is given twice",
                   index < PARAMETERS_MAX ? evaluation->given[index].parameter->name : "out");
    *text = argument;
    return 0;
}

/* The dtypes that some product takes, as many as there is room for. */
static void list_dtypes(const struct dtype_set *dtypes, char *text)
{
    size_t length = 0;
    for (int i = 0; i < 64; i++)
        if ((dtypes->on[PRODUCT_910A] | dtypes->on[PRODUCT_910B] | dtypes->on[PRODUCT_950]) & DTYPE_BIT(i) &&
            length + strlen(dtype_name((aclDataType)i)) + 8 < CHOICES_TEXT)
            length += (size_t)snprintf(text + length, CHOICES_TEXT - length, "%s%s", length ? ", " : "",
                                       dtype_name((aclDataType)i));
}

/* The help of an option; NULL where there is nothing to say. */
static const char *describe(const struct parameter *parameter, char *text)
{
    text[0] = 0;
    argument_choices(parameter, text);
    if (parameter_is_tensor(parameter) && parameter->dtypes)
        list_dtypes(parameter->dtypes, text);
    size_t length = strlen(text);
    if (parameter->usual)
        snprintf(text + length, CHOICES_TEXT - length, "%s%s unless given", length ? "; " : "",
                 parameter->usual);
    return text[0] ? text : NULL;
}

/* Whether it is one, or the beginning of one: argp takes these, too. */
static bool is_option(const struct argp_option *options, const char *name)
{
    static const char *const others[] = {"help", "usage", "version"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(others[i], name, length) == 0)
            return true;
    while (options->name && strncmp(options->name, name, length) != 0)
        options++;
    return options->name != NULL;
}

/* Says which options the operator has, and which one may be meant. */
static void refuse_option(const struct argp_option *options, const char *title, const char *name)
{
    struct nearest_name nearest = nearest_name_to(name);
    char list[1024] = "";
    size_t written = 0;
    for (const struct argp_option *option = options; option->name; option++) {
        nearest_name_try(&nearest, option->name);
        if (written < sizeof list)
            written += (size_t)snprintf(list + written, sizeof list - written, "%s--%s",
                                        option == options ? "" : ", ", option->name);
    }
    complain("%s: there is no option --%s; %s has %s%s%s%s", title, name, title + strlen("belay eval "), list,
             nearest.name ? "; did you mean --" : "", nearest.name ? nearest.name : "",
             nearest.name ? "?" : "");
}

/* Ends the command where an option is given that the operator has not. */
static void check_options(const struct argp_option *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0')
            continue;
        char name[NAME_DISTANCE_LETTERS];
        const size_t length = strcspn(argv[i] + 2, "=");
        if (length >= sizeof name)
            continue; /* argp's own complaint has its beginning */
        memcpy(name, argv[i] + 2, length);
        name[length] = '\0';
        if (!is_option(options, name)) {
            refuse_option(options, argv[0], name);
            exit(STATUS_USAGE);
        }
        i += argv[i][2 + length] == '\0'; /* its value */
    }
}

/* The options of this operator: its parameters by their names, and --out for its output. */
static void parse_line(struct evaluation *evaluation, int argc, char **argv)
{
    static const char *const value_names[PARAMETER_KINDS] = {
        [PARAMETER_TENSOR] = "FILE",
        [PARAMETER_TENSOR_LIST] = "FILE,...",
        [PARAMETER_SCALAR] = "NUMBER",
        [PARAMETER_SCALAR_LIST] = "NUMBER,...",
        [PARAMETER_INT_ARRAY] = "NUMBER,...",
        [PARAMETER_BOOL_ARRAY] = "true|false,...",
        [PARAMETER_FLOAT_ARRAY] = "NUMBER,...",
        [PARAMETER_DTYPE] = "DTYPE",
        [PARAMETER_INT64] = "NUMBER",
        [PARAMETER_INT32] = "NUMBER",
        [PARAMETER_INT8] = "NUMBER",
        [PARAMETER_FLOAT] = "NUMBER",
        [PARAMETER_DOUBLE] = "NUMBER",
        [PARAMETER_BOOL] = "true|false",
        [PARAMETER_STRING] = "TEXT",
    };
    const struct function *function = evaluation->function;
    struct argp_option options[PARAMETERS_MAX + 2] = {0};
    static char choices[PARAMETERS_MAX][CHOICES_TEXT];
    bool has_out = false;
    uint32_t count = 0;
    for (; count < function->parameter_count; count++) {
        const struct parameter *parameter = &function->parameter[count];
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
    const struct verb verb = {
        .about = verb_eval.about, .options = options, .more = verb_eval.more, .examples = verb_eval.examples};
    check_options(options, argc, argv);
    verb_parse(&verb, parse, argc, argv, evaluation);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (!evaluation->given[i].text)
            evaluation->given[i].text = function->parameter[i].usual;
}

/* A dtype that is not given is what the output's file says, or that of the first tensor. */
static void set_dtypes(struct evaluation *evaluation)
{
    const struct function *function = evaluation->function;
    struct specification specification = {.dtype = ACL_DT_UNDEFINED};
    uint32_t output = first_output(function);
    const char *text = output < PARAMETERS_MAX ? evaluation->given[output].text : NULL;
    if (text && specification_parse(text, &specification, &evaluation->fault))
        free(specification.path);
    for (uint32_t i = 0; specification.dtype == ACL_DT_UNDEFINED && i < function->parameter_count; i++)
        if (evaluation->given[i].count > 0)
            specification.dtype = evaluation->given[i].operand->array.dtype;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_DTYPE && !evaluation->given[i].text)
            evaluation->given[i].argument.int64 = specification.dtype;
}

static void collect_arguments(const struct evaluation *evaluation, union argument *argument)
{
    for (uint32_t i = 0; i < evaluation->function->parameter_count; i++)
        argument[i] = evaluation->given[i].argument;
}

/* What infer says of the outputs is what they are made, unless the user says otherwise. */
static const struct parameter *create_outputs(struct evaluation *evaluation, bool *is_good)
{
    const struct function *function = evaluation->function;
    union argument argument[PARAMETERS_MAX];
    struct result result;
    collect_arguments(evaluation, argument);
    int status = function_infer(function, argument, &result);
    *is_good = status == 0;
    if (status != 0) {
        fault_from_library(&evaluation->fault, status);
        return NULL;
    }
    for (uint32_t i = 0, written = 0; i < function->parameter_count; i++) {
        const struct output *output = &result.output[written];
        written += parameter_is_written(&function->parameter[i]);
        if (!parameter_is_output(&function->parameter[i]))
            continue;
        *is_good = argument_create(&evaluation->given[i], output, &evaluation->given[output->like],
                                   &evaluation->fault);
        if (!*is_good)
            return &function->parameter[i];
    }
    return NULL;
}

static bool compute(struct evaluation *evaluation)
{
    const struct function *function = evaluation->function;
    union argument argument[PARAMETERS_MAX];
    uint64_t workspace_bytes = 0;
    aclOpExecutor *executor = NULL;
    collect_arguments(evaluation, argument);
    int status = function_plan_anew(function, argument, &workspace_bytes, &executor);
    if (status == 0 && workspace_bytes > 0)
        status = aclrtMalloc(&evaluation->workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0)
        status = function->launch(evaluation->workspace, workspace_bytes, executor, NULL);
    if (status == 0)
        status = aclrtSynchronizeStream(NULL);
    if (status != 0)
        return fault_from_library(&evaluation->fault, status);
    return true;
}

/* What to complain of: the option where one is at fault. */
static int refuse(const struct evaluation *evaluation, const char *option)
{
    complain("belay eval: %s%s%s%s", option ? "--" : "", option ? option : "", option ? ": " : "",
             evaluation->fault.text);
    return STATUS_REFUSED;
}

/* Plain numbers come after the other tensors, which decide their dtype. */
static const struct parameter *read_arguments(struct evaluation *evaluation)
{
    const struct function *function = evaluation->function;
    aclDataType number_dtype = ACL_DT_UNDEFINED;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < function->parameter_count; i++) {
            struct given *given = &evaluation->given[i];
            if (argument_is_plain_number(given) != pass)
                continue;
            if (!argument_read(given, number_dtype, &evaluation->fault))
                return given->parameter;
            if (given->count > 0 && number_dtype == ACL_DT_UNDEFINED)
                number_dtype = given->operand->array.dtype;
        }
        if (number_dtype == ACL_DT_UNDEFINED)
            number_dtype = ACL_FLOAT;
    }
    return NULL;
}

static bool is_missing(const struct given *given)
{
    return !given->text && !given->parameter->is_optional && !parameter_is_output(given->parameter) &&
           given->parameter->kind != PARAMETER_DTYPE;
}

/* Results in the order of the call; those in place go to --out. */
static const struct parameter *write_results(struct evaluation *evaluation)
{
    for (uint32_t i = 0; i < evaluation->function->parameter_count; i++) {
        const struct given *given = &evaluation->given[i];
        if (!parameter_is_written(given->parameter))
            continue;
        if (parameter_is_changed(given->parameter) && given->count == 1 &&
            !operand_name_file(given->operand, evaluation->out, &evaluation->fault))
            return given->parameter;
        if (!argument_write(given, &evaluation->fault))
            return given->parameter;
    }
    return NULL;
}

static int evaluate(struct evaluation *evaluation)
{
    int status = aclrtSetDevice(0);
    if (status != 0) {
        fault_from_library(&evaluation->fault, status);
        return refuse(evaluation, NULL);
    }
    for (uint32_t i = 0; i < evaluation->function->parameter_count; i++)
        if (is_missing(&evaluation->given[i])) {
            fault_set(&evaluation->fault, "--%s is missing", evaluation->given[i].parameter->name);
            return refuse(evaluation, NULL);
        }
    const struct parameter *at_fault = read_arguments(evaluation);
    if (at_fault)
        return refuse(evaluation, at_fault->name);
    set_dtypes(evaluation);
    bool is_good;
    at_fault = create_outputs(evaluation, &is_good);
    if (!is_good)
        return refuse(evaluation, at_fault ? at_fault->name : NULL);
    if (!compute(evaluation) ||
        (evaluation->adds_up && !exact_result(evaluation->function, evaluation->given, &evaluation->fault)))
        return refuse(evaluation, NULL);
    at_fault = write_results(evaluation);
    if (at_fault)
        return refuse(evaluation, parameter_is_changed(at_fault) ? "out" : at_fault->name);
    return finish_output("belay eval");
}

static void release(struct evaluation *evaluation)
{
    for (uint32_t i = 0; i < evaluation->function->parameter_count; i++)
        argument_destroy(&evaluation->given[i]);
    if (evaluation->workspace)
        aclrtFree(evaluation->workspace);
    aclrtResetDevice(0);
}

static int run(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        if (argc < 2 || (strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "--usage") != 0)) {
            verb_print_usage(&verb_eval);
            return STATUS_USAGE;
        }
        verb_print_help(&verb_eval, argv[1]);
        return finish_output("belay eval");
    }
    struct evaluation evaluation = {.function = operator_find("belay eval", argv[1])};
    if (!evaluation.function)
        return STATUS_USAGE;
    char title[128];
    snprintf(title, sizeof title, "belay eval %s", evaluation.function->operation.name);
    for (uint32_t i = 0; i < evaluation.function->parameter_count; i++)
        evaluation.given[i].parameter = &evaluation.function->parameter[i];
    argv[1] = title; /* for argp's messages */
    parse_line(&evaluation, argc - 1, argv + 1);
    /* Results are meant to be references. What the user asks for by the variable stands. */
    setenv("BELAY_ACCURACY", "exact", 0);
    evaluation.adds_up = strcmp(getenv("BELAY_ACCURACY"), "exact") == 0;
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the write, with a sentence */
    int status = evaluate(&evaluation);
    release(&evaluation);
    return status;
}

/* The values that a parameter takes, where these are few. */
static void offer_values(struct completion *completion, const struct parameter *parameter)
{
    if (parameter_is_tensor(parameter)) {
        completion_offer_files();
    } else if (parameter->kind == PARAMETER_DTYPE) {
        for (int i = 0; i < 64; i++)
            if (parameter->dtypes && parameter->dtypes->on[PRODUCT_950] & DTYPE_BIT(i))
                completion_offer(completion, dtype_name((aclDataType)i), NULL);
    } else if (parameter->kind == PARAMETER_BOOL) {
        completion_offer(completion, "true", NULL);
        completion_offer(completion, "false", NULL);
    }
    for (int i = 0; parameter->choices && parameter->choices[i]; i++)
        completion_offer(completion, parameter->choices[i], NULL);
}

static void complete(struct completion *completion, const char *option, int count, const char *const *words)
{
    if (count == 2) {
        operator_offer(completion);
        return;
    }
    const struct function *function = operator_find("belay eval", words[1]);
    bool is_named = false;
    for (uint32_t i = 0; function && i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        is_named = is_named || strcmp(parameter->name, "out") == 0;
        if (!option)
            completion_offer_option(completion, parameter->name, parameter_kind_name(parameter->kind));
        else if (strcmp(option, parameter->name) == 0)
            offer_values(completion, parameter);
    }
    if (function && !is_named && !option)
        completion_offer_option(completion, "out", "the output");
    if (function && !is_named && option && strcmp(option, "out") == 0)
        completion_offer_files();
}

static const struct argp_option options[] = {
    {"--NAME=VALUE", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "an argument, by its name in the call: belay eval OPERATOR --help lists those of OPERATOR", 0},
    {"--out=FILE", 0, NULL, OPTION_DOC | OPTION_NO_USAGE, "the output, whatever its name is", 0},
    {0}};

static const struct example examples[] = {
    {"belay eval aclnnSiluBackward --gradOutput 1 --self -0.5", "of numbers; the result is printed"},
    {"belay eval silu_backward --gradOutput g.npy --self x.npy --out y.npy", "of files"},
    {"belay eval aclnnCast --self x.bin:FLOAT:4x2 --dtype BF16 --out y.npy", "of a file of raw elements"},
    {"belay eval adds --self x.npy --other 2:INT32 --alpha 1 --out y.npy:BF16",
     "with a scalar, and an output of another dtype"},
    {0}};

const struct verb verb_eval = {
    .name = "eval",
    .summary = "compute an operator on arrays from files",
    .words = "OPERATOR --NAME VALUE...",
    .about = "Computes OPERATOR on arrays from files.",
    .options = options,
    .more =
        "Inputs: FILE is an .npy file, FILE:BF16 one whose 2-byte elements are bfloat16, FILE:FLOAT8_E4M3FN "
        "or FILE:FLOAT4_E2M1, say, one whose bytes are numbers of 8 or 4 bits each, FILE:FLOAT:4x2 a "
        "file of raw elements. A number, such as 1:FLOAT or 1+2j:COMPLEX64, is a tensor with no dims; "
        "and [[1,2],[3,4]] or [0,1]:INT64 one that is written out; "
        "without a dtype they have that of the first input that says one, or FLOAT. A file whose name is a "
        "number is given as ./NAME. A scalar is a NUMBER, NUMBER:INT32 with another dtype than DOUBLE.\n\n"
        "Outputs: FILE is the .npy file to write, FILE:FLOAT16 with another dtype than the usual one; "
        "without it, or with -, the results are printed, a line for each element, or to a terminal in rows "
        "behind dtype and shape, the first 1000. A file that is there already is replaced once all "
        "is written, "
        "and stays as it is when writing fails.\n\n"
        "Results are the operator's formula rounded once. " EXACT_FUNCTIONS
        " of floats are added up exactly; other sums "
        "(convolutions, attention, rows) in a fixed order, as docs/accuracy.md says. BELAY_ACCURACY=default "
        "gives what "
        "programs get by default. BELAY_SOC selects the product.",
    .examples = examples,
    .run = run,
    .complete = complete,
};
