/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * docs/operators.md against the list of operators: each has its row there, whose contents
 * scripts/operator_tables.sh compares; and its header at both paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/function.h"

enum { TEXT_BYTES = 1 << 20 };

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

static void every_operator_has_a_row(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *all = functions(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        char row[256];
        snprintf(row, sizeof row, "\n| [%s](../include/aclnnop/aclnn_%s.h) |", all[i]->operation.name,
                 all[i]->stem);
        if (strstr(document, row) == NULL)
            fail_msg("docs/operators.md has no row for %s", all[i]->operation.name);
    }
}

static void every_row_is_of_an_operator(void **state)
{
    (void)state;
    size_t count;
    size_t rows = 0;
    functions(&count);
    for (const char *at = document; (at = strstr(at, "\n| [aclnn")) != NULL; at++)
        rows++;
    assert_int_equal(rows, count);
}

static void every_operator_has_its_headers(void **state)
{
    static const char *const folders[] = {BELAY_SOURCE "/include/aclnnop",
                                          BELAY_BUILD "/include/aclnnop/level2"};
    (void)state;
    size_t count;
    const struct function *const *all = functions(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/aclnn_%s.h", folders[k], all[i]->stem);
            if (access(path, R_OK) != 0)
                fail_msg("there is no header %s", path);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_has_a_row),
        cmocka_unit_test(every_row_is_of_an_operator),
        cmocka_unit_test(every_operator_has_its_headers),
    };
    return cmocka_run_group_tests(tests, read_document, NULL);
}
