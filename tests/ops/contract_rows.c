/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows that hold for every operator: what runs and what is refused by rules that all of them share. They
 * are written from the part of the contract that is common to all operators, for operands of any number.
 */
#include "ops/contract_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/contract_operand.h"

#define RANK_9        "f32[1,1,1,1,1,1,1,1,2]"
#define RANK_25       "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"
#define OVER_2_TO_63  "f32[0x7fffffffffffffff,2]{0,0}"
#define REACH_TO_2_63 "f32[3]{0x7fffffffffffffff}"

/* The operands for which there is a row each, in which this one is written as `one` says. */
enum each { ONCE, EACH, EACH_INPUT };

/*
 * In the texts, $one stands for the name of the operand that the row is about, $k for its index, $first,
 * $second and $output for the names of these. What is about a second input is left out where there is one.
 */
struct pattern {
    const char *name;
    const char *rest;   /* every operand, but for those that the next members write otherwise */
    const char *first;  /* or NULL, as all of them may be */
    const char *second; /* the second input */
    const char *output;
    enum each each;
    const char *one;
    const char *attributes;
    const char *products;
    int status;
    const char *message;
    int status_of_phase_2;
};

static const struct pattern patterns[] = {
    /* What runs. */
    {"FLOAT", "f32[5,7]"},
    {"FLOAT16", "f16[5,7]"},
    {"BFLOAT16 where the product has it", "bf16[33]", .products = "bc"},
    {"rank 0 is one element", "f32[]"},
    {"rank 1, one element", "f16[1]"},
    {"rank 8", "f32[2,1,3,1,2,1,2,3]"},
    {"a length with a tail", "f32[1021]"},
    {"a length with a tail, FLOAT16", "f16[1021]"},
    {"a length with a tail, BFLOAT16", "bf16[1021]", .products = "bc"},
    {"an offset of 1 in every operand", "f16[9]+1"},
    {"pinned host memory counts as device memory", "f32[8]!pinned"},
    {"interior pointers are memory too", "f32[8]!interior"},
    {"a large stride on a dim of size 1", "f32[1,5]", .output = "f32[1,5]{3,1}", .first = "f32[1,5]{77,1}"},
    {"transposed $one", "f32[4,6]", .each = EACH, .one = "f32[4,6]{1,4}"},
    {"transposed $one, FLOAT16", "f16[4,6]", .each = EACH, .one = "f16[4,6]{1,4}"},
    {"$one sliced with an offset", "f32[4,4]", .each = EACH, .one = "f32[4,4]{8,2}+3"},
    {"stride 0 repeats what $one has", "f32[4,3]", .each = EACH_INPUT, .one = "f32[4,3]{0,1}"},
    {"strides 0 make a scalar of $one", "f16[4,3]", .each = EACH_INPUT, .one = "f16[4,3]{0,0}"},
    {"$second and $output transposed", "f16[4,6]", .second = "f16[4,6]{1,4}", .output = "f16[4,6]{1,4}"},
    {"two inputs sliced, each with its offset", "f32[4,4]", .first = "f32[4,4]{8,2}+3",
     .second = "f32[4,4]{9,1}+7"},
    {"stride 0 in two inputs", "f32[4,3]", .first = "f32[4,3]{0,1}", .second = "f32[4,3]{1,0}"},
    {"permuted rank 4", "f32[2,3,4,5]", .first = "f32[2,3,4,5]{3,1,30,6}",
     .output = "f32[2,3,4,5]{1,2,6,24}"},
    {"strided $output, the gaps stay as they were", "f32[3,5]", .output = "f32[3,5]{20,3}+2"},
    {"$output with stride 0 on a dim of size 1", "f32[1,4]", .output = "f32[1,4]{0,1}"},
    {"$output interleaved without a shared address", "f32[2,3]", .output = "f32[2,3]{3,2}"},
    {"in place of $one", "f32[6,6]", .each = EACH_INPUT, .one = "f32[6,6]", .output = "f32[6,6]=$k"},
    {"in place of $one, FLOAT16", "f16[40]", .each = EACH_INPUT, .one = "f16[40]", .output = "f16[40]=$k"},
    {"the inputs in one memory", "f32[9]=0", .first = "f32[9]", .output = "f32[9]"},
    {"all in one memory", "f32[9]=0", .first = "f32[9]"},
    {"an overlap gives what copied inputs would", "f32[64]", .first = "f32[64]{2}", .output = "f32[64]=0+20"},
    {"$output transposed over $second", "f32[8,8]", .output = "f32[8,8]{1,8}=1"},

    /* Empty tensors. */
    {"an empty tensor does nothing", "f32[0]"},
    {"empty in one dim of many", "f16[3,0,2]"},
    {"empty with NULL data", "f32[2,0]!nodata"},
    {"empty with an unaligned host pointer", "f32[0]!host", .first = "f32[0]!host!odd"},
    {"empty is looked at after the dtypes", "f32[0]", .second = "str[0]", .status = INVALID,
     .message = "$second|STRING"},
    {"empty is looked at after the shapes", "f32[0]", .output = "f32[0,1]", .status = INVALID,
     .message = "$output|shape"},

    /* NULL. */
    {"workspaceSize NULL", "f32[4]", .attributes = "workspaceSize=NULL", .status = NULLPTR_,
     .message = "workspaceSize"},
    {"executor NULL", "f32[4]", .attributes = "executor=NULL", .status = NULLPTR_, .message = "executor"},
    {"$one NULL", "f32[4]", .each = EACH, .one = "NULL", .status = NULLPTR_, .message = "$one"},
    {"all NULL: $first is named", "NULL", .status = NULLPTR_, .message = "$first"},
    {"executor NULL comes before $one NULL", "f32[4]", .each = EACH, .one = "NULL",
     .attributes = "executor=NULL", .status = NULLPTR_, .message = "executor"},
    {"$output NULL comes before a dtype", "str[4]", .output = "NULL", .status = NULLPTR_,
     .message = "$output"},
    {"$output NULL comes before a stale $one", "f32[4]", .each = EACH_INPUT, .one = "stale", .output = "NULL",
     .status = NULLPTR_, .message = "$output"},

    /* Handles. */
    {"$one stale", "f32[4]", .each = EACH, .one = "stale", .status = INVALID, .message = "$one"},
    {"$one foreign", "f32[4]", .each = EACH, .one = "foreign", .status = INVALID, .message = "$one"},
    {"$one a scalar", "f32[4]", .each = EACH, .one = "scalar", .status = INVALID, .message = "$one|scalar"},
    {"of two stale handles the first is named", "f32[4]", .first = "stale", .output = "stale",
     .status = INVALID, .message = "$first"},
    {"a stale $output comes before a dtype of $one", "f32[4]", .each = EACH_INPUT, .one = "str[4]",
     .output = "stale", .status = INVALID, .message = "$output"},

    /* Views that cannot be. */
    {"a negative dim in $one", "f32[4]", .each = EACH, .one = "f32[-4]", .status = INVALID,
     .message = "$one"},
    {"a negative stride in $one", "f32[4]", .each = EACH, .one = "f32[4]{-1}", .status = INVALID,
     .message = "$one"},
    {"a negative offset in $one", "f32[4]", .each = EACH, .one = "f32[4]+-1", .status = INVALID,
     .message = "$one"},
    {"a product over 2^63 - 1 in $one", "f32[4]", .each = EACH, .one = OVER_2_TO_63, .status = INVALID,
     .message = "$one"},
    {"products over 2^63 - 1", OVER_2_TO_63, .status = INVALID, .message = "$first"},
    {"a reach over 2^63 - 1 in $one", "f32[3]", .each = EACH, .one = REACH_TO_2_63, .status = INVALID,
     .message = "$one"},
    {"an impossible $output comes before a dtype of $one", "f32[4]", .each = EACH_INPUT, .one = "str[4]",
     .output = "f32[4]{-1}", .status = INVALID, .message = "$output"},

    /* Dtypes; those that every operator refuses are in refused_dtypes. */
    {"BFLOAT16 is refused on the oldest product, which says that others accept it", "bf16[4]",
     .products = "a", .status = INVALID, .message = "BFLOAT16|Ascend910A|Ascend910B"},
    {"BFLOAT16 as $one is refused there too", "f32[4]", .each = EACH, .one = "bf16[4]", .products = "a",
     .status = INVALID, .message = "$one|BFLOAT16"},
    {"a dtype comes before a rank", "f32[1]", .first = RANK_9, .second = "str[1]", .status = INVALID,
     .message = "$second|STRING"},
    {"a dtype of $one comes before a shape", "f32[4]", .each = EACH_INPUT, .one = "str[4]",
     .output = "f32[5]", .status = INVALID, .message = "$one|STRING"},

    /* Rank and shape. */
    {"rank 9", RANK_9, .status = INVALID, .message = "9 dims"},
    {"rank 9 in $one alone comes before the shapes", "f32[2]", .each = EACH_INPUT, .one = RANK_9,
     .status = INVALID, .message = "$one|9 dims"},
    {"rank 9 in $output alone", "f32[2]", .output = RANK_9, .status = INVALID, .message = "$output"},
    {"rank 25", RANK_25, .status = INVALID, .message = "25 dims"},
    {"$output of another shape", "f32[4]", .output = "f32[5]", .status = INVALID, .message = "$output|shape"},
    {"$output with the same elements in another shape", "f32[4]", .output = "f32[2,2]", .status = INVALID,
     .message = "$output|shape"},
    {"$output with a leading 1", "f32[4]", .output = "f32[1,4]", .status = INVALID,
     .message = "$output|shape"},
    {"inputs that do not fit together", "f32[4]", .first = "f32[3]", .status = INVALID, .message = "shape"},
    {"0 does not fit to 2", "f32[2]", .first = "f32[0]", .status = INVALID, .message = "shape"},

    /* An output that overlaps itself. */
    {"$output with stride 0", "f32[4]", .output = "f32[4]{0}", .status = INVALID,
     .message = "$output|overlap"},
    {"$output with two indices at one address", "f32[3,3]", .output = "f32[3,3]{2,1}", .status = INVALID,
     .message = "$output|overlap"},
    {"a shape comes before the overlap", "f32[4]", .output = "f32[5]{0}", .status = INVALID,
     .message = "$output|shape"},

    /* Phase 2. */
    {"$one without data", "f32[40]", .each = EACH, .one = "f32[40]!nodata", .status_of_phase_2 = INVALID},
    {"$one misaligned", "f32[40]", .each = EACH, .one = "f32[40]!odd", .status_of_phase_2 = INVALID},
    {"$one misaligned, FLOAT16", "f16[40]", .each = EACH, .one = "f16[40]!odd", .status_of_phase_2 = INVALID},
    {"$one ends too early", "f32[40]", .each = EACH, .one = "f32[40]!short", .status_of_phase_2 = INVALID},
    {"$one in host memory", "f32[40]", .each = EACH, .one = "f32[40]!host", .status_of_phase_2 = INVALID},
    {"$one in freed memory", "f32[40]", .each = EACH, .one = "f32[40]!freed", .status_of_phase_2 = INVALID},
};

/* Dtypes that most operators refuse for a tensor, and the word for them in the sentence. */
static const struct {
    const char *operand;
    const char *message;
    enum each each; /* complex results are written by some */
} refused_dtypes[] = {
    {"i8[4]", "$one|INT8", EACH},
    {"i16[4]", "$one|INT16", EACH},
    {"i32[4]", "$one|INT32", EACH},
    {"i64[4]", "$one|INT64", EACH},
    {"u8[4]", "$one|UINT8", EACH},
    {"u16[4]", "$one|UINT16", EACH},
    {"u32[4]", "$one|UINT32", EACH},
    {"u64[4]", "$one|UINT64", EACH},
    {"bool[4]", "$one|BOOL", EACH},
    {"c32[4]", "$one|COMPLEX32", EACH},
    {"c64[4]", "$one|COMPLEX64", EACH_INPUT},
    {"c128[4]", "$one|COMPLEX128", EACH_INPUT},
    {"str[4]", "$one|STRING", EACH},
    {"undefined[4]", "$one|dtype", EACH},
    {"unknown[4]", "$one|dtype", EACH},
};

/* Texts that were written; never freed, as the rows point to them. */
static char texts[1 << 17];
static size_t texts_used;

/* The text with names in place of the words that begin with a dollar sign; NULL for NULL. */
static const char *write_text(const struct operator_under_test *op, const char *text, int one)
{
    if (text == NULL || strchr(text, '$') == NULL)
        return text;
    char index[2] = {(char)('0' + one), '\0'};
    const struct {
        const char *word;
        const char *meaning;
    } words[] = {{"$one", op->operand_names[one]},
                 {"$k", index},
                 {"$first", op->operand_names[0]},
                 {"$second", op->operand_names[1]},
                 {"$output", op->operand_names[op->operand_count - 1]}};
    char *start = texts + texts_used;
    while (*text != '\0') {
        const char *piece = text;
        size_t length = 1;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strncmp(text, words[i].word, strlen(words[i].word)) == 0) {
                piece = words[i].meaning;
                length = strlen(words[i].meaning);
                text += strlen(words[i].word) - 1;
                break;
            }
        assert_true(texts_used + length + 1 < sizeof texts);
        memcpy(texts + texts_used, piece, length);
        texts_used += length;
        text++;
    }
    texts[texts_used++] = '\0';
    return start;
}

static struct call write_row(const struct operator_under_test *op, const struct pattern *pattern, int one)
{
    struct call row = {.attributes = pattern->attributes,
                       .products = pattern->products,
                       .status = pattern->status,
                       .status_of_phase_2 = pattern->status_of_phase_2};
    int output = op->operand_count - 1;
    for (int i = 0; i <= output; i++)
        row.operand[i] = pattern->rest;
    if (pattern->first != NULL)
        row.operand[0] = pattern->first;
    if (pattern->second != NULL)
        row.operand[1] = pattern->second;
    if (pattern->output != NULL)
        row.operand[output] = write_text(op, pattern->output, one);
    if (pattern->each != ONCE)
        row.operand[one] = pattern->one;
    row.name = write_text(op, pattern->name, one);
    row.message = write_text(op, pattern->message, one);
    return row;
}

/* Whether the row is about operands that the operator has, and about a rule that it has. */
static bool applies(const struct operator_under_test *op, const struct pattern *pattern)
{
    if (op->output_comes_first && pattern->message != NULL && strcmp(pattern->message, "$first") == 0)
        return false;
    if (op->broadcasts_to_output && strcmp(pattern->name, "$output with a leading 1") == 0)
        return false;
    bool needs_second = pattern->second != NULL || strstr(pattern->name, "$second") != NULL;
    if (needs_second && op->operand_count < 3)
        return false;
    if (op->has_any_rank &&
        (strncmp(pattern->name, "rank 9", 6) == 0 || strcmp(pattern->name, "rank 25") == 0))
        return false;
    if (op->has_rank_after_shapes && strstr(pattern->name, "comes before the shapes") != NULL)
        return false;
    if (!op->is_in_place)
        return true;
    /* One operand cannot differ from itself, nor repeat what it has. */
    bool is_about_shapes = pattern->message != NULL && strstr(pattern->message, "shape") != NULL;
    bool repeats = pattern->each == EACH_INPUT && pattern->status == OK_;
    return pattern->first == NULL && !is_about_shapes && !repeats &&
           (pattern->output == NULL || pattern->each == ONCE);
}

static int write_rows(const struct operator_under_test *op, const struct pattern *pattern, struct call *rows,
                      int count)
{
    if (!applies(op, pattern))
        return count;
    int copies = pattern->each == ONCE ? 1 : pattern->each == EACH ? op->operand_count : contract_inputs(op);
    for (int one = 0; one < copies; one++) {
        assert_true(count < ROWS_MAX);
        struct call row = write_row(op, pattern, one);
        if (op->gives_one_value && pattern->message != NULL &&
            strcmp(pattern->message, "$output|overlap") == 0) {
            row.status = OK_;
            row.message = NULL;
        }
        rows[count++] = row;
    }
    return count;
}

int contract_rows(const struct operator_under_test *op, struct call rows[ROWS_MAX])
{
    int count = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        count = write_rows(op, &patterns[i], rows, count);
    for (size_t i = 0; i < sizeof refused_dtypes / sizeof refused_dtypes[0]; i++) {
        aclDataType dtype = dtype_named(refused_dtypes[i].operand, strcspn(refused_dtypes[i].operand, "["));
        if ((unsigned)dtype < 64 && (op->accepted >> dtype & 1) != 0)
            continue;
        const struct pattern pattern = {.name = "a dtype that is refused as $one",
                                        .rest = "f32[4]",
                                        .each = refused_dtypes[i].each,
                                        .one = refused_dtypes[i].operand,
                                        .status = INVALID,
                                        .message = refused_dtypes[i].message};
        count = write_rows(op, &pattern, rows, count);
    }
    return count;
}
