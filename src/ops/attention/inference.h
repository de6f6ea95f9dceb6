/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference: keys and values in lists, lengths of each batch, pages, and one logarithm in place
 * of the two numbers that gradients need.
 */
#ifndef BELAY_OPS_ATTENTION_INFERENCE_H
#define BELAY_OPS_ATTENTION_INFERENCE_H

#include "ops/attention/geometry.h"

/* The places of parameters behind query, key, value and pse; NOWHERE where a function has none. An optional
 * tensor that it has and that is not among these must be absent. */
struct attention_inference {
    uint8_t row_lengths, key_lengths, pages, padding, query_rope, key_rope;
    uint8_t heads, scale, tokens, layout, key_heads, mode, page, wants_lse, out, lse; /* tokens: two */
    uint8_t sink, scales; /* 0: it has none; scales: four, of keys and of values, each with its offset */
    uint8_t scale_modes;  /* two */
};

/* Parameters of all functions. */
enum { P_QUERY, P_KEY, P_VALUE, P_PSE, P_MASK };

/* What a call says. */
struct inference_request {
    struct attention_geometry geometry;
    enum attention_layout key_layout, out_layout;
    uint64_t members;    /* tensors of each list */
    int64_t page, pages; /* keys of a page, and pages in memory */
    int64_t rows, keys;  /* the most of a batch */
    uint64_t row_count, key_count;
    /* One, or one for each batch; ends with TND, of keys only without pages: with them they are lengths. */
    const int64_t *row_length, *key_length;
};

aclnnStatus inference_read(const struct call *call, struct inference_request *request);

static inline const struct attention_inference *inference_places_of(const struct call *call)
{
    return (const struct attention_inference *)call->function->of_family;
}

/* key and value are lists or single tensors. */
static inline bool inference_has_list(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
}

static inline uint64_t inference_key_count(const struct call *call, unsigned parameter)
{
    return inference_has_list(call, parameter) ? call->values[parameter].count : 1;
}

static inline const struct tensor_view *inference_key_view(const struct call *call, unsigned parameter,
                                                           uint64_t member)
{
    return inference_has_list(call, parameter) ? &call->values[parameter].value.tensor[member]
                                               : &call->tensor[parameter];
}

static inline int64_t inference_integer_at(const struct call *call, unsigned parameter, int64_t otherwise)
{
    return parameter == NOWHERE ? otherwise : call->argument[parameter].int64;
}

/* Keys that there is memory for. */
static inline int64_t inference_room_of(const struct call *call, const struct inference_request *request,
                                        uint64_t batch)
{
    return request->members > 0
               ? attention_size(inference_key_view(call, P_KEY, batch), request->key_layout, DIM_ROW)
               : request->geometry.keys;
}

static inline int64_t inference_length_of(const int64_t *length, uint64_t count, uint64_t batch,
                                          int64_t otherwise)
{
    return count == 0 ? otherwise : length[count == 1 ? 0 : batch];
}

/* Rows of a batch; of a single one, lengths say at most that there is none: programs that decode give the
 * length of what came before. */
static inline int64_t inference_rows_of(const struct inference_request *request, uint64_t batch)
{
    const int64_t all = request->geometry.rows,
                  rows = inference_length_of(request->row_length, request->row_count, batch, all);
    return all == 1 && rows > 1 ? 1 : rows;
}

/* Keys of 8 bits, whole or floats, have scales; functions without places for these take none. */
enum { INFERENCE_SCALES = 4 };
static inline bool inference_has_coded_keys(const struct call *call)
{
    return inference_places_of(call)->scales != 0 && inference_key_count(call, P_KEY) > 0 &&
           dtype_bytes(inference_key_view(call, P_KEY, 0)->dtype) == 1;
}

/* The view of so many heads' scales by head and element; false where the shape has other numbers. */
bool inference_scale_view(const struct call *call, unsigned parameter, int64_t heads, int64_t depth,
                          struct attention_view *view);

aclnnStatus attention_inference_infer(const struct call *call, struct result *result);
aclnnStatus attention_inference_plan(const struct call *call, const struct result *result);

#define INFERENCE(places) INFERENCE_BY(places, attention_inference_infer)
#define INFERENCE_BY(places, infer_)                                                               \
    .operation.run = attention_run, .operation.work_bytes = attention_work_bytes,                  \
    .family = FAMILY_ATTENTION, .promise = &promise_sum, .of_family = (places), .infer = (infer_), \
    .plan = attention_inference_plan

#endif
