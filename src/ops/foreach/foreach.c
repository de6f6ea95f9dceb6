/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over lists of tensors: their checks, the row of plans, and its run.
 */
#include "ops/foreach/foreach.h"
#include "ops/dims.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check_message.h"
#include "ops/overlap.h"
#include "ops/operands.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/scalar.h"
#include "simd/loops/formula_numbers.h"
#include "tensor/dtype.h"

/* Before it may be a scalar. */
static unsigned first_list(const struct call *call)
{
    return call->function->parameter[0].kind == PARAMETER_SCALAR ? 1 : 0;
}

static const struct tensor_view *element(const struct call *call, unsigned list, uint64_t index)
{
    return &call->values[list].value.tensor[index];
}

static aclnnStatus check_list_dtype(const struct call *call, unsigned list, aclDataType dtype)
{
    for (uint64_t i = 0; i < call->values[list].count; i++)
        if (element(call, list, i)->dtype != dtype)
            return refuse(call,
                          "tensor %" PRIu64
                          " of %s has dtype %s; %s, that of the first tensor of %s, is expected",
                          i, call_name(call, list), dtype_name(element(call, list, i)->dtype),
                          dtype_name(dtype), call_name(call, first_list(call)));
    return ACLNN_SUCCESS;
}

aclnnStatus check_lists(const struct call *call, unsigned lists, aclDataType *dtype)
{
    const unsigned first = first_list(call);
    for (unsigned list = first + 1; list < first + lists; list++)
        if (call->values[list].count != call->values[first].count)
            return tell_list_count(call, list, first);
    *dtype = ACL_DT_UNDEFINED;
    if (call->values[first].count == 0)
        return ACLNN_SUCCESS;
    *dtype = element(call, first, 0)->dtype;
    TRY(check_dtype_in_list(call, first, *dtype));
    for (unsigned list = first; list < first + lists; list++)
        TRY(check_list_dtype(call, list, *dtype));
    return ACLNN_SUCCESS;
}

static bool have_one_shape(const struct tensor_view *a, const struct tensor_view *b)
{
    return dims_are_same(a->rank, a->shape, b->rank, b->shape);
}

aclnnStatus check_list_shapes(const struct call *call, unsigned lists)
{
    const unsigned first = first_list(call);
    for (unsigned list = first; list < first + lists; list++)
        for (uint64_t i = 0; i < call->values[first].count; i++)
            if (element(call, list, i)->rank > OPERAND_RANK_MAX)
                return refuse(call, "tensor %" PRIu64 " of %s has %u dims; at most %d are expected", i,
                              call_name(call, list), element(call, list, i)->rank, OPERAND_RANK_MAX);
    for (unsigned list = first + 1; list < first + lists; list++)
        for (uint64_t i = 0; i < call->values[first].count; i++)
            if (!have_one_shape(element(call, list, i), element(call, first, i)))
                return refuse(
                    call,
                    "tensor %" PRIu64
                    " of %s and that of %s differ in shape; one shape is expected, without broadcast",
                    i, call_name(call, list), call_name(call, first));
    return ACLNN_SUCCESS;
}

/* A scalar beside integers is an integer or BOOL; beside floats it is anything real. */
static aclnnStatus check_list_scalar(const struct call *call, unsigned scalar, aclDataType dtype)
{
    TRY(check_dtype(call, scalar));
    if (dtype == ACL_DT_UNDEFINED || can_cast(call->scalar[scalar].dtype, dtype))
        return ACLNN_SUCCESS;
    return tell_scalar(call, scalar, castable_to(dtype), dtype);
}

/* Checks a list of scalars, of which there are as many as tensors. */
static aclnnStatus check_scalars(const struct call *call, unsigned scalars, aclDataType dtype)
{
    const struct call_values *list = &call->values[scalars];
    const uint64_t known = call->function->parameter[scalars].dtypes->on[call->settings->product];
    if (list->count != call->values[0].count)
        return tell_list_count(call, scalars, 0);
    for (uint64_t i = 0; i < list->count; i++) {
        const aclDataType found = list->value.scalar[i].dtype;
        if ((unsigned)found >= 64 || (known >> found & 1) == 0 || !can_cast(found, dtype))
            return refuse(call, "scalar %" PRIu64 " of %s has dtype %s, which does not fit tensors of %s; %s",
                          i, call_name(call, scalars), dtype_name(found), dtype_name(dtype),
                          can_cast(ACL_FLOAT, dtype) ? "a real number is expected"
                                                     : "an integer or BOOL is expected");
    }
    return ACLNN_SUCCESS;
}

/* Checks a tensor that has the scalar, or one for each tensor of the lists. */
static aclnnStatus check_scalar_tensor(const struct call *call, const struct foreach *foreach,
                                       aclDataType dtype)
{
    const unsigned scalar = foreach->lists;
    const struct tensor_view *view = &call->tensor[scalar];
    const uint64_t expected = foreach->scalars == SCALARS_TENSOR ? 1 : call->values[0].count;
    TRY(check_dtype(call, scalar));
    if (dtype != ACL_DT_UNDEFINED && !can_cast(view->dtype, dtype))
        return refuse(call,
                      "%s has dtype %s, which does not fit tensors of %s; an integer or BOOL is expected",
                      call_name(call, scalar), dtype_name(view->dtype), dtype_name(dtype));
    if (view->rank > 1 || (uint64_t)view->count != expected)
        return refuse(call,
                      "%s has %u dims and %" PRId64 " elements; at most 1 dim and %" PRIu64
                      " elements are expected",
                      call_name(call, scalar), view->rank, view->count, expected);
    return ACLNN_SUCCESS;
}

/* Where it is: in front of the lists or behind them. */
static unsigned scalar_of(const struct call *call, const struct foreach *foreach)
{
    return first_list(call) == 1 ? 0 : foreach->lists;
}

/* What is overwritten has the same value everywhere. */
static bool writes_one_value(const struct call *call)
{
    return call->function->parameter[0].role == ROLE_OVERWRITTEN;
}

aclnnStatus foreach_infer(const struct call *call, struct result *result)
{
    const struct foreach *foreach = call->function->of_family;
    TRY(check_lists(call, foreach->lists, &result->computed));
    if (foreach->scalars == SCALARS_ONE)
        TRY(check_list_scalar(call, scalar_of(call, foreach), result->computed));
    else if (foreach->scalars == SCALARS_EACH)
        TRY(check_scalars(call, foreach->lists, result->computed));
    else if (foreach->scalars != SCALARS_NONE)
        TRY(check_scalar_tensor(call, foreach, result->computed));
    TRY(check_list_shapes(call, foreach->lists));
    struct output *output = result_add(result, ACL_DT_UNDEFINED, DTYPE_EQUAL);
    output->like = first_list(call);
    output->may_overlap = writes_one_value(call);
    return ACLNN_SUCCESS;
}

/* Where the results go: to the first list, where that is changed. */
static unsigned output_list(const struct call *call)
{
    return parameter_is_changed(&call->function->parameter[0]) ? 0 : call_output(call);
}

/* Elements of all tensors of an index are read before they are written: one that is read, and lies as one of
 * the same index that is written, may be that. */
static void let_be_in_place(const struct call *call, struct executor_content *content)
{
    const struct parameter *parameter = call->function->parameter;
    for (unsigned read = 0; read < call->function->parameter_count; read++)
        for (unsigned written = 0; written < call->function->parameter_count; written++) {
            if (parameter[read].kind != PARAMETER_TENSOR_LIST || !call_has(call, read) ||
                parameter[written].kind != PARAMETER_TENSOR_LIST || !call_has(call, written) ||
                parameter_is_written(&parameter[read]) || !parameter_is_written(&parameter[written]))
                continue;
            const uint64_t count = call->values[read].count;
            for (uint64_t i = 0; i < count && i < call->values[written].count; i++)
                if (views_agree(element(call, read, i), element(call, written, i)))
                    operands_may_be(content, call->first_operand[read] + (uint32_t)i,
                                    call->first_operand[written] + (uint32_t)i);
        }
}

aclnnStatus row_of_plans(const struct call *call, size_t (*bytes_of)(const struct call *call, uint64_t index),
                         uint64_t (*fill)(const struct call *call, uint64_t index, void *plan))
{
    const uint64_t count = call->values[first_list(call)].count;
    const size_t head = row_bytes(sizeof(struct plan_row) + count * sizeof(uint64_t));
    size_t bytes = head;
    for (uint64_t i = 0; i < count; i++)
        bytes += bytes_of(call, i);
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, bytes, &content, &made));
    struct plan_row *row = made;
    row->count = count;
    content->is_idle = bytes == head;
    bytes = head;
    let_be_in_place(call, content);
    for (uint64_t i = 0; i < count; i++) {
        const size_t own = bytes_of(call, i);
        row->offset[i] = own > 0 ? bytes : 0;
        if (own > 0 && __builtin_add_overflow(content->cost_ns, fill(call, i, (unsigned char *)made + bytes),
                                              &content->cost_ns))
            content->cost_ns = UINT64_MAX;
        bytes += own;
    }
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t fill_bytes(const struct call *call, uint64_t index)
{
    const struct tensor_view *out = element(call, output_list(call), index);
    return out->count > 0 ? row_bytes(elementwise_fill_bytes(out)) : 0;
}

void foreach_fill_formula(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                          void *parameters)
{
    struct formula_numbers *numbers = parameters;
    _Static_assert(sizeof *numbers <= PARAMETER_BYTES, "plans have room for them");
    if (scalar == NULL)
        return;
    numbers->fp64[0] = dtype == ACL_DOUBLE ? scalar_to_fp64(scalar) : scalar_to_fp32(scalar);
    if (arithmetic_of(dtype) >= ARITHMETICS)
        scalar_convert(scalar, ACL_INT64, &numbers->int64[0]); /* of which the low bits count */
    if (foreach->place > 0)
        numbers->place[foreach->place - 1] = 1;
}

static void set_parameters(const struct foreach *foreach, const struct scalar_value *scalar,
                           aclDataType dtype, enum product product, struct elementwise_plan *plan)
{
    struct scalar_value summand;
    memset(plan->parameters, 0, PARAMETER_BYTES);
    if (foreach->is_sum && dtype == ACL_FLOAT16) {
        summand = scalar_of_sum(scalar, dtype, product);
        scalar = &summand;
    }
    if (foreach->fill != NULL)
        (foreach->fill)(foreach, scalar, dtype, plan->parameters);
    if (foreach->prepare == NULL)
        return;
    const struct arithmetic_parameters parameters = foreach->prepare(scalar, dtype);
    _Static_assert(sizeof parameters <= PARAMETER_BYTES, "plans have room for them");
    memcpy(plan->parameters, &parameters, sizeof parameters);
}

/* What a plan has in place of its parameters until its scalar is read. */
struct late_scalar {
    const struct foreach *foreach;
    aclDataType dtype, scalar_dtype;
    enum product product;
    uint32_t address;
    int64_t offset; /* bytes */
};

static uint64_t fill(const struct call *call, uint64_t index, void *place)
{
    const struct foreach *foreach = call->function->of_family;
    const unsigned out = output_list(call);
    struct elementwise_plan *plan = place;
    const unsigned first = first_list(call);
    const aclDataType dtype = element(call, first, 0)->dtype;
    struct elementwise_views views = {.arithmetic = dtype, .result = dtype, .input_count = foreach->lists};
    for (unsigned list = 0; list < foreach->lists; list++) {
        views.view[list] = element(call, first + list, index);
        views.address[list] = call->first_operand[first + list] + (uint32_t)index;
    }
    views.view[OUTPUT] = element(call, out, index);
    views.address[OUTPUT] = call->first_operand[out] + (uint32_t)index;
    struct tensor_view places;
    if (writes_one_value(call) && view_overlaps_itself(views.view[OUTPUT])) {
        places = *views.view[OUTPUT];
        view_of_places(&places);
        views.view[0] = views.view[OUTPUT] = &places;
    }
    elementwise_fill(plan, foreach->elementwise, call->settings, &views);
    if (foreach->scalars >= SCALARS_TENSOR) {
        const struct tensor_view *view = &call->tensor[foreach->lists];
        const struct late_scalar late = {.foreach = foreach,
                                         .dtype = views.arithmetic,
                                         .scalar_dtype = view->dtype,
                                         .product = call->settings->product,
                                         .address = call->first_operand[foreach->lists],
                                         .offset = foreach->scalars == SCALARS_TENSOR || view->rank == 0
                                                       ? 0
                                                       : (int64_t)index * view->stride[0] *
                                                             (int64_t)dtype_bytes(view->dtype)};
        memcpy(plan->parameters, &late, sizeof late);
        return plan->cost_ns;
    }
    const struct scalar_value *scalar = foreach->scalars == SCALARS_NONE ? NULL
                                        : foreach->scalars == SCALARS_ONE
                                            ? &call->scalar[scalar_of(call, foreach)]
                                            : &call->values[foreach->lists].value.scalar[index];
    set_parameters(foreach, scalar, views.arithmetic, call->settings->product, plan);
    return plan->cost_ns;
}

aclnnStatus foreach_plan(const struct call *call, const struct result *result)
{
    (void)result;
    return row_of_plans(call, fill_bytes, fill);
}

int row_run(const void *plan, void *const *address, void *scratch, row_function *run_index)
{
    const struct plan_row *row = plan;
    int status = 0;
    for (uint64_t i = 0; i < row->count && status == 0; i++)
        status = run_index(plan, i, address, scratch);
    return status;
}

int foreach_run_index(const void *plan, uint64_t index, void *const *address, void *scratch)
{
    const void *one = row_plan(plan, index);
    return one != NULL ? elementwise_run(one, address, scratch) : 0;
}

int foreach_run(const void *plan, void *const *address, void *scratch)
{
    return row_run(plan, address, scratch, foreach_run_index);
}

static struct scalar_value read_scalar(const struct late_scalar *late, const struct transfer *transfer,
                                       void *const *address)
{
    const unsigned char *element = (const unsigned char *)address[late->address] + late->offset;
    const bool is_float = dtype_is_one_of(late->scalar_dtype, DTYPES_FLOATS);
    const aclDataType wide = is_float ? ACL_DOUBLE : ACL_INT64;
    struct scalar_value scalar = {.dtype = late->scalar_dtype};
    if (late->scalar_dtype == wide)
        memcpy(&scalar.value, element, sizeof scalar.value.integer);
    else
        transfer->convert(element, late->scalar_dtype, &scalar.value, wide, 1);
    return scalar;
}

int foreach_run_index_by_tensor(const void *row, uint64_t index, void *const *address, void *scratch)
{
    struct elementwise_plan plan __attribute__((uninitialized));
    struct late_scalar late;
    const void *one = row_plan(row, index);
    if (one == NULL)
        return 0;
    memcpy(&plan, one, elementwise_plan_bytes(one));
    memcpy(&late, plan.parameters, sizeof late);
    const struct scalar_value scalar = read_scalar(&late, plan.transfer, address);
    set_parameters(late.foreach, &scalar, late.dtype, late.product, &plan);
    return elementwise_run(&plan, address, scratch);
}

int foreach_run_by_tensor(const void *plan, void *const *address, void *scratch)
{
    return row_run(plan, address, scratch, foreach_run_index_by_tensor);
}
