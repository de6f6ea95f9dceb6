/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * docs/operators.md against the descriptions by which the operators check their arguments: every operator has
 * its section there, with one row for each parameter, its accuracy, and its header at both paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/operator.h"
#include "tensor/dtype.h"

enum { TEXT_BYTES = 1 << 20, ROW_BYTES = 1024 };

static char document[TEXT_BYTES];

static int read_document(void **state)
{
    (void)state;
    FILE *file = fopen(BELAY_SOURCE "/docs/operators.md", "rb");
    if (file == NULL)
        return -1;
    size_t bytes = fread(document, 1, TEXT_BYTES - 1, file);
    document[bytes] = '\0';
    return fclose(file);
}

/* The section of an operator, for the caller to free; NULL when there is none. */
static char *section_of(const char *name)
{
    char heading[128];
    snprintf(heading, sizeof heading, "\n## %s\n", name);
    const char *begin = strstr(document, heading);
    if (begin == NULL)
        return NULL;
    const char *end = strstr(begin + 1, "\n## ");
    return strndup(begin, end != NULL ? (size_t)(end - begin) + 1 : strlen(begin));
}

static void append(char *row, const char *text)
{
    assert_true(strlen(row) + strlen(text) < ROW_BYTES);
    strcat(row, text);
}

static void append_dtypes(char *row, uint64_t dtypes)
{
    const char *separator = "";
    for (int i = 0; i < 64; i++) {
        if ((dtypes & DTYPE_BIT(i)) == 0)
            continue;
        append(row, separator);
        append(row, dtype_name((aclDataType)i));
        separator = ", ";
    }
}

/* "| self | input | FLOAT, FLOAT16 | ... |" */
static void make_row(const struct parameter *parameter, char row[ROW_BYTES])
{
    static const char *const kinds[] = {
        [PARAMETER_INPUT] = "input",       [PARAMETER_OUTPUT] = "output",
        [PARAMETER_IN_PLACE] = "in place", [PARAMETER_OVERWRITTEN] = "overwritten",
        [PARAMETER_DTYPE] = "dtype",       [PARAMETER_SCALAR] = "scalar",
        [PARAMETER_INT64] = "int64",       [PARAMETER_FLOAT] = "float",
        [PARAMETER_DOUBLE] = "double",     [PARAMETER_BOOL] = "bool",
    };
    snprintf(row, ROW_BYTES, "\n| %s | %s", parameter->name, kinds[parameter->kind]);
    const char *separator = ": ";
    for (const char *const *name = parameter->choice_names; name != NULL && *name != NULL; name++) {
        append(row, separator);
        append(row, *name);
        separator = ", ";
    }
    append(row, " |");
    for (int product = 0; product < PRODUCTS; product++) {
        append(row, " ");
        if (parameter->dtypes != NULL) {
            append_dtypes(row, parameter->dtypes->on[product]);
            append(row, " ");
        }
        append(row, "|");
    }
    append(row, "\n");
}

static void every_operator_has_a_row_for_each_parameter(void **state)
{
    (void)state;
    size_t count;
    const struct operator_description *const *all = operators(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        char *section = section_of(all[i]->operation.name);
        if (section == NULL)
            fail_msg("docs/operators.md has no section for %s", all[i]->operation.name);
        for (uint32_t k = 0; k < all[i]->parameter_count; k++) {
            char row[ROW_BYTES];
            make_row(&all[i]->parameter[k], row);
            if (strstr(section, row) == NULL)
                fail_msg("the section for %s has no row%s", all[i]->operation.name, row);
        }
        uint32_t rows = 0;
        for (const char *at = section; (at = strstr(at, "\n| ")) != NULL; at++)
            rows++;
        assert_int_equal(rows, all[i]->parameter_count + 1); /* and the heading */
        free(section);
    }
}

static void every_operator_has_its_accuracy(void **state)
{
    (void)state;
    size_t count;
    const struct operator_description *const *all = operators(&count);
    char *section = section_of("Accuracy");
    assert_non_null(section);
    for (size_t i = 0; i < count; i++) {
        char row[128];
        snprintf(row, sizeof row, "\n| %s | ", all[i]->operation.name);
        if (strstr(section, row) == NULL)
            fail_msg("the accuracy table has no row for %s", all[i]->operation.name);
    }
    free(section);
}

static void every_section_is_of_an_operator(void **state)
{
    (void)state;
    size_t count;
    size_t sections = 0;
    operators(&count);
    for (const char *at = document; (at = strstr(at, "\n## aclnn")) != NULL; at++)
        sections++;
    assert_int_equal(sections, count);
}

static void every_operator_has_its_headers(void **state)
{
    static const char *const folders[] = {"aclnnop", "aclnnop/level2"};
    (void)state;
    size_t count;
    const struct operator_description *const *all = operators(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/include/%s/aclnn_%s.h", BELAY_SOURCE, folders[k], all[i]->stem);
            if (access(path, R_OK) != 0)
                fail_msg("there is no header %s", path);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_has_a_row_for_each_parameter),
        cmocka_unit_test(every_operator_has_its_accuracy),
        cmocka_unit_test(every_section_is_of_an_operator),
        cmocka_unit_test(every_operator_has_its_headers),
    };
    return cmocka_run_group_tests(tests, read_document, NULL);
}
