/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of the products of matrices.
 */
#include "ops/contraction/product.h"
#include "ops/dims.h"

#include <string.h>

#include "ops/check_message.h"
#include "ops/contraction/plain_product.h"
#include "ops/dtypes.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

const char *const cube_math_types[] = {
    "keep_dtype", "allow_fp32_down_precision", "use_fp16", "use_hf32", "use_fp32_add", NULL};

static const struct matrix_product *product_of(const struct call *call)
{
    return (const struct matrix_product *)call->function->of_family;
}

/* The dtypes of tensors and scalars, in the order of the call. */
static aclnnStatus check_dtypes(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        bool is_absent = parameter_is_output(parameter) && !call->has_outputs;
        if (parameter_is_handle(parameter) && !is_absent)
            TRY(check_dtype(call, i));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_rank_between(const struct call *call, unsigned parameter, uint32_t least,
                                      uint32_t most)
{
    uint32_t rank = call->tensor[parameter].rank;
    if (rank >= least && rank <= most)
        return ACLNN_SUCCESS;
    const char *name = call_name(call, parameter);
    return least == most ? refuse(call, "%s has %u dims; %u are expected", name, rank, least)
                         : refuse(call, "%s has %u dims; %u to %u are expected", name, rank, least, most);
}

static aclnnStatus check_ranks(const struct call *call)
{
    static const uint8_t left[][2] = {
        {2, 2}, {2, 2}, {3, 3}, {3, 3}, {3, OPERAND_RANK_MAX}, {1, OPERAND_RANK_MAX}};
    static const uint8_t right[][2] = {
        {2, 2}, {1, 1}, {3, 3}, {3, 3}, {3, OPERAND_RANK_MAX}, {1, OPERAND_RANK_MAX}};
    const struct matrix_product *product = product_of(call);
    const struct tensor_view *view = call->tensor;
    if (product->self != NO_PARAMETER)
        TRY(check_rank(call, product->self));
    TRY(check_rank_between(call, product->left, left[product->ranks][0], left[product->ranks][1]));
    TRY(check_rank_between(call, product->right, right[product->ranks][0], right[product->ranks][1]));
    if (product->ranks == RANKS_ANY_BATCHES)
        TRY(check_rank_between(call, product->right, view[product->left].rank, view[product->left].rank));
    return ACLNN_SUCCESS;
}

/* The dims before those of the matrix. */
static struct shape batch_shape(const struct tensor_view *view)
{
    struct shape shape = shape_of(view);
    shape.rank = view->rank > 2 ? view->rank - 2 : 0;
    return shape;
}

static int64_t depth_of_left(const struct tensor_view *left)
{
    return left->shape[left->rank - 1];
}

static int64_t depth_of_right(const struct tensor_view *right)
{
    return right->shape[right->rank == 1 ? 0 : right->rank - 2];
}

static aclnnStatus check_depth(const struct call *call)
{
    const struct matrix_product *product = product_of(call);
    int64_t left = depth_of_left(&call->tensor[product->left]);
    int64_t right = depth_of_right(&call->tensor[product->right]);
    if (left == right)
        return ACLNN_SUCCESS;
    const struct parameter *parameter = call->function->parameter;
    return refuse(call,
                  "the shapes of %s and %s do not fit: the sums run along %lld and %lld elements; as many of "
                  "both are expected",
                  parameter[product->left].name, parameter[product->right].name, (long long)left,
                  (long long)right);
}

static bool shapes_are_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof a->dim[0]) == 0;
}

/* What the product of both has for a shape. */
static aclnnStatus find_shape(const struct call *call, struct shape *shape)
{
    const struct matrix_product *product = product_of(call);
    const struct tensor_view *left = &call->tensor[product->left], *right = &call->tensor[product->right];
    const struct shape of_left = batch_shape(left), of_right = batch_shape(right);
    *shape = of_left;
    bool fits = product->has_equal_batches ? shapes_are_equal(&of_left, &of_right)
                                           : broadcast(&of_left, &of_right, shape);
    if (!fits)
        return refuse(call,
                      "the shapes of %s and %s do not fit: the dims before the last two are expected to %s",
                      call_name(call, product->left), call_name(call, product->right),
                      product->has_equal_batches ? "be equal" : "broadcast");
    if (product->ranks == RANKS_ADDED_BATCHES)
        shape->rank = 0;
    if (left->rank > 1)
        shape->dim[shape->rank++] = left->shape[left->rank - 2];
    if (right->rank > 1)
        shape->dim[shape->rank++] = right->shape[right->rank - 1];
    return ACLNN_SUCCESS;
}

/* self broadcasts to the product's shape, not the other way. */
static aclnnStatus check_self(const struct call *call, const struct shape *shape)
{
    const unsigned self = product_of(call)->self;
    const struct shape own = shape_of(&call->tensor[self]);
    return broadcasts_to(&own, shape) ? ACLNN_SUCCESS : tell_fit(call, self, shape, "the product");
}

static bool is_too_large(const struct shape *shape)
{
    return !dims_are_countable(shape->rank, shape->dim);
}

#define KERNEL_DTYPES (DTYPES_FP32_FP16 | DTYPE_BIT(ACL_BF16))

/* With other dtypes than kernels have self promotes with the operands; and numbers fit what comes of it. */
static aclnnStatus promote_self(const struct call *call, aclDataType *computed)
{
    const struct matrix_product *product = product_of(call);
    const unsigned all[] = {product->left, product->right, product->self};
    if (product->self == NO_PARAMETER)
        return ACLNN_SUCCESS;
    const bool has_kernels = dtype_is_one_of(*computed, KERNEL_DTYPES) &&
                             dtype_is_one_of(call_dtype(call, product->self), KERNEL_DTYPES);
    if (!has_kernels)
        TRY(check_promotion(call, all, 3, computed));
    const uint64_t allowed = has_kernels             ? dtypes_reals.on[call->settings->product]
                             : *computed == ACL_BOOL ? DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL)
                                                     : castable_to(*computed);
    const unsigned numbers[] = {product->alpha, product->beta};
    for (unsigned i = 0; i < 2; i++)
        if (!dtype_is_one_of(call->scalar[numbers[i]].dtype, allowed))
            return tell_scalar(call, numbers[i], allowed, *computed);
    return ACLNN_SUCCESS;
}

aclnnStatus matrix_product_infer(const struct call *call, struct result *result)
{
    const struct matrix_product *product = product_of(call);
    const unsigned both[] = {product->left, product->right};
    TRY(check_dtypes(call));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(promote_self(call, &result->computed));
    TRY(check_ranks(call));
    TRY(check_depth(call));
    struct output *output = result_add(result, result->computed, DTYPE_CASTABLE);
    output->shape_rule = SHAPE_EQUAL;
    TRY(find_shape(call, &output->shape));
    if (is_too_large(&output->shape))
        return refuse(
            call, "the product of %s and %s has more than 2^63 - 1 elements; that many at most are expected",
            call_name(call, product->left), call_name(call, product->right));
    if (product->self != NO_PARAMETER)
        TRY(check_self(call, &output->shape));
    return check_choice(call, product->cube_math_type);
}

/* The stride of a dim counted from the last one, 0 where the tensor has none or repeats its only index. */
static int64_t stride_from_end(const struct tensor_view *view, uint32_t from_end)
{
    if (from_end >= view->rank)
        return 0;
    uint32_t dim = view->rank - 1 - from_end;
    return view->shape[dim] == 1 ? 0 : view->stride[dim];
}

static struct contraction_matrix matrix_of(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    return (struct contraction_matrix){
        .dtype = view->dtype, .bytes = dtype_bytes(view->dtype), .address = call->first_operand[parameter]};
}

/* Batch axes that are not 1; matrix_dims is how many dims of the view are its matrix. */
static void set_batch(const struct tensor_view *view, const struct shape *batch, uint32_t matrix_dims,
                      struct contraction_matrix *matrix)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < batch->rank; i++)
        if (batch->dim[i] != 1)
            matrix->batch_stride[axes++] = stride_from_end(view, matrix_dims + batch->rank - 1 - i);
}

/* self and the output, which have the dims of the product, without those of vectors. */
static void set_result_matrix(const struct tensor_view *view, const struct shape *batch, bool has_rows,
                              bool has_columns, struct contraction_matrix *matrix)
{
    matrix->stride[0] = has_rows ? stride_from_end(view, has_columns ? 1 : 0) : 0;
    matrix->stride[1] = has_columns ? stride_from_end(view, 0) : 0;
    set_batch(view, batch, (uint32_t)has_rows + (uint32_t)has_columns, matrix);
}

static void set_matrices(const struct call *call, const struct shape *shape, struct contraction *plan)
{
    const struct matrix_product *product = product_of(call);
    const struct tensor_view *left = &call->tensor[product->left], *right = &call->tensor[product->right];
    const unsigned out = call_output(call);
    const bool has_rows = left->rank > 1, has_columns = right->rank > 1;
    struct shape batch = *shape;
    batch.rank -= (uint32_t)has_rows + (uint32_t)has_columns;
    plan->rows = has_rows ? (uint64_t)left->shape[left->rank - 2] : 1;
    plan->columns = has_columns ? (uint64_t)right->shape[right->rank - 1] : 1;
    plan->depth = (uint64_t)depth_of_left(left);
    for (uint32_t i = 0; i < batch.rank; i++)
        if (batch.dim[i] != 1)
            plan->batch_size[plan->batch_axes++] = (uint64_t)batch.dim[i];

    plan->left = matrix_of(call, product->left);
    plan->left.stride[0] = has_rows ? stride_from_end(left, 1) : 0;
    plan->left.stride[1] = stride_from_end(left, 0);
    set_batch(left, &batch, 2, &plan->left);
    plan->right = matrix_of(call, product->right);
    plan->right.stride[0] = has_columns ? stride_from_end(right, 0) : 0;
    plan->right.stride[1] = stride_from_end(right, has_columns ? 1 : 0);
    set_batch(right, &batch, 2, &plan->right);
    plan->out = matrix_of(call, out);
    set_result_matrix(&call->tensor[out], &batch, has_rows, has_columns, &plan->out);
    if (plan->has_self) {
        plan->self = matrix_of(call, product->self);
        set_result_matrix(&call->tensor[product->self], &batch, has_rows, has_columns, &plan->self);
    }
}

/*
 * Weights in FRACTAL_NZ are packed from where they lie: along their rows elements are as far apart as a
 * block is wide, along their columns they lie in groups of that many. False where the view's batch does not
 * go from matrix to matrix; a plain copy serves then.
 */
static bool read_groups(const struct tensor_view *view, const struct call_blocks *from,
                        const struct contraction *plan, struct contraction_matrix *matrix)
{
    enum { BATCH, ROWS, COLUMNS, AXES };
    const struct block_axis *axis = from->blocks.axis;
    if (from->blocks.axis_count != AXES || axis[ROWS].outer != axis[ROWS].block * axis[ROWS].inner ||
        axis[COLUMNS].block > UINT32_MAX || from->offset % axis[COLUMNS].size != 0)
        return false;
    const int64_t elements = axis[ROWS].size * axis[COLUMNS].size, columns = view->shape[view->rank - 1];
    const int64_t *stride = view->stride + view->rank - 2;
    const bool is_turned = columns != axis[COLUMNS].size || (columns > 1 && stride[1] != 1) ||
                           (view->shape[view->rank - 2] > 1 && stride[0] != columns);
    for (uint32_t i = 0; i < plan->batch_axes; i++) {
        if (matrix->batch_stride[i] % elements != 0)
            return false;
        matrix->batch_stride[i] = matrix->batch_stride[i] / elements * axis[BATCH].outer;
    }
    matrix->stride[0] = is_turned ? axis[ROWS].inner : 1;
    matrix->stride[1] = is_turned ? 1 : axis[ROWS].inner;
    matrix->group = (uint32_t)axis[COLUMNS].block;
    matrix->group_stride = axis[COLUMNS].outer;
    matrix->grouped_side = is_turned;
    matrix->first = from->offset / elements * axis[BATCH].outer +
                    from->offset % elements / axis[COLUMNS].size * axis[ROWS].inner;
    return true;
}

static void read_weights_in_place(const struct call *call, struct contraction *plan)
{
    const unsigned right = product_of(call)->right;
    struct call_blocks *blocks = call->blocks_count > 0 ? call_blocks_of(call, right) : NULL;
    struct contraction_matrix matrix = plan->right;
    if (blocks == NULL || blocks->is_known_before ||
        !read_groups(&call->tensor[right], blocks, plan, &matrix))
        return;
    plan->right = matrix;
    blocks->is_read_in_place = true;
}

/* The sums go on from one matrix of the batch to the next. */
static void join_batches(const struct call *call, struct contraction *plan)
{
    const struct tensor_view *left = &call->tensor[product_of(call)->left],
                             *right = &call->tensor[product_of(call)->right];
    const int64_t parts = left->shape[0] == 1 ? right->shape[0] : left->shape[0];
    plan->left.batch_stride[0] = stride_from_end(left, 2);
    plan->right.batch_stride[0] = stride_from_end(right, 2);
    plan->joined = (uint64_t)parts;
    plan->depth *= plan->joined;
    plan->pack_left = plan->pack_right = contraction_pack_joined;
}

/* beta 0: self is not read. alpha 0: the product is not computed, as if there were nothing to add up. */
static void set_scalars(const struct call *call, struct contraction *plan)
{
    const struct matrix_product *product = product_of(call);
    plan->alpha = 1;
    if (product->self == NO_PARAMETER)
        return;
    plan->alpha = scalar_to_fp32(&call->scalar[product->alpha]);
    plan->beta = scalar_to_fp32(&call->scalar[product->beta]);
    plan->has_self = !(plan->beta == 0);
}

/* Kernels compute what they have elements of, and write it. */
static bool has_kernels(const struct call *call, aclDataType computed)
{
    return dtype_is_one_of(computed, KERNEL_DTYPES) &&
           dtype_is_one_of(call_dtype(call, call_output(call)), KERNEL_DTYPES);
}

static bool is_zero(const struct scalar_value *scalar, aclDataType computed)
{
    int64_t whole = 0;
    if (dtype_is_one_of(computed, DTYPES_FLOATS | DTYPES_COMPLEX))
        return (computed == ACL_DOUBLE ? scalar_to_fp64(scalar) : scalar_to_fp32(scalar)) == 0;
    scalar_convert(scalar, computed, &whole);
    return whole == 0;
}

static aclnnStatus plan_plain(const struct call *call, const struct result *result)
{
    const struct matrix_product *product = product_of(call);
    const struct scalar_value one = {.dtype = ACL_INT64, .value.integer = 1};
    const bool has_numbers = product->self != NO_PARAMETER;
    const struct scalar_value *alpha = has_numbers ? &call->scalar[product->alpha] : &one,
                              *beta = has_numbers ? &call->scalar[product->beta] : &one;
    struct contraction plan = {.has_self = has_numbers && !is_zero(beta, result->computed)};
    set_matrices(call, &result->output[0].shape, &plan);
    if (is_zero(alpha, result->computed))
        plan.depth = 0;
    return plain_product_plan(call, &plan, result->computed, alpha, beta);
}

aclnnStatus matrix_product_plan(const struct call *call, const struct result *result)
{
    if (call->tensor[call_output(call)].count == 0)
        return call_idle(call);
    if (!has_kernels(call, result->computed))
        return plan_plain(call, result);
    struct contraction plan = {.is_exact = call->settings->accuracy == ACCURACY_EXACT};
    set_scalars(call, &plan);
    set_matrices(call, &result->output[0].shape, &plan);
    if (product_of(call)->ranks == RANKS_ADDED_BATCHES)
        join_batches(call, &plan);
    else
        read_weights_in_place(call, &plan);
    if (plan.alpha == 0)
        plan.depth = 0;
    if (plan.depth == 0)
        plan.alpha = 1;
    contraction_prepare(&plan, call->settings->isa, call->settings->thread_count);
    struct executor_content *content;
    void *place;
    TRY(call_begin(call, sizeof plan, &content, &place));
    memcpy(place, &plan, sizeof plan);
    contraction_may_be_in_place(&plan, content);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
