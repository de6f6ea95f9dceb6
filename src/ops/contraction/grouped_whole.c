/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GroupedMatmul of small numbers, and of floats by whole numbers that have scales: what the generations'
 * tensors must be like then, and what the plan has of them beside what all plans have.
 */
#include <inttypes.h>

#include "ops/check.h"
#include "ops/contraction/grouped_call.h"
#include "simd/vector/level_table.h"

LEVEL_TABLE(contraction_pack, packs, pack_quantised);
LEVEL_TABLE(contraction_multiply_row, row_multiplications, multiply_quantised_row);

static struct given list_at(const struct call *call, unsigned list, uint64_t x)
{
    const struct given given = given_of(call, list);
    return type_of(call) == GROUPS_OF_LISTS && given.count > 1 ? given_at(given, x) : given;
}

/* The product of one x: with all groups of its rows, or with its own weight. */
static struct whole_call whole_of(const struct call *call, uint64_t x, aclDataType out)
{
    struct whole_call whole = {
        .call = call,
        .x = given_at(given_of(call, V4_x), is_cut(call) ? 0 : x),
        .weight = list_at(call, V4_weight, x),
        .scale = list_at(call, V4_scaleOptional, x),
        .bias = list_at(call, V4_biasOptional, x),
        .offset = list_at(call, V4_offsetOptional, x),
        .groups = type_of(call) == GROUPS_OF_LISTS ? 1 : group_count(call),
        .out = out,
    };
    whole.offsets_are_end = out == ACL_INT8;
    if (!is_v1(call))
        whole.rows_scale = list_at(call, V4_perTokenScaleOptional, x);
    return whole;
}

static uint64_t wholes(const struct call *call)
{
    return type_of(call) == GROUPS_OF_LISTS ? group_count(call) : 1;
}

/* Lists have as many tensors as x has. */
static aclnnStatus check_lengths(const struct call *call)
{
    const uint64_t expected = group_count(call);
    for (unsigned i = V4_weight; type_of(call) == GROUPS_OF_LISTS && i <= V4_offsetOptional; i++)
        if ((length(call, i) > 0 || i == V4_weight) && length(call, i) != expected)
            return refuse(call, "%s has %" PRIu64 " tensors; %" PRIu64 " are expected, one for each group",
                          call_name(call, i), length(call, i), expected);
    return ACLNN_SUCCESS;
}

aclnnStatus grouped_whole_check(const struct call *call, aclDataType out)
{
    if (type_of(call) == GROUPS_OF_DEPTH)
        return refuse(call, "x is %s; floats are expected for groups of the common dim",
                      dtype_name(view_at(call, V4_x, 0)->dtype));
    for (unsigned i = V4_antiquantScaleOptional; i <= V4_antiquantOffsetOptional; i++)
        if (length(call, i) > 0)
            return refuse(call, "%s is given; NULL is expected where x is %s", call_name(call, i),
                          dtype_name(view_at(call, V4_x, 0)->dtype));
    TRY(check_lengths(call));
    for (uint64_t x = 0; x < wholes(call); x++) {
        struct whole_call whole = whole_of(call, x, out);
        TRY(whole_check(&whole));
        if (out != ACL_INT32 && whole.scale.count == 0)
            return refuse(call, "scaleOptional is NULL; scales are expected where out is %s",
                          dtype_name(out));
        if (out == ACL_INT32 && whole.x.view->dtype == ACL_INT8 && whole.is_mixed)
            return refuse(call, "out is INT32; FLOAT16, BFLOAT16 or FLOAT is expected of INT8 by INT4");
    }
    return ACLNN_SUCCESS;
}

void grouped_whole_plan(const struct call *call, struct grouped_plan *plan)
{
    const aclDataType out = view_at(call, y_of(call), 0)->dtype;
    const bool is_list = type_of(call) == GROUPS_OF_LISTS;
    struct whole_group *group = whole_groups(plan);
    for (uint64_t x = 0; x < wholes(call); x++) {
        struct whole_call whole = whole_of(call, x, out);
        (void)whole_check(&whole); /* which finds the sizes */
        for (uint64_t g = x; g < (is_list ? x + 1 : plan->groups); g++) {
            whole_product(&whole, is_list ? 0 : g, &group[g].scaled, &group[g].product);
            group[g].first_row = is_list ? (uint64_t)first_row(call, g) : 0;
            const size_t bytes = scaled_work_bytes(&group[g].scaled);
            plan->work_bytes = bytes > plan->work_bytes ? bytes : plan->work_bytes;
        }
    }
}

/* Scales of columns and of parts of the common dim. */
static aclnnStatus check_antiquant(const struct whole_call *whole)
{
    int64_t parts, own;
    TRY(whole_check_factors(whole, &whole->scale, true, &parts));
    TRY(whole_check_factors(whole, &whole->offset, true, &own));
    if (whole->depth % parts != 0)
        return refuse(whole->call,
                      "antiquantScaleOptional has %" PRId64 " rows for a depth of %" PRId64
                      "; parts of one size are expected",
                      parts, whole->depth);
    if (whole->offset.count > 0 && own != parts)
        return refuse(whole->call, "antiquantOffsetOptional has %" PRId64 " rows; %" PRId64 " are expected",
                      own, parts);
    return ACLNN_SUCCESS;
}

static struct whole_call antiquant_of(const struct call *call, uint64_t x)
{
    return (struct whole_call){
        .call = call,
        .x = given_at(given_of(call, V4_x), is_cut(call) ? 0 : x),
        .weight = list_at(call, V4_weight, x),
        .scale = list_at(call, V4_antiquantScaleOptional, x),
        .offset = list_at(call, V4_antiquantOffsetOptional, x),
        .groups = type_of(call) == GROUPS_OF_LISTS ? 1 : group_count(call),
        .depth = columns_of(call, V4_x, x),
        .columns = columns_of(call, V4_weight, x),
    };
}

aclnnStatus grouped_antiquant_check(const struct call *call)
{
    const aclDataType dtype = view_at(call, V4_x, 0)->dtype;
    if (type_of(call) == GROUPS_OF_DEPTH)
        return refuse(call, "antiquantScaleOptional is given; NULL is expected for groups of the common dim");
    if (dtype != ACL_FLOAT16 && dtype != ACL_BF16)
        return refuse(call, "x is %s; FLOAT16 or BFLOAT16 is expected beside antiquantScaleOptional",
                      dtype_name(dtype));
    for (unsigned i = V4_antiquantScaleOptional; i <= V4_antiquantOffsetOptional; i++)
        for (uint64_t k = 0; k < length(call, i); k++)
            if (view_at(call, i, k)->dtype != dtype)
                return refuse(call, "%s is %s; %s, as x is, is expected", call_name(call, i),
                              dtype_name(view_at(call, i, k)->dtype), dtype_name(dtype));
    for (uint64_t x = 0; x < wholes(call); x++) {
        const struct whole_call whole = antiquant_of(call, x);
        if (!is_whole_dtype(whole.weight.view->dtype))
            return refuse(call, "weight is %s; INT8, INT4 or INT32 of eight INT4 is expected",
                          dtype_name(whole.weight.view->dtype));
        TRY(check_antiquant(&whole));
    }
    return ACLNN_SUCCESS;
}

static void set_antiquant(const struct whole_call *whole, uint64_t g, struct group *own,
                          struct antiquant_group *group)
{
    struct numbers weight;
    int64_t parts;
    (void)whole_matrix(whole, g, &weight);
    (void)whole_factors(whole, &whole->offset, g, &parts, &group->offset);
    (void)whole_factors(whole, &whole->scale, g, &parts, &group->scale);
    const struct factors *factors[] = {&group->scale, &group->offset};
    struct quantised *quantised = &group->quantised;
    struct quantised_factor *to[] = {&quantised->scale, &quantised->offset};
    const enum isa_level isa = whole->call->settings->isa;
    *quantised = (struct quantised){.is_in_halves = weight.is_in_halves,
                                    .first = weight.is_in_halves ? (uint32_t)(weight.first % 2) : 0,
                                    .lanes_packed = 1,
                                    .group = whole->depth > 0 ? (uint64_t)(whole->depth / parts) : 1};
    for (int i = 0; i < 2; i++)
        *to[i] = (struct quantised_factor){
            .dtype = factors[i]->dtype, .lane = factors[i]->stride[1], .group = factors[i]->stride[0]};
    quantised->product.depth = (uint64_t)whole->depth;
    quantised->product.right = (struct contraction_matrix){.dtype = whole->weight.view->dtype,
                                                           .stride = {weight.stride[1], weight.stride[0]}};
    quantised->product.pack_right = packs[isa];
    if (quantised_row_is_whole(quantised))
        quantised->product.multiply_row = row_multiplications[isa];
    /* Bytes from the operand's first to that of the group's first number. */
    own->weight.operand.bytes = 1;
    own->weight.offset = weight.is_in_halves ? weight.first / 2 : weight.first;
}

void grouped_antiquant_plan(const struct call *call, struct grouped_plan *plan)
{
    const bool is_list = type_of(call) == GROUPS_OF_LISTS;
    for (uint64_t x = 0; x < wholes(call); x++) {
        const struct whole_call whole = antiquant_of(call, x);
        for (uint64_t g = x; g < (is_list ? x + 1 : plan->groups); g++)
            set_antiquant(&whole, is_list ? 0 : g, &plan->group[g], &antiquant_groups(plan)[g]);
    }
}
