/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels say: prints, and assertions that do not hold.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/known.h"
#include "kernel/run.h"
#include "kernel/view.h"

static bool prints(void)
{
    const char *wish = getenv("TRITON_DEVICE_PRINT");
    return wish == NULL || (strcasecmp(wish, "false") != 0 && strcmp(wish, "0") != 0);
}

static void write_element(const unsigned char *at, int32_t type, bool is_hex, FILE *to)
{
    const uint32_t bytes = kernel_type_bytes(type);
    uint64_t bits = 0;
    memcpy(&bits, at, bytes);
    const union kernel_number number = kernel_number_read(at, type);
    if (is_hex)
        fprintf(to, "0x%0*" PRIx64, (int)(2 * bytes), bits);
    else if (type == KERNEL_FP64)
        fprintf(to, "%.17g", number.real);
    else if (kernel_type_is_real(type))
        fprintf(to, "%.9g", number.real);
    else
        fprintf(to, "%" PRId64, type == KERNEL_BOOL ? number.whole & 1 : number.whole);
}

static void write_tensor(uint32_t rank, int32_t type, const struct descriptor *x, bool is_hex, FILE *to)
{
    const struct view view = view_read(rank, kernel_type_bytes(type), x);
    struct view_walk walk = {.index = {0}};
    if (view_is_empty(&view)) {
        fputs("[]", to);
        return;
    }
    do {
        uint32_t opened = 0, closed = 0;
        for (uint32_t k = rank; k-- > 0 && walk.index[k] == 0;)
            opened++;
        for (uint32_t k = rank; k-- > 0 && walk.index[k] + 1 == view.size[k];)
            closed++;
        fprintf(to, "%.*s", (int)opened, "[[[[[[[[[[[[[[[[");
        write_element(view_at(&view, walk.index), type, is_hex, to);
        fprintf(to, "%.*s%s", (int)closed, "]]]]]]]]]]]]]]]]", closed < rank ? ", " : "");
    } while (view_next(&view, &walk));
}

void belay_program_print(uint32_t rank, int32_t type, const struct descriptor *x, const char *text,
                         bool is_hex, const char *place)
{
    char *line = NULL, where[48];
    size_t bytes;
    FILE *file = prints() ? open_memstream(&line, &bytes) : NULL;
    (void)place;
    if (file == NULL)
        return;
    program_describe(where, sizeof where);
    fprintf(file, "pid %s%s", where, text);
    if (rank > 0)
        write_tensor(rank, type, x, is_hex, file);
    else
        write_element((const unsigned char *)x, type, is_hex, file);
    fputc('\n', file);
    if (fclose(file) == 0) {
        fwrite(line, 1, bytes, stdout);
        fflush(stdout);
    }
    free(line);
}

void belay_program_assert(uint32_t rank, int32_t type, const struct descriptor *x, const char *text,
                          bool is_hex, const char *place)
{
    (void)is_hex;
    (void)type;
    if (rank == 0) {
        if ((*(const unsigned char *)x & 1) == 0)
            program_stop(place, "finds that an assertion does not hold: %s", text);
        return;
    }
    const struct view view = view_read(rank, 1, x);
    struct view_walk walk = {.index = {0}};
    if (view_is_empty(&view))
        return;
    do {
        if ((*view_at(&view, walk.index) & 1) == 0)
            program_stop(place, "finds that an assertion does not hold for element %" PRId64 " of dim %u: %s",
                         walk.index[rank - 1], rank - 1, text);
    } while (view_next(&view, &walk));
}
