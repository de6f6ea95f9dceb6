/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that kernels call and that the device's compiler knows: each is declared in a kernel's text for one
 * shape and type. Here it is one of libbelay_kernel.so for all of them (kernel/known.h), which is told rank and
 * type by a small function beside the kernel. LLVM calls that by the C interface, where a tensor is the address of
 * its descriptor and the result's comes first.
 */
#include <inttypes.h>
#include <string.h>

#include "kernel/known.h"
#include "tools/triton/device.h"
#include "tools/triton/source.h"
#include "tools/triton/text.h"

/* What the name begins with, without the number behind it; whose elements tell the type: the result's, or those of
 * the first tensor. */
static const struct known {
    const char *declared, *computed;
    bool says; /* it has no result, and gets what the declaration's attributes say */
} known[] = {
    {"triton_cumsum", "belay_kernel_cumsum", false}, {"triton_cumprod", "belay_kernel_cumprod", false},
    {"triton_sort", "belay_kernel_sort", false},     {"triton_flip", "belay_kernel_flip", false},
    {"triton_gather", "belay_kernel_gather", false}, {"triton_histogram", "belay_kernel_histogram", false},
    {"triton_print", "belay_program_print", true},   {"triton_assert", "belay_program_assert", true},
};

enum { KNOWN = sizeof known / sizeof known[0], PARAMETERS_MAX = 8 };

/* A declaration: `func.func private @triton_cumsum_0(tensor<4x16xf32>, i32, i1) -> tensor<4x16xf32>`. */
struct declared {
    const struct known *known;
    char name[NAME_BYTES];
    uint32_t rank;
    int type;
    uint32_t parameter_count;
    char parameter[PARAMETERS_MAX][TYPE_BYTES]; /* "" for a tensor */
    int type_of_tensor[PARAMETERS_MAX];         /* of a tensor behind the first one; -1 */
};

static const char declaration[] = "func.func private @";

static int type_of(const char *element)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"f32>", KERNEL_FP32},  {"f64>", KERNEL_FP64},  {"f16>", KERNEL_FP16},
                 {"bf16>", KERNEL_BF16}, {"i8>", KERNEL_INT8},   {"i16>", KERNEL_INT16},
                 {"i32>", KERNEL_INT32}, {"i64>", KERNEL_INT64}, {"i1>", KERNEL_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strncmp(element, types[i].name, strlen(types[i].name)) == 0)
            return types[i].type;
    return -1;
}

/* Rank and type of `4x16xf32>`. */
static bool read_tensor(const char *text, struct declared *declared)
{
    for (declared->rank = 0; *text >= '0' && *text <= '9'; declared->rank++) {
        text += strspn(text, "0123456789");
        text += *text == 'x';
    }
    declared->type = type_of(text);
    return declared->type >= 0 && declared->rank > 0 && declared->rank <= KERNEL_RANK_MAX;
}

static const struct known *find_known(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++) {
        const size_t length = strlen(known[i].declared);
        const char *behind = name + length;
        if (strncmp(name, known[i].declared, length) == 0 &&
            (*behind == '\0' || (*behind == '_' && strspn(behind + 1, "0123456789") == strlen(behind + 1))))
            return &known[i];
    }
    return NULL;
}

/* The line of a call, which says the place in Python that a declaration does not have. */
static const char *find_call(const char *whole, const char *name)
{
    char words[NAME_BYTES + 8];
    snprintf(words, sizeof words, "@%s", name);
    for (const char *line = whole; line != NULL; line = next_line(line)) {
        const char *found = in_statement(line, words);
        if (found != NULL && in_statement(line, declaration) == NULL && found[strlen(words)] != '_')
            return line;
    }
    return NULL;
}

/* False, with a sentence, for what is not known. */
static bool read_declaration(const char *whole, const char *text, struct declared *declared)
{
    const size_t length = strcspn(text, "(\n");
    *declared = (struct declared){.type = -1};
    if (length >= NAME_BYTES) {
        fprintf(stderr, "bishengir-compile: the kernel calls a function of an unknown name\n");
        return false;
    }
    memcpy(declared->name, text, length);
    declared->known = find_known(declared->name);
    bool is_known = declared->known != NULL;
    const char *at = text + length + 1;
    for (const char *next; is_known && *at != ')' && declared->parameter_count < PARAMETERS_MAX; at = next) {
        static const char tensor[] = "tensor<";
        char *parameter = declared->parameter[declared->parameter_count];
        const size_t bytes = strcspn(at, ",)");
        next = at + bytes + (at[bytes] == ',');
        next += strspn(next, " ");
        declared->type_of_tensor[declared->parameter_count] = -1;
        if (strncmp(at, tensor, strlen(tensor)) == 0 && declared->type < 0) {
            is_known = read_tensor(at + strlen(tensor), declared);
        } else if (strncmp(at, tensor, strlen(tensor)) == 0) {
            struct declared other;
            is_known = read_tensor(at + strlen(tensor), &other);
            declared->type_of_tensor[declared->parameter_count] = other.type;
        } else if (bytes < TYPE_BYTES)
            memcpy(parameter, at, bytes);
        else
            is_known = false;
        declared->parameter_count++;
    }
    if (is_known && *at == ')' &&
        (declared->known->says ? declared->parameter_count == 1 : strncmp(at, ") -> tensor<", 12) == 0))
        return true;
    char place[PLACE_BYTES];
    const char *use = find_call(whole, declared->name);
    place_of(use != NULL ? use : text, place);
    fprintf(stderr, "bishengir-compile: %s%sthe kernel calls %s, which is not lowered to the host: %.*s\n",
            place, place[0] != '\0' ? ": " : "", declared->name, (int)(statement_end(text) - text), text);
    return false;
}

/* The text up to its end, with memref for tensor. */
static void write_as_memory(const char *text, const char *end, FILE *to)
{
    static const char tensor[] = "tensor<";
    for (const char *found; (found = strstr(text, tensor)) != NULL && found < end;
         text = found + strlen(tensor)) {
        fwrite(text, 1, (size_t)(found - text), to);
        fputs("memref<", to);
    }
    fwrite(text, 1, (size_t)(end - text), to);
}

/* The end of the type, number or name that begins at text, in a list. */
static const char *behind_item(const char *text)
{
    return text + (strncmp(text, "tensor<", 7) == 0 ? strcspn(text, ">") + 1 : strcspn(text, ",)"));
}

static const char *next_item(const char *text)
{
    return text + strspn(text, ", ");
}

/*
 * A call of a declared function, in a line of its own:
 *
 *     %1 = call @triton_cumsum_0(%0, %c1_i32, %false) : (tensor<4x16xf32>, i32, i1) -> tensor<4x16xf32>
 *
 * MLIR takes no tensors to functions without bodies: the call takes memory, and its result is memory of which a
 * tensor is made. Within a loop it is func.call, which means the same anywhere. False for a line that is written
 * otherwise.
 */
static bool write_call(const char *line, const char *end, const char *call, unsigned number, FILE *to)
{
    const char *operand = strchr(call, '('), *types = strstr(call, ") : ("), *result = strstr(call, ") -> ");
    if (operand == NULL || types == NULL || result == NULL || result > end)
        return false;
    const bool has_result = strncmp(result, ") -> tensor<", 12) == 0;
    const size_t before = (size_t)(call - line), dialect = strlen("func.");
    const bool has_dialect = before >= dialect && strncmp(call - dialect, "func.", dialect) == 0;
    const char *value = operand + 1, *type = types + 5;
    for (unsigned i = 0; type < result;
         i++, value = next_item(behind_item(value)), type = next_item(behind_item(type)))
        if (strncmp(type, "tensor<", 7) == 0) {
            fprintf(to, "    %%belay%u_%u = bufferization.to_memref %.*s : ", number, i,
                    (int)(behind_item(value) - value), value);
            write_as_memory(type, behind_item(type), to);
            fputc('\n', to);
        }
    if (has_result)
        fprintf(to, "    %%belay%u = ", number);
    fprintf(to, "    func.%.*s(", (int)(operand - call), call);
    value = operand + 1;
    type = types + 5;
    for (unsigned i = 0; type < result;
         i++, value = next_item(behind_item(value)), type = next_item(behind_item(type)))
        if (strncmp(type, "tensor<", 7) == 0)
            fprintf(to, "%s%%belay%u_%u", i > 0 ? ", " : "", number, i);
        else
            fprintf(to, "%s%.*s", i > 0 ? ", " : "", (int)(behind_item(value) - value), value);
    write_as_memory(types, end, to);
    if (!has_result) {
        fputc('\n', to);
        return true;
    }
    fprintf(to, "\n%.*sbufferization.to_tensor %%belay%u restrict writable : ",
            (int)(has_dialect ? before - dialect : before), line, number);
    write_as_memory(result + 5, behind_item(result + 5), to);
    fputc('\n', to);
    return true;
}

/* Instructions of another machine: the assembler may take them for those of this one, which mean something else. */
static bool refuse_instructions(const char *line)
{
    char place[PLACE_BYTES];
    place_of(line, place);
    fprintf(stderr, "bishengir-compile: %s%stl.inline_asm_elementwise is not lowered to the host: %.*s\n",
            place, place[0] != '\0' ? ": " : "", (int)(statement_end(line) - line - (long)strspn(line, " ")),
            line + strspn(line, " "));
    return false;
}

bool known_functions_mark(const char *text, const struct made_list *made, FILE *to)
{
    struct declared declared;
    unsigned calls = 0;
    for (const char *line = text; line != NULL; line = next_line(line)) {
        const char *found = in_statement(line, declaration), *call = in_statement(line, "call @triton_"),
                   *end = statement_end(line);
        if (in_statement(line, " = llvm.inline_asm ") != NULL)
            return refuse_instructions(line);
        if (*line == '}') /* the module's end */
            made_declare(made, 0, to);
        if (found != NULL && device_function_is_known(found + strlen(declaration))) {
            fprintf(to, "%.*s\n", (int)(end - line), line);
        } else if (found != NULL) {
            if (!read_declaration(text, found + strlen(declaration), &declared))
                return false;
            const char *attributes = in_statement(line, " attributes {");
            write_as_memory(line, attributes != NULL ? attributes : end, to);
            fputs(" attributes {llvm.emit_c_interface}\n", to);
        } else if (call == NULL || !write_call(line, end, call, calls++, to)) {
            fprintf(to, "%.*s\n", (int)strcspn(line, "\n"), line);
        }
    }
    return true;
}

/* LLVM passes i1 as it is; C wants a bool extended. A tensor behind the first one has its type before it. */
static void write_parameters(const struct declared *declared, bool is_call, FILE *to)
{
    for (uint32_t i = 0; i < declared->parameter_count; i++) {
        const char *type = declared->parameter[i];
        const bool is_truth = strcmp(type, "i1") == 0;
        if (is_call && declared->type_of_tensor[i] >= 0)
            fprintf(to, ", i32 %d", declared->type_of_tensor[i]);
        fprintf(to, ", %s%s %%p%" PRIu32, *type == '\0' ? "ptr" : type, is_truth && is_call ? " zeroext" : "",
                i);
    }
}

static void write_function(const struct declared *declared, FILE *to)
{
    fprintf(to, "\ndefine void @_mlir_ciface_%s(ptr %%r", declared->name);
    write_parameters(declared, false, to);
    fprintf(to, ") {\n  call void @%s(i32 %" PRIu32 ", i32 %d, ptr %%r", declared->known->computed,
            declared->rank, declared->type);
    write_parameters(declared, true, to);
    fprintf(to, ")\n  ret void\n}\n");
}

/* The bytes of a string that MLIR and LLVM write with the same escapes, its quotation marks left out. */
static size_t string_bytes(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++, count++)
        i += text[i] != '\\' ? 0 : text[i + 1] == '\\' ? 1 : 2;
    return count;
}

/* A function that says something of one value: its text, whether in hex, and where it is called. A number is passed
 * by its address, as a tensor of no dims. */
static void write_saying(const struct declared *declared, const char *text, const char *whole, FILE *to)
{
    static const char *const names[] = {"prefix = \"", "msg = \""};
    const char *line = text, *said = NULL, *use = find_call(whole, declared->name);
    char place[PLACE_BYTES];
    for (size_t i = 0; i < 2 && said == NULL; i++)
        said = (said = in_statement(line, names[i])) != NULL ? said + strlen(names[i]) : NULL;
    size_t length = 0;
    while (said != NULL && said[length] != '"' && said[length] != '\n')
        length += said[length] == '\\' && said[length + 1] != '\n' ? 2 : 1;
    place_of(use != NULL ? use : line, place);
    fprintf(to, "\n@%s.said = internal constant [%zu x i8] c\"%.*s\\00\"\n", declared->name,
            string_bytes(said, length) + 1, (int)length, said != NULL ? said : "");
    fprintf(to, "@%s.place = internal constant [%zu x i8] c\"%s\\00\"\n", declared->name, strlen(place) + 1,
            place);
    const char *type = declared->parameter[0];
    const bool is_number = *type != '\0', is_truth = strcmp(type, "i1") == 0;
    const char *llvm = is_number ? llvm_type(type) : "ptr";
    fprintf(to, "define void @_mlir_ciface_%s(%s %%p) {\n", declared->name, llvm);
    if (is_truth)
        fputs("  %v = zext i1 %p to i8\n", to);
    if (is_number)
        fprintf(to, "  %%a = alloca %s\n  store %s %s, ptr %%a\n", is_truth ? "i8" : llvm,
                is_truth ? "i8" : llvm, is_truth ? "%v" : "%p");
    char element[TYPE_BYTES + 1];
    snprintf(element, sizeof element, "%s>", type);
    fprintf(to,
            "  call void @%s(i32 %" PRIu32 ", i32 %d, ptr %%%s, ptr @%s.said, i1 zeroext %s, ptr @%s.place)\n"
            "  ret void\n}\n",
            declared->known->computed, declared->rank, is_number ? type_of(element) : declared->type,
            is_number ? "a" : "p", declared->name,
            in_statement(line, "hex = true") != NULL ? "true" : "false", declared->name);
}

void known_functions_write(const char *text, FILE *to)
{
    bool is_declared[KNOWN] = {false};
    struct declared declared;
    const char *whole = text;
    while ((text = strstr(text, declaration)) != NULL) {
        text += strlen(declaration);
        if (strncmp(text, "__hmf_", 6) == 0)
            continue;
        if (!read_declaration(whole, text, &declared))
            return;
        bool *is_there = &is_declared[declared.known - known];
        if (declared.known->says) {
            write_saying(&declared, text, whole, to);
            if (!*is_there)
                fprintf(to, "declare void @%s(i32, i32, ptr, ptr, i1 zeroext, ptr)\n",
                        declared.known->computed);
            *is_there = true;
            continue;
        }
        write_function(&declared, to);
        if (!*is_there) {
            fprintf(to, "declare void @%s(i32, i32, ptr", declared.known->computed);
            for (uint32_t i = 0; i < declared.parameter_count; i++)
                fprintf(to, "%s, %s", declared.type_of_tensor[i] >= 0 ? ", i32" : "",
                        *declared.parameter[i] == '\0'             ? "ptr"
                        : strcmp(declared.parameter[i], "i1") == 0 ? "i1 zeroext"
                                                                   : declared.parameter[i]);
            fputs(")\n", to);
        }
        *is_there = true;
    }
}
