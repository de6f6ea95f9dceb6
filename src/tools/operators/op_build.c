/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * op_build LIBRARY FOLDER: from the library that op_host of a project is compiled to, what the rest of its build needs.
 *
 *   aclnn_NAME.h, aclnn_NAME.cpp      the two functions of each operator
 *   aic-UNIT-ops-info.ini             what each product's operators take
 *   kernels/OPERATOR_tiling.h         the structs of its tiling data
 *   kernels/UNIT/OPERATOR_I.cpp       the kernel of a combination of dtypes, around BELAY_KERNEL_SOURCE
 *   kernels.cmake                     all of these: BELAY_OPERATOR_KERNELS, UNIT|KERNEL|OPERATOR|I for each
 *
 * A file whose text is as it was stays as it is, so that nothing is compiled for nothing.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "acl/acl_base.h"
#include "ops/custom/names.h"
#include "tools/ascendc/text.h"

static const char *folder;

static int refuse(const char *what, const char *detail)
{
    fprintf(stderr, "op_build: %s%s\n", what, detail);
    return 1;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Writes a file of the folder, unless it has this text. */
static bool write_file(const char *name, struct text *text)
{
    char path[PATH_MAX];
    struct text before = {.data = NULL};
    snprintf(path, sizeof path, "%.2000s/%.1000s", folder, name);
    bool is_good = text_read(&before, path) && strcmp(before.data, text->data) == 0;
    if (!is_good)
        is_good = text_write(text, path);
    if (!is_good)
        refuse("cannot be written: ", path);
    free(before.data);
    free(text->data);
    *text = (struct text){.data = NULL};
    return is_good;
}

static const char head[] = "/* Written by op_build out of op_host. */\n";

static const char *type_of_input(const struct belay_operator_parameter *parameter)
{
    if (parameter->is_value)
        return parameter->dtype[0] == ACL_FLOAT  ? "const aclFloatArray *"
               : parameter->dtype[0] == ACL_BOOL ? "const aclBoolArray *"
                                                 : "const aclIntArray *";
    return parameter->presence == BELAY_DYNAMIC ? "const aclTensorList *" : "const aclTensor *";
}

static const char *type_of_attribute(uint32_t kind)
{
    static const char *const types[] = {[BELAY_ATTRIBUTE_INT] = "int64_t ",
                                        [BELAY_ATTRIBUTE_FLOAT] = "double ",
                                        [BELAY_ATTRIBUTE_BOOL] = "bool ",
                                        [BELAY_ATTRIBUTE_STRING] = "const char *",
                                        [BELAY_ATTRIBUTE_INTS] = "const aclIntArray *",
                                        [BELAY_ATTRIBUTE_FLOATS] = "const aclFloatArray *",
                                        [BELAY_ATTRIBUTE_BOOLS] = "const aclBoolArray *"};
    return types[kind];
}

/* Each parameter of the call: with its type and a comma, or as a word. */
static void put_parameters(const struct belay_operator *operation, bool as_words, struct text *text)
{
    const struct belay_operator_product *product = &operation->product[0];
    char name[CUSTOM_NAME_BYTES];
    for (uint32_t i = 0; i < operation->inputs; i++) {
        custom_input_name(operation, i, name);
        text_print(text, as_words ? "belay_word(%s%s), " : "%s%s, ",
                   as_words ? "" : type_of_input(&product->input[i]), name);
    }
    for (uint32_t i = 0; i < operation->attributes; i++) {
        custom_name(operation->attribute[i].name, "", name);
        text_print(text, as_words ? "belay_word(%s%s), " : "%s%s, ",
                   as_words ? "" : type_of_attribute(operation->attribute[i].kind), name);
    }
    for (uint32_t i = 0; i < operation->outputs; i++) {
        if (custom_input_of(operation, i) < operation->inputs)
            continue;
        custom_output_name(operation, i, name);
        text_print(text, as_words ? "belay_word(%s%s), " : "%s%s, ",
                   as_words ? "" : type_of_input(&product->output[i]), name);
    }
}

static bool write_functions(const struct belay_operator *operation)
{
    const char *name = operation->name, *stem = operation->stem;
    struct text text = {.data = NULL};
    char path[160], guard[CUSTOM_NAME_BYTES + 16];
    snprintf(guard, sizeof guard, "ACLNN_%.90s_H", stem);
    for (char *at = guard; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    text_print(&text, "%s#ifndef %s\n#define %s\n\n#include \"aclnn/acl_meta.h\"\n\n", head, guard, guard);
    text_print(&text, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_print(&text, "__attribute__((visibility(\"default\"))) aclnnStatus aclnn%sGetWorkspaceSize(", name);
    put_parameters(operation, false, &text);
    text_print(&text, "uint64_t *workspaceSize, aclOpExecutor **executor);\n\n");
    text_print(&text,
               "__attribute__((visibility(\"default\"))) aclnnStatus aclnn%s(void *workspace, uint64_t "
               "workspaceSize, "
               "aclOpExecutor *executor, aclrtStream stream);\n\n",
               name);
    text_print(&text, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    snprintf(path, sizeof path, "aclnn_%.100s.h", stem);
    if (!write_file(path, &text))
        return false;
    text_print(&text, "%s#include \"aclnn_%s.h\"\n\n#include \"register/belay_generated.h\"\n\n", head, stem);
    text_print(&text, "static struct belay_generated own = {\"%s\", \"%s\", aclnn%s, nullptr, nullptr};\n\n",
               name, stem, name);
    text_print(&text,
               "__attribute__((constructor)) static void enter()\n{\n    if (belay_generated_all().enter)\n"
               "        belay_generated_all().enter(&own);\n}\n\n");
    text_print(&text,
               "extern \"C\" {\n__attribute__((visibility(\"default\"))) aclnnStatus "
               "aclnnInner%sGetWorkspaceSize(",
               name);
    put_parameters(operation, false, &text);
    text_print(&text,
               "uint64_t *workspaceSize, aclOpExecutor **executor)\n{\n    const uint64_t argument[] = {");
    put_parameters(operation, true, &text);
    text_print(&text, "};\n    return belay_generated_all().plan ? belay_generated_all().plan(&own, "
                      "argument, workspaceSize, "
                      "executor) : ACLNN_ERR_INNER;\n}\n\n");
    text_print(&text,
               "__attribute__((visibility(\"default\"))) aclnnStatus aclnnInner%s(void *workspace, uint64_t "
               "workspaceSize, aclOpExecutor *executor, aclrtStream stream)\n"
               "{\n    return belay_generated_all().launch ? belay_generated_all().launch(&own, workspace, "
               "workspaceSize, executor, stream) : ACLNN_ERR_INNER;\n}\n\n",
               name);
    /* A project may have functions of these names of its own, which call the inner ones. */
    text_print(&text,
               "__attribute__((weak, alias(\"aclnnInner%sGetWorkspaceSize\"))) aclnnStatus "
               "aclnn%sGetWorkspaceSize(",
               name, name);
    put_parameters(operation, false, &text);
    text_print(&text,
               "uint64_t *workspaceSize, aclOpExecutor **executor);\n"
               "__attribute__((weak, alias(\"aclnnInner%s\"))) aclnnStatus aclnn%s(void *workspace, uint64_t "
               "workspaceSize, aclOpExecutor *executor, aclrtStream stream);\n}\n",
               name, name);
    snprintf(path, sizeof path, "aclnn_%.100s.cpp", stem);
    return write_file(path, &text);
}

/* What kernels call dtypes, and what the graph engine does. */
static const struct {
    int32_t dtype;
    const char *type, *name;
} dtypes[] = {{ACL_FLOAT, "float", "DT_FLOAT"},      {ACL_FLOAT16, "half", "DT_FLOAT16"},
              {ACL_BF16, "bfloat16_t", "DT_BF16"},   {ACL_INT8, "int8_t", "DT_INT8"},
              {ACL_UINT8, "uint8_t", "DT_UINT8"},    {ACL_INT16, "int16_t", "DT_INT16"},
              {ACL_UINT16, "uint16_t", "DT_UINT16"}, {ACL_INT32, "int32_t", "DT_INT32"},
              {ACL_UINT32, "uint32_t", "DT_UINT32"}, {ACL_INT64, "int64_t", "DT_INT64"},
              {ACL_UINT64, "uint64_t", "DT_UINT64"}, {ACL_DOUBLE, "double", "DT_DOUBLE"},
              {ACL_BOOL, "bool", "DT_BOOL"}};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };
static const struct {
    int32_t format;
    const char *name;
} formats[] = {{ACL_FORMAT_ND, "FORMAT_ND"},
               {ACL_FORMAT_NCHW, "FORMAT_NCHW"},
               {ACL_FORMAT_NHWC, "FORMAT_NHWC"},
               {ACL_FORMAT_HWCN, "FORMAT_HWCN"},
               {ACL_FORMAT_NCDHW, "FORMAT_NCDHW"},
               {ACL_FORMAT_NDHWC, "FORMAT_NDHWC"},
               {ACL_FORMAT_NCL, "FORMAT_NCL"},
               {ACL_FORMAT_NC1HWC0, "FORMAT_NC1HWC0"},
               {ACL_FORMAT_FRACTAL_Z, "FORMAT_FRACTAL_Z"},
               {ACL_FORMAT_NDC1HWC0, "FORMAT_NDC1HWC0"},
               {ACL_FRACTAL_Z_3D, "FORMAT_FRACTAL_Z_3D"},
               {ACL_FORMAT_FRACTAL_NZ, "FORMAT_FRACTAL_NZ"}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool put_macros(const struct belay_operator *operation,
                       const struct belay_operator_parameter *parameter, uint32_t combination,
                       struct text *text)
{
    char name[CUSTOM_NAME_BYTES];
    size_t at = 0, format = 0;
    snprintf(name, sizeof name, "%s", parameter->name);
    for (char *letter = name; *letter != '\0'; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    while (at < DTYPES && dtypes[at].dtype != parameter->dtype[combination])
        at++;
    if (at == DTYPES) {
        fprintf(stderr, "op_build: %s: %s has dtype %d, which no kernel for the host is compiled for\n",
                operation->name, parameter->name, (int)parameter->dtype[combination]);
        return false;
    }
    while (format < FORMATS && formats[format].format != parameter->format[combination])
        format++;
    if (format == FORMATS) {
        fprintf(stderr, "op_build: %s: %s has format %d, which no kernel for the host is compiled for\n",
                operation->name, parameter->name, (int)parameter->format[combination]);
        return false;
    }
    text_print(text, "#define DTYPE_%s %s\n#define ORIG_DTYPE_%s %s\n#define FORMAT_%s %s\n", name,
               dtypes[at].type, name, dtypes[at].name, name, formats[format].name);
    return true;
}

static bool write_kernel(const struct belay_operator *operation, const struct belay_operator_product *product,
                         uint32_t combination)
{
    struct text text = {.data = NULL};
    char path[400];
    text_print(&text, "%s#define BELAY_OPERATOR_BUILD 1\n", head);
    for (size_t i = 0; i < DTYPES; i++)
        text_print(&text, "#define %s %d\n", dtypes[i].name, (int)dtypes[i].dtype);
    for (size_t i = 0; i < FORMATS; i++)
        text_print(&text, "#define %s %d\n", formats[i].name, (int)formats[i].format);
    for (uint32_t i = 0; i < operation->inputs; i++)
        if (!put_macros(operation, &product->input[i], combination, &text))
            return false;
    for (uint32_t i = 0; i < operation->outputs; i++)
        if (custom_input_of(operation, i) == operation->inputs &&
            !put_macros(operation, &product->output[i], combination, &text))
            return false;
    text_print(&text,
               "#include \"kernel_operator.h\"\n#include \"../%s_tiling.h\"\n#include BELAY_KERNEL_SOURCE\n"
               "#include \"ascendc/operator.h\"\nBELAY_OPERATOR(%s)\n",
               operation->name, product->kernel);
    snprintf(path, sizeof path, "kernels/%.64s/%.100s_%u.cpp", product->name, operation->name, combination);
    return write_file(path, &text);
}

static bool write_kernels(const struct belay_operator *operation, struct text *list)
{
    struct text text = {.data = NULL};
    char path[PATH_MAX];
    text_print(&text, "%s#pragma once\n#include <cstdint>\n%s", head, operation->tiling_source);
    snprintf(path, sizeof path, "kernels/%.100s_tiling.h", operation->name);
    if (!write_file(path, &text))
        return false;
    for (uint32_t i = 0; i < operation->products; i++) {
        const struct belay_operator_product *product = &operation->product[i];
        snprintf(path, sizeof path, "%.2000s/kernels/%.64s", folder, product->name);
        if (!make_folder(path)) {
            refuse("cannot be made: ", path);
            return false;
        }
        for (uint32_t k = 0; k < product->combinations; k++) {
            if (!write_kernel(operation, product, k))
                return false;
            text_print(list, "list(APPEND BELAY_OPERATOR_KERNELS \"%s|%s|%s|%u\")\n", product->name,
                       product->kernel, operation->name, k);
        }
    }
    return true;
}

static void put_info(const struct belay_operator_parameter *parameter, const char *role, uint32_t index,
                     uint32_t combinations, struct text *text)
{
    static const char *const presences[] = {
        [BELAY_REQUIRED] = "required", [BELAY_OPTIONAL] = "optional", [BELAY_DYNAMIC] = "dynamic"};
    text_print(text, "%s%u.name=%s\n%s%u.paramType=%s\n%s%u.dtype=", role, index, parameter->name, role,
               index, presences[parameter->presence], role, index);
    for (uint32_t i = 0; i < combinations; i++)
        text_print(text, "%s%d", i > 0 ? "," : "", (int)parameter->dtype[i]);
    text_print(text, "\n");
}

/* A file for each product that some operator names. */
static bool write_infos(const struct belay_operator *first)
{
    for (const struct belay_operator *of = first; of != NULL; of = of->next)
        for (uint32_t p = 0; p < of->products; p++) {
            struct text text = {.data = NULL};
            char path[128];
            for (const struct belay_operator *each = first; each != NULL; each = each->next)
                for (uint32_t i = 0; i < each->products; i++) {
                    const struct belay_operator_product *product = &each->product[i];
                    if (strcmp(product->name, of->product[p].name) != 0)
                        continue;
                    text_print(&text, "[%s]\nopFile.value=%s\n", each->name, product->kernel);
                    for (uint32_t k = 0; k < each->inputs; k++)
                        put_info(&product->input[k], "input", k, product->combinations, &text);
                    for (uint32_t k = 0; k < each->outputs; k++)
                        put_info(&product->output[k], "output", k, product->combinations, &text);
                }
            snprintf(path, sizeof path, "aic-%.64s-ops-info.ini", of->product[p].name);
            if (!write_file(path, &text))
                return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    if (argc != 3)
        return refuse("usage: op_build LIBRARY FOLDER", "");
    folder = argv[2];
    char *real = realpath(argv[1], NULL);
    void *library = real != NULL ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL)
        return refuse("", real != NULL ? dlerror() : argv[1]);
    belay_operators_function *all = NULL;
    *(void **)&all = dlsym(library, BELAY_OPERATORS);
    const struct belay_operator *first = all != NULL ? all(BELAY_OPERATORS_VERSION) : NULL;
    if (first == NULL)
        return refuse(argv[1], ": registers no operator; OP_ADD(...) is expected");
    snprintf(path, sizeof path, "%.2000s/kernels", folder);
    if (!make_folder(folder) || !make_folder(path))
        return refuse("cannot be made: ", path);
    struct text list = {.data = NULL};
    text_print(&list, "set(BELAY_OPERATOR_KERNELS)\n");
    for (const struct belay_operator *each = first; each != NULL; each = each->next) {
        if (each->fault != NULL) {
            fprintf(stderr, "op_build: %s: %s\n", each->name, each->fault);
            return 1;
        }
        if (!write_functions(each) || !write_kernels(each, &list))
            return 1;
    }
    free(real);
    return write_infos(first) && write_file("kernels.cmake", &list) ? 0 : 1;
}
