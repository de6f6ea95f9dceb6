/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Declares and writes the functions that are made for a kernel.
 */
#include "tools/triton/made.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

unsigned made_add(struct made_list *list, enum made_kind kind, const char *line)
{
    struct made *more = realloc(list->made, (list->count + 1) * sizeof *more);
    if (more == NULL) {
        list->is_full = true;
        return 0;
    }
    list->made = more;
    more[list->count] = (struct made){.kind = kind};
    place_of(line, more[list->count].place);
    return list->count++;
}

struct element element_of(const char *type)
{
    static const struct {
        const char *name, *llvm;
        uint32_t bytes;
    } types[] = {{"f32", "float", 4}, {"f64", "double", 8}, {"f16", "half", 2},   {"bf16", "bfloat", 2},
                 {"i64", "i64", 8},   {"i32", "i32", 4},    {"i16", "i16", 2},    {"i8", "i8", 1},
                 {"i1", "i1", 1},     {"f8E5M2", "i8", 1},  {"f8E4M3FN", "i8", 1}};
    struct element element = {.rank = 0};
    const char *at = type + strcspn(type, "<");
    for (at += *at == '<'; (*at >= '0' && *at <= '9') || *at == '?'; element.rank++) {
        at += strspn(at, "0123456789?");
        at += *at == 'x';
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t length = strlen(types[i].name);
        if (strncmp(at, types[i].name, length) == 0 && strchr(",>", at[length]) != NULL) {
            element.bytes = types[i].bytes;
            element.llvm = types[i].llvm;
        }
    }
    return element;
}

static bool has_descriptors(const struct made *made)
{
    return made->kind == MADE_COPY_INSIDE || made->kind == MADE_STORE_WHERE;
}

void made_declare(const struct made_list *list, unsigned first, FILE *to)
{
    for (unsigned i = first; i < list->count; i++) {
        const struct made *made = &list->made[i];
        const char(*type)[VIEW_BYTES] = made->type;
        fprintf(to, "  func.func private @belay_made_%u(", i);
        if (made->kind == MADE_REACH)
            fprintf(to, "i64) -> %s", type[0]);
        else if (made->kind == MADE_LOAD_INSIDE)
            fprintf(to, "%s) -> %s", type[0], type[1]);
        else if (made->kind == MADE_READ)
            fprintf(to, "%s, %s) -> %s", type[0], type[1], type[1]);
        else
            fprintf(to, "%s%s%s%s%s)", type[0], type[1][0] != '\0' ? ", " : "", type[1],
                    type[2][0] != '\0' ? ", " : "", type[2]);
        fputs(has_descriptors(made) ? " attributes {llvm.emit_c_interface}\n" : "\n", to);
    }
}

/* A string of C, of characters that a name of a file has. */
static void write_string(const char *name, unsigned i, const char *text, FILE *to)
{
    fprintf(to, "@%s%u = internal constant [%zu x i8] c\"", name, i, strlen(text) + 1);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || *text < ' ')
            fprintf(to, "\\%02x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, to);
    fputs("\\00\"\n", to);
}

/* The parameters of a memref, taken apart: base, aligned, offset, sizes, strides. */
static void write_view(uint32_t rank, FILE *to)
{
    fputs("ptr %base, ptr %aligned, i64 %offset", to);
    for (uint32_t k = 0; k < rank; k++)
        fprintf(to, ", i64 %%size%" PRIu32, k);
    for (uint32_t k = 0; k < rank; k++)
        fprintf(to, ", i64 %%stride%" PRIu32, k);
}

/*
 * %first and %bytes: what lies between the first byte of a view and the last one; no bytes where one of its sizes is
 * not greater than 0.
 */
static void write_extent(const struct element *element, FILE *to)
{
    static const char dim[] = "  %less# = sub i64 %size#, 1\n"
                              "  %reach# = mul i64 %less#, %stride#\n"
                              "  %is_down# = icmp slt i64 %reach#, 0\n"
                              "  %back# = sub i64 0, %reach#\n"
                              "  %down# = select i1 %is_down#, i64 %reach#, i64 0\n"
                              "  %up# = select i1 %is_down#, i64 %back#, i64 %reach#\n"
                              "  %low+ = add i64 %low#, %down#\n"
                              "  %span+ = add i64 %span#, %up#\n"
                              "  %some# = icmp sgt i64 %size#, 0\n"
                              "  %all+ = and i1 %all#, %some#\n"; /* #: the dim, +: the next one */
    fputs("  %low0 = add i64 %offset, 0\n  %span0 = add i64 1, 0\n  %all0 = add i1 1, 0\n", to);
    for (uint32_t k = 0; k < element->rank; k++)
        for (const char *at = dim; *at != '\0'; at++)
            if (*at == '#' || *at == '+')
                fprintf(to, "%" PRIu32, k + (*at == '+'));
            else
                fputc(*at, to);
    fprintf(to,
            "  %%at = mul i64 %%low%" PRIu32 ", %" PRIu32 "\n"
            "  %%first = getelementptr i8, ptr %%aligned, i64 %%at\n"
            "  %%whole = mul i64 %%span%" PRIu32 ", %" PRIu32 "\n"
            "  %%bytes = select i1 %%all%" PRIu32 ", i64 %%whole, i64 0\n",
            element->rank, element->bytes, element->rank, element->bytes, element->rank);
}

static void write_field(const char *value, uint32_t place, FILE *to)
{
    fprintf(to,
            "  %%field%" PRIu32 " = getelementptr i64, ptr %%view, i64 %" PRIu32
            "\n  store %s, ptr %%field%" PRIu32 "\n",
            place, place, value, place);
}

/* Apart from the check, as it is seldom called: the view's descriptor, for belay_program_follow. */
static void write_follow(const struct made *made, unsigned i, const struct element *element, FILE *to)
{
    fprintf(to, "define internal void @belay_follow_%u(", i);
    write_view(element->rank, to);
    fprintf(to, ") cold noinline {\n  %%view = alloca [%" PRIu32 " x i64]\n", 3 + 2 * element->rank);
    write_field("ptr %base", 0, to);
    write_field("ptr %aligned", 1, to);
    write_field("i64 %offset", 2, to);
    for (uint32_t k = 0; k < 2 * element->rank; k++) {
        char value[32];
        const bool is_size = k < element->rank;
        snprintf(value, sizeof value, "i64 %%%s%" PRIu32, is_size ? "size" : "stride",
                 is_size ? k : k - element->rank);
        write_field(value, 3 + k, to);
    }
    fprintf(to,
            "  call void @belay_program_follow(i32 %" PRIu32 ", i32 %" PRIu32
            ", i32 %d, ptr %%view, ptr @belay_place_%u)\n  ret void\n}\n",
            element->rank, element->bytes, made->kind == MADE_CHECK_STORE, i);
}

static void write_check(const struct made *made, unsigned i, FILE *to)
{
    const struct element element = element_of(made->type[0]);
    write_string("belay_place_", i, made->place, to);
    write_follow(made, i, &element, to);
    fprintf(to, "define internal void @belay_made_%u(", i);
    write_view(element.rank, to);
    fputs(") alwaysinline {\n", to);
    write_extent(&element, to);
    fprintf(to,
            "  %%is_followed = call zeroext i1 @belay_program_check(ptr %%base, ptr %%first, i64 %%bytes, "
            "i32 %d, "
            "i32 %" PRIu32 ", ptr @belay_place_%u)\n"
            "  br i1 %%is_followed, label %%follow, label %%end\nfollow:\n"
            "  call void @belay_follow_%u(",
            made->kind == MADE_CHECK_STORE, element.bytes, i, i);
    write_view(element.rank, to);
    fputs(")\n  br label %end\nend:\n  ret void\n}\n", to);
}

static void write_load(const struct made *made, unsigned i, FILE *to)
{
    const struct element element = element_of(made->type[0]);
    fprintf(to, "define internal %s @belay_made_%u(", element.llvm, i);
    write_view(element.rank, to);
    fputs(") alwaysinline {\n", to);
    write_extent(&element, to);
    fprintf(to,
            "  %%inside = call ptr @belay_program_inside(ptr %%base, ptr %%first, i64 %%bytes)\n"
            "  %%value = load %s, ptr %%inside, align 1\n  ret %s %%value\n}\n",
            element.llvm, element.llvm);
}

/* A memref of one dim, as a function gives it. */
static const char memref[] = "{ ptr, ptr, i64, [1 x i64], [1 x i64] }";

static void write_read(const struct made *made, unsigned i, FILE *to)
{
    const struct element element = element_of(made->type[0]);
    write_string("belay_place_", i, made->place, to);
    fprintf(to, "define internal %s @belay_made_%u(", memref, i);
    write_view(element.rank, to);
    fputs(", ptr %own_base, ptr %own, i64 %own_offset, i64 %own_size, i64 %own_stride) alwaysinline {\n", to);
    write_extent(&element, to);
    fprintf(to,
            "  %%room = mul i64 %%own_size, %" PRIu32 "\n"
            "  %%p = call ptr @belay_program_read(ptr %%base, ptr %%first, i64 %%bytes, i32 %" PRIu32
            ", ptr %%own, i64 %%room, ptr @belay_place_%u)\n"
            "  %%a = insertvalue %s { ptr poison, ptr poison, i64 0, [1 x i64] poison, [1 x i64] [i64 1] }, "
            "ptr %%p, 0\n"
            "  %%b = insertvalue %s %%a, ptr %%p, 1\n"
            "  %%c = insertvalue %s %%b, i64 %%own_size, 3, 0\n  ret %s %%c\n}\n",
            element.bytes, element.bytes, i, memref, memref, memref, memref);
}

static void write_reach(unsigned i, FILE *to)
{
    fprintf(to,
            "define internal %s @belay_made_%u(i64 %%address) {\n"
            "  %%p = call ptr @belay_program_reach(i64 %%address)\n"
            "  %%a = insertvalue %s { ptr poison, ptr poison, i64 0, [1 x i64] zeroinitializer, [1 x i64] "
            "[i64 1] "
            "}, ptr %%p, 0\n"
            "  %%b = insertvalue %s %%a, ptr %%p, 1\n  ret %s %%b\n}\n",
            memref, i, memref, memref, memref);
}

/* Those that take descriptors, whose addresses LLVM passes by the C interface. */
static void write_call(const struct made *made, unsigned i, FILE *to)
{
    const bool is_store = made->kind == MADE_STORE_WHERE;
    const struct element element = element_of(made->type[is_store ? 2 : 0]);
    write_string("belay_place_", i, made->place, to);
    fprintf(to, "define void @_mlir_ciface_belay_made_%u(ptr %%a, ptr %%b%s) {\n", i,
            is_store ? ", ptr %c" : "");
    fprintf(to,
            "  call void @belay_program_%s(i32 %" PRIu32 ", i32 %" PRIu32 ", ptr %%a, ptr %%b%s, ptr "
            "@belay_place_%u)\n  ret void\n}\n",
            is_store ? "store_where" : "copy_inside", element.rank, element.bytes, is_store ? ", ptr %c" : "",
            i);
}

void made_write(const struct made_list *list, FILE *to)
{
    if (list->count == 0)
        return;
    fputs(
        "\ndeclare zeroext i1 @belay_program_check(ptr, ptr, i64, i32, i32, ptr) nounwind "
        "memory(inaccessiblemem: readwrite)\n"
        "declare void @belay_program_follow(i32, i32, i32, ptr, ptr) nounwind memory(argmem: read, "
        "inaccessiblemem: "
        "readwrite)\n"
        "declare ptr @belay_program_inside(ptr, ptr, i64) nounwind willreturn memory(inaccessiblemem: read)\n"
        "declare ptr @belay_program_reach(i64)\n"
        "declare ptr @belay_program_read(ptr, ptr, i64, i32, ptr, i64, ptr) nounwind "
        "memory(argmem: readwrite, inaccessiblemem: readwrite)\n"
        "declare void @belay_program_copy_inside(i32, i32, ptr, ptr, ptr)\n"
        "declare void @belay_program_store_where(i32, i32, ptr, ptr, ptr, ptr)\n",
        to);
    for (unsigned i = 0; i < list->count; i++) {
        const struct made *made = &list->made[i];
        if (made->kind == MADE_CHECK_LOAD || made->kind == MADE_CHECK_STORE)
            write_check(made, i, to);
        else if (made->kind == MADE_LOAD_INSIDE)
            write_load(made, i, to);
        else if (made->kind == MADE_REACH)
            write_reach(i, to);
        else if (made->kind == MADE_READ)
            write_read(made, i, to);
        else
            write_call(made, i, to);
    }
}
