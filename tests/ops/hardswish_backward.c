/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnHardswishBackward: its contract, call by call.
 */
#include "aclnnop/aclnn_hardswish_backward.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, self, out */
static const struct call calls[] = {
    /* What runs. */
    {"FLOAT runs", {"f32[4,2]", "f32[4,2]", "f32[4,2]"}},
    {"FLOAT16 runs", {"f16[5,7]", "f16[5,7]", "f16[5,7]"}},
    {"BFLOAT16 runs where the product has it", {"bf16[33]", "bf16[33]", "bf16[33]"}, .products = "bc"},
    {"rank 0 is one element", {"f32[]", "f32[]", "f32[]"}},
    {"rank 1, one element", {"f16[1]", "f16[1]", "f16[1]"}},
    {"rank 8", {"f32[2,1,3,1,2,1,2,3]", "f32[2,1,3,1,2,1,2,3]", "f32[2,1,3,1,2,1,2,3]"}},
    {"an odd length with a tail", {"f32[1021]", "f32[1021]", "f32[1021]"}},
    {"an odd length with a tail, FLOAT16", {"f16[1021]", "f16[1021]", "f16[1021]"}},
    {"an odd length with a tail, BFLOAT16", {"bf16[1021]", "bf16[1021]", "bf16[1021]"}, .products = "b"},
    {"transposed gradOutput", {"f32[4,6]{1,4}", "f32[4,6]", "f32[4,6]"}},
    {"transposed self and out", {"f16[4,6]", "f16[4,6]{1,4}", "f16[4,6]{1,4}"}},
    {"strided out, the gaps stay as they were", {"f32[3,5]", "f32[3,5]", "f32[3,5]{20,3}+2"}},
    {"sliced inputs with offsets", {"f32[4,4]{8,2}+3", "f32[4,4]{9,1}+7", "f32[4,4]"}},
    {"stride 0 in an input repeats it", {"f32[4,3]{0,1}", "f32[4,3]{1,0}", "f32[4,3]"}},
    {"a scalar by strides 0", {"f16[4,3]{0,0}", "f16[4,3]", "f16[4,3]"}},
    {"permuted rank 4", {"f32[2,3,4,5]{3,1,30,6}", "f32[2,3,4,5]", "f32[2,3,4,5]{1,2,6,24}"}},
    {"offset 1 in every operand", {"f16[9]+1", "f16[9]+1", "f16[9]+1"}},
    {"out in place of self", {"f32[6,6]", "f32[6,6]", "f32[6,6]=1"}},
    {"out in place of gradOutput", {"f16[40]", "f16[40]", "f16[40]=0"}},
    {"both inputs the same memory", {"f32[9]", "f32[9]=0", "f32[9]"}},
    {"all three the same memory", {"f32[9]", "f32[9]=0", "f32[9]=0"}},
    {"out reads what it shifts, as if inputs were copied first", {"f32[64]{2}", "f32[64]", "f32[64]=0+20"}},
    {"the same with out transposed over self", {"f32[8,8]", "f32[8,8]", "f32[8,8]{1,8}=1"}},
    {"interior pointers are memory too", {"f32[8]!interior", "f32[8]!interior", "f32[8]!interior"}},
    {"pinned host memory counts as device memory", {"f32[8]!pinned", "f32[8]!pinned", "f32[8]!pinned"}},
    {"a large stride on a dim of size 1", {"f32[1,5]{77,1}", "f32[1,5]", "f32[1,5]{3,1}"}},

    /* Empty tensors. */
    {"an empty tensor does nothing", {"f32[0]", "f32[0]", "f32[0]"}},
    {"empty in one dim of many", {"f16[3,0,2]", "f16[3,0,2]", "f16[3,0,2]"}},
    {"empty with NULL data", {"f32[0]!nodata", "f32[0]!nodata", "f32[0]!nodata"}},
    {"empty with an unaligned host pointer", {"f32[0]!host!odd", "f32[0]!host", "f32[0]!host"}},
    {"empty is looked at after the dtypes",
     {"f32[0]", "i32[0]", "f32[0]"},
     .status = INVALID,
     .message = "self|INT32"},
    {"empty is looked at after the shapes",
     {"f32[0]", "f32[0,1]", "f32[0,1]"},
     .status = INVALID,
     .message = "shape"},

    /* NULL. */
    {"workspaceSize NULL",
     {"f32[4]", "f32[4]", "f32[4]"},
     "workspaceSize=NULL",
     .status = NULLPTR_,
     .message = "workspaceSize"},
    {"executor NULL",
     {"f32[4]", "f32[4]", "f32[4]"},
     "executor=NULL",
     .status = NULLPTR_,
     .message = "executor"},
    {"gradOutput NULL", {"NULL", "f32[4]", "f32[4]"}, .status = NULLPTR_, .message = "gradOutput"},
    {"self NULL", {"f32[4]", "NULL", "f32[4]"}, .status = NULLPTR_, .message = "self"},
    {"out NULL", {"f32[4]", "f32[4]", "NULL"}, .status = NULLPTR_, .message = "out"},
    {"all NULL: gradOutput is named", {"NULL", "NULL", "NULL"}, .status = NULLPTR_, .message = "gradOutput"},
    {"executor NULL comes before a NULL tensor",
     {"NULL", "f32[4]", "f32[4]"},
     "executor=NULL",
     .status = NULLPTR_,
     .message = "executor"},
    {"a NULL out comes before a wrong dtype",
     {"i8[4]", "i8[4]", "NULL"},
     .status = NULLPTR_,
     .message = "out"},
    {"a NULL out comes before a stale self",
     {"f32[4]", "stale", "NULL"},
     .status = NULLPTR_,
     .message = "out"},

    /* Handles. */
    {"a stale gradOutput", {"stale", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput"},
    {"a stale self", {"f32[4]", "stale", "f32[4]"}, .status = INVALID, .message = "self"},
    {"a stale out", {"f32[4]", "f32[4]", "stale"}, .status = INVALID, .message = "out"},
    {"a foreign pointer", {"f32[4]", "foreign", "f32[4]"}, .status = INVALID, .message = "self"},
    {"a scalar where a tensor is expected",
     {"scalar", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|scalar"},
    {"a stale handle comes before a dtype",
     {"i8[4]", "f32[4]", "stale"},
     .status = INVALID,
     .message = "out"},

    /* Views that cannot be. */
    {"a negative dim", {"f32[-4]", "f32[-4]", "f32[-4]"}, .status = INVALID, .message = "gradOutput"},
    {"a negative stride", {"f32[4]", "f32[4]{-1}", "f32[4]"}, .status = INVALID, .message = "self"},
    {"a negative offset", {"f32[4]", "f32[4]", "f32[4]+-1"}, .status = INVALID, .message = "out"},
    {"a product over 2^63 - 1",
     {"f32[0x7fffffffffffffff,2]{0,0}", "f32[0x7fffffffffffffff,2]{0,0}", "f32[0x7fffffffffffffff,2]{0,0}"},
     .status = INVALID,
     .message = "gradOutput"},
    {"a reach over 2^63 - 1",
     {"f32[3]{0x7fffffffffffffff}", "f32[3]", "f32[3]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"an impossible view comes before a dtype",
     {"f32[4]", "i8[4]", "f32[4]{-1}"},
     .status = INVALID,
     .message = "out"},

    /* Dtypes: self, then gradOutput, then equality. */
    {"self INT8", {"f32[4]", "i8[4]", "f32[4]"}, .status = INVALID, .message = "self|INT8"},
    {"self INT16", {"f32[4]", "i16[4]", "f32[4]"}, .status = INVALID, .message = "self|INT16"},
    {"self INT32", {"f32[4]", "i32[4]", "f32[4]"}, .status = INVALID, .message = "self|INT32"},
    {"self INT64", {"f32[4]", "i64[4]", "f32[4]"}, .status = INVALID, .message = "self|INT64"},
    {"self UINT8", {"f32[4]", "u8[4]", "f32[4]"}, .status = INVALID, .message = "self|UINT8"},
    {"self BOOL", {"f32[4]", "bool[4]", "f32[4]"}, .status = INVALID, .message = "self|BOOL"},
    {"self DOUBLE", {"f64[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"self COMPLEX64", {"f32[4]", "c64[4]", "f32[4]"}, .status = INVALID, .message = "self|COMPLEX64"},
    {"self STRING", {"f32[4]", "str[4]", "f32[4]"}, .status = INVALID, .message = "self|STRING"},
    {"self of no dtype", {"f32[4]", "undefined[4]", "f32[4]"}, .status = INVALID, .message = "self|dtype"},
    {"self of an unknown dtype",
     {"f32[4]", "unknown[4]", "f32[4]"},
     .status = INVALID,
     .message = "self|dtype"},
    {"gradOutput DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"gradOutput INT32", {"i32[4]", "f16[4]", "f16[4]"}, .status = INVALID, .message = "gradOutput|INT32"},
    {"both wrong: self is named", {"i8[4]", "i16[4]", "f32[4]"}, .status = INVALID, .message = "self|INT16"},
    {"BFLOAT16 is refused on the oldest product, which another would accept",
     {"bf16[4]", "bf16[4]", "bf16[4]"},
     .products = "a",
     .status = INVALID,
     .message = "self|BFLOAT16|Ascend910A"},
    {"gradOutput FLOAT16 beside FLOAT",
     {"f16[4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"gradOutput FLOAT beside FLOAT16",
     {"f32[4]", "f16[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"gradOutput BFLOAT16 beside FLOAT16",
     {"bf16[4]", "f16[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"out FLOAT for FLOAT16", {"f16[4]", "f16[4]", "f32[4]"}, .status = INVALID, .message = "out"},
    {"out FLOAT16 for FLOAT", {"f32[4]", "f32[4]", "f16[4]"}, .status = INVALID, .message = "out"},
    {"out DOUBLE", {"f32[4]", "f32[4]", "f64[4]"}, .status = INVALID, .message = "out"},
    {"out INT32", {"f32[4]", "f32[4]", "i32[4]"}, .status = INVALID, .message = "out"},
    {"a dtype comes before a rank",
     {"f32[1,1,1,1,1,1,1,1,1]", "i32[1]", "f32[1]"},
     .status = INVALID,
     .message = "self|INT32"},
    {"a dtype comes before a shape", {"f32[4]", "f32[5]", "f16[4]"}, .status = INVALID, .message = "out"},

    /* Rank and shape. */
    {"rank 9",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "9 dims"},
    {"rank 9 in self alone comes before the shapes",
     {"f32[2]", "f32[1,1,1,1,1,1,1,1,2]", "f32[2]"},
     .status = INVALID,
     .message = "self|9 dims"},
    {"rank 25",
     {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"},
     .status = INVALID,
     .message = "25 dims"},
    {"gradOutput of another shape",
     {"f32[5]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
    {"no broadcast", {"f32[1]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|shape"},
    {"no broadcast of self", {"f32[4]", "f32[1]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"out of another shape", {"f32[4]", "f32[4]", "f32[5]"}, .status = INVALID, .message = "out|shape"},
    {"the same elements in another shape",
     {"f32[4]", "f32[4]", "f32[2,2]"},
     .status = INVALID,
     .message = "out|shape"},
    {"another rank with a leading 1",
     {"f32[1,4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
    {"rank 0 is not rank 1", {"f32[]", "f32[1]", "f32[1]"}, .status = INVALID, .message = "gradOutput|shape"},
    {"both shapes wrong: gradOutput is named",
     {"f32[5]", "f32[4]", "f32[6]"},
     .status = INVALID,
     .message = "gradOutput|shape"},

    /* An output that overlaps itself. */
    {"out with stride 0", {"f32[4]", "f32[4]", "f32[4]{0}"}, .status = INVALID, .message = "out|overlap"},
    {"out with two indices at one address",
     {"f32[3,3]", "f32[3,3]", "f32[3,3]{2,1}"},
     .status = INVALID,
     .message = "out|overlap"},
    {"out with stride 0 on a dim of size 1", {"f32[1,4]", "f32[1,4]", "f32[1,4]{0,1}"}},
    {"out interleaved without a shared address", {"f32[2,3]", "f32[2,3]", "f32[2,3]{3,2}"}},
    {"a shape comes before the overlap",
     {"f32[4]", "f32[4]", "f32[5]{0}"},
     .status = INVALID,
     .message = "out|shape"},

    /* Phase 2. */
    {"gradOutput without data", {"f32[4]!nodata", "f32[4]", "f32[4]"}, .status_of_phase_2 = INVALID},
    {"out without data", {"f32[4]", "f32[4]", "f32[4]!nodata"}, .status_of_phase_2 = INVALID},
    {"misaligned self", {"f32[4]", "f32[4]!odd", "f32[4]"}, .status_of_phase_2 = INVALID},
    {"misaligned out, FLOAT16", {"f16[4]", "f16[4]", "f16[4]!odd"}, .status_of_phase_2 = INVALID},
    {"a block that ends too early", {"f32[40]!short", "f32[40]", "f32[40]"}, .status_of_phase_2 = INVALID},
    {"an out block that ends too early",
     {"f32[40]", "f32[40]", "f32[40]!short"},
     .status_of_phase_2 = INVALID},
    {"plain host memory", {"f32[4]", "f32[4]!host", "f32[4]"}, .status_of_phase_2 = INVALID},
    {"memory that was freed", {"f32[4]!freed", "f32[4]", "f32[4]"}, .status_of_phase_2 = INVALID},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnHardswishBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size,
                                                  executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_hardswish_backward(result, input[0], input[1]);
}

int main(void)
{
    static const struct operator_under_test hardswish_backward = {
        .api = "aclnnHardswishBackward",
        .operand_count = 3,
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnHardswishBackward,
        .reference = reference,
    };
    return contract_main(&hardswish_backward);
}
