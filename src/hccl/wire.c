/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparing calls, and putting them into words.
 */
#include "hccl/wire.h"

#include <stdio.h>

static const struct {
    const char *name;
    bool reduces, has_root;
} kinds[CALL_KINDS] = {
    [CALL_ALL_REDUCE] = {"HcclAllReduce", true, false},
    [CALL_REDUCE] = {"HcclReduce", true, true},
    [CALL_REDUCE_SCATTER] = {"HcclReduceScatter", true, false},
    [CALL_REDUCE_SCATTER_V] = {"HcclReduceScatterV", true, false},
    [CALL_BROADCAST] = {"HcclBroadcast", false, true},
    [CALL_SCATTER] = {"HcclScatter", false, true},
    [CALL_ALL_GATHER] = {"HcclAllGather", false, false},
    [CALL_ALL_GATHER_V] = {"HcclAllGatherV", false, false},
    [CALL_ALL_TO_ALL] = {"HcclAlltoAll", false, false},
    [CALL_ALL_TO_ALL_V] = {"HcclAlltoAllV", false, false},
    [CALL_ALL_TO_ALL_VC] = {"HcclAlltoAllVC", false, false},
    [CALL_BARRIER] = {"HcclBarrier", false, false},
    [CALL_SEND] = {"HcclSend", false, false},
    [CALL_RECEIVE] = {"HcclRecv", false, false},
    /* Of all versions. */
    [CALL_OF_OPERATORS + GROUP_MATMUL_ALL_REDUCE] = {"aclnnMatmulAllReduce", true, false},
    [CALL_OF_OPERATORS + GROUP_QUANT_MATMUL_ALL_REDUCE] = {"aclnnQuantMatmulAllReduce", true, false},
    [CALL_OF_OPERATORS +
        GROUP_WEIGHT_QUANT_MATMUL_ALL_REDUCE] = {"aclnnWeightQuantMatmulAllReduce", true, false},
    [CALL_OF_OPERATORS + GROUP_ALL_GATHER_MATMUL] = {"aclnnAllGatherMatmul", false, false},
    [CALL_OF_OPERATORS + GROUP_MATMUL_REDUCE_SCATTER] = {"aclnnMatmulReduceScatter", true, false},
    [CALL_OF_OPERATORS + GROUP_ALL_TO_ALL_MATMUL] = {"aclnnAlltoAllMatmul", false, false},
    [CALL_OF_OPERATORS + GROUP_MATMUL_ALL_TO_ALL] = {"aclnnMatmulAlltoAll", false, false},
    [CALL_OF_OPERATORS + GROUP_ALL_TO_ALL_GROUPED_MATMUL] = {"aclnnAlltoAllvGroupedMatMul", false, false},
    [CALL_OF_OPERATORS + GROUP_GROUPED_MATMUL_ALL_TO_ALL] = {"aclnnGroupedMatMulAlltoAllv", false, false},
    [CALL_OF_OPERATORS + GROUP_DISPATCH] = {"aclnnMoeDistributeDispatch", false, false},
    [CALL_OF_OPERATORS + GROUP_COMBINE] = {"aclnnMoeDistributeCombine", false, false},
    [CALL_OF_OPERATORS + GROUP_BARRIER] = {"aclnnDistributeBarrier", false, false},
};

/* Indexed by HcclDataType; 13 does not exist. */
static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {
    {"int8", 1},    {"int16", 2}, {"int32", 4},  {"fp16", 2},    {"fp32", 4},    {"int64", 8},
    {"uint64", 8},  {"uint8", 1}, {"uint16", 2}, {"uint32", 4},  {"fp64", 8},    {"bf16", 2},
    {"int128", 16}, {NULL, 0},    {"hif8", 1},   {"fp8e4m3", 1}, {"fp8e5m2", 1}, {"fp8e8m0", 1},
};

static const char *const reductions[] = {"sum", "product", "maximum", "minimum"};

const char *call_name(uint32_t kind)
{
    return kind < CALL_KINDS ? kinds[kind].name : NULL;
}

const char *data_type_name(uint32_t data_type)
{
    return data_type < sizeof types / sizeof types[0] ? types[data_type].name : NULL;
}

uint32_t data_type_bytes(uint32_t data_type)
{
    return data_type < sizeof types / sizeof types[0] ? types[data_type].bytes : 0;
}

bool data_type_can_be_reduced(uint32_t data_type)
{
    return data_type <= HCCL_DATA_TYPE_BFP16;
}

const char *reduction_name(uint32_t reduction)
{
    return reduction < sizeof reductions / sizeof reductions[0] ? reductions[reduction] : NULL;
}

uint64_t wire_seal(const struct wire_call *call)
{
    return UINT64_C(0x42656C617948434D) ^ call->number ^ call->count << 16 ^ (uint64_t)call->kind << 56;
}

bool wire_agrees(const struct wire_call *own, const struct wire_call *other)
{
    bool is_pair = (own->kind == CALL_SEND && other->kind == CALL_RECEIVE) ||
                   (own->kind == CALL_RECEIVE && other->kind == CALL_SEND);
    return (own->kind == other->kind || is_pair) && own->data_type == other->data_type &&
           own->reduction == other->reduction && own->root == other->root && own->number == other->number &&
           own->count == other->count && own->sends == other->expects && own->expects == other->sends;
}

void wire_describe(const struct wire_call *call, char text[WIRE_TEXT_BYTES])
{
    const char *name = call_name(call->kind), *type = data_type_name(call->data_type);
    if (name == NULL) {
        snprintf(text, WIRE_TEXT_BYTES, "nothing");
        return;
    }
    if (call->kind == CALL_BARRIER || call->kind == CALL_OF_OPERATORS + GROUP_BARRIER) {
        snprintf(text, WIRE_TEXT_BYTES, "%s", name);
        return;
    }
    char count[24] = "", more[48] = "";
    const char *reduction = kinds[call->kind].reduces ? reduction_name(call->reduction) : NULL;
    if (call->count > 0 || (call->sends | call->expects) == 0)
        snprintf(count, sizeof count, "%llu ", (unsigned long long)call->count);
    if (kinds[call->kind].has_root)
        snprintf(more, sizeof more, ", %s%sroot %u", reduction != NULL ? reduction : "",
                 reduction != NULL ? ", " : "", (unsigned)call->root);
    else if (reduction != NULL)
        snprintf(more, sizeof more, ", %s", reduction);
    snprintf(text, WIRE_TEXT_BYTES, "%s of %s%s%s", name, count, type != NULL ? type : "an unknown dtype",
             more);
}

void wire_tell_difference(const struct wire_call *own, uint32_t own_rank, const struct wire_call *other,
                          uint32_t other_rank, char *text, size_t bytes)
{
    char own_text[WIRE_TEXT_BYTES], other_text[WIRE_TEXT_BYTES];
    wire_describe(own, own_text);
    wire_describe(other, other_text);
    struct wire_call same = *other;
    same.sends = own->expects;
    same.expects = own->sends;
    if (!wire_agrees(own, &same)) {
        snprintf(text, bytes, "rank %u called %s and rank %u called %s as number %llu", (unsigned)own_rank,
                 own_text, (unsigned)other_rank, other_text, (unsigned long long)own->number);
        return;
    }
    bool own_sends = own->sends != other->expects;
    snprintf(text, bytes, "%s: rank %u sends %llu bytes to rank %u, which expects %llu", own_text,
             (unsigned)(own_sends ? own_rank : other_rank),
             (unsigned long long)(own_sends ? own->sends : other->sends),
             (unsigned)(own_sends ? other_rank : own_rank),
             (unsigned long long)(own_sends ? other->expects : own->expects));
}
