/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSmoothL1Loss: its contract, call by call.
 */
#include "aclnnop/aclnn_smooth_l1_loss.h"

#include <stdio.h>
#include <string.h>

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, target, result */
static const struct call calls[] = {
    /* Elements. */
    {"broadcast", {"f32[4,1]", "f32[3]", "f32[4,3]"}},
    {"promotion", {"f16[40]", "bf16[40]", "f32[40]"}, .products = "bc"},
    {"promotion, to FLOAT16", {"f16[40]", "f32[40]", "f16[40]"}},
    {"to DOUBLE", {"f32[40]", "f32[40]", "f64[40]"}},
    {"to COMPLEX64", {"f16[40]", "f32[40]", "c64[40]"}},

    /* Attributes. */
    {"reduction 3",
     {"f32[4]", "f32[4]", "f32[4]"},
     "reduction=3",
     .status = INVALID,
     .message = "reduction is 3"},
    {"reduction -1",
     {"f32[4]", "f32[4]", "f32[4]"},
     "reduction=-1",
     .status = INVALID,
     .message = "reduction"},
    {"beta -1", {"f32[4]", "f32[4]", "f32[4]"}, "beta=-1", .status = INVALID, .message = "beta"},
    {"beta NaN", {"f32[4]", "f32[4]", "f32[4]"}, "beta=nan", .status = INVALID, .message = "beta"},
    {"beta -inf", {"f32[4]", "f32[4]", "f32[4]"}, "beta=-inf", .status = INVALID, .message = "beta"},
    {"beta of a mean",
     {"f32[4]", "f32[4]", "f32[]"},
     "reduction=1 beta=-1",
     .status = INVALID,
     .message = "beta"},
    {"a dtype comes before reduction",
     {"f32[4]", "i32[4]", "f32[4]"},
     "reduction=3",
     .status = INVALID,
     .message = "target"},
    {"reduction comes before a shape",
     {"f32[4]", "f32[3]", "f32[4]"},
     "reduction=3",
     .status = INVALID,
     .message = "reduction"},
    {"self DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"target DOUBLE", {"f32[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "target|DOUBLE"},
};

/* What is done once as a sum and once as a mean. */
static const struct call reduced[] = {
    {"a result of rank 1", {"f32[100]!tame", "f32[100]!tame", "f32[1]"}},
    {"a result of rank 8", {"f32[100]!tame", "f32[100]!tame", "f32[1,1,1,1,1,1,1,1]"}},
    {"a result with an offset and strides", {"f32[100]!tame", "f32[100]!tame", "f32[1,1]{0,0}+3"}},
    {"everything, infinities and NaN too", {"f32[1021]", "f32[1021]", "f32[]"}},
    {"broadcast of both", {"f32[40,1]!tame", "f32[50]!tame", "f32[]"}},
    {"broadcast of one", {"f32[40,50]!tame", "f32[50]!tame", "f32[]"}},
    {"one element against many", {"f32[]!tame", "f16[40,50]!tame", "f32[]"}},
    {"transposed", {"f32[40,50]{1,40}!tame", "f32[40,50]!tame", "f32[]"}},
    {"both transposed", {"f16[40,50]{1,40}!tame", "f16[40,50]{1,40}!tame", "f16[]"}},
    {"sliced", {"f32[40,50]{120,2}+5!tame", "f32[40,50]{60,1}!tame", "f32[]"}},
    {"long rows, sliced", {"f32[5,600]{700,1}!tame", "f32[5,600]!tame", "f32[]"}},
    {"stride 0", {"f32[40,50]{0,1}!tame", "f32[40,50]!tame", "f32[]"}},
    {"permuted rank 4", {"f32[2,3,4,5]{3,1,30,6}!tame", "f32[2,3,4,5]!tame", "f32[]"}},
    {"promotion", {"f16[400]!tame", "f32[400]!tame", "f16[]"}},
    {"two dtypes of 16 bits", {"f16[400]!tame", "bf16[400]!tame", "bf16[]"}, .products = "bc"},
    {"to FLOAT16", {"f32[400]!tame", "f32[400]!tame", "f16[]"}},
    {"to DOUBLE", {"f32[400]!tame", "f32[400]!tame", "f64[]"}},
    {"to COMPLEX64", {"f32[400]!tame", "f32[400]!tame", "c64[]"}},
    {"to COMPLEX128", {"f16[400]!tame", "f16[400]!tame", "c128[]"}},
    {"one element", {"f32[]!tame", "f32[]!tame", "f32[]"}},
    {"the result in the place of an input", {"f32[1]!tame", "f32[9]!tame", "f32[1]=0"}},
    {"the result within an input", {"f32[9]!tame", "f32[9]!tame", "f32[]=0+4"}},
    {"both inputs the same memory", {"f32[9]!tame", "f32[9]=0", "f32[]"}},
    {"many elements", {"f32[300,1000]!tame", "f32[300,1000]!tame", "f32[]"}, .products = "b"},
    {"nothing", {"f32[0]", "f32[0]", "f32[]"}},
    {"nothing in one dim, FLOAT16", {"f16[3,0]", "f16[1]", "f16[]"}},
    {"nothing, without addresses", {"f32[0]!nodata", "f32[0]!nodata", "f32[]"}},
    {"a result of two elements",
     {"f32[4]", "f32[4]", "f32[2]"},
     .status = INVALID,
     .message = "result|shape"},
    {"an empty result", {"f32[0]", "f32[0]", "f32[0]"}, .status = INVALID, .message = "result|shape"},
    {"the shape of the inputs", {"f32[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "result|shape"},
    {"inputs that do not fit together",
     {"f32[4]", "f32[3]", "f32[]"},
     .status = INVALID,
     .message = "target|broadcast"},
    {"rank 9", {"f32[4]", "f32[1,1,1,1,1,1,1,1,4]", "f32[]"}, .status = INVALID, .message = "target|9 dims"},
    {"a result of rank 9",
     {"f32[4]", "f32[4]", "f32[1,1,1,1,1,1,1,1,1]"},
     .status = INVALID,
     .message = "result|9 dims"},
    {"too many elements",
     {"f32[0x4000000000,1]{0,0}", "f32[1,0x4000000000]{0,0}", "f32[]"},
     .status = INVALID,
     .message = "2^63"},
    {"too many elements before the last dim",
     {"f32[0x4000000000,1,1]{0,0,0}", "f32[1,0x4000000000,3]{0,0,0}", "f32[]"},
     .status = INVALID,
     .message = "2^63"},
    {"nothing, behind too many", {"f32[0x4000000000,1,1]{0,0,0}", "f32[1,0x4000000000,0]{0,0,0}", "f32[]"}},
    {"an input without data", {"f32[4]!nodata", "f32[4]", "f32[]"}, .status_of_phase_2 = INVALID},
    {"a result without data", {"f32[4]", "f32[4]", "f32[]!nodata"}, .status_of_phase_2 = INVALID},
    {"a result without data for nothing", {"f32[0]", "f32[0]", "f32[]!nodata"}, .status_of_phase_2 = INVALID},
};

/* Every beta with every dtype: element by element, and summed up at every length. */
static const char *const betas[] = {"1",     "0",    "-0.0", "0.5", "0.3", "1e-45",
                                    "1e-30", "3e38", "inf",  "3",   "7"};
static const char *const dtypes[] = {"f32", "f16", "bf16"};
static const char *const lengths[] = {"[3]", "[40,57]!benign", "[1021]!tame"};

enum {
    REDUCTIONS = 3,
    ROWS_OF_BETAS = COUNT(betas) * COUNT(dtypes) * (1 + COUNT(lengths) * (REDUCTIONS - 1)),
    ROWS = COUNT(calls) + COUNT(reduced) * (REDUCTIONS - 1) + ROWS_OF_BETAS
};

static struct row_text {
    char name[100];
    char attributes[40];
    char input[40];
    char result[40];
} texts[ROWS];
static struct call rows[ROWS];
static int row_count;

static void add_reduced(const struct call *call, int reduction)
{
    struct row_text *text = &texts[row_count];
    snprintf(text->name, sizeof text->name, "%s, reduction=%d", call->name, reduction);
    snprintf(text->attributes, sizeof text->attributes, "reduction=%d", reduction);
    rows[row_count] = *call;
    rows[row_count].name = text->name;
    rows[row_count].attributes = text->attributes;
    row_count++;
}

static void add_beta(const char *beta, const char *dtype, const char *length, int reduction)
{
    struct row_text *text = &texts[row_count];
    snprintf(text->input, sizeof text->input, "%s%s", dtype, length);
    snprintf(text->result, sizeof text->result, "%s%s", dtype, reduction == 0 ? length : "[]");
    snprintf(text->attributes, sizeof text->attributes, "reduction=%d beta=%s", reduction, beta);
    snprintf(text->name, sizeof text->name, "%s%s, reduction=%d beta=%s", dtype, length, reduction, beta);
    rows[row_count++] = (struct call){.name = text->name,
                                      .operand = {text->input, text->input, text->result},
                                      .attributes = text->attributes,
                                      .products = strcmp(dtype, "bf16") == 0 ? "bc" : NULL};
}

static void make_rows(void)
{
    for (int i = 0; i < COUNT(calls); i++)
        rows[row_count++] = calls[i];
    for (int reduction = 1; reduction < REDUCTIONS; reduction++)
        for (int i = 0; i < COUNT(reduced); i++)
            add_reduced(&reduced[i], reduction);
    for (int i = 0; i < COUNT(betas); i++) {
        for (int k = 0; k < COUNT(dtypes); k++) {
            add_beta(betas[i], dtypes[k], "[1021]", 0);
            for (int n = 0; n < COUNT(lengths); n++)
                for (int reduction = 1; reduction < REDUCTIONS; reduction++)
                    add_beta(betas[i], dtypes[k], lengths[n], reduction);
        }
    }
}

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnSmoothL1LossGetWorkspaceSize(operand[0], operand[1], attributes->reduction, attributes->beta,
                                             operand[2], workspace_size, executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)count, (void)arithmetic;
    reference_smooth_l1_loss(result, input[0], input[1], (double)attributes->beta);
}

int main(void)
{
    make_rows();
    const struct operator_under_test smooth_l1_loss = {
        .api = "aclnnSmoothL1Loss",
        .operand_count = 3,
        .operand_names = {"self", "target", "result"},
        .has_reductions = true,
        .calls = rows,
        .call_count = row_count,
        .default_attributes = "reduction=0 beta=1",
        .phase_1 = phase_1,
        .phase_2 = aclnnSmoothL1Loss,
        .reference = reference,
    };
    return contract_main(&smooth_l1_loss);
}
