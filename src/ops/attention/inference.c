/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The checks of attention for inference, in their order, and what comes out.
 */
#include "ops/attention/inference.h"

#include <inttypes.h>
#include <string.h>

#include "tensor/dtype.h"

/* A tensor that may be given and is not known here. */
static bool must_be_absent(const struct call *call, unsigned parameter)
{
    const struct parameter *description = &call->function->parameter[parameter];
    const struct attention_inference *places = inference_places_of(call);
    return description->kind == PARAMETER_TENSOR && description->role == ROLE_READ && parameter > P_MASK &&
           parameter != places->pages && parameter != places->padding && parameter != places->query_rope &&
           parameter != places->key_rope && (places->sink == 0 || parameter != places->sink) &&
           !(inference_has_coded_keys(call) && parameter >= places->scales &&
             parameter < places->scales + (unsigned)INFERENCE_SCALES);
}

static aclnnStatus check_scale_dtype(const struct call *call, unsigned parameter, bool is_needed)
{
    if (!attention_was_given(call, parameter))
        return is_needed
                   ? refuse(call, "%s is absent and keys are %s; their scales are expected",
                            call_name(call, parameter), dtype_name(inference_key_view(call, P_KEY, 0)->dtype))
                   : ACLNN_SUCCESS;
    return check_dtype(call, parameter);
}

static aclnnStatus check_dtypes(const struct call *call)
{
    const struct attention_inference *places = inference_places_of(call);
    const unsigned others[] = {P_PSE,
                               P_MASK,
                               places->pages,
                               places->padding,
                               places->query_rope,
                               places->key_rope,
                               places->sink == 0 ? NOWHERE : places->sink};
    const aclDataType dtype = call_dtype(call, P_QUERY);
    TRY(check_dtype(call, P_QUERY));
    for (unsigned list = P_KEY; list <= P_VALUE; list++)
        for (uint64_t i = 0; i < inference_key_count(call, list); i++) {
            TRY(check_dtype_in_list(call, list, inference_key_view(call, list, i)->dtype));
            const bool is_coded = inference_has_coded_keys(call);
            const aclDataType wanted = is_coded ? inference_key_view(call, P_KEY, 0)->dtype : dtype;
            if (inference_key_view(call, list, i)->dtype != wanted)
                return refuse(call, "%s has dtype %s; that of %s, %s, is expected", call_name(call, list),
                              dtype_name(inference_key_view(call, list, i)->dtype),
                              is_coded ? "the first key" : "query", dtype_name(wanted));
        }
    for (unsigned i = 0; inference_has_coded_keys(call) && i < INFERENCE_SCALES; i++)
        TRY(check_scale_dtype(call, places->scales + i, i % 2 == 0));
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!attention_was_given(call, others[i]))
            continue;
        TRY(check_dtype(call, others[i]));
        const bool is_like_query = others[i] == places->query_rope || others[i] == places->key_rope ||
                                   (others[i] == P_PSE && call_dtype(call, P_PSE) != ACL_FLOAT16);
        if (is_like_query)
            TRY(check_same_dtype(call, others[i], P_QUERY, NULL));
    }
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (must_be_absent(call, i) && attention_was_given(call, i))
            return refuse(call,
                          "%s was given; no scales, offsets, shared prefixes or paddings of queries are "
                          "expected",
                          call_name(call, i));
    return ACLNN_SUCCESS;
}

static aclnnStatus find_layout(const struct call *call, struct inference_request *request)
{
    static const struct {
        const char *text;
        enum attention_layout layout, out;
    } layouts[] = {{"BSH", LAYOUT_BSH, LAYOUT_BSH},         {"SBH", LAYOUT_SBH, LAYOUT_SBH},
                   {"BNSD", LAYOUT_BNSD, LAYOUT_BNSD},      {"BSND", LAYOUT_BSND, LAYOUT_BSND},
                   {"TND", LAYOUT_TND, LAYOUT_TND},         {"BNSD_BSND", LAYOUT_BNSD, LAYOUT_BSND},
                   {"NTD", LAYOUT_NTD, LAYOUT_NTD},         {"NSD", LAYOUT_NSD, LAYOUT_NSD},
                   {"BSH_BNSD", LAYOUT_BSH, LAYOUT_BNSD},   {"BSND_BNSD", LAYOUT_BSND, LAYOUT_BNSD},
                   {"BSH_NBSD", LAYOUT_BSH, LAYOUT_NBSD},   {"BSND_NBSD", LAYOUT_BSND, LAYOUT_NBSD},
                   {"BNSD_NBSD", LAYOUT_BNSD, LAYOUT_NBSD}, {"TND_NTD", LAYOUT_TND, LAYOUT_NTD},
                   {"NTD_TND", LAYOUT_NTD, LAYOUT_TND}};
    enum { FOR_ALL = 6 }; /* the others are of functions with a logarithm */
    const struct attention_inference *places = inference_places_of(call);
    const char *text = call->argument[places->layout].string;
    const bool takes_packed = places->row_lengths != NOWHERE && places->key_lengths != NOWHERE;
    const unsigned count = places->lse == NOWHERE ? FOR_ALL : sizeof layouts / sizeof layouts[0];
    for (unsigned i = 0; i < count; i++)
        if (strcmp(text, layouts[i].text) == 0 && (takes_packed || layouts[i].layout != LAYOUT_TND)) {
            request->geometry.layout = request->key_layout = layouts[i].layout;
            request->out_layout = layouts[i].out;
            return ACLNN_SUCCESS;
        }
    return refuse(call, "inputLayout is \"%s\"; BSH, SBH, BNSD, BSND%s is expected", text,
                  count > FOR_ALL ? ", TND, NTD, NSD, BNSD_BSND, NTD_TND, TND_NTD, or BSH, BSND or BNSD with "
                                    "_BNSD or _NBSD"
                  : takes_packed  ? ", TND or BNSD_BSND"
                                  : " or BNSD_BSND");
}

static aclnnStatus tell_shape(const struct call *call, unsigned parameter, const struct tensor_view *view,
                              const struct shape *shape)
{
    return refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter), shape_text(TEXT, view),
                  dims_text(TEXT, shape->rank, shape->dim));
}

static bool has_shape(const struct tensor_view *view, const struct shape *shape)
{
    bool is_same = view->rank == shape->rank;
    for (uint32_t i = 0; is_same && i < shape->rank; i++)
        is_same = view->shape[i] == shape->dim[i];
    return is_same;
}

static aclnnStatus check_query(const struct call *call, struct inference_request *request)
{
    struct attention_geometry *geometry = &request->geometry;
    const struct tensor_view *query = &call->tensor[P_QUERY];
    const enum attention_layout layout = geometry->layout;
    const int64_t heads = call->argument[inference_places_of(call)->heads].int64;
    if (query->rank != attention_rank(layout))
        return refuse(call, "query has shape %s; rank %u is expected of this layout", shape_text(TEXT, query),
                      attention_rank(layout));
    const int64_t size = attention_size(query, layout, DIM_HEAD);
    if (heads < 1 || (attention_has_joint_heads(layout) ? size % heads != 0 : size != heads))
        return refuse(call, "numHeads is %" PRId64 " and query has shape %s; its heads are expected", heads,
                      shape_text(TEXT, query));
    const int64_t key_heads = call->argument[inference_places_of(call)->key_heads].int64;
    geometry->heads = heads;
    geometry->key_heads = key_heads == 0 ? heads : key_heads;
    if (geometry->key_heads < 1 || heads % geometry->key_heads != 0)
        return refuse(call, "numKeyValueHeads is %" PRId64 "; 0 or a divisor of %" PRId64 " is expected",
                      key_heads, heads);
    geometry->batches = attention_size(query, layout, DIM_BATCH);
    geometry->rows = attention_size(query, layout, DIM_ROW);
    geometry->depth =
        attention_has_joint_heads(layout) ? size / heads : attention_size(query, layout, DIM_ELEMENT);
    return ACLNN_SUCCESS;
}

/* One tensor for all batches, or one for each. */
static aclnnStatus check_lists(const struct call *call, struct inference_request *request)
{
    struct attention_geometry *geometry = &request->geometry;
    const uint64_t count = inference_key_count(call, P_KEY);
    request->members = count == 1 ? 0 : count;
    if (count != inference_key_count(call, P_VALUE) || count < 1 ||
        (count > 1 && (count != (uint64_t)geometry->batches || attention_layout_is_packed(geometry->layout))))
        return refuse(call,
                      "key and value have %" PRIu64 " and %" PRIu64
                      " tensors; one each is expected, or one for each of %" PRId64 " batches",
                      count, inference_key_count(call, P_VALUE), geometry->batches);
    const unsigned pages = inference_places_of(call)->pages;
    const int64_t page = inference_integer_at(call, inference_places_of(call)->page, 0);
    if (attention_was_given(call, pages)) {
        const struct tensor_view *table = &call->tensor[pages], *key = inference_key_view(call, P_KEY, 0);
        const bool is_packed = attention_layout_is_packed(geometry->layout);
        const int64_t needed = is_packed ? (int64_t)request->row_count : geometry->batches;
        if (page < 1 || table->rank != 2 || table->shape[0] < needed || count > 1 || key->rank < 3 ||
            key->rank > 5)
            return refuse(call,
                          "blockTable has shape %s and blockSize is %" PRId64 "; a row for each of %" PRId64
                          " %s, more than 0, and a single key of rank 3 to 5 are expected",
                          shape_text(TEXT, table), page, needed,
                          is_packed ? "sequences, which actualSeqLengths counts" : "batches");
        request->page = page;
        request->key_layout = key->rank == 3 ? LAYOUT_BSH : key->rank == 4 ? LAYOUT_BNSD : LAYOUT_TILES;
        geometry->tile = 32 / (int64_t)dtype_bytes(key->dtype);
        request->pages = key->shape[0];
    }
    return ACLNN_SUCCESS;
}

/* A key or value: its own number of keys, and the elements of a head if these are not known yet. */
static aclnnStatus check_keys(const struct call *call, struct inference_request *request, unsigned list,
                              uint64_t member, int64_t keys, int64_t *depth)
{
    const struct attention_geometry *geometry = &request->geometry;
    const enum attention_layout layout = request->key_layout;
    const struct tensor_view *view = inference_key_view(call, list, member);
    struct attention_geometry own = *geometry;
    own.layout = layout;
    own.batches = request->page > 0 ? request->pages : request->members > 0 ? 1 : geometry->batches;
    if (*depth < 0 && view->rank == attention_rank(layout))
        *depth = attention_has_joint_heads(layout)
                     ? attention_size(view, layout, DIM_HEAD) / geometry->key_heads
                     : attention_size(view, layout, DIM_ELEMENT);
    const struct shape shape =
        attention_shape(&own, geometry->key_heads, request->page > 0 ? request->page : keys, *depth);
    return has_shape(view, &shape) ? ACLNN_SUCCESS : tell_shape(call, list, view, &shape);
}

static aclnnStatus check_all_keys(const struct call *call, struct inference_request *request)
{
    struct attention_geometry *geometry = &request->geometry;
    geometry->value_depth = -1;
    for (uint64_t i = 0; i < inference_key_count(call, P_KEY); i++) {
        const struct tensor_view *key = inference_key_view(call, P_KEY, i);
        const int64_t keys = key->rank == attention_rank(request->key_layout)
                                 ? attention_size(key, request->key_layout, DIM_ROW)
                                 : 0;
        geometry->keys = keys > geometry->keys ? keys : geometry->keys;
        TRY(check_keys(call, request, P_KEY, i, keys, &geometry->depth));
        TRY(check_keys(call, request, P_VALUE, i, keys, &geometry->value_depth));
    }
    if (request->page > 0)
        geometry->keys = call->tensor[inference_places_of(call)->pages].shape[1] * request->page;
    return ACLNN_SUCCESS;
}

/* The keys of each sequence, where they lie in pages. */
static aclnnStatus check_lengths_in_pages(const struct call *call, struct inference_request *request)
{
    for (uint64_t b = 0; b < request->row_count; b++) {
        const int64_t keys = request->key_length[b];
        if (keys < 0 || keys > request->geometry.keys)
            return refuse(call,
                          "%s has %" PRId64 " for sequence %" PRIu64 "; up to %" PRId64
                          " keys, which a row of blockTable has, are expected",
                          call_name(call, inference_places_of(call)->key_lengths), keys, b,
                          request->geometry.keys);
        request->keys = keys > request->keys ? keys : request->keys;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_ends(const struct call *call, struct inference_request *request)
{
    const struct attention_inference *places = inference_places_of(call);
    const int64_t *const ends[] = {request->row_length, request->key_length};
    const bool has_pages = request->page > 0;
    if (request->row_count == 0 ||
        (has_pages ? request->key_count < request->row_count : request->row_count != request->key_count))
        return refuse(call,
                      "actualSeqLengths and actualSeqLengthsKv have %" PRIu64 " and %" PRIu64
                      " numbers; one each for every sequence is expected of TND",
                      request->row_count, request->key_count);
    if (has_pages)
        TRY(check_lengths_in_pages(call, request));
    for (unsigned k = 0; k < (has_pages ? 1 : 2); k++) {
        int64_t before = 0, *most = k == 0 ? &request->rows : &request->keys;
        const int64_t all = k == 0 ? request->geometry.rows : request->geometry.keys;
        for (uint64_t b = 0; b < request->row_count; before = ends[k][b++]) {
            if (ends[k][b] < before || ends[k][b] > all)
                return refuse(call,
                              "%s has %" PRId64 " behind %" PRId64 "; ends up to %" PRId64
                              " that do not decrease are expected",
                              call_name(call, k == 0 ? places->row_lengths : places->key_lengths), ends[k][b],
                              before, all);
            *most = ends[k][b] - before > *most ? ends[k][b] - before : *most;
        }
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_lengths(const struct call *call, struct inference_request *request)
{
    const struct attention_inference *places = inference_places_of(call);
    const uint64_t batches = (uint64_t)request->geometry.batches;
    if (attention_layout_is_packed(request->geometry.layout))
        return check_ends(call, request);
    const uint64_t counts[] = {request->row_count, request->key_count};
    for (unsigned k = 0; k < 2; k++)
        if (counts[k] > 1 && counts[k] < batches)
            return refuse(
                call, "%s has %" PRIu64 " numbers; one, or one for each of %" PRIu64 " batches is expected",
                call_name(call, k == 0 ? places->row_lengths : places->key_lengths), counts[k], batches);
    if (request->page > 0 && request->key_count == 0)
        return refuse(call,
                      "actualSeqLengthsKv is absent; the lengths of keys are expected with a blockTable");
    for (uint64_t b = 0; b < batches; b++) {
        const int64_t all = request->geometry.rows, room = inference_room_of(call, request, b);
        const int64_t rows = inference_rows_of(request, b),
                      keys = inference_length_of(request->key_length, request->key_count, b, room);
        if (rows < 0 || rows > all || keys < 0 || keys > room)
            return refuse(call,
                          "batch %" PRIu64 " has %" PRId64 " rows and %" PRId64 " keys; up to %" PRId64
                          " and %" PRId64 " are expected",
                          b, rows, keys, all, room);
        request->rows = rows > request->rows ? rows : request->rows;
        request->keys = keys > request->keys ? keys : request->keys;
        if (request->row_count <= 1 && request->key_count <= 1 && request->members == 0)
            break; /* all are the same */
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_mask(const struct call *call, const struct inference_request *request)
{
    const struct attention_geometry *geometry = &request->geometry;
    const struct tensor_view *view = &call->tensor[P_MASK];
    const int64_t mode = inference_integer_at(call, inference_places_of(call)->mode, 0);
    const bool is_given = attention_was_given(call, P_MASK);
    if (mode < 0 || mode > 4)
        return refuse(call, "sparseMode is %" PRId64 "; 0 to 4 is expected", mode);
    if (mode > 0 && !is_given)
        return refuse(call, "attenMask is absent and sparseMode is %" PRId64 "; a mask is expected", mode);
    if (!is_given || mode > 1)
        return ACLNN_SUCCESS;
    const bool is_of_batches = view->rank == 2 && geometry->rows == 1;
    int64_t size[4] = {1, 1, 1, 1};
    bool fits = view->rank >= 1 && view->rank <= 4;
    for (uint32_t i = 0; fits && i < view->rank; i++)
        size[3 - i] = view->shape[view->rank - 1 - i];
    if (view->rank == 3 || (is_of_batches && size[2] != 1)) {
        size[0] = view->rank == 3 ? size[1] : size[2];
        size[1] = 1;
        size[2] = view->rank == 3 ? size[2] : 1;
    }
    fits = fits && (size[0] == 1 || size[0] == geometry->batches) &&
           (size[1] == 1 || size[1] == geometry->heads) && (size[2] == 1 || size[2] >= request->rows) &&
           (size[3] == 1 || size[3] >= request->keys);
    return fits ? ACLNN_SUCCESS
                : refuse(call,
                         "%s has shape %s; batches, heads, %" PRId64 " rows, %" PRId64
                         " keys are expected, or 1",
                         call_name(call, P_MASK), shape_text(TEXT, view), request->rows, request->keys);
}

static aclnnStatus check_pse(const struct call *call, const struct inference_request *request)
{
    const struct attention_geometry *geometry = &request->geometry;
    const struct tensor_view *view = &call->tensor[P_PSE];
    if (!attention_was_given(call, P_PSE))
        return ACLNN_SUCCESS;
    const int64_t least[4] = {geometry->batches, geometry->heads, request->rows, request->keys};
    bool fits = view->rank <= 4;
    for (uint32_t i = 0; fits && i < view->rank; i++) {
        const int64_t size = view->shape[view->rank - 1 - i];
        fits = size == 1 || size == least[3 - i] || (i < 2 && size > least[3 - i]);
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call,
                         "%s has shape %s; batches, heads, %" PRId64 " rows, %" PRId64
                         " keys are expected, or 1",
                         call_name(call, P_PSE), shape_text(TEXT, view), request->rows, request->keys);
}

static aclnnStatus check_rope(const struct call *call, struct inference_request *request)
{
    const struct attention_inference *places = inference_places_of(call);
    struct attention_geometry *geometry = &request->geometry, own = *geometry;
    const bool has_query = attention_was_given(call, places->query_rope);
    if (has_query != attention_was_given(call, places->key_rope))
        return refuse(call, "only one of queryRope and keyRope was given; both or none are expected");
    if (!has_query)
        return ACLNN_SUCCESS;
    const struct tensor_view *query = &call->tensor[places->query_rope],
                             *key = &call->tensor[places->key_rope];
    const int64_t last = query->rank == 0 ? 0 : query->shape[query->rank - 1];
    geometry->rope_depth = attention_has_joint_heads(geometry->layout) ? last / geometry->heads : last;
    const struct shape rows =
        attention_shape(geometry, geometry->heads, geometry->rows, geometry->rope_depth);
    own.layout = request->key_layout;
    own.batches = request->page > 0 ? request->pages : geometry->batches;
    const struct shape keys = attention_shape(
        &own, geometry->key_heads, request->page > 0 ? request->page : geometry->keys, geometry->rope_depth);
    if (!has_shape(query, &rows))
        return tell_shape(call, places->query_rope, query, &rows);
    return has_shape(key, &keys) && request->members == 0 ? ACLNN_SUCCESS
                                                          : tell_shape(call, places->key_rope, key, &keys);
}

bool inference_scale_view(const struct call *call, unsigned parameter, int64_t heads, int64_t depth,
                          struct attention_view *view)
{
    const struct tensor_view *scale = &call->tensor[parameter];
    *view = (struct attention_view){.operand = operand_of(call, parameter)};
    const bool is_joint = scale->rank > 0 && scale->shape[scale->rank - 1] == heads * depth;
    if (scale->rank == 0 || scale->count != heads * depth ||
        (!is_joint && scale->shape[scale->rank - 1] != depth))
        return false;
    view->element = scale->stride[scale->rank - 1];
    view->head = view->element * depth;
    for (uint32_t i = 0; !is_joint && i + 1 < scale->rank; i++)
        if (scale->shape[i] != 1 && scale->shape[i] != heads)
            return false;
        else if (scale->shape[i] != 1)
            view->head = scale->stride[i];
    return true;
}

/* A scale for each element of each head, in whatever dims. */
static aclnnStatus check_scales(const struct call *call, const struct inference_request *request)
{
    const struct attention_inference *places = inference_places_of(call);
    const struct attention_geometry *geometry = &request->geometry;
    for (unsigned i = 0; inference_has_coded_keys(call) && i < INFERENCE_SCALES; i++) {
        const unsigned parameter = places->scales + i, mode = places->scale_modes + i / 2;
        const int64_t depth = i < 2 ? geometry->depth : geometry->value_depth;
        struct attention_view view;
        if (call->argument[mode].int64 != 0)
            return refuse(call, "%s is %" PRId64 "; 0, a scale for each element of a head, is expected",
                          call_name(call, mode), call->argument[mode].int64);
        if (attention_was_given(call, parameter) &&
            !inference_scale_view(call, parameter, geometry->key_heads, depth, &view))
            return refuse(call, "%s has shape %s; %" PRId64 " heads of %" PRId64 " elements are expected",
                          call_name(call, parameter), shape_text(TEXT, &call->tensor[parameter]),
                          geometry->key_heads, depth);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus inference_read(const struct call *call, struct inference_request *request)
{
    *request = (struct inference_request){0};
    TRY(find_layout(call, request));
    TRY(check_query(call, request));
    request->row_count =
        attention_numbers(call, inference_places_of(call)->row_lengths, &request->row_length);
    request->key_count =
        attention_numbers(call, inference_places_of(call)->key_lengths, &request->key_length);
    TRY(check_lists(call, request));
    TRY(check_all_keys(call, request));
    TRY(check_lengths(call, request));
    TRY(check_mask(call, request));
    TRY(check_pse(call, request));
    TRY(check_rope(call, request));
    TRY(check_scales(call, request));
    const unsigned sink = inference_places_of(call)->sink;
    if (sink != 0 && attention_was_given(call, sink) &&
        (call->tensor[sink].rank > 1 || call->tensor[sink].count != request->geometry.heads))
        return refuse(call, "%s has shape %s; a number for each of %" PRId64 " heads is expected",
                      call_name(call, sink), shape_text(TEXT, &call->tensor[sink]), request->geometry.heads);
    const unsigned padding = inference_places_of(call)->padding;
    if (attention_was_given(call, padding) && call->tensor[padding].count != 1)
        return refuse(call, "%s has shape %s; one number is expected", call_name(call, padding),
                      shape_text(TEXT, &call->tensor[padding]));
    return ACLNN_SUCCESS;
}

aclnnStatus attention_inference_infer(const struct call *call, struct result *result)
{
    const struct attention_inference *places = inference_places_of(call);
    struct inference_request request;
    TRY(check_dtypes(call));
    TRY(inference_read(call, &request));
    TRY(attention_check_depths(call, &request.geometry));
    struct attention_geometry own = request.geometry;
    own.layout = request.out_layout;
    result->computed = call_dtype(call, P_QUERY);
    struct output *out = result_add(result, result->computed, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = attention_shape(&own, own.heads, own.rows, own.value_depth);
    TRY(check_element_count(call, &out->shape));
    if (places->lse == NOWHERE)
        return ACLNN_SUCCESS;
    out = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = (struct shape){.rank = 4, .dim = {own.batches, own.heads, own.rows, 1}};
    if (attention_layout_is_packed(request.geometry.layout))
        out->shape = (struct shape){.rank = 3, .dim = {own.rows, own.heads, 1}};
    out->is_unwanted = !call->argument[places->wants_lse].boolean ||
                       (call->has_outputs && !attention_was_given(call, places->lse));
    return ACLNN_SUCCESS;
}
