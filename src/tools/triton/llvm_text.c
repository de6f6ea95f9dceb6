/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a kernel has become in LLVM's language, with Belay's maths in the place of libm's, the functions that it calls,
 * and its entry.
 */
#include "tools/triton/llvm_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/maths.h"
#include "tools/triton/device.h"

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* What a function of libm or of LLVM's is called here; NULL for one that is as good as it is. */
static const char *own_name(const char *name, size_t length)
{
#define OWN_NAMES(name)                                                                                    \
    {"llvm." #name ".f32", "belay_kernel_" #name "_fp32"},                                                 \
        {"llvm." #name ".f64", "belay_kernel_" #name "_fp64"}, {#name "f", "belay_kernel_" #name "_fp32"}, \
        {#name, "belay_kernel_" #name "_fp64"},
    static const struct {
        const char *theirs, *own;
    } names[] = {KERNEL_MATHS_OF_FLOATS(OWN_NAMES) KERNEL_MATHS_BY_DOUBLES(OWN_NAMES) OWN_NAMES(pow)
                     OWN_NAMES(atan2) OWN_NAMES(fmod){"malloc", "belay_kernel_allocate"}};
#undef OWN_NAMES
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].theirs) == length && strncmp(names[i].theirs, name, length) == 0)
            return names[i].own;
    return NULL;
}

/* Whether a line declares what is defined below it. */
static bool is_defined_below(const char *line, const char *end)
{
    static const char *const below[] = {"@_mlir_ciface_", "@belay_made_", "@__hmf_"};
    const char *name = strchr(line, '@');
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
        if (strncmp(line, "declare ", 8) == 0 && name != NULL && name < end &&
            strncmp(name, below[i], strlen(below[i])) == 0)
            return true;
    return false;
}

/* What the vectorizer asks for, which the text does not say: the machine. */
static void write_target(FILE *to)
{
#ifdef __x86_64__
    fputs("target datalayout = "
          "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
          "target triple = \"x86_64-unknown-linux-gnu\"\n",
          to);
#elif defined __aarch64__
    fputs("target triple = \"aarch64-unknown-linux-gnu\"\n", to);
#endif
}

/*
 * `%9 = sdiv i32 %7, %8`: a processor may stop at a divisor of 0, which lanes often have that a mask leaves out, and
 * where the least number is divided by -1. Here x / 0 is 0, x % 0 is x, and the least number stays as it is.
 */
static bool write_division(const char *at, const char *end, FILE *to)
{
    static const char *const operations[] = {" = sdiv ", " = udiv ", " = srem ", " = urem "};
    const char *name = at + strspn(at, " "), *found = NULL;
    int which = 0;
    for (; which < 4 && found == NULL; which++)
        found = memmem(at, (size_t)(end - at), operations[which], strlen(operations[which]));
    if (found == NULL || *name != '%')
        return false;
    const bool is_signed = which == 1 || which == 3, is_rest = which > 2;
    const char *type = found + strlen(operations[0]), *x = type + strcspn(type, " ") + 1,
               *y = x + strcspn(x, ",") + 2;
    const int type_bytes = (int)strcspn(type, " "), x_bytes = (int)strcspn(x, ","),
              y_bytes = (int)strcspn(y, " ,\n");
    const unsigned long bits = *type == 'i' ? strtoul(type + 1, NULL, 10) : 0;
    const bool is_number = *y != '%' && !(*y == '0' && y_bytes == 1); /* other than 0 */
    if (y >= end || is_number || bits == 0 || bits > 64)
        return false;
    char own[NAME_BYTES];
    snprintf(own, sizeof own, "%%belay.%.*s", (int)strcspn(name + 1, " "), name + 1);
    fprintf(to, "  %s.zero = icmp eq %.*s %.*s, 0\n", own, type_bytes, type, y_bytes, y);
    if (is_signed)
        fprintf(to,
                "  %s.least = icmp eq %.*s %.*s, %lld\n  %s.minus = icmp eq %.*s %.*s, -1\n"
                "  %s.over = and i1 %s.least, %s.minus\n  %s.stops = or i1 %s.zero, %s.over\n",
                own, type_bytes, type, x_bytes, x, (long long)(INT64_MIN >> (64 - bits)), own, type_bytes,
                type, y_bytes, y, own, own, own, own, own, own);
    fprintf(to, "  %s.by = select i1 %s.%s, %.*s 1, %.*s %.*s\n", own, own, is_signed ? "stops" : "zero",
            type_bytes, type, type_bytes, type, y_bytes, y);
    fprintf(to, "  %s.got = %.4s %.*s %.*s, %s.by\n", own, operations[which - 1] + 3, type_bytes, type,
            x_bytes, x, own);
    fprintf(to, "  %.*s = select i1 %s.zero, %.*s %.*s, %.*s %s.got\n", (int)strcspn(name, " "), name, own,
            type_bytes, type, is_rest ? x_bytes : 1, is_rest ? x : "0", type_bytes, type, own);
    return true;
}

/* A line with its names. Memory is nobody else's. */
static void write_line(const char *at, const char *end, FILE *file)
{
    static const char takes_memory[] = "declare ptr @malloc(i64)";
    if (is_defined_below(at, end) || write_division(at, end, file))
        return;
    if (strncmp(at, takes_memory, strlen(takes_memory)) == 0) {
        fputs("declare noalias align 64 ptr @belay_kernel_allocate(i64)\n", file);
        return;
    }
    while (at < end) {
        size_t length = strcspn(at, "@\n");
        fwrite(at, 1, length, file);
        at += length;
        if (at >= end)
            break;
        for (length = 1; is_name(at[length]);)
            length++;
        const char *own = own_name(at + 1, length - 1);
        if (own != NULL)
            fprintf(file, "@%s", own);
        else
            fwrite(at, 1, length, file);
        at += length;
    }
    fputc('\n', file);
}

bool llvm_text_write(const char *raw, const char *text, const struct made_list *made,
                     const struct kernel_source *source, FILE *to)
{
    char *written = NULL;
    size_t bytes;
    FILE *file = open_memstream(&written, &bytes);
    if (file == NULL)
        return false;
    write_target(file);
    for (const char *at = raw, *end; *at != '\0'; at = *end != '\0' ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        write_line(at, end, file);
    }
    const bool is_good = fclose(file) == 0;
    if (is_good) {
        fputs(written, to);
        known_functions_write(text, to);
        device_functions_write(text, written, to);
        made_write(made, to);
        kernel_entry_write(source, to);
    }
    free(written);
    return is_good;
}
