/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay ops: the operators, from the descriptions that the library itself checks arguments by.
 */
#include "tools/belay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/function.h"
#include "runtime/named/named_operator.h"
#include "tensor/dtype.h"
#include "tools/complete.h"
#include "tools/operator_name.h"
#include "tools/operator_table.h"
#include "tools/pytorch_name.h"
#include "tools/state.h"
#include "tools/where.h"

struct request {
    const char *name; /* of the one operator that is asked for; NULL for all */
    bool as_json, as_markdown, as_names, as_kinds, as_places, as_refused, with_details;
};

static const char *const product_names[PRODUCTS] = {
    [PRODUCT_910A] = "910A",
    [PRODUCT_910B] = "910B, A3",
    [PRODUCT_950] = "950",
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    if (key == 'a' || key == 'r') {
        request->with_details |= key == 'a';
        request->as_refused |= key == 'r';
        return 0;
    }
    if (key == 'j' || key == 'm' || key == 'n' || key == 'k' || key == 'w') {
        request->as_json = key == 'j';
        request->as_markdown = key == 'm';
        request->as_names = key == 'n';
        request->as_kinds = key == 'k';
        request->as_places = key == 'w';
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (request->name)
        argp_error(state, "one operator at most is expected");
    request->name = argument;
    return 0;
}

static void print_dtypes(uint64_t dtypes)
{
    const char *separator = "";
    for (int i = 0; i < 64; i++)
        if (dtypes & DTYPE_BIT(i)) {
            printf("%s%s", separator, dtype_name((aclDataType)i));
            separator = " ";
        }
}

/* All dtypes that some product takes, and which of them a product lacks. */
static void print_dtype_set(const struct dtype_set *set)
{
    uint64_t all = 0;
    for (int i = 0; i < PRODUCTS; i++)
        all |= set->on[i];
    print_dtypes(all);
    for (int i = 0; i < PRODUCTS; i++)
        if (set->on[i] != all) {
            printf(" (not on %s: ", product_names[i]);
            print_dtypes(all & ~set->on[i]);
            printf(")");
        }
}

static void print_parameter(const struct parameter *parameter)
{
    static const char *const role_names[] = {[ROLE_READ] = "",
                                             [ROLE_WRITTEN] = " out",
                                             [ROLE_BOTH] = " in place",
                                             [ROLE_OVERWRITTEN] = " overwritten",
                                             [ROLE_IGNORED] = " ignored"};
    char kind[32];
    snprintf(kind, sizeof kind, "%s%s", parameter_kind_name(parameter->kind), role_names[parameter->role]);
    printf("  %-14s %-18s", parameter->name, kind);
    if (parameter->dtypes)
        print_dtype_set(parameter->dtypes);
    for (int i = 0; parameter->choices && parameter->choices[i]; i++)
        printf("%s%d %s", i ? ", " : "", i, parameter->choices[i]);
    printf("%s\n", parameter->is_optional ? " (may be NULL)" : "");
}

static void print_operator(const struct function *function, bool is_first)
{
    printf("%s%s  #include \"aclnnop/aclnn_%s.h\"\n", is_first ? "" : "\n", function->operation.name,
           function->stem);
    for (uint32_t j = 0; j < function->parameter_count; j++)
        print_parameter(&function->parameter[j]);
    char text[64];
    const struct promise *promise = function->promise;
    if (function->operation.run_index != NULL)
        printf("  %-33sindex by index of the lists: each sees what earlier ones wrote\n", "order");
    printf("  %-33s16 bits: %s\n", "accuracy", tier_text(&promise->halves, text, sizeof text));
    printf("  %-33sFLOAT: %s\n", "", tier_text(&promise->fp32, text, sizeof text));
    printf("  %-33sFLOAT, BELAY_ACCURACY=exact: %s\n", "",
           tier_text(&promise->fp32_exact, text, sizeof text));
    printf("  %-33sDOUBLE, complex: %s\n", "", tier_text(&promise->fp64, text, sizeof text));
    state_print(function->operation.name);
}

/* A line: the name, and what stands behind it. */
static void print_line(const char *name)
{
    printf("%-48s ", name);
    state_print_cell(name);
    printf("\n");
}

/* One element of an array, a line each. */
static void print_json(const struct function *function, size_t index, bool is_first)
{
    size_t length = function_json(index, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) {
        perror("belay ops");
        exit(STATUS_REFUSED);
    }
    function_json(index, text, length + 1);
    /* The command knows more than the library does: where all of it is, and what stands behind it. */
    printf("%s%.*s", is_first ? "" : ",\n", (int)length - 1, text);
    where_print_json(function);
    state_print_json(function->operation.name);
    printf("}");
    free(text);
}

/* What the words of programs that begin with a small letter call. */
static const char *function_of_word(const char *word)
{
    static const struct {
        const char *word, *function;
    } words[] = {{"edges", "GatherV2"},
                 {"unedge", "IndexAdd"},
                 {"product", "ProdDim"},
                 {"resize", "GatherV2"},
                 {"unresize", "IndexAdd"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].function;
    return word;
}

/* The functions that a program calls, each once: "Square, Mul". */
static void print_program(const char *program)
{
    char text[2048], printed[2048] = " ", *rest = NULL;
    const char *separator = "";
    snprintf(text, sizeof text, "%s", program);
    for (char *statement = strtok_r(text, ";", &rest); statement; statement = strtok_r(NULL, ";", &rest)) {
        char *at = statement + strspn(statement, " ");
        while (*at == '?' || *at == '!')
            at += strcspn(at, " "), at += strspn(at, " ");
        at[strcspn(at, " ")] = '\0';
        char word[64];
        const char *function = function_of_word(at);
        snprintf(word, sizeof word, " %.60s ", function);
        if (function[0] < 'A' || function[0] > 'Z' || strstr(printed, word))
            continue;
        snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%s", word + 1);
        printf("%saclnn%s", separator, function);
        separator = ", ";
    }
    if (!*separator)
        printf(strstr(program, "own ") ? "a form of its own" : *program ? "a copy" : "nothing");
}

static int compare_kinds(const void *a, const void *b)
{
    return strcmp((*(const struct named_operator *const *)a)->name,
                  (*(const struct named_operator *const *)b)->name);
}

/* Operators by name, and the functions that compute them. */
static void print_kinds(void)
{
    enum { KINDS = 1024 };
    static const struct named_operator *kinds[KINDS];
    size_t count = 0;
    for (const struct named_operator *kind = named_operator_last(); kind && count < KINDS; kind = kind->next)
        kinds[count++] = kind;
    qsort(kinds, count, sizeof kinds[0], compare_kinds);
    for (size_t i = 0; i < count; i++) {
        printf("%-32s ", kinds[i]->name);
        if (kinds[i]->program)
            print_program(kinds[i]->program);
        else
            printf("a form of its own");
        printf("\n");
    }
}

/* A function that is exported only to refuse. */
static void print_refused(const char *name, const struct request *request, bool is_first)
{
    if (request->as_json) {
        printf("%s{\"name\": \"%s\"", is_first ? "" : ",\n", name);
        state_print_json(name);
        printf("}");
    } else if (request->as_names) {
        puts(name);
    } else if (request->name) {
        printf("%s\n", name);
        state_print(name);
    } else {
        print_line(name);
    }
}

static void print_all_refused(const struct request *request)
{
    printf("%s", request->as_json ? "[" : "");
    for (const char *name = NULL, *first = state_next_refused(NULL);
         (name = state_next_refused(name)) != NULL;)
        print_refused(name, request, name == first);
    printf("%s", request->as_json ? "]\n" : "");
}

/* Whether a function is one of those, with blanks between them, that were asked for. */
static bool is_wanted(const struct function *function, const char *wanted)
{
    const char *name = function->operation.name;
    const size_t length = strlen(name);
    for (const char *at = wanted; (at = strstr(at, name)) != NULL; at += length)
        if ((at == wanted || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* What is asked for: NULL for all, or names; false where there is none, after a complaint. */
static bool find_wanted(const struct request *request, const char **wanted)
{
    *wanted = NULL;
    if (!request->name)
        return true;
    const struct function *function = operator_named(request->name);
    const char *of_pytorch = function ? NULL : pytorch_name(request->name, wanted);
    if (of_pytorch && !request->as_json && !request->as_markdown && !request->as_names)
        printf("PyTorch's %s calls %s\n\n", of_pytorch, *wanted);
    if (of_pytorch)
        return true;
    function = function ? function : operator_find("belay ops", request->name);
    *wanted = function ? function->operation.name : NULL;
    return function != NULL;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    verb_parse(&verb_ops, parse, argc, argv, &request);
    if (request.as_kinds) {
        print_kinds();
        return finish_output("belay ops");
    }
    if (request.as_refused && !request.name) {
        print_all_refused(&request);
        return finish_output("belay ops");
    }
    const char *refused = request.name ? state_refused(request.name) : NULL;
    if (refused) {
        printf("%s", request.as_json ? "[" : "");
        print_refused(refused, &request, true);
        printf("%s", request.as_json ? "]\n" : "");
        return finish_output("belay ops");
    }

    const char *wanted;
    if (!find_wanted(&request, &wanted))
        return STATUS_USAGE;
    size_t count;
    const struct function *const *list = functions(&count);
    bool is_first = true;
    printf("%s", request.as_json ? "[" : "");
    if (request.as_markdown && !wanted)
        print_promise_table();
    for (size_t i = 0; i < count; i++) {
        if (wanted && !is_wanted(list[i], wanted))
            continue;
        if (request.as_json)
            print_json(list[i], i, is_first);
        else if (request.as_markdown)
            print_parameter_table(list[i]);
        else if (request.as_places)
            where_print(list[i]);
        else if (request.as_names)
            puts(list[i]->operation.name);
        else if (wanted || request.with_details)
            print_operator(list[i], is_first);
        else
            print_line(list[i]->operation.name);
        is_first = false;
    }
    printf("%s", request.as_json ? "]\n" : "");
    return finish_output("belay ops");
}

static void complete(struct completion *completion, const char *option, int count, const char *const *words)
{
    (void)words;
    if (!option && count == 2)
        operator_offer(completion);
}

static const struct argp_option options[] = {
    {"all", 'a', NULL, 0, "all operators in detail, as OPERATOR prints one", 0},
    {"json", 'j', NULL, 0, "the same as an array of JSON, for programs", 0},
    {"markdown", 'm', NULL, 0,
     "the tables of docs/operators.md: what each operator takes, and before them what all promise", 0},
    {"names", 'n', NULL, 0, "their names alone, one in a line", 0},
    {"where", 'w', NULL, 0, "where contract, kernels, header and tests are in the sources", 0},
    {"refused", 'r', NULL, 0, "the functions that are exported only to refuse, and why", 0},
    {"kinds", 'k', NULL, 0,
     "operators by name (aclopCompileAndExecute), with the functions that compute them", 0},
    {0}};

static const struct example examples[] = {
    {"belay ops", "a line for each operator: what its results were proved by, or compared with"},
    {"belay ops silu_backward", "one operator: parameters, dtypes, products, accuracy"},
    {"belay ops torch.bmm", "those that one of PyTorch's functions calls"},
    {"belay ops --names", "all names"},
    {"belay ops --where aclnnAdd", "in which files and lines the operator and its tests are"},
    {"belay ops --json aclnnSiluBackward", "the same for a program"},
    {0}};

const struct verb verb_ops = {
    .name = "ops",
    .summary = "the operators, with their dtypes, accuracy and what stands behind them",
    .words = "[OPERATOR]",
    .about =
        "Lists the operators, each in a line with what stands behind it: a proof over all inputs, cases of "
        "others that were right, a reference of its own. Of OPERATOR (aclnnSiluBackward, SiluBackward or "
        "silu_backward, or one of PyTorch's names, as torch.bmm) it prints the parameters and the dtypes "
        "that "
        "each takes, per product where they differ, and the accuracy of the results.",
    .options = options,
    .examples = examples,
    .run = run,
    .complete = complete,
};
