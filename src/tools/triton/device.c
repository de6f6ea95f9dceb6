/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The device's functions of numbers. Each is one of libbelay_kernel.so, or a few instructions; floats of 16 bits are
 * computed as FLOAT and rounded.
 */
#include "tools/triton/device.h"

#include <string.h>

#include "kernel/maths.h"
#include "tools/triton/text.h"

enum { PARAMETERS = 2 };

/* What is behind __hmf_, without what tells the type. */
struct device_function {
    const char *name, *computed; /* computed: of FLOAT, by a call; NULL for instructions */
    const char *instructions;    /* of %x and %y, both float, giving %r */
};

static const struct device_function functions[] = {
#define BY_NAME(name) {#name, "belay_kernel_" #name "_fp32", NULL},
    KERNEL_MATHS_OF_FLOATS(BY_NAME) KERNEL_MATHS_BY_DOUBLES(BY_NAME) BY_NAME(pow) BY_NAME(atan2)
        BY_NAME(ilogb) BY_NAME(ldexp) BY_NAME(fmod)
#undef BY_NAME
            {"recip", NULL, "  %r = fdiv float 1.0, %x\n"},
    {"relu", NULL, "  %n = fcmp olt float %x, 0.0\n  %r = select i1 %n, float 0.0, float %x\n"},
    {"sqrt", NULL, "  %r = call float @llvm.sqrt.f32(float %x)\n"},
    {"rsqrt", NULL, "  %s = call float @llvm.sqrt.f32(float %x)\n  %r = fdiv float 1.0, %s\n"},
    {"fabs", NULL, "  %r = call float @llvm.fabs.f32(float %x)\n"},
    {"round", NULL, "  %r = call float @llvm.round.f32(float %x)\n"},
    {"rint", NULL, "  %r = call float @llvm.rint.f32(float %x)\n"},
    {"trunc", NULL, "  %r = call float @llvm.trunc.f32(float %x)\n"},
    {"floor", NULL, "  %r = call float @llvm.floor.f32(float %x)\n"},
    {"ceil", NULL, "  %r = call float @llvm.ceil.f32(float %x)\n"},
};

static const char *const used[] = {
    "declare float @llvm.sqrt.f32(float)",  "declare float @llvm.fabs.f32(float)",
    "declare float @llvm.round.f32(float)", "declare float @llvm.rint.f32(float)",
    "declare float @llvm.trunc.f32(float)", "declare float @llvm.floor.f32(float)",
    "declare float @llvm.ceil.f32(float)"};

enum device_kind { BY_TABLE, IS_NAN, IS_INFINITE, WHOLE_POWER };

struct declared {
    const struct device_function *function; /* of BY_TABLE */
    enum device_kind kind;
    char name[64], type[PARAMETERS][8], result[8];
    unsigned count;
};

static bool read_types(const char *text, struct declared *declared)
{
    for (; *text != ')' && declared->count < PARAMETERS; declared->count++) {
        const size_t length = strcspn(text, ",)\n");
        if (length >= sizeof declared->type[0])
            return false;
        memcpy(declared->type[declared->count], text, length);
        text += length;
        text += strspn(text, ", ");
    }
    if (strncmp(text, ") -> ", 5) != 0)
        return false;
    const size_t length = strcspn(text + 5, " \n");
    if (length >= sizeof declared->result)
        return false;
    memcpy(declared->result, text + 5, length);
    return declared->count > 0;
}

static bool is_float(const char *type)
{
    return strcmp(type, "f32") == 0 || strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0;
}

static bool read_name(const char *name, size_t length, struct declared *declared)
{
    static const struct {
        const char *name;
        enum device_kind kind;
    } others[] = {{"isnan", IS_NAN}, {"isinf", IS_INFINITE}, {"powi", WHOLE_POWER}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i].name) == length && strncmp(others[i].name, name, length) == 0) {
            declared->kind = others[i].kind;
            return true;
        }
    length -= length > 2 && strncmp(name + length - 2, "Dh", 2) == 0 ? 2
              : length > 1 && name[length - 1] == 'f'                ? 1
                                                                     : 0;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            declared->function = &functions[i];
    return declared->function != NULL;
}

static bool read_declaration(const char *text, struct declared *declared)
{
    static const char prefix[] = "__hmf_";
    const size_t length = strcspn(text, "(\n");
    *declared = (struct declared){.kind = BY_TABLE};
    if (strncmp(text, prefix, strlen(prefix)) != 0 || length >= sizeof declared->name ||
        !read_name(text + strlen(prefix), length - strlen(prefix), declared) ||
        !read_types(text + length + 1, declared))
        return false;
    memcpy(declared->name, text, length);
    for (unsigned i = 0; i < declared->count; i++)
        if ((declared->kind != WHOLE_POWER) != is_float(declared->type[i]))
            return false;
    return true;
}

bool device_function_is_known(const char *text)
{
    struct declared declared;
    return read_declaration(text, &declared);
}

/* %x and %y of the parameters, in FLOAT or INT64. */
static void write_operands(const struct declared *declared, FILE *to)
{
    for (unsigned i = 0; i < declared->count; i++) {
        const char *type = declared->type[i], wide = i == 0 ? 'x' : 'y';
        if (declared->kind == WHOLE_POWER)
            fprintf(to, "  %%%c = %s %s %%p%u to i64\n", wide, strcmp(type, "i64") == 0 ? "bitcast" : "sext",
                    type, i);
        else
            fprintf(to, "  %%%c = %s %s %%p%u to float\n", wide,
                    strcmp(type, "f32") == 0 ? "bitcast" : "fpext", llvm_type(type), i);
    }
}

static void write_function(const struct declared *declared, FILE *to)
{
    const char *result = declared->result;
    fprintf(to, "define internal %s @%s(", llvm_type(result), declared->name);
    for (unsigned i = 0; i < declared->count; i++)
        fprintf(to, "%s%s %%p%u", i > 0 ? ", " : "", llvm_type(declared->type[i]), i);
    fputs(") alwaysinline {\n", to);
    write_operands(declared, to);
    if (declared->kind == IS_NAN || declared->kind == IS_INFINITE) {
        fputs(declared->kind == IS_NAN ? "  %r = fcmp uno float %x, 0.0\n"
                                       : "  %s = call float @llvm.fabs.f32(float %x)\n  %r = fcmp oeq float "
                                         "%s, 0x7FF0000000000000\n",
              to);
        fputs("  ret i1 %r\n}\n", to);
        return;
    }
    if (declared->kind == WHOLE_POWER) {
        fputs("  %r = call i64 @belay_kernel_pow_int64(i64 %x, i64 %y)\n", to);
        fprintf(to, "  %%o = %s i64 %%r to %s\n", strcmp(result, "i64") == 0 ? "bitcast" : "trunc", result);
    } else {
        if (declared->function->computed != NULL)
            fprintf(to, "  %%r = call float @%s(float %%x%s)\n", declared->function->computed,
                    declared->count > 1 ? ", float %y" : "");
        else
            fputs(declared->function->instructions, to);
        fprintf(to, "  %%o = %s float %%r to %s\n", strcmp(result, "f32") == 0 ? "bitcast" : "fptrunc",
                llvm_type(result));
    }
    fprintf(to, "  ret %s %%o\n}\n", llvm_type(result));
}

/* Declares a function once: not where the text does it already, which LLVM refuses. */
static void declare(const char *line, const char *written, FILE *to)
{
    if (strstr(written, line) == NULL)
        fprintf(to, "%s\n", line);
}

void device_functions_write(const char *text, const char *written, FILE *to)
{
    static const char declaration[] = "func.func private @";
    bool is_called[sizeof functions / sizeof functions[0]] = {false}, has_power = false, has_any = false;
    struct declared declared;
    while ((text = strstr(text, declaration)) != NULL) {
        text += strlen(declaration);
        if (!read_declaration(text, &declared))
            continue;
        write_function(&declared, to);
        has_any = true;
        has_power = has_power || declared.kind == WHOLE_POWER;
        if (declared.function == NULL || declared.function->computed == NULL ||
            is_called[declared.function - functions])
            continue;
        is_called[declared.function - functions] = true;
        char line[96];
        snprintf(line, sizeof line, "declare float @%s(float%s)", declared.function->computed,
                 declared.count > 1 ? ", float" : "");
        declare(line, written, to);
    }
    if (has_power)
        fputs("declare i64 @belay_kernel_pow_int64(i64, i64)\n", to);
    for (size_t i = 0; has_any && i < sizeof used / sizeof used[0]; i++)
        declare(used[i], written, to);
}
