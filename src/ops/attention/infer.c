/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The checks of attention, in the order of its contract, and what comes out.
 */
#include <inttypes.h>

#include "ops/attention/geometry.h"
#include "tensor/dtype.h"

static aclnnStatus check_dtypes(const struct call *call)
{
    static const uint8_t like_query[] = {KEY, VALUE, DY, OUT, PSE, QUERY_ROPE, KEY_ROPE};
    const struct attention_form *form = attention_form_of(call);
    for (unsigned i = 0; i < call->tensor_count; i++) {
        const unsigned parameter = call->tensor_parameter[i];
        if (parameter_is_read(&call->function->parameter[parameter]) && attention_was_given(call, parameter))
            TRY(check_dtype(call, parameter));
    }
    const int64_t pse_type = form->pse_type == NOWHERE ? PSE_SCALED : call->argument[form->pse_type].int64;
    for (unsigned i = 0; i < sizeof like_query; i++) {
        const unsigned parameter = attention_parameter(call, (enum attention_tensor)like_query[i]);
        const bool is_output = !form->is_gradient && like_query[i] == OUT,
                   is_another = form->is_quantised && (like_query[i] == DY || like_query[i] == OUT);
        if (is_output || is_another || !attention_was_given(call, parameter))
            continue;
        if (like_query[i] == PSE && pse_type > PSE_SCALED) {
            if (call_dtype(call, parameter) != ACL_FLOAT)
                return refuse(call, "%s has dtype %s; FLOAT is expected of slopes",
                              call_name(call, parameter), dtype_name(call_dtype(call, parameter)));
            continue;
        }
        TRY(check_same_dtype(call, parameter, 0, NULL));
    }
    for (unsigned i = 0; !form->is_quantised && i < form->scale_count; i++)
        if (attention_was_given(call, form->scales + i))
            return refuse(call, "%s was given; no scales of quantised numbers are expected",
                          call_name(call, form->scales + i));
    return ACLNN_SUCCESS;
}

/* pse: one that broadcasts to the scores, or slopes. */
static aclnnStatus check_pse(const struct call *call, const struct attention_geometry *geometry,
                             int64_t pse_type)
{
    const unsigned parameter = attention_parameter(call, PSE);
    if (!attention_was_given(call, parameter))
        return ACLNN_SUCCESS;
    const struct tensor_view *view = &call->tensor[parameter];
    const bool is_slopes = pse_type > PSE_SCALED;
    const int64_t sizes[4] = {geometry->batches, geometry->heads, geometry->rows, geometry->keys};
    bool fits = view->rank <= 4 && (is_slopes || geometry->layout != LAYOUT_TND);
    if (is_slopes) {
        fits = fits && view->rank >= 1 && view->rank <= 2 && view->shape[view->rank - 1] == geometry->heads &&
               (view->rank == 1 || view->shape[0] == 1 || view->shape[0] == geometry->batches);
    } else {
        for (uint32_t i = 0; fits && i < view->rank; i++) {
            const int64_t size = view->shape[view->rank - 1 - i];
            fits = size == 1 || size == sizes[3 - i];
        }
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter),
                         shape_text(TEXT, view),
                         is_slopes ? "a slope for each head"
                                   : "what broadcasts to batches, heads, rows, keys");
}

/* Whether the mask itself is read. */
static bool mask_is_read(const struct call *call)
{
    const int64_t mode = attention_mode(call);
    return attention_was_given(call, attention_parameter(call, MASK)) &&
           (mode == 0 || mode == 1 || mode == 5);
}

static void longest(const struct call *call, const struct attention_geometry *geometry, int64_t *rows,
                    int64_t *keys)
{
    const int64_t *row_end = NULL, *key_end = NULL;
    *rows = geometry->rows;
    *keys = geometry->keys;
    if (geometry->layout != LAYOUT_TND)
        return;
    const unsigned lengths = attention_form_of(call)->lengths;
    const uint64_t count = attention_numbers(call, lengths, &row_end);
    attention_numbers(call, lengths + 1U, &key_end);
    *rows = *keys = 0;
    for (uint64_t b = 0; b < count; b++) {
        const int64_t own_rows = row_end[b] - (b > 0 ? row_end[b - 1] : 0),
                      own_keys = key_end[b] - (b > 0 ? key_end[b - 1] : 0);
        *rows = own_rows > *rows ? own_rows : *rows;
        *keys = own_keys > *keys ? own_keys : *keys;
    }
}

static aclnnStatus check_mask(const struct call *call, const struct attention_geometry *geometry)
{
    const unsigned parameter = attention_parameter(call, MASK);
    const struct tensor_view *view = &call->tensor[parameter];
    int64_t sizes[4] = {geometry->batches, geometry->heads};
    if (!mask_is_read(call))
        return ACLNN_SUCCESS;
    longest(call, geometry, &sizes[2], &sizes[3]);
    bool fits = view->rank <= 4;
    for (uint32_t i = 0; fits && i < view->rank; i++) {
        const int64_t size = view->shape[view->rank - 1 - i];
        fits = size == 1 || size == sizes[3 - i] || (i < 2 && size > sizes[3 - i]);
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call,
                         "%s has shape %s; what broadcasts to %" PRId64 " batches, %" PRId64
                         " heads, %" PRId64 " rows, %" PRId64 " keys is expected",
                         call_name(call, parameter), shape_text(TEXT, view), sizes[0], sizes[1], sizes[2],
                         sizes[3]);
}

/* The ends of sequences: as many of rows as of keys, none before the one before it, none beyond the tensor.
 */
static aclnnStatus check_lengths(const struct call *call, const struct attention_geometry *geometry)
{
    const struct attention_form *form = attention_form_of(call);
    const int64_t *end[2] = {NULL, NULL};
    if (geometry->layout != LAYOUT_TND)
        return ACLNN_SUCCESS;
    uint64_t count = attention_numbers(call, form->lengths, &end[0]);
    if (attention_numbers(call, form->lengths + 1U, &end[1]) != count || count == 0)
        return refuse(call,
                      "actualSeqQLen and actualSeqKvLen have %" PRIu64 " and %" PRIu64
                      " numbers; one each for every sequence is expected",
                      count, attention_numbers(call, form->lengths + 1U, &end[1]));
    while (count > 0 && end[0][count - 1] == 0)
        count--;
    for (unsigned k = 0; k < 2; k++) {
        int64_t before = 0;
        const int64_t most = k == 0 ? geometry->rows : geometry->keys;
        for (uint64_t b = 0; b < count; before = end[k][b++])
            if (end[k][b] < before || end[k][b] > most)
                return refuse(call,
                              "%s has %" PRId64 " behind %" PRId64 "; ends up to %" PRId64
                              " that do not decrease are expected",
                              call_name(call, form->lengths + k), end[k][b], before, most);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_attributes(const struct call *call, const struct attention_geometry *geometry)
{
    const struct attention_form *form = attention_form_of(call);
    const double keep = attention_keep(call);
    const int64_t mode = attention_mode(call), *unused;
    const bool is_packed = geometry->layout == LAYOUT_TND;
    const uint64_t prefixes = attention_numbers(call, form->prefix, &unused);
    if (!(keep > 0 && keep <= 1))
        return refuse(call, "keepProb is %g; more than 0 and at most 1 is expected", keep);
    if (mode < 0 || mode > (is_packed ? 8 : 6) || (is_packed && mode == 5))
        return refuse(call, "sparseMode is %" PRId64 "; %s is expected", mode,
                      is_packed ? "0 to 4, or 6 to 8," : "0 to 6");
    const uint64_t sequences =
        is_packed ? attention_numbers(call, form->lengths, &unused) : (uint64_t)geometry->batches;
    if (mode == 6 && prefixes != sequences)
        return refuse(call,
                      "prefix has %" PRIu64 " numbers; one for each of %" PRIu64
                      " batches is expected with sparseMode 6",
                      prefixes, sequences);
    const int64_t pse_type = form->pse_type == NOWHERE ? PSE_SCALED : call->argument[form->pse_type].int64;
    if (pse_type < 0 || pse_type > 3)
        return refuse(call, "pseType is %" PRId64 "; 0 to 3 is expected", pse_type);
    return check_pse(call, geometry, pse_type);
}

static aclnnStatus check_vectors(const struct call *call, const struct attention_geometry *geometry)
{
    const unsigned sink = attention_parameter(call, SINK), drop = attention_parameter(call, DROP);
    if (attention_was_given(call, sink) && call->tensor[sink].count != geometry->heads)
        return refuse(call, "%s has shape %s; a number for each head is expected", call_name(call, sink),
                      shape_text(TEXT, &call->tensor[sink]));
    if (attention_keep(call) < 1 && attention_was_given(call, drop)) {
        const struct tensor_view *view = &call->tensor[drop];
        double scores = (double)geometry->batches * (double)geometry->heads * (double)geometry->rows *
                        (double)geometry->keys;
        if (geometry->layout == LAYOUT_TND) { /* what the sequences have, the last of which takes no part */
            scores = 0;
            int64_t row = 0, key = 0;
            const int64_t *row_end = NULL, *key_end = NULL;
            const unsigned lengths = attention_form_of(call)->lengths;
            uint64_t count = attention_numbers(call, lengths, &row_end);
            attention_numbers(call, lengths + 1U, &key_end);
            for (uint64_t b = 0; b < count && row_end[b] >= row; row = row_end[b], key = key_end[b], b++)
                scores += (double)geometry->heads * (double)(row_end[b] - row) * (double)(key_end[b] - key);
        }
        if (view->rank != 1 || (double)view->shape[0] * 8 < scores)
            return refuse(call, "%s has shape %s; a bit for each of %.0f scores is expected",
                          call_name(call, drop), shape_text(TEXT, view), scores);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus add_shape(const struct call *call, struct result *result, aclDataType dtype,
                             struct shape shape)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return check_element_count(call, &shape);
}

/* dpse, dqRope, ...: like an input where there is one, else nothing is asked of it. */
static void add_like(const struct call *call, struct result *result, enum attention_tensor tensor,
                     bool is_wanted)
{
    const unsigned parameter = attention_parameter(call, tensor);
    const bool is_given = is_wanted && attention_was_given(call, parameter);
    struct output *output =
        result_add(result, is_given ? call_dtype(call, parameter) : call_dtype(call, 0), DTYPE_EQUAL);
    output->like = is_given ? parameter : 0;
    output->is_unwanted = !is_given;
}

/* An output that was not given, or has no elements, is not asked for. */
static void forget_absent(const struct call *call, struct result *result)
{
    for (unsigned n = 0; call->has_outputs && n < result->count; n++) {
        const unsigned parameter = call_written(call, n);
        if (call->function->parameter[parameter].is_optional && !attention_was_given(call, parameter))
            result->output[n].is_unwanted = true;
    }
}

/* Results are of the operands' dtype; of quantised ones of what is asked for. */
static aclDataType dtype_made(const struct call *call, enum attention_tensor tensor)
{
    const struct attention_form *form = attention_form_of(call);
    const unsigned parameter = attention_parameter(call, tensor);
    if (!form->is_quantised)
        return call_dtype(call, 0);
    return call->has_outputs && call_has(call, parameter) ? call->tensor[parameter].dtype : ACL_BF16;
}

static aclnnStatus add_outputs(const struct call *call, const struct attention_geometry *geometry,
                               struct result *result)
{
    const struct attention_form *form = attention_form_of(call);
    result->computed = call_dtype(call, 0);
    if (!form->is_gradient) {
        const struct shape statistics = attention_statistics_shape(geometry);
        TRY(add_shape(call, result, ACL_FLOAT, statistics));
        TRY(add_shape(call, result, ACL_FLOAT, statistics));
        return add_shape(call, result, dtype_made(call, OUT),
                         attention_shape(geometry, geometry->heads, geometry->rows, geometry->value_depth));
    }
    for (enum attention_tensor i = QUERY; i <= VALUE; i++) {
        result_add(result, dtype_made(call, D_QUERY + (i - QUERY)), DTYPE_EQUAL)->like =
            attention_parameter(call, i);
        if (form->has_ropes_between && i < VALUE)
            add_like(call, result, i == QUERY ? QUERY_ROPE : KEY_ROPE, true);
    }
    if (form->rope != NOWHERE && !form->has_ropes_between) {
        add_like(call, result, QUERY_ROPE, true);
        add_like(call, result, KEY_ROPE, true);
    }
    if (!form->has_lengths && !form->is_quantised)
        add_like(call, result, PSE,
                 form->pse_type == NOWHERE || call->argument[form->pse_type].int64 <= PSE_SCALED);
    if (form->sink != NOWHERE)
        add_like(call, result, SINK, true);
    forget_absent(call, result);
    return ACLNN_SUCCESS;
}

aclnnStatus attention_infer(const struct call *call, struct result *result)
{
    struct attention_geometry geometry;
    TRY(check_dtypes(call));
    TRY(attention_geometry_of(call, &geometry));
    TRY(attention_check_depths(call, &geometry));
    TRY(check_lengths(call, &geometry));
    TRY(check_mask(call, &geometry));
    TRY(check_attributes(call, &geometry));
    TRY(check_vectors(call, &geometry));
    return add_outputs(call, &geometry, result);
}
