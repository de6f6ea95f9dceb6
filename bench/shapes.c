/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Section shapes: operators whose tensors have shapes of their own, products of matrices among them, beside
 * the peers and, but for products, a loop that reads and writes as many elements.
 */
#include <stdio.h>
#include <string.h>

#include "data.h"
#include "layout.h"
#include "ops/function.h"
#include "session.h"

/* What reaches this share of the roofline is at it: figure "ahead" is 1 then, or where a peer is as fast. */
static const double AT_THE_ROOFLINE = 0.9;

static struct view contiguous(int64_t rank, int64_t first, int64_t second, int64_t third)
{
    struct view view = {.rank = rank, .shape = {first, second, third}, .storage = 1};
    for (int64_t axis = rank - 1; axis >= 0; axis--) {
        view.stride[axis] = view.storage;
        view.storage *= view.shape[axis];
    }
    return view;
}

/* The operators on square matrices; axis is 0 or 1. What a function does not set is a matrix. */
static void shape_along(struct workload *workload, int64_t side, int axis)
{
    (void)workload, (void)side, (void)axis;
}

static void shape_layer_norm(struct workload *workload, int64_t side, int axis)
{
    workload->view[SECOND] = workload->view[THIRD] = contiguous(1, side, 0, 0);
    workload->axis[0] = side;
    workload->axes = axis;
}

static void shape_sum(struct workload *workload, int64_t side, int axis)
{
    workload->view[OUT] = contiguous(1, side, 0, 0);
    workload->axis[0] = axis;
    workload->axes = 1;
}

static void shape_cat(struct workload *workload, int64_t side, int axis)
{
    workload->view[FIRST] = workload->view[SECOND] =
        axis == 0 ? contiguous(2, side / 2, side, 0) : contiguous(2, side, side / 2, 0);
}

static void shape_permute(struct workload *workload, int64_t side, int axis)
{
    (void)side, (void)axis;
    workload->axis[0] = 1;
    workload->axes = 2;
}

static void shape_index(struct workload *workload, int64_t side, int axis)
{
    (void)axis;
    workload->view[SECOND] = contiguous(1, side, 0, 0);
    workload->indices = SECOND;
}

static const struct family {
    const char *api;
    void (*shape)(struct workload *workload, int64_t side, int axis);
    bool has_axis[2];
} families[] = {
    {"aclnnSoftmax", shape_along, {true, true}},    {"aclnnLayerNorm", shape_layer_norm, {false, true}},
    {"aclnnReduceSum", shape_sum, {true, true}},    {"aclnnCat", shape_cat, {true, true}},
    {"aclnnPermute", shape_permute, {false, true}}, {"aclnnIndexSelect", shape_index, {true, true}},
};

struct matrices {
    const char *api;
    int64_t batch, rows, columns, depth;
    enum dtype dtype;
};

static const struct matrices products[] = {
    {"aclnnMm", 1, 64, 64, 64, FP32},           {"aclnnMm", 1, 256, 256, 256, FP32},
    {"aclnnMm", 1, 1024, 1024, 1024, FP32},     {"aclnnMm", 1, 4096, 4096, 16, FP32},
    {"aclnnMm", 1, 1, 4096, 4096, FP32},        {"aclnnMm", 1, 4096, 1, 4096, FP32},
    {"aclnnBatchMatMul", 64, 64, 64, 64, FP32}, {"aclnnAddmm", 1, 512, 512, 512, FP32},
    {"aclnnAddmm", 1, 32, 768, 768, FP32},      {"aclnnAddmm", 1, 1, 512, 512, FP32},
    {"aclnnMm", 1, 1024, 1024, 1024, FP16},     {"aclnnMm", 1, 1024, 1024, 1024, BF16},
};

/* The subject of that name with room for attributes of its own; false where it is not asked for. */
static bool find(const struct session *session, const char *api, struct subject *subject)
{
    for (int i = 0; i < subjects_count(); i++)
        if (strcmp(subject_at(i)->api, api) == 0) {
            *subject = *subject_at(i);
            return session->options.has_subject[i];
        }
    return false;
}

/* Indices in an order that no prefetcher foresees: every one once, as the step has no factor of a side. */
static void fill_indices(const struct workload *workload)
{
    if (workload->indices == FIRST)
        return;
    int64_t *index = workload->memory[workload->indices], count = workload->view[workload->indices].storage;
    for (int64_t i = 0; i < count; i++)
        index[i] = (i * 2654435761 + 12345) % count;
}

static double higher(double first, double second)
{
    return first > second ? first : second;
}

static void add_ahead(struct row *row)
{
    const struct figure *peer = row_figure(row, "peer"), *roofline = row_figure(row, "roofline");
    double of_peer = peer ? peer->value.median : 0;
    double of_roofline = roofline ? roofline->value.median / AT_THE_ROOFLINE : 0;
    double ahead = higher(of_peer, of_roofline);
    row_add(row, "ahead", (struct quartiles){ahead, ahead, ahead});
}

static void measure_family_of_shapes(const struct session *session, const struct family *family, int axis,
                                     int64_t side)
{
    struct subject subject, copy = {.name = "copy", .inputs = 1};
    if (!find(session, family->api, &subject))
        return;
    for (uint32_t i = 0, attribute = 0; i < subject.function->parameter_count; i++) {
        const struct parameter *parameter = &subject.function->parameter[i];
        if (strcmp(parameter->name, "dim") == 0)
            subject.attribute[attribute] = axis;
        attribute += !parameter_is_tensor(parameter) && parameter->kind != PARAMETER_DTYPE;
    }
    /* A list of tensors is two. */
    subject.inputs += subject.function->parameter[0].kind == PARAMETER_TENSOR_LIST;
    struct workload workload = workload_of(&subject, FP32, side * side, session->threads);
    workload.view[FIRST] = workload.view[OUT] = contiguous(2, side, side, 0);
    family->shape(&workload, side, axis);
    struct workload copied = workload_of(&copy, FP32, side * side, session->threads);
    copied.is_reduced = family->shape == shape_sum;
    layout_apply(&copied, LAYOUT_CONTIGUOUS);
    session_allocate(&workload);
    session_allocate(&copied);
    data_fill(&workload, DATA_NORMAL);
    data_fill(&copied, DATA_NORMAL);
    fill_indices(&workload);
    struct row row = session_row(session, SECTION_SHAPES, family->api, workload_dtype_name(FP32),
                                 axis == 0 ? "first_axis" : "last_axis", "normal", side * side);
    measure_contest(session, SECTION_SHAPES, &workload, &copied, &row);
    add_ahead(&row);
    session->emit(&row);
    session_free(&workload);
    session_free(&copied);
}

/* The operands of product: a bias before the matrices where the operator adds one, which then is a layer of a
 * network, whose weights lie transposed. */
static void measure_product(const struct session *session, const struct matrices *product)
{
    struct subject subject;
    if (!find(session, product->api, &subject) || !session->options.has_dtype[product->dtype])
        return;
    const int64_t m = product->rows, n = product->columns, k = product->depth, batch = product->batch;
    struct workload workload = workload_of(&subject, product->dtype, batch * m * n, session->threads);
    bool has_bias = subject.inputs == 3;
    struct view *left = &workload.view[has_bias ? SECOND : FIRST];
    struct view *right = &workload.view[has_bias ? THIRD : SECOND];
    workload.view[FIRST] = contiguous(1, n, 0, 0);
    *left = batch > 1 ? contiguous(3, batch, m, k) : contiguous(2, m, k, 0);
    *right = batch > 1 ? contiguous(3, batch, k, n) : contiguous(2, k, n, 0);
    if (has_bias)
        right->stride[0] = 1, right->stride[1] = k;
    workload.view[OUT] = batch > 1 ? contiguous(3, batch, m, n) : contiguous(2, m, n, 0);
    session_allocate(&workload);
    data_fill(&workload, DATA_NORMAL);
    char what[16];
    snprintf(what, sizeof what, "%dx%dx%d", (int)m, (int)n, (int)k);
    struct row row =
        session_row(session, SECTION_SHAPES, product->api, workload_dtype_name(product->dtype), what,
                    has_bias    ? "layer"
                    : batch > 1 ? "batch"
                                : "normal",
                    batch * m * n);
    measure_contest(session, SECTION_SHAPES, &workload, NULL, &row);
    double operations = 2 * (double)(batch * m * n) * (double)k;
    struct quartiles ns = row_figure(&row, "ns")->value;
    row_add(&row, "GFLOP/s",
            (struct quartiles){operations / ns.upper, operations / ns.median, operations / ns.lower});
    session->emit(&row);
    session_free(&workload);
}

void measure_shapes(const struct session *session)
{
    static const int64_t sides[] = {32, 128, 1024, 4096};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        measure_product(session, &products[i]);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (int axis = 0; axis < 2; axis++)
            for (int k = 0; families[i].has_axis[axis] && k < (session->options.is_quick ? 2 : 4); k++)
                if (session->options.has_dtype[FP32])
                    measure_family_of_shapes(session, &families[i], axis, sides[k]);
}
