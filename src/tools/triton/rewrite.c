/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rewrites a kernel's text, line by line.
 *
 *   hints and barriers between cores          nothing: a program is one thread
 *   hfusion.histogram                         a call, which known.c knows
 *   hivm.hir.pointer_cast                     a call that finds the memory at the address
 *   linalg.matmul                             loops whose innermost one goes along rows
 *   compare and swap                          behind the copy of what there was, which comes before it
 *   a load whose elements a select picks      reads 0 where the address is not the tensor's: the mask, which the
 *                                             select has, may have kept it from being read
 *   load, select, store                       a store of what the mask picks, as programs that run at once may
 *                                             store to the elements between
 */
#include "tools/triton/rewrite.h"

#include <stdlib.h>
#include <string.h>

struct rewriting {
    const char *text;
    struct made_list *made;
    unsigned histograms;
    char *declarations; /* of functions that known.c knows: owned, written by `declare` */
    FILE *declare;
    FILE *to;
};

static void write_statement(const char *line, FILE *to)
{
    fprintf(to, "%.*s\n", (int)strcspn(line, "\n"), line);
}

static int depth_of(const char *line)
{
    return (int)strspn(line, " ");
}

static bool says_nothing(const char *line)
{
    static const char *const statements[] = {
        "annotation.mark ",       "gpu.barrier",       "hivm.hir.pipe_barrier",
        "hivm.hir.sync_block",    "hivm.hir.set_flag", "hivm.hir.wait_flag",
        "hivm.hir.set_mask_norm", "hivm.hir.dcci",     "hivm.hir.set_ffts_base_ad"};
    const char *at = line + depth_of(line);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (strncmp(at, statements[i], strlen(statements[i])) == 0)
            return true;
    return false;
}

/* `%1 = hfusion.histogram %0, 16 : tensor<256xi32> -> tensor<16xi32>` */
static bool rewrite_histogram(struct rewriting *work, const char *line)
{
    static const char operation[] = " = hfusion.histogram ";
    const char *at = in_statement(line, operation), *type = in_statement(line, " : tensor<");
    if (at == NULL || type == NULL)
        return false;
    const char *operand = at + strlen(operation), *bins = operand + value_length(operand);
    const char *arrow = in_statement(line, " -> tensor<");
    if (strncmp(bins, ", ", 2) != 0 || strspn(bins + 2, "0123456789") == 0 || arrow == NULL)
        return false;
    const unsigned number = work->histograms++;
    fprintf(work->to, "%*s%%belay_bins%u = arith.constant %.*s : i64\n", depth_of(line), "", number,
            (int)strspn(bins + 2, "0123456789"), bins + 2);
    fprintf(work->to, "%.*s = call @triton_histogram_%u(%.*s, %%belay_bins%u) : (%.*s, i64)%.*s\n",
            (int)(at - line), line, number, (int)value_length(operand), operand, number,
            (int)(arrow - type - 3), type + 3, (int)(line + strcspn(line, "\n") - arrow), arrow);
    fprintf(work->declare, "  func.func private @triton_histogram_%u(%.*s, i64)%.*s\n", number,
            (int)(arrow - type - 3), type + 3, (int)(statement_end(line) - arrow), arrow);
    return true;
}

/* `%6 = hivm.hir.pointer_cast(%5) [%c16] : memref<?xf32>` */
static bool rewrite_pointer(struct rewriting *work, const char *line)
{
    static const char operation[] = " = hivm.hir.pointer_cast(";
    const char *at = in_statement(line, operation), *type = in_statement(line, " : memref<");
    if (at == NULL || type == NULL)
        return false;
    const char *operand = at + strlen(operation);
    const unsigned number = made_add(work->made, MADE_REACH, line);
    struct made *made = &work->made->made[number];
    if (work->made->is_full)
        return false;
    snprintf(made->type[0], VIEW_BYTES, "%.*s", (int)type_length(type + 3), type + 3);
    fprintf(work->to, "%.*s = func.call @belay_made_%u(%.*s) : (i64) -> %s\n", (int)(at - line), line, number,
            (int)value_length(operand), operand, made->type[0]);
    return true;
}

enum { ELEMENT_BYTES = 32 };

/* "f32" of `tensor<64x32xf32>`. */
static void copy_element_type(const char *type, char element[ELEMENT_BYTES])
{
    const char *at = type + strcspn(type, "<") + 1;
    while (*at >= '0' && *at <= '9')
        at += strspn(at, "0123456789") + 1;
    snprintf(element, ELEMENT_BYTES, "%.*s", (int)strcspn(at, ",> "), at);
}

/*
 * `%9 = linalg.matmul {...} ins(%a, %b : tensor<MxKxT>, tensor<KxNxT>) outs(%c : tensor<MxNxU>) -> tensor<MxNxU>`
 *
 * as loops over m, k and n, in this order: the innermost one goes along rows, and each element is still the sum along
 * k in ascending order. Narrow elements are widened as upstream's loops do.
 */
static bool rewrite_product(struct rewriting *work, const char *line)
{
    static const char ins[] = " ins(", outs[] = " outs(";
    const char *product = in_statement(line, " = linalg.matmul "), *in = in_statement(line, ins),
               *out = in_statement(line, outs);
    if (product == NULL || in == NULL || out == NULL || in_statement(line, "cast =") != NULL)
        return false;
    const char *a = in + strlen(ins), *b = a + value_length(a) + 2, *types = strstr(b, " : tensor<"),
               *to = strstr(out, " : tensor<");
    if (types == NULL || types > out || to == NULL || to > statement_end(line))
        return false;
    const char *b_type = types + 3 + type_length(types + 3) + 2;
    const struct element narrow = element_of(types + 3), wide = element_of(to + 3),
                         other = element_of(b_type);
    const bool is_real = wide.llvm != NULL && strchr("fd", wide.llvm[0]) != NULL,
               is_wider = wide.bytes > narrow.bytes;
    if (narrow.bytes == 0 || narrow.bytes != other.bytes || (!is_real && wide.bytes != 4) ||
        wide.bytes < narrow.bytes)
        return false;
    const int depth = depth_of(line);
    char from[ELEMENT_BYTES], sum[ELEMENT_BYTES];
    const char *arrow = in_statement(out, " -> ");
    if (arrow == NULL)
        return false;
    copy_element_type(types + 3, from);
    copy_element_type(to + 3, sum);
    fprintf(work->to,
            "%.*s = linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) "
            "-> (k, n)>, "
            "affine_map<(m, k, n) -> (m, n)>], iterator_types = [\"parallel\", \"reduction\", "
            "\"parallel\"]}%.*s {\n",
            (int)(product - line), line, (int)(arrow - in), in);
    fprintf(work->to, "%*s^bb0(%%belay_a: %s, %%belay_b: %s, %%belay_c: %s):\n", depth, "", from, from, sum);
    const char *widen = is_real ? "arith.extf" : "arith.extsi", *suffix = is_wider ? "w" : "";
    for (const char *name = "ab"; is_wider && *name != '\0'; name++)
        fprintf(work->to, "%*s  %%belay_%cw = %s %%belay_%c : %s to %s\n", depth, "", *name, widen, *name,
                from, sum);
    fprintf(work->to, "%*s  %%belay_p = arith.mul%c %%belay_a%s, %%belay_b%s : %s\n", depth, "",
            is_real ? 'f' : 'i', suffix, suffix, sum);
    fprintf(work->to, "%*s  %%belay_s = arith.add%c %%belay_c, %%belay_p : %s\n", depth, "",
            is_real ? 'f' : 'i', sum);
    fprintf(work->to, "%*s  linalg.yield %%belay_s : %s\n%*s}%.*s\n", depth, "", sum, depth, "",
            (int)strcspn(arrow, "\n"), arrow);
    return true;
}

/* Writes a linalg.generic that compares and swaps behind the alloc and the copy that follow it; the line behind. */
static const char *rewrite_compare(struct rewriting *work, const char *line)
{
    if (in_statement(line, "GenericAtomicRMW = \"cas\"") == NULL)
        return NULL;
    const char *close = line;
    do
        close = next_line(close);
    while (close != NULL && (depth_of(close) > depth_of(line) || *(close + depth_of(close)) != '}'));
    const char *room = close != NULL ? next_line(close) : NULL, *copy = room != NULL ? next_line(room) : NULL;
    if (copy == NULL || in_statement(room, "= memref.alloc()") == NULL ||
        in_statement(copy, "memref.copy ") == NULL)
        return NULL;
    write_statement(room, work->to);
    write_statement(copy, work->to);
    for (const char *at = line; at != room; at = next_line(at))
        write_statement(at, work->to);
    return next_line(copy);
}

/* The select that alone uses a value that is defined at line; NULL where there are other uses. */
static const char *select_of(const char *line, const char *value)
{
    const char *use, *from = next_line(line);
    if (from == NULL || count_uses(from, scope_end(line), value, &use) != 1)
        return NULL;
    const char *select = in_statement(use, " = arith.select %"), *types = in_statement(use, " : tensor<");
    return select != NULL && types != NULL && strstr(types, "xi1>, ") != NULL ? use : NULL;
}

/* Operand i of a statement whose operands begin behind words. */
static void copy_operand(const char *line, const char *words, unsigned i, char value[NAME_BYTES])
{
    const char *at = in_statement(line, words);
    at = at != NULL ? at + strlen(words) : "";
    for (; i > 0 && value_length(at) > 0; i--)
        at += value_length(at) + 2;
    copy_value(at, value);
}

/* Where a copy's target becomes a tensor that only a select uses: the select. */
static const char *select_of_copy(const char *line)
{
    char target[NAME_BYTES], words[NAME_BYTES + 32], tensor[NAME_BYTES];
    copy_operand(line, "memref.copy ", 1, target);
    snprintf(words, sizeof words, "bufferization.to_tensor %s ", target);
    const char *made = strstr(line, words);
    if (target[0] == '\0' || made == NULL || made >= scope_end(line))
        return NULL;
    while (made > line && made[-1] != '\n')
        made--;
    copy_value(made + depth_of(made), tensor);
    return tensor[0] != '\0' ? select_of(made, tensor) : NULL;
}

static bool rewrite_copy(struct rewriting *work, const char *line)
{
    char from[NAME_BYTES], to[NAME_BYTES];
    if (strncmp(line + depth_of(line), "memref.copy ", 12) != 0 || select_of_copy(line) == NULL)
        return false;
    const char *types = in_statement(line, " : memref<"), *second = in_statement(line, " to memref<");
    if (types == NULL || second == NULL)
        return false;
    copy_operand(line, "memref.copy ", 0, from);
    copy_operand(line, "memref.copy ", 1, to);
    const unsigned number = made_add(work->made, MADE_COPY_INSIDE, line);
    if (work->made->is_full)
        return false;
    struct made *made = &work->made->made[number];
    snprintf(made->type[0], VIEW_BYTES, "%.*s", (int)type_length(types + 3), types + 3);
    snprintf(made->type[1], VIEW_BYTES, "%.*s", (int)type_length(second + 4), second + 4);
    fprintf(work->to, "%*sfunc.call @belay_made_%u(%s, %s) : (%s, %s) -> ()\n", depth_of(line), "", number,
            from, to, made->type[0], made->type[1]);
    return true;
}

/* The copy that has read what a select keeps where its mask is false, when it has read it from the view. */
static bool reads_view(const struct rewriting *work, const char *select, const char *kept, const char *view)
{
    char memory[NAME_BYTES], words[2 * NAME_BYTES + 32];
    const char *tensor = definition_of(work->text, select, kept);
    if (tensor == NULL || in_statement(tensor, " = bufferization.to_tensor ") == NULL)
        return false;
    copy_operand(tensor, " = bufferization.to_tensor ", 0, memory);
    snprintf(words, sizeof words, "memref.copy %s, %s ", view, memory);
    const char *copy = strstr(work->text, words);
    while (copy != NULL && copy < tensor) {
        const char *next = strstr(copy + 1, words);
        if (next == NULL || next >= tensor)
            return true;
        copy = next;
    }
    return false;
}

/* `bufferization.materialize_in_destination %17 in writable %view` of a select over what the view had. */
static bool rewrite_store(struct rewriting *work, const char *line)
{
    static const char store[] = "bufferization.materialize_in_destination ", chooses[] = " = arith.select ";
    char stored[NAME_BYTES], view[NAME_BYTES], mask[NAME_BYTES], value[NAME_BYTES], kept[NAME_BYTES];
    const char *in = in_statement(line, " in writable "), *types = in_statement(line, " : (tensor<");
    if (strncmp(line + depth_of(line), store, strlen(store)) != 0 || in == NULL || types == NULL)
        return false;
    copy_operand(line, store, 0, stored);
    copy_value(in + strlen(" in writable "), view);
    const char *select = definition_of(work->text, line, stored);
    const char *mask_type = select != NULL ? in_statement(select, " : tensor<") : NULL;
    if (mask_type == NULL || in_statement(select, chooses) == NULL)
        return false;
    copy_operand(select, chooses, 0, mask);
    copy_operand(select, chooses, 1, value);
    copy_operand(select, chooses, 2, kept);
    if (!reads_view(work, select, kept, view))
        return false;
    const unsigned number = made_add(work->made, MADE_STORE_WHERE, line);
    if (work->made->is_full)
        return false;
    struct made *made = &work->made->made[number];
    const char *value_type = types + 4, *view_type = value_type + type_length(value_type) + 2;
    snprintf(made->type[0], VIEW_BYTES, "memref%.*s", (int)type_length(mask_type + 3) - 6, mask_type + 9);
    snprintf(made->type[1], VIEW_BYTES, "memref%.*s", (int)type_length(value_type) - 6, value_type + 6);
    snprintf(made->type[2], VIEW_BYTES, "%.*s", (int)type_length(view_type), view_type);
    for (unsigned i = 0; i < 2; i++)
        fprintf(work->to, "%*s%%belay_where%u_%u = bufferization.to_memref %s : %s\n", depth_of(line), "",
                number, i, i == 0 ? mask : value, made->type[i]);
    fprintf(work->to,
            "%*sfunc.call @belay_made_%u(%%belay_where%u_0, %%belay_where%u_1, %s) : (%s, %s, %s) -> ()\n",
            depth_of(line), "", number, number, number, view, made->type[0], made->type[1], made->type[2]);
    return true;
}

/* The line of the loop around, `%11 = scf.for ... {`, if it is one over single elements. */
static const char *element_loop(const char *text, const char *line)
{
    const int depth = depth_of(line);
    while (line > text) {
        do
            line--;
        while (line > text && line[-1] != '\n');
        if (depth_of(line) < depth)
            break;
    }
    return in_statement(line, " = scf.for ") != NULL && in_statement(line, "iter_args(") != NULL ? line
                                                                                                 : NULL;
}

/* Whether the loop over single elements around a load gives what a select picks from. */
static bool is_picked(const struct rewriting *work, const char *line)
{
    char value[NAME_BYTES];
    const char *loop = line, *outer;
    while ((outer = element_loop(work->text, loop)) != NULL) {
        loop = outer;
        copy_value(loop + depth_of(loop), value);
        const char *close = loop;
        do
            close = next_line(close);
        while (close != NULL && depth_of(close) > depth_of(loop));
        if (close == NULL || value[0] == '\0')
            return false;
        if (select_of(close, value) != NULL)
            return true;
    }
    return false;
}

/* `%14 = memref.load %view[%c0] : memref<1xf32, ...>` in such a loop. */
static bool rewrite_load(struct rewriting *work, const char *line)
{
    static const char loads[] = " = memref.load ";
    char view[NAME_BYTES];
    const char *at = in_statement(line, loads), *type = in_statement(line, " : memref<1x");
    if (at == NULL || type == NULL || !is_picked(work, line))
        return false;
    copy_value(at + strlen(loads), view);
    const char *element = type + 12;
    if (element_of(type + 3).bytes == 0)
        return false;
    const unsigned number = made_add(work->made, MADE_LOAD_INSIDE, line);
    if (work->made->is_full)
        return false;
    struct made *made = &work->made->made[number];
    snprintf(made->type[0], VIEW_BYTES, "%.*s", (int)type_length(type + 3), type + 3);
    snprintf(made->type[1], VIEW_BYTES, "%.*s", (int)strcspn(element, ",>"), element);
    fprintf(work->to, "%.*s = func.call @belay_made_%u(%s) : (%s) -> %s\n", (int)(at - line), line, number,
            view, made->type[0], made->type[1]);
    return true;
}

char *kernel_rewrite(const char *text, struct made_list *made)
{
    char *rewritten = NULL;
    size_t bytes[2];
    struct rewriting work = {.text = text, .made = made};
    work.to = open_memstream(&rewritten, &bytes[0]);
    work.declare = open_memstream(&work.declarations, &bytes[1]);
    bool is_good = work.to != NULL && work.declare != NULL;
    for (const char *line = text, *behind; is_good && line != NULL; line = behind) {
        behind = rewrite_compare(&work, line);
        if (behind != NULL)
            continue;
        behind = next_line(line);
        if (*line == '}') { /* the module's end */
            fflush(work.declare);
            fputs(work.declarations, work.to);
        }
        if (!says_nothing(line) && !rewrite_histogram(&work, line) && !rewrite_pointer(&work, line) &&
            !rewrite_product(&work, line) && !rewrite_copy(&work, line) && !rewrite_store(&work, line) &&
            !rewrite_load(&work, line))
            write_statement(line, work.to);
    }
    if (work.to != NULL)
        is_good = fclose(work.to) == 0 && is_good;
    if (work.declare != NULL)
        fclose(work.declare);
    free(work.declarations);
    if (!is_good || made->is_full) {
        free(rewritten);
        return NULL;
    }
    return rewritten;
}
