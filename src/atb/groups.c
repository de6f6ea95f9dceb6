/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The best groups of a row of experts, and the best experts of those: GroupTopk, which zeroes the rest, and
 * FusedAddTopkDiv, which gives the experts' numbers and weights. A group's score is its largest number, or the
 * sum of its n largest; of two that are equal the lower one is better, and a NaN is better than nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "atb/cache.h"
#include "atb/own.h"
#include "tensor/dtype.h"

struct rows_plan {
    uint64_t rows, experts, groups, kept, of_group, k;
    uint32_t element_bytes; /* of what is zeroed */
    bool sums, is_normalised;
    float scale;
};

/* The place of the largest number that has not been taken; taken ones have their bit set. */
static uint64_t best(const double *number, uint64_t count, const unsigned char *is_taken)
{
    uint64_t found = count;
    for (uint64_t i = 0; i < count; i++)
        if (!is_taken[i] && (found == count || number[i] > number[found]))
            found = i;
    return found;
}

/* Room for a row of numbers, one of scores, and what is taken of either. */
static size_t work_bytes(const void *plan_bytes)
{
    const struct rows_plan *plan = (const struct rows_plan *)plan_bytes;
    return (plan->experts + plan->groups) * (sizeof(double) + 1);
}

struct row_room {
    double *number, *score;
    unsigned char *number_is_taken, *group_is_kept;
};

static struct row_room room_of(const struct rows_plan *plan, void *scratch)
{
    struct row_room room = {.number = (double *)scratch};
    room.score = room.number + plan->experts;
    room.number_is_taken = (unsigned char *)(room.score + plan->groups);
    room.group_is_kept = room.number_is_taken + plan->experts;
    return room;
}

/* Which groups are kept, by the row of numbers. */
static void keep_groups(const struct rows_plan *plan, const struct row_room *room)
{
    const uint64_t size = plan->experts / plan->groups;
    memset(room->number_is_taken, 0, plan->experts);
    memset(room->group_is_kept, 0, plan->groups);
    for (uint64_t group = 0; group < plan->groups; group++) {
        unsigned char *is_taken = room->number_is_taken + group * size;
        const double *number = room->number + group * size;
        const uint64_t summed = !plan->sums ? 1 : plan->of_group < size ? plan->of_group : size;
        double sum = 0;
        for (uint64_t i = 0; i < summed; i++) {
            const uint64_t place = best(number, size, is_taken);
            is_taken[place] = 1;
            sum = i == 0 ? number[place] : sum + number[place];
        }
        room->score[group] = sum;
    }
    for (uint64_t i = 0; i < plan->kept; i++)
        room->group_is_kept[best(room->score, plan->groups, room->group_is_kept)] = 1;
}

/* Operands: the numbers in FLOAT, and what is zeroed. */
static int run_group_topk(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct rows_plan *plan = (const struct rows_plan *)plan_bytes;
    const struct row_room room = room_of(plan, scratch);
    const float *number = (const float *)address[0];
    unsigned char *x = (unsigned char *)address[1];
    const size_t bytes = plan->experts / plan->groups * plan->element_bytes;
    for (uint64_t row = 0; row < plan->rows; row++) {
        for (uint64_t i = 0; i < plan->experts; i++)
            room.number[i] = (double)number[row * plan->experts + i];
        keep_groups(plan, &room);
        for (uint64_t group = 0; group < plan->groups; group++)
            if (!room.group_is_kept[group])
                memset(x + (row * plan->groups + group) * bytes, 0, bytes);
    }
    return 0;
}

/* reads_first is not true of it: a row is zeroed when it has been read, and its numbers may be what is. */
static const struct operation group_topk = {
    .name = "GroupTopk", .run = run_group_topk, .work_bytes = work_bytes};
OWN_LAUNCH(launch_group_topk, group_topk)

/* Operands: scores, what is added to them for the choice, the weights and the experts. */
static int run_add_topk_div(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct rows_plan *plan = (const struct rows_plan *)plan_bytes;
    const struct row_room room = room_of(plan, scratch);
    const float *added = (const float *)address[1];
    for (uint64_t row = 0; row < plan->rows; row++) {
        const float *score = (const float *)address[0] + row * plan->experts;
        float *weight = (float *)address[2] + row * plan->k;
        int32_t *expert = (int32_t *)address[3] + row * plan->k;
        double sum = 0;
        for (uint64_t i = 0; i < plan->experts; i++)
            room.number[i] = (double)(score[i] + added[i]);
        keep_groups(plan, &room);
        for (uint64_t i = 0; i < plan->experts; i++)
            room.number_is_taken[i] = !room.group_is_kept[i / (plan->experts / plan->groups)];
        for (uint64_t i = 0; i < plan->k; i++) {
            const uint64_t place = best(room.number, plan->experts, room.number_is_taken);
            room.number_is_taken[place] = 1;
            expert[i] = (int32_t)place;
            sum += (double)score[place];
        }
        for (uint64_t i = 0; i < plan->k; i++) {
            const double part = (double)score[expert[i]] / (plan->is_normalised ? sum : 1);
            weight[i] = (float)(part * (double)plan->scale);
        }
    }
    return 0;
}

static const struct operation add_topk_div = {
    .name = "FusedAddTopkDiv", .run = run_add_topk_div, .work_bytes = work_bytes};
OWN_LAUNCH(launch_add_topk_div, add_topk_div)

enum { EXPERT_PS = 4000 };

static uint64_t cost_of(const struct rows_plan *plan)
{
    return plan->rows * plan->experts * (plan->groups + plan->k + 1) * EXPERT_PS / 1000;
}

/* The rows of x in FLOAT, in one piece: as they are, or in the workspace. */
static int32_t take_rows(struct setup *setup, const struct operand *x, struct rows_plan *plan,
                         aclTensor **tensor)
{
    TRY(expect_rank(setup, x, 2));
    plan->rows = (uint64_t)x->size[0];
    plan->experts = (uint64_t)x->size[1];
    if (plan->groups == 0 || plan->experts == 0 || plan->experts % plan->groups != 0 || plan->kept == 0 ||
        plan->kept > plan->groups)
        return atb_refuse(
            setup, ATB_INVALID_PARAM,
            "%" PRIu64 " of %" PRIu64 " groups of %" PRIu64
            " experts are asked for; groups of the same size, and 1 to all of them, are expected",
            plan->kept, plan->groups, plan->experts);
    *tensor = make_tensor(setup, x);
    if (x->dtype != ACL_FLOAT || !operand_is_packed(x)) {
        const aclTensor *given = *tensor;
        make_temporary(setup, ACL_FLOAT, 2, x->size, tensor);
        CALL(setup, aclnnCast, given, ACL_FLOAT, *tensor);
    }
    return ATB_NO_ERROR;
}

struct group_topk_param {
    int32_t groups, kept;
    uint16_t sums, of_group;
    uint16_t reserved[6];
};

static_assert(sizeof(struct group_topk_param) == 24 && offsetof(struct group_topk_param, of_group) == 10,
              "the layout is the clients'");

/* The second input numbers the experts, which needs nobody. x is changed where it lies. */
static int32_t set_up_group_topk(struct setup *setup, const void *bytes)
{
    enum { LARGEST, SUM };
    const struct group_topk_param *param = (const struct group_topk_param *)bytes;
    struct rows_plan plan = {.groups = param->groups > 0 ? (uint64_t)param->groups : 0,
                             .kept = param->kept > 0 ? (uint64_t)param->kept : 0,
                             .of_group = param->of_group,
                             .sums = param->sums == SUM,
                             .element_bytes = (uint32_t)dtype_bytes(setup->out[0].dtype)};
    aclTensor *numbers;
    if (param->sums > SUM || (plan.sums && plan.of_group == 0))
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "groupMultiFlag is %d and n %d; 0, or 1 and the n largest, are expected",
                          param->sums, param->of_group);
    const struct operand *x = &setup->in[0], *out = &setup->out[0];
    if (x->data != out->data || x->dtype != out->dtype || x->rank != out->rank ||
        memcmp(x->size, out->size, x->rank * sizeof x->size[0]) != 0 || !operand_is_packed(out))
        return atb_refuse(setup, ATB_INVALID_TENSOR, "the output is not the input, which is expected");
    TRY(take_rows(setup, &setup->in[0], &plan, &numbers));
    const struct own_operand operand[] = {
        {numbers, "x", ACCESS_READ},
        {make_tensor(setup, &setup->out[0]), "out", ACCESS_READ | ACCESS_WRITTEN | ACCESS_PARTLY}};
    return own_step(setup, &group_topk, launch_group_topk, operand, 2, &plan, sizeof plan, cost_of(&plan));
}

const struct kind kind_group_topk = {"GroupTopk",      sizeof(struct group_topk_param), 1, 2, 1, 1, 1 << 1,
                                     set_up_group_topk};

static int32_t set_up_add_topk_div(struct setup *setup, const void *bytes)
{
    enum { X, ADDED, Y = 0, INDICES };
    const struct fused_add_topk_div_param *param = (const struct fused_add_topk_div_param *)bytes;
    const struct operand *y = &setup->out[Y], *indices = &setup->out[INDICES], *added = &setup->in[ADDED];
    struct rows_plan plan = {.groups = param->groups > 0 ? (uint64_t)param->groups : 0,
                             .kept = param->kept_groups > 0 ? (uint64_t)param->kept_groups : 0,
                             .of_group = param->of_group > 0 ? (uint64_t)param->of_group : 0,
                             .k = param->k > 0 ? (uint64_t)param->k : 0,
                             .sums = true,
                             .is_normalised = param->is_normalised,
                             .scale = param->scale};
    aclTensor *numbers, *scores, *wide_added = make_tensor(setup, added);
    TRY(take_rows(setup, &setup->in[X], &plan, &numbers));
    if (plan.of_group == 0 || plan.k == 0 || plan.k > plan.experts / plan.groups * plan.kept)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "n is %" PRIu64 " and k %" PRIu64
                          "; at least 1, and no more experts than the chosen groups have, are expected",
                          plan.of_group, plan.k);
    if (y->dtype != ACL_FLOAT || indices->dtype != ACL_INT32 || operand_count(y) != operand_count(indices) ||
        operand_count(y) != (int64_t)(plan.rows * plan.k) || !operand_is_packed(y) ||
        !operand_is_packed(indices) || operand_count(added) != (int64_t)plan.experts)
        return atb_refuse(
            setup, ATB_INVALID_TENSOR,
            "y, indices or addNum do not fit x; k of FLOAT and of INT32 for each row, and a number "
            "for each expert, are expected");
    make_temporary(setup, ACL_FLOAT, 2, setup->in[X].size, &scores);
    CALL(setup, aclnnSigmoid, numbers, scores);
    if (added->dtype != ACL_FLOAT || !operand_is_packed(added)) {
        const aclTensor *given = wide_added;
        make_temporary(setup, ACL_FLOAT, added->rank, added->size, &wide_added);
        CALL(setup, aclnnCast, given, ACL_FLOAT, wide_added);
    }
    const struct own_operand operand[] = {{scores, "x", ACCESS_READ},
                                          {wide_added, "addNum", ACCESS_READ},
                                          {make_tensor(setup, y), "y", ACCESS_WRITTEN},
                                          {make_tensor(setup, indices), "indices", ACCESS_WRITTEN}};
    return own_step(setup, &add_topk_div, launch_add_topk_div, operand, 4, &plan, sizeof plan,
                    cost_of(&plan));
}

const struct kind kind_fused_add_topk_div = {
    "FusedAddTopkDiv", sizeof(struct fused_add_topk_div_param), 2, 2, 2, 2, 0, set_up_add_topk_div};
