/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of rows that become numbers of few bits, a row of a table each, and calls of them with arguments at
 * random. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_QUANTISED_ROWS_CALL_H
#define BELAY_TESTS_OPS_QUANTISED_ROWS_CALL_H

#include "ops/named_call.h"
#include "ops/number_tensor.h"

enum input { ROW, NORM, GATES, GELU };
enum way { NONE, OVER, TIMES, SIZE, SIZE_TIMES };

struct form {
    const char *name, *x, *x2, *factor[2], *offset[2], *y[2], *scale[2], *sum;
    enum input input;
    enum way given, made;
    bool rounds_sum, has_modes, is_usually_made;
};

#define NORM_OF(x_)  .x = x_, .input = NORM, .given = OVER, .made = NONE
#define SUM_OF(api)  .name = api, NORM_OF("x1"), .x2 = "x2", .sum = "x", .y = {"y1", "y2"}
#define ZEROS        .factor = {"scales1", "scales2"}, .offset = {"zeroPoints1", "zeroPoints2"}
#define ONE          .factor = {"scale"}, .offset = {"offset"}, .y = {"y"}
#define MADE_OF(api) .name = api, .y = {"y"}, .made = SIZE
#define GATES_OF     .x = "x", .input = GATES, .given = OVER, .scale = {"scale"}, .has_modes = true
#define ROWS         .x = "x", .input = ROW, .scale = {"scale"}, .factor = {"smoothScales"}, .is_usually_made = true

static const struct form forms[] = {
    {.name = "aclnnRmsNormQuant", NORM_OF("x"), ONE},
    {.name = "aclnnRmsNormQuantV3", NORM_OF("x"), ONE},
    {SUM_OF("aclnnAddRmsNormQuant"), ZEROS},
    {SUM_OF("aclnnAddRmsNormQuantV2"), ZEROS},
    {.name = "aclnnAddRmsNormDynamicQuantV2",
     .input = NORM,
     .x = "x1",
     .x2 = "x2",
     .sum = "x",
     .y = {"y1", "y2"},
     .scale = {"scale1", "scale2"},
     .factor = {"smoothScale1", "smoothScale2"},
     .made = SIZE},
    {.name = "aclnnAddRmsNormCast", .input = NORM, .x = "x1", .x2 = "x2", .sum = "x", .y = {"y1", "y2"}},
    {.name = "aclnnInplaceAddRmsNorm",
     .input = NORM,
     .x = "x1Ref",
     .x2 = "x2Ref",
     .sum = "x2Ref",
     .y = {"x1Ref"},
     .rounds_sum = true},
    {MADE_OF("aclnnDequantSwigluQuant"), GATES_OF, .factor = {"quantScale"}, .offset = {"quantOffset"}},
    {MADE_OF("aclnnDequantSwigluQuantV2"), GATES_OF, .factor = {"quantScale"}, .offset = {"quantOffset"}},
    {.name = "aclnnSwiGluQuantV2",
     .input = GATES,
     .x = "x",
     .y = {"y"},
     .scale = {"scale"},
     .factor = {"smoothScales"},
     .offset = {"offsets"},
     .given = TIMES,
     .made = SIZE_TIMES,
     .has_modes = true,
     .is_usually_made = true},
    {MADE_OF("aclnnGeluQuant"), .input = GELU, .x = "self", .scale = {"outScale"}, .factor = {"inputScale"},
     .offset = {"inputOffset"}, .given = TIMES, .has_modes = true, .is_usually_made = true},
    {MADE_OF("aclnnDynamicQuantV2"), ROWS},
    {MADE_OF("aclnnDynamicQuantV3"), ROWS},
    {MADE_OF("aclnnDynamicQuantV4"), ROWS},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct rows_call {
    const struct form *form;
    struct named_call call;
    struct numbers y[2];
    int64_t rows, width, groups, end[3];
    int rounding, gates;
    bool is_made, is_left, has_beta, divides, has_two, is_tanh;
};

static const char *const roundings[] = {"rint", "round", "floor", "ceil", "trunc"};

/* A factor: one number, a row, or with groups a row for each. */
static void give_factor(struct rows_call *c, const char *name, double least, double most, bool is_int8)
{
    const aclDataType dtype = is_int8 ? ACL_INT8 : ACL_FLOAT;
    const bool is_each = c->groups > 0;
    const struct layout *f = is_each ? GIVE(&c->call, name, dtype, c->groups, c->width)
                             : random_below(3) == 0 && c->form->input != ROW
                                 ? GIVE(&c->call, name, dtype, 1)
                                 : GIVE(&c->call, name, dtype, c->width);
    for (int64_t i = 0; i < f->count; i++)
        is_int8 ? set_whole(f, i, random_below(9) - 4)
                : set_element(f, i, least + (most - least) * (double)random_below(1000) / 1000);
}

static void give_columns(struct rows_call *c)
{
    const int64_t both = 2 * c->width;
    const struct layout *x = tensor_named(&c->call, "x");
    for (int64_t i = 0; i < x->count; i++)
        set_whole(x, i, random_below(2001) - 1000);
    const struct layout *w = c->groups > 0 ? GIVE(&c->call, "weightScale", ACL_FLOAT, c->groups, both)
                                           : GIVE(&c->call, "weightScale", ACL_FLOAT, both);
    for (int64_t i = 0; i < w->count; i++)
        set_element(w, i, .001 * (double)(1 + random_below(5)));
    if (random_below(2) == 0)
        GIVE(&c->call, "activationScale", ACL_FLOAT, c->rows);
    const int bias = (int)random_below(3);
    const aclDataType dtype = bias == 1 ? ACL_INT32 : ACL_FLOAT16;
    const struct layout *b = bias == 0       ? NULL
                             : c->groups > 0 ? GIVE(&c->call, "bias", dtype, c->groups, both)
                                             : GIVE(&c->call, "bias", dtype, both);
    for (int64_t i = 0; bias == 1 && i < b->count; i++)
        set_whole(b, i, random_below(401) - 200);
}

static void give_groups(struct rows_call *c, bool are_counts, aclDataType dtype)
{
    const struct layout *groups = GIVE(&c->call, "groupIndex", dtype, c->groups);
    for (int64_t g = 0; g < c->groups; g++) {
        const int64_t before = g > 0 ? c->end[g - 1] : 0;
        c->end[g] = g + 1 == c->groups && c->form->input == ROW ? c->rows
                                                                : before + random_below(c->rows - before + 1);
        set_whole(groups, g, are_counts ? c->end[g] - before : c->end[g]);
    }
}

static void give_gates(struct rows_call *c)
{
    const bool is_v2 = strcmp(c->form->name, "aclnnDequantSwigluQuantV2") == 0,
               is_swiglu = c->form->made == SIZE_TIMES;
    c->gates = is_v2 ? (int)random_below(4) : 0;
    c->is_left = c->gates == 1 || random_below(2) == 0;
    give_number(&c->call, "activateLeft", c->is_left);
    give_number(&c->call, "swigluMode", c->gates);
    give_number(&c->call, "clampLimit", 1.5);
    give_number(&c->call, "gluAlpha", 1.25);
    give_number(&c->call, "gluBias", .5);
    const bool are_counts = !is_swiglu || random_below(2) == 0;
    give_number(&c->call, "groupListType", are_counts);
    if (c->groups > 0)
        give_groups(c, are_counts, is_swiglu ? ACL_INT32 : ACL_INT64);
    if (tensor_named(&c->call, "x")->dtype == ACL_INT32)
        give_columns(c);
}

static void give_outputs(struct rows_call *c, aclDataType dtype)
{
    const int64_t shape[] = {c->rows, c->width};
    for (int i = 0; i < 2; i++) {
        const bool is_quantised = c->form->given != NONE || c->form->made != NONE;
        if (c->form->y[i] == NULL || c->form->rounds_sum)
            continue;
        if (!is_quantised)
            give_tensor(&c->call, c->form->y[i],
                        i == 0 ? ACL_FLOAT : tensor_named(&c->call, c->form->x)->dtype, 2, shape);
        else
            c->y[i] = give_numbers(&c->call, c->form->y[i], dtype, 2, shape);
        if (c->form->scale[i] != NULL)
            GIVE(&c->call, c->form->scale[i], ACL_FLOAT, c->rows);
    }
    if (c->form->sum != NULL && !c->form->rounds_sum)
        give_tensor(&c->call, c->form->sum, tensor_named(&c->call, c->form->x)->dtype, 2, shape);
    give_tensor(&c->call, "rmsNorm", tensor_named(&c->call, c->form->x)->dtype, 2, shape);
    GIVE(&c->call, "rstd", ACL_FLOAT, c->rows, 1);
    give_number(&c->call, "dstType", dtype == PAIRS ? ACL_INT4 : dtype);
}

static struct rows_call draw_call(const struct form *form)
{
    struct rows_call c = {.form = form,
                          .call = call_begin_named(form->name),
                          .rows = 1 + random_below(9),
                          .width = 8 * (1 + random_below(70)),
                          .divides = true,
                          .is_made = form->made != NONE};
    if (form->has_modes) {
        c.is_made = random_below(2) == 0;
        c.call.argument[place_named(&c.call, "quantMode")].string =
            c.is_made == form->is_usually_made && random_below(2) == 0 ? NULL
            : c.is_made                                                ? "dynamic"
                                                                       : "static";
    }
    if (place_named(&c.call, "groupIndex") >= 0 && c.is_made && random_below(2) == 0)
        c.groups = 1 + random_below(3);
    const bool is_whole = strncmp(form->name, "aclnnDequant", 12) == 0 && random_below(2) == 0;
    const aclDataType dtype = short_dtypes[random_below(3)];
    GIVE(&c.call, form->x, is_whole ? ACL_INT32 : dtype, c.rows,
         form->input == GATES ? 2 * c.width : c.width);
    if (form->x2 != NULL)
        GIVE(&c.call, form->x2, dtype, c.rows, c.width);
    if (form->input == NORM) {
        GIVE(&c.call, "gamma", dtype, c.width);
        const bool needs_beta = strcmp(form->name, "aclnnRmsNormQuant") == 0;
        c.has_beta = place_named(&c.call, "beta") >= 0 && (needs_beta || random_below(2) == 0);
        if (c.has_beta)
            GIVE(&c.call, "beta", dtype, c.width);
        c.divides = place_named(&c.call, "divMode") < 0 || random_below(2) == 0;
        give_number(&c.call, "divMode", c.divides);
    } else if (form->input == GATES)
        give_gates(&c);
    if (form->input == GELU) {
        c.is_tanh = random_below(2) == 0;
        c.call.argument[place_named(&c.call, "approximate")].string = c.is_tanh ? "tanh" : "none";
    }
    const bool is_multiplied = c.is_made || !c.divides || form->given == TIMES;
    c.has_two = form->y[1] != NULL && form->factor[1] != NULL && random_below(2) == 0;
    for (int i = 0; i < 1 + c.has_two; i++) {
        const bool needs = (i == 0 && !c.is_made) || c.has_two;
        if (form->factor[i] != NULL && (needs || c.groups > 0 || random_below(2) == 0)) {
            give_factor(&c, form->factor[i], is_multiplied ? 5 : .02, is_multiplied ? 30 : .1, false);
            if (form->input == ROW) /* of the dtype of x */
                replace_numbers(&c.call, form->factor[i], dtype);
        }
        if (form->offset[i] != NULL && !c.is_made && (form->input == NORM || random_below(2) == 0))
            give_factor(&c, form->offset[i], -4, 4, form->input == NORM && random_below(2) == 0);
    }
    if (form->input == ROW && c.groups > 0)
        give_groups(&c, false, ACL_INT32);
    aclDataType y = draw_number_dtype(strcmp(form->name, "aclnnSwiGluQuantV2") == 0);
    if (has_float8() && strcmp(form->name, "aclnnDequantSwigluQuantV2") == 0 && random_below(3) == 0)
        y = random_below(2) == 0 ? ACL_FLOAT4_E2M1 : ACL_FLOAT4_E1M2;
    c.rounding = place_named(&c.call, "roundMode") >= 0 && !is_float8(y) ? (int)random_below(5) : 0;
    if (place_named(&c.call, "roundMode") >= 0)
        c.call.argument[place_named(&c.call, "roundMode")].string = roundings[c.rounding];
    give_outputs(&c, y);
    const struct layout *x = tensor_named(&c.call, form->x);
    for (int64_t i = 0; !is_whole && i < x->count; i++) /* rows of zeros, and with what is no number */
        if (i / x->shape[1] % 5 == 3 && form->input != NORM)
            set_element(x, i, i % 7 == 0 && i / x->shape[1] == 8 ? (double)NAN : 0);
    return c;
}

#endif
