/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Diagonals of matrices by name: those from k's first number to its last, as rows that are as long as the
 * longest of them, taken out of matrices, or put into these or into matrices of a number. Diagonal d has the
 * elements (r, r + d); the last one is the first row. Shorter ones begin or end with their row: `align` says
 * which those do that are not below the main diagonal, and which the others.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

#define DIAGONALS "align{RIGHT_LEFT,LEFT_RIGHT,LEFT_LEFT,RIGHT_RIGHT}"
enum { ELEMENT_PS = 20000 };

/* Both have the tensor that is given, what stands where it says nothing, and the dims of the result. */
#define DIAGONAL(X, of)                                                   \
    X(of, IN, given, &dtypes_floats_integers_bool_complex, .sample = "2") \
    X(of, IN, rest, &dtypes_floats_integers_bool_complex, .sample = "1")  \
    X(of, INTS, k, .sample = "0")                                         \
    X(of, INTS, dims, .sample = "2,2")                                    \
    X(of, INT64, align, .usual = "0")                                     \
    X(of, BOOL, fills, .usual = "true")                                   \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(DIAGONAL)

struct diagonals {
    int64_t rows, columns, lowest, highest, longest;
    bool ends_above, ends_below, fills;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t length_of(const struct diagonals *diagonals, int64_t d)
{
    return least(diagonals->rows + least(d, 0), diagonals->columns - (d > 0 ? d : 0));
}

/* Where in its row a diagonal begins. */
static int64_t begin_of(const struct diagonals *diagonals, int64_t d)
{
    return (d >= 0 ? diagonals->ends_above : diagonals->ends_below)
               ? diagonals->longest - length_of(diagonals, d)
               : 0;
}

/* Of matrices of that shape; and how many there are. */
static aclnnStatus describe(const struct call *call, const int64_t *shape, uint64_t rank,
                            struct diagonals *to, int64_t *matrices)
{
    const struct call_values *k = &call->values[DIAGONAL_k];
    const int64_t align = call->argument[DIAGONAL_align].int64;
    if (rank < 2 || rank > OPERAND_RANK_MAX || k->count < 1 || k->count > 2)
        return refuse(call, "matrices have %d dims and k %d numbers; 2 or more and 1 or 2 are expected",
                      (int)rank, (int)k->count);
    *to = (struct diagonals){.rows = shape[rank - 2],
                             .columns = shape[rank - 1],
                             .lowest = k->value.int64[0],
                             .highest = k->value.int64[k->count - 1],
                             .ends_above = align == 0 || align == 3,
                             .ends_below = align == 1 || align == 3,
                             .fills = call->argument[DIAGONAL_fills].boolean};
    if (to->lowest > to->highest || to->lowest <= -to->rows || to->highest >= to->columns)
        return refuse(call, "k is from %lld to %lld; diagonals of %lld by %lld are expected",
                      (long long)to->lowest, (long long)to->highest, (long long)to->rows,
                      (long long)to->columns);
    /* The main diagonal, where it is among them, is the longest, or else the one next to it. */
    const int64_t middle = to->lowest > 0 ? to->lowest : least(to->highest, 0);
    to->longest = length_of(to, middle);
    for (*matrices = 1; rank > 2; rank--)
        *matrices *= shape[rank - 3];
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result, bool takes)
{
    const struct tensor_view *given = &call->tensor[DIAGONAL_given], *rest = &call->tensor[DIAGONAL_rest];
    const struct call_values *dims = &call->values[DIAGONAL_dims];
    struct diagonals diagonals;
    struct shape shape = {.rank = (uint32_t)dims->count};
    int64_t matrices, count = 1;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, DIAGONAL_rest, DIAGONAL_given, NULL));
    if (dims->count > OPERAND_RANK_MAX)
        return refuse(call, "there are %d dims; at most %d are expected", (int)dims->count, OPERAND_RANK_MAX);
    for (uint64_t i = 0; i < dims->count; i++)
        count *= shape.dim[i] = dims->value.int64[i];
    TRY(describe(call, takes ? given->shape : dims->value.int64, takes ? given->rank : dims->count,
                 &diagonals, &matrices));
    const int64_t packed = matrices * (diagonals.highest - diagonals.lowest + 1) * diagonals.longest;
    if (packed != (takes ? count : given->count) || rest->count != (diagonals.fills ? 1
                                                                    : takes         ? given->count
                                                                                    : count))
        return refuse(
            call, "there are %lld matrices of %lld by %lld; %lld elements on diagonals are expected",
            (long long)matrices, (long long)diagonals.rows, (long long)diagonals.columns, (long long)packed);
    result->computed = given->dtype;
    struct output *output = result_add(result, given->dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_put(const struct call *call, struct result *result)
{
    return infer(call, result, false);
}

static aclnnStatus infer_take(const struct call *call, struct result *result)
{
    return infer(call, result, true);
}

/* One row of one matrix. */
static void put_row(const struct task *task, uint64_t row)
{
    const struct diagonals *of = task->parameters;
    const int64_t r = (int64_t)(row % (uint64_t)of->rows), all = of->highest - of->lowest + 1;
    const uint64_t matrix = row / (uint64_t)of->rows * (uint64_t)(all * of->longest);
    for (int64_t c = 0; c < of->columns; c++) {
        const int64_t d = c - r, at = (of->highest - d) * of->longest + begin_of(of, d) + least(r, c);
        const uint64_t to = row * (uint64_t)of->columns + (uint64_t)c;
        if (d >= of->lowest && d <= of->highest)
            task_copy(task, DIAGONAL_out, to, DIAGONAL_given, matrix + (uint64_t)at, 1);
        else
            task_copy(task, DIAGONAL_out, to, DIAGONAL_rest, of->fills ? 0 : to, 1);
    }
}

/* One diagonal of one matrix. */
static void take_diagonal(const struct task *task, uint64_t number)
{
    const struct diagonals *of = task->parameters;
    const int64_t all = of->highest - of->lowest + 1, d = of->highest - (int64_t)(number % (uint64_t)all),
                  begin = begin_of(of, d), end = begin + length_of(of, d);
    const uint64_t matrix = number / (uint64_t)all * (uint64_t)(of->rows * of->columns);
    for (int64_t i = 0; i < of->longest; i++) {
        const int64_t r = i - begin + (d < 0 ? -d : 0), c = i - begin + (d > 0 ? d : 0);
        const uint64_t to = number * (uint64_t)of->longest + (uint64_t)i;
        if (i >= begin && i < end)
            task_copy(task, DIAGONAL_out, to, DIAGONAL_given, matrix + (uint64_t)(r * of->columns + c), 1);
        else
            task_copy(task, DIAGONAL_out, to, DIAGONAL_rest, 0, 1);
    }
}

static aclnnStatus plan(const struct call *call, bool takes)
{
    const struct tensor_view *matrix = &call->tensor[takes ? DIAGONAL_given : DIAGONAL_out];
    struct diagonals diagonals;
    int64_t matrices;
    TRY(describe(call, matrix->shape, matrix->rank, &diagonals, &matrices));
    const int64_t rows = takes ? diagonals.highest - diagonals.lowest + 1 : diagonals.rows;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = takes ? take_diagonal : put_row,
                  .count = call->tensor[DIAGONAL_out].count == 0 ? 0 : (uint64_t)(matrices * rows),
                  .task_ns = (uint64_t)diagonals.columns * ELEMENT_PS / 1000 + 100,
                  .parameters = &diagonals,
                  .parameter_bytes = sizeof diagonals});
}

static aclnnStatus plan_put(const struct call *call, const struct result *result)
{
    (void)result;
    return plan(call, false);
}

static aclnnStatus plan_take(const struct call *call, const struct result *result)
{
    (void)result;
    return plan(call, true);
}

#define DIAGONAL_FUNCTION(stem_, infer_, plan_) \
    .stem = stem_, .family = FAMILY_MOVE, .promise = &promise_exact, ROW_TASKS, .infer = infer_, .plan = plan_
KIND_FUNCTION(PutDiagonals, DIAGONAL, DIAGONAL_FUNCTION("put_diagonals", infer_put, plan_put));
KIND_FUNCTION(TakeDiagonals, DIAGONAL, DIAGONAL_FUNCTION("take_diagonals", infer_take, plan_take));

static struct named_operator kinds[] = {
    KIND("MatrixDiagV3", 5, 1, 0, "own PutDiagonals x0 x4 $1 @y0 " DIAGONALS " 1 y0"),
    KIND("MatrixSetDiagV3", 3, 1, 0, "own PutDiagonals x1 x0 $2 @y0 " DIAGONALS " 0 y0"),
    KIND("MatrixDiagPartV3", 3, 1, 0, "own TakeDiagonals x0 x2 $1 @y0 " DIAGONALS " 1 y0"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&PutDiagonals_function);
    program_offer_function(&TakeDiagonals_function);
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
