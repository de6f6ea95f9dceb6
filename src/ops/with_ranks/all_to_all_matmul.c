/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products before or after ranks exchange parts: of rows whose pieces come from all ranks, and of columns that
 * go to all of them. Rows may be whole numbers, whose scales come with the pieces, or become such, with a scale
 * for each row, when they are there.
 */
#include "aclnnop/aclnn_allto_all_matmul.h"
#include "aclnnop/aclnn_allto_all_matmul_v2.h"
#include "aclnnop/aclnn_allto_all_quant_matmul.h"
#include "aclnnop/aclnn_allto_all_quant_matmul_v2.h"
#include "aclnnop/aclnn_matmul_allto_all.h"
#include "aclnnop/aclnn_matmul_allto_all_v2.h"
#include "aclnnop/aclnn_quant_matmul_allto_all.h"
#include "aclnnop/aclnn_quant_matmul_allto_all_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/memory_product.h"
#include "ops/contraction/whole_call.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "ops/with_ranks/with_ranks.h"

enum { X1, X2, BIAS, X1_SCALE, X2_SCALE, OUT, MOVED };
enum { GROUP_NAME, AXES, TURNS_X1, TURNS_X2, X1_MODE, X2_MODE };

#define ROWS_BY(X, of)                                                                  \
    X(of, IN, x1, &dtypes_fp16_bf16, .sample = "2x4:FLOAT16")                           \
    X(of, IN, x2, &dtypes_fp16_bf16, .sample = "4x3:FLOAT16")                           \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, INTS, alltoAllAxesOptional, .is_optional = true, .sample = "")                \
    GROUP(X, of, group)
#define TURNS(X, of)                           \
    X(of, BOOL, transposeX1, .usual = "false") \
    X(of, BOOL, transposeX2, .usual = "false")
#define MOVED_OUT(X, of)                        \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16) \
    X(of, CONST_OUT, alltoAllOutOptional, &dtypes_fp16_bf16, .is_optional = true)
#define THERE(X, of)    ROWS_BY(X, of) TURNS(X, of) MOVED_OUT(X, of)
#define THERE_V2(X, of) ROWS_BY(X, of) COMM_MODE(X, of) TURNS(X, of) MOVED_OUT(X, of)
#define BACK(X, of)     ROWS_BY(X, of) TURNS(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define BACK_V2(X, of) \
    ROWS_BY(X, of) COMM_MODE(X, of) TURNS(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define NONE(X, of, name) X(of, IN, name, &dtypes_all, .is_optional = true, .sample = "")
#define WHOLE_BY(X, of)                                                                 \
    X(of, IN, x1, &dtypes_fp16_bf16_int8_int32_int4, .sample = "2x4:INT8")              \
    X(of, IN, x2, &dtypes_int8_int32_int4, .sample = "4x3:INT8")                        \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, IN, x1ScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "2")        \
    X(of, IN, x2Scale, &dtypes_fp32_fp16_bf16_int64_uint64, .sample = "3")              \
    NONE(X, of, commScaleOptional) NONE(X, of, x1OffsetOptional) NONE(X, of, x2OffsetOptional)
#define AXES_OF(X, of) X(of, INTS, alltoAllAxesOptional, .is_optional = true, .sample = "")
#define MODES(X, of)                          \
    X(of, INT64, x1QuantMode, .usual = "3")   \
    X(of, INT64, x2QuantMode, .usual = "2")   \
    X(of, INT64, commQuantMode, .usual = "0") \
    X(of, INT64, commQuantDtype, .usual = "-1")
#define THERE_MODES(X, of)                                                                        \
    MODES(X, of)                                                                                  \
    X(of, INT64, x1QuantDtype, .usual = "2")                                                      \
    X(of, INT64, groupSize, .usual = "0")                                                         \
    TURNS(X, of)                                                                                  \
    X(of, CONST_OUT, output, &dtypes_fp32_fp16_bf16)                                              \
    X(of, CONST_OUT, alltoAllOutOptional, &dtypes_fp16_bf16_int8_int32_int4, .is_optional = true, \
      .is_unpacked = true)
#define BACK_MODES(X, of)                 \
    MODES(X, of)                          \
    X(of, INT64, groupSize, .usual = "0") \
    TURNS(X, of)                          \
    X(of, CONST_OUT, output, &dtypes_fp32_fp16_bf16)
#define QUANT_THERE(X, of) WHOLE_BY(X, of) GROUP(X, of, group) AXES_OF(X, of) THERE_MODES(X, of)
#define QUANT_THERE_V2(X, of) \
    WHOLE_BY(X, of) GROUP(X, of, group) COMM_MODE(X, of) AXES_OF(X, of) THERE_MODES(X, of)
#define QUANT_BACK(X, of) WHOLE_BY(X, of) AXES_OF(X, of) GROUP(X, of, group) BACK_MODES(X, of)
#define QUANT_BACK_V2(X, of) \
    WHOLE_BY(X, of) AXES_OF(X, of) GROUP(X, of, group) COMM_MODE(X, of) BACK_MODES(X, of)
SIGNATURE(THERE)
SIGNATURE(THERE_V2)
SIGNATURE(BACK)
SIGNATURE(BACK_V2)
SIGNATURE(QUANT_THERE)
SIGNATURE(QUANT_THERE_V2)
SIGNATURE(QUANT_BACK)
SIGNATURE(QUANT_BACK_V2)

#define TENSORS_OF(of) \
    [X1] = AT(of##_x1), [X2] = AT(of##_x2), [BIAS] = AT(of##_biasOptional), [OUT] = AT(of##_output)
#define NUMBERS_OF(of)                                                     \
    [GROUP_NAME] = AT(of##_group), [AXES] = AT(of##_alltoAllAxesOptional), \
    [TURNS_X1] = AT(of##_transposeX1), [TURNS_X2] = AT(of##_transposeX2)
#define SCALES_OF(of) [X1_SCALE] = AT(of##_x1ScaleOptional), [X2_SCALE] = AT(of##_x2Scale)
#define MODES_OF(of)  [X1_MODE] = AT(of##_x1QuantMode), [X2_MODE] = AT(of##_x2QuantMode)
#define MOVED_OF(of)  [MOVED] = AT(of##_alltoAllOutOptional)
static const struct form form_there = {
    {TENSORS_OF(THERE), MOVED_OF(THERE)}, {NUMBERS_OF(THERE)}, GROUP_ALL_TO_ALL_MATMUL};
static const struct form form_there_v2 = {
    {TENSORS_OF(THERE_V2), MOVED_OF(THERE_V2)}, {NUMBERS_OF(THERE_V2)}, GROUP_ALL_TO_ALL_MATMUL};
static const struct form form_back = {{TENSORS_OF(BACK)}, {NUMBERS_OF(BACK)}, GROUP_MATMUL_ALL_TO_ALL};
static const struct form form_back_v2 = {
    {TENSORS_OF(BACK_V2)}, {NUMBERS_OF(BACK_V2)}, GROUP_MATMUL_ALL_TO_ALL};
#define QUANT_FORM(of, ...)                       \
    {TENSORS_OF(of), SCALES_OF(of), __VA_ARGS__}, \
    {                                             \
        NUMBERS_OF(of), MODES_OF(of)              \
    }
static const struct form form_quant_there = {QUANT_FORM(QUANT_THERE, MOVED_OF(QUANT_THERE)),
                                             GROUP_ALL_TO_ALL_MATMUL};
static const struct form form_quant_there_v2 = {QUANT_FORM(QUANT_THERE_V2, MOVED_OF(QUANT_THERE_V2)),
                                                GROUP_ALL_TO_ALL_MATMUL};
static const struct form form_quant_back = {QUANT_FORM(QUANT_BACK, [MOVED] = 0), GROUP_MATMUL_ALL_TO_ALL};
static const struct form form_quant_back_v2 = {QUANT_FORM(QUANT_BACK_V2, [MOVED] = 0),
                                               GROUP_MATMUL_ALL_TO_ALL};

/* How rows are quantised: not at all, as they come, with scales, or here. */
enum mode { FLOATS = 0, GIVEN = 3, MADE = 7 };
enum { BY_COLUMNS = 2 };

struct all_to_all_plan {
    struct met met;
    uint64_t rows, width; /* of x1 */
    bool is_there, has_moved, has_smooth;
    enum mode mode;
    aclDataType moves; /* of the elements of rows: INT8 of all whole numbers */
    struct rank_product product;
    struct numbers whole;
    struct port x1, smooth, out, moved;
    bool moved_is_packed;
};

static bool is_there(const struct call *call)
{
    return form_of(call)->choice == GROUP_ALL_TO_ALL_MATMUL;
}

static enum mode mode_of(const struct call *call)
{
    return form_of(call)->tensor[X2_SCALE] == 0 ? FLOATS : (enum mode)form_number(call, X1_MODE, FLOATS);
}

static aclnnStatus check_axes(const struct call *call)
{
    const unsigned at = number_at(call, AXES);
    const int64_t first = is_there(call) ? -2 : -1;
    if (!call_has(call, at) || call->values[at].count == 0 ||
        (call->values[at].count == 2 && call->values[at].value.int64[0] == first &&
         call->values[at].value.int64[1] == -3 - first))
        return ACLNN_SUCCESS;
    return refuse(call, "%s is another list than [%" PRId64 ", %" PRId64 "], which is expected, or none",
                  call_name(call, at), first, -3 - first);
}

/* Rows, or columns, of a matrix of numbers that may be packed. */
static int64_t size_of(const struct call *call, unsigned part, unsigned dim)
{
    const struct tensor_view *view = part_view(call, part);
    struct numbers numbers;
    if (!is_whole_dtype(view->dtype))
        return view->shape[dim];
    return matrix_of_numbers(view, false, 0, &numbers) ? numbers.size[dim] : -1;
}

static aclnnStatus check_lanes(const struct call *call, unsigned part, int64_t count)
{
    if (!part_has_elements(call, part) || part_view(call, part)->count == count)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %" PRId64 " elements are expected",
                  call_name(call, part_at(call, part)), shape_text(TEXT, part_view(call, part)), count);
}

/* Rows that are whole numbers come with scales; others become such, multiplied by factors of their columns. */
static aclnnStatus check_modes(const struct call *call, int64_t rows, int64_t depth, int64_t columns)
{
    const int64_t mode = mode_of(call), by = form_number(call, X2_MODE, BY_COLUMNS);
    const aclDataType dtype = part_view(call, X1)->dtype;
    if (form_of(call)->tensor[X2_SCALE] == 0)
        return ACLNN_SUCCESS;
    if ((mode != GIVEN && mode != MADE) || by != BY_COLUMNS)
        return refuse(call,
                      "x1QuantMode is %" PRId64 " and x2QuantMode %" PRId64
                      "; 3, rows with scales, or 7, rows that "
                      "are given such, and 2, columns with scales, are expected",
                      mode, by);
    if (is_whole_dtype(dtype) != (mode == GIVEN))
        return refuse(call, "x1 is %s and x1QuantMode %" PRId64 "; whole numbers go with 3, floats with 7",
                      dtype_name(dtype), mode);
    if (mode == GIVEN && !part_has_elements(call, X1_SCALE))
        return check_part_given(call, X1_SCALE, "x1QuantMode 3");
    TRY(check_lanes(call, X1_SCALE, mode == GIVEN ? rows : depth));
    return check_lanes(call, X2_SCALE, columns);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    const struct tensor_view *x1 = part_view(call, X1), *x2 = part_view(call, X2);
    const bool turns = form_number(call, TURNS_X2, 0) != 0, is_float = form_of(call)->tensor[X2_SCALE] == 0;
    TRY(check_tensors(call));
    if (is_float)
        TRY(check_same_dtype(call, part_at(call, X2), part_at(call, X1), NULL));
    TRY(check_dims(call, X1, 2, -1, -1));
    TRY(check_dims(call, X2, 2, -1, -1));
    if (form_number(call, TURNS_X1, 0) != 0)
        return refuse(call, "transposeX1 is true; false is expected");
    TRY(check_axes(call));
    TRY(find_group(call, GROUP_NAME, &met));
    const int64_t ranks = met.place.rank_count, columns = size_of(call, X2, turns ? 0 : 1),
                  rows = size_of(call, X1, 0), depth = size_of(call, X1, 1) * (is_there(call) ? ranks : 1);
    if (size_of(call, X2, turns ? 1 : 0) != depth)
        return refuse(call, "x2 has shape %s; sums along %" PRId64 " elements are expected",
                      shape_text(TEXT, x2), depth);
    TRY(check_modes(call, rows, depth, columns));
    if (part_has_elements(call, BIAS)) {
        TRY(check_dims(call, BIAS, 1, columns, 0));
        if (is_float && part_view(call, BIAS)->dtype != ACL_FLOAT)
            TRY(check_same_dtype(call, part_at(call, BIAS), part_at(call, X1), NULL));
    }
    if (is_there(call) ? rows % ranks != 0 : columns % ranks != 0)
        return refuse(call, "%s %" PRId64 " %s; a multiple of the ranks of group, %" PRId64 ", is expected",
                      is_there(call) ? "x1 has" : "x2 has", is_there(call) ? rows : columns,
                      is_there(call) ? "rows" : "columns", ranks);
    result->computed = is_float ? x1->dtype : ACL_INT8;
    const aclDataType made = is_float            ? x1->dtype
                             : call->has_outputs ? part_view(call, OUT)->dtype
                                                 : ACL_FLOAT16;
    if (!is_there(call)) {
        add_dims(result, made, 2, rows * ranks, columns / ranks, 0);
        return ACLNN_SUCCESS;
    }
    add_dims(result, made, 2, rows / ranks, columns, 0);
    add_dims(result, x1->dtype, 2, rows / ranks, depth / (x1->dtype == ACL_INT32 ? 8 : 1), 0)->is_unwanted =
        call->has_outputs && !part_has_elements(call, MOVED);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x1 = part_view(call, X1);
    struct all_to_all_plan plan = {.rows = (uint64_t)size_of(call, X1, 0),
                                   .width = (uint64_t)size_of(call, X1, 1),
                                   .is_there = is_there(call),
                                   .mode = mode_of(call),
                                   .moves = is_whole_dtype(x1->dtype) ? ACL_INT8 : x1->dtype,
                                   .has_moved = is_there(call) && part_has_elements(call, MOVED)};
    struct rank_product *product = &plan.product;
    (void)result;
    TRY(find_group(call, GROUP_NAME, &plan.met));
    set_product(product, call, plan.mode == FLOATS ? x1->dtype : ACL_INT8, part_at(call, X2),
                form_number(call, TURNS_X2, 0) != 0);
    set_ends(product, call, part_has_elements(call, BIAS) ? part_at(call, BIAS) : NO_PART,
             plan.mode == FLOATS ? NO_PART : part_at(call, X2_SCALE),
             plan.mode == GIVEN ? part_at(call, X1_SCALE) : NO_PART, NO_PART);
    if (plan.mode == GIVEN && plan.is_there)
        product->parts = plan.met.place.rank_count;
    if (plan.mode == GIVEN)
        (void)matrix_of_numbers(x1, false, call->first_operand[part_at(call, X1)], &plan.whole);
    else
        plan.x1 = port_of(call, part_at(call, X1), x1->dtype);
    plan.has_smooth = plan.mode == MADE && part_has_elements(call, X1_SCALE);
    if (plan.has_smooth)
        plan.smooth = port_of(call, part_at(call, X1_SCALE), ACL_DOUBLE);
    plan.out = port_of(call, part_at(call, OUT), plan.is_there ? ACL_FLOAT : part_view(call, OUT)->dtype);
    if (plan.has_moved) {
        plan.moved_is_packed = x1->dtype == ACL_INT32;
        plan.moved = port_of(call, part_at(call, MOVED), x1->dtype);
    }
    return finish_with_ranks(call, &plan, sizeof plan, plan.mode == GIVEN && plan.is_there ? 2 : 1);
}

static uint64_t ranks_of(const struct all_to_all_plan *plan)
{
    return plan->met.place.rank_count;
}

static uint64_t rows_multiplied(const struct all_to_all_plan *plan)
{
    return plan->is_there ? plan->rows / ranks_of(plan) : plan->rows;
}

/* Of what goes: bytes of an element, and elements of a row. */
static uint64_t moved_bytes(const struct all_to_all_plan *plan)
{
    return dtype_bytes(plan->is_there ? plan->moves : plan->out.carried);
}

static uint64_t row_elements_moved(const struct all_to_all_plan *plan)
{
    return plan->is_there ? plan->width : plan->product.columns;
}

/* Memory of a run. */
struct rooms {
    unsigned char *rows, *from, *to, *number; /* number: rows that became whole numbers */
    float *sums;
    double *scale, *value; /* value: a row */
    struct group_part *parts;
    void *product;
};

static size_t set_rooms(const struct all_to_all_plan *plan, void *scratch, struct rooms *rooms)
{
    const uint64_t rows = rows_multiplied(plan), depth = plan->product.depth;
    const size_t went = lines_of_rows(plan->rows, row_elements_moved(plan), moved_bytes(plan));
    const bool is_made = plan->mode == MADE;
    size_t used = 0;
    rooms->rows = take_room(scratch, &used, lines_of_rows(rows, depth, dtype_bytes(plan->moves)));
    rooms->sums = take_room(scratch, &used, lines_of_rows(rows, plan->product.columns, sizeof(float)));
    rooms->from = take_room(scratch, &used, went);
    rooms->to = take_room(scratch, &used, went);
    rooms->number = take_room(scratch, &used, is_made ? lines_of_rows(rows, depth, 1) : 0);
    rooms->value = take_room(scratch, &used, is_made ? lines_of(depth, 2 * sizeof(double)) : 0);
    rooms->scale = take_room(scratch, &used, lines_of(plan->rows, 3 * sizeof(double)));
    rooms->parts = take_room(scratch, &used, (size_t)ranks_of(plan) * sizeof *rooms->parts);
    rooms->product = take_room(scratch, &used, lines_of(product_bytes(&plan->product), 1));
    return used;
}

static size_t work_bytes(const void *prepared)
{
    struct rooms rooms;
    static unsigned char nothing[1];
    return set_rooms(prepared, nothing, &rooms);
}

/* Rows of so many bytes, `from` and `to` bytes apart. */
static void copy_block(unsigned char *to, uint64_t to_step, const unsigned char *from, uint64_t from_step,
                       uint64_t rows, uint64_t bytes)
{
    for (uint64_t row = 0; row < rows && bytes > 0; row++)
        memcpy(to + row * to_step, from + row * from_step, (size_t)bytes);
}

static int exchange(const struct all_to_all_plan *plan, void *from, void *to, aclDataType dtype,
                    uint64_t count, struct group_part *parts)
{
    line_up(parts, plan->met.place.rank_count, count / ranks_of(plan) * dtype_bytes(dtype));
    return group_exchange(
        &(struct group_exchange){.kind = plan->is_there ? GROUP_ALL_TO_ALL_MATMUL : GROUP_MATMUL_ALL_TO_ALL,
                                 .dtype = dtype,
                                 .count = count / ranks_of(plan),
                                 .reads = from,
                                 .writes = to,
                                 .sends = parts,
                                 .receives = parts});
}

static void bring_rows(const struct all_to_all_plan *plan, void *const *address, unsigned char *to)
{
    if (plan->mode != GIVEN)
        port_bring(&plan->x1, address, 0, plan->rows * plan->width, to);
    for (uint64_t row = 0; plan->mode == GIVEN && row < plan->rows; row++)
        numbers_read(&plan->whole, address, row, 0, plan->width, (int8_t *)to + row * plan->width);
}

/* Everybody's pieces of the own rows side by side, and the scales of these. */
static int meet(const struct all_to_all_plan *plan, void *const *address, const struct rooms *rooms)
{
    const uint64_t ranks = ranks_of(plan), rows = rows_multiplied(plan), depth = plan->product.depth,
                   bytes = dtype_bytes(plan->moves);
    double *sent = rooms->scale + plan->rows, *came = sent + plan->rows;
    int status = exchange(plan, rooms->from, rooms->to, plan->moves, plan->rows * row_elements_moved(plan),
                          rooms->parts);
    for (uint64_t rank = 0; status == 0 && rank < ranks; rank++)
        copy_block(rooms->rows + rank * plan->width * bytes, depth * bytes,
                   rooms->to + rooms->parts[rank].offset, plan->width * bytes, rows, plan->width * bytes);
    if (status != 0 || plan->mode != GIVEN)
        return status;
    bring_row_scales(&plan->product, address, plan->rows, sent);
    status = exchange(plan, sent, came, ACL_DOUBLE, plan->rows, rooms->parts);
    for (uint64_t i = 0; status == 0 && i < plan->rows; i++)
        rooms->scale[i % rows * ranks + i / rows] = came[i];
    return status;
}

/* Whole numbers of rows of floats, each with a scale. */
static void quantise(const struct all_to_all_plan *plan, void *const *address, const struct rooms *rooms)
{
    const uint64_t depth = plan->product.depth;
    double *smooth = rooms->value + depth;
    if (plan->has_smooth)
        port_bring(&plan->smooth, address, 0, depth, smooth);
    for (uint64_t row = 0; row < rows_multiplied(plan); row++) {
        int8_t *number = (int8_t *)rooms->number + row * depth;
        transfer_convert(plan->out.transfer, rooms->rows + row * depth * dtype_bytes(plan->moves),
                         plan->moves, rooms->value, ACL_DOUBLE, depth);
        for (uint64_t k = 0; plan->has_smooth && k < depth; k++)
            rooms->value[k] *= smooth[k];
        const float scale = scale_of_size(greatest_size(rooms->value, (size_t)depth, 0), 127);
        for (uint64_t k = 0; k < depth; k++)
            number[k] = scale == 0 ? 0 : quantised_number(rooms->value[k] / (double)scale, 127);
        rooms->scale[row] = (double)scale;
    }
}

static void deliver_moved(const struct all_to_all_plan *plan, void *const *address, const struct rooms *rooms)
{
    const uint64_t count = rows_multiplied(plan) * plan->product.depth;
    for (uint64_t i = 0; plan->moved_is_packed && i < count; i += 8) {
        uint8_t word[sizeof(int32_t)];
        numbers_pack(rooms->rows + i, 8, word);
        port_deliver(&plan->moved, address, i / 8, 1, word);
    }
    if (!plan->moved_is_packed)
        port_deliver(&plan->moved, address, 0, count, rooms->rows);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct all_to_all_plan *plan = prepared;
    const struct rank_product *product = &plan->product;
    const uint64_t ranks = ranks_of(plan), rows = rows_multiplied(plan), columns = product->columns;
    struct rooms rooms;
    (void)set_rooms(plan, scratch, &rooms);
    bring_rows(plan, address, plan->is_there ? rooms.from : rooms.rows);
    int status = plan->is_there ? meet(plan, address, &rooms) : 0;
    if (status != 0)
        return status;
    if (plan->mode == GIVEN && !plan->is_there)
        bring_row_scales(product, address, rows, rooms.scale);
    if (plan->mode == MADE)
        quantise(plan, address, &rooms);
    product_run(product, address, plan->mode == MADE ? rooms.number : rooms.rows,
                plan->mode == FLOATS ? NULL : rooms.scale, 0, rows, 0, rooms.sums, rooms.product);
    if (plan->is_there) {
        port_deliver(&plan->out, address, 0, rows * columns, rooms.sums);
        if (plan->has_moved)
            deliver_moved(plan, address, &rooms);
        return 0;
    }
    const uint64_t bytes = moved_bytes(plan), part = columns / ranks * bytes;
    transfer_convert(plan->out.transfer, rooms.sums, ACL_FLOAT, rooms.to, plan->out.carried, rows * columns);
    for (uint64_t rank = 0; rank < ranks; rank++) /* the columns of each rank together */
        copy_block(rooms.from + rank * rows * part, part, rooms.to + rank * part, columns * bytes, rows,
                   part);
    status = exchange(plan, rooms.from, rooms.to, plan->out.carried, rows * columns, rooms.parts);
    if (status == 0)
        port_deliver(&plan->out, address, 0, rows * columns, rooms.to);
    return status;
}

#define EXCHANGES(form_)                                                                                     \
    .promise = &promise_sum, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, .operation.run = run, \
    .infer = infer, .plan = plan
FUNCTION_OF(aclnnAlltoAllMatmul, THERE, .stem = "allto_all_matmul", EXCHANGES(form_there));
FUNCTION_OF(aclnnAlltoAllMatmulV2, THERE_V2, .stem = "allto_all_matmul_v2", EXCHANGES(form_there_v2));
FUNCTION_OF(aclnnMatmulAlltoAll, BACK, .stem = "matmul_allto_all", EXCHANGES(form_back));
FUNCTION_OF(aclnnMatmulAlltoAllV2, BACK_V2, .stem = "matmul_allto_all_v2", EXCHANGES(form_back_v2));
FUNCTION_OF(aclnnAlltoAllQuantMatmul, QUANT_THERE, .stem = "allto_all_quant_matmul",
            EXCHANGES(form_quant_there));
FUNCTION_OF(aclnnAlltoAllQuantMatmulV2, QUANT_THERE_V2, .stem = "allto_all_quant_matmul_v2",
            EXCHANGES(form_quant_there_v2));
FUNCTION_OF(aclnnQuantMatmulAlltoAll, QUANT_BACK, .stem = "quant_matmul_allto_all",
            EXCHANGES(form_quant_back));
FUNCTION_OF(aclnnQuantMatmulAlltoAllV2, QUANT_BACK_V2, .stem = "quant_matmul_allto_all_v2",
            EXCHANGES(form_quant_back_v2));
