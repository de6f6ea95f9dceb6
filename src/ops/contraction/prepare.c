/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a contraction is cut: the output into tiles, one of which is a thread's task, and the common dim into
 * blocks. Nothing of it changes a bit of the results.
 */
#include "ops/contraction/sizes.h"
#include "ops/loops/cost_of_thread.h"
#include "simd/vector/level_table.h"

/*
 * A right block of 256 steps by 512 columns takes 512 KB, half of the second cache of current processors. The
 * more rows a tile has, the more of them share the packing of its blocks. Their sums need not stay in a cache:
 * they are read and written once for each block.
 */
enum { TILE_ROWS = 1024, TILE_COLUMNS = 512 };

/* Tasks for each thread, so that one that is slowed down does not keep the others waiting for long. */
enum { TASKS_PER_THREAD = 4 };

/* Of rows by columns that are read from memory: in each task the first ones have not been asked for before. */
enum { TASKS_ACROSS = 2 };

/* Common multiples of the caches' sets: rows that far apart push one another out. */
enum { CONFLICT_BYTES = 2048 };

/* Of an operand that is read where it lies: on its own side, or on the other one, which reads it again. */
enum { FEW_ROWS = 64, FEW_COLUMNS = 1024 };

/* Of rows that are widened at a time: a part of the nearest cache. */
enum { WIDENED_FLOATS = 4096 };

/* Of current processors. */
enum { SECOND_CACHE_BYTES = 1 << 20 };

/* At most so many at a time, in parts that are as equal as multiples allow. */
static uint64_t equal_part(uint64_t count, uint64_t most, uint64_t multiple)
{
    return round_up(divide_up(count, divide_up(count, most)), multiple);
}

LEVEL_TABLE(const struct contraction_kernels, kernels_of, contraction_kernels);

/* Multiplications of vectors with vectors along this side, for each step: what is left over of one counts. */
static uint64_t vector_work(const struct contraction *plan, uint64_t along, uint64_t across)
{
    return divide_up(along, plan->kernels->vector_lanes) * across;
}

static void exchange_strides(struct contraction_matrix *matrix)
{
    int64_t stride = matrix->stride[0];
    matrix->stride[0] = matrix->stride[1];
    matrix->stride[1] = stride;
}

/* (A B)^T = B^T A^T, and a product of two numbers does not know which came first. */
static void exchange_sides(struct contraction *plan)
{
    struct contraction_matrix matrix = plan->left;
    contraction_pack *pack = plan->pack_left;
    uint64_t rows = plan->rows;
    plan->left = plan->right;
    plan->pack_left = plan->pack_right;
    plan->rows = plan->columns;
    plan->right = matrix;
    plan->pack_right = pack;
    plan->multiply_row = NULL;
    plan->columns = rows;
    exchange_strides(&plan->self);
    exchange_strides(&plan->out);
}

/*
 * Whether vectors along the rows are fewer. Results that lie side by side are then written one by one, so that an
 * eighth of the vectors has to be saved. Any saving is enough where the steps of a column lie side by side and are
 * many for each row: columns that become rows are not turned, which takes longer than the results' writing.
 */
static bool exchange_pays(const struct contraction *plan)
{
    enum { TURNED_AS_WRITTEN = 6 }; /* elements, while one result is written by itself */
    const uint64_t along_rows = vector_work(plan, plan->rows, plan->columns),
                   along_columns = vector_work(plan, plan->columns, plan->rows);
    const bool is_scattered = plan->out.stride[1] == 1 &&
                              (plan->right.stride[0] == 1 || plan->depth / TURNED_AS_WRITTEN < plan->rows);
    return is_scattered ? along_rows < along_columns - along_columns / 8 : along_rows < along_columns;
}

/* Whether the rows of the next matrix along the last batch axis follow those of this one at the same
 * distance. */
static bool rows_go_on(const struct contraction *plan, struct contraction_matrix *matrix)
{
    const int64_t next = matrix->batch_stride[plan->batch_axes - 1];
    if (plan->rows == 1)
        matrix->stride[0] = next;
    return next == (int64_t)plan->rows * matrix->stride[0];
}

/* A batch that shares its right operand is one matrix of many rows, as the layers of networks have it. */
static void fold_batch(struct contraction *plan)
{
    while (plan->batch_axes > 0 && plan->pack_left == NULL &&
           plan->right.batch_stride[plan->batch_axes - 1] == 0 && rows_go_on(plan, &plan->left) &&
           rows_go_on(plan, &plan->out) && (!plan->has_self || rows_go_on(plan, &plan->self)))
        plan->rows *= plan->batch_size[--plan->batch_axes];
}

/* The first rows of the matrices along a batch axis become one matrix, and so do the second ones, and so on. */
static void exchange_rows(struct contraction *plan, uint32_t axis)
{
    struct contraction_matrix *const matrix[] = {&plan->left, &plan->self, &plan->out};
    const uint64_t rows = plan->rows;
    plan->rows = plan->batch_size[axis];
    plan->batch_size[axis] = rows;
    for (int i = 0; i < 3; i++) {
        const int64_t stride = matrix[i]->stride[0];
        matrix[i]->stride[0] = matrix[i]->batch_stride[axis];
        matrix[i]->batch_stride[axis] = stride;
    }
}

/* Many matrices of few rows that share their right operand, as sequences have them whose steps come before the
 * batch, become few of many rows: each matrix packs the right operand again. */
static void gather_rows(struct contraction *plan)
{
    for (uint32_t axis = 0; axis < plan->batch_axes; axis++)
        if (plan->pack_left == NULL && plan->left.group == 0 && plan->right.batch_stride[axis] == 0 &&
            plan->batch_size[axis] > plan->rows)
            exchange_rows(plan, axis);
}

/*
 * The left operand where it lies: floats, few columns to read each of them again for, or so few rows that packing
 * them for each tile takes longer than to read the right operand once more; and rows that do not push one another
 * out of the cache.
 */
static bool left_is_direct(const struct contraction *plan)
{
    const struct contraction_matrix *left = &plan->left;
    const bool is_close = left->stride[0] == 1 || left->stride[1] == 1;
    const bool is_small =
        plan->columns <= FEW_COLUMNS || (plan->rows > plan->kernels->rows_max && plan->rows <= FEW_ROWS);
    const int64_t apart = left->stride[0] == 1 ? left->stride[1] : left->stride[0];
    return plan->pack_left == NULL && left->group == 0 && left->dtype == ACL_FLOAT && is_close && is_small &&
           (apart * 4 % CONFLICT_BYTES != 0 || plan->rows == 1);
}

/* The same for pairs of BFLOAT16, none of which is half a pair. */
static bool left_is_pairs(const struct contraction *plan)
{
    const struct contraction_matrix *left = &plan->left;
    return plan->has_quick_pairs && left->group == 0 && left->stride[1] == 1 && plan->depth % 2 == 0 &&
           plan->columns <= FEW_COLUMNS && left->stride[0] * 2 % CONFLICT_BYTES != 0;
}

/* Rows of 16 bits that few columns meet: to turn them takes longer than to multiply fewer of them at once, as
 * columns of halves want anyway. */
static bool left_is_widened(const struct contraction *plan)
{
    const struct contraction_matrix *left = &plan->left;
    return !plan->has_quick_pairs && plan->pack_left == NULL && left->group == 0 && left->bytes == 2 &&
           left->stride[1] == 1 && (plan->columns <= FEW_COLUMNS || plan->right_is_halves);
}

/* Sums that lie side by side as results, and so a self of floats that is added to them. */
static bool results_are_sums(const struct contraction *plan)
{
    return !plan->is_exact && !plan->is_wide && !plan->is_across && plan->alpha == 1 && plan->depth > 0 &&
           plan->out.stride[1] == 1 &&
           (!plan->has_self ||
            (plan->self.dtype == ACL_FLOAT && plan->self.stride[1] == 1 && plan->beta == 1));
}

/* So many floats stay in the second cache. */
static bool stays_near(uint64_t columns, uint64_t depth)
{
    return depth == 0 || columns <= SECOND_CACHE_BYTES / sizeof(float) / depth;
}

/*
 * The right operand where it lies: a vector's elements side by side, and few rows to read them again for; steps
 * that push one another out of the caches only where there is one row, or where all of them stay in the second
 * cache. FLOAT16 becomes floats there where an instruction does that beside the products.
 */
static bool right_is_direct(const struct contraction *plan)
{
    const struct contraction_matrix *right = &plan->right;
    const bool is_single = plan->rows == 1 && !plan->is_exact && plan->depth > 0;
    const bool are_halves = right->dtype == ACL_FLOAT16 && plan->kernels->direct_halves != NULL &&
                            !plan->is_exact && plan->depth > 0;
    const int64_t apart = right->stride[1] * (int64_t)right->bytes;
    return plan->pack_right == NULL && right->group == 0 && right->stride[0] == 1 &&
           (right->dtype == ACL_FLOAT || is_single || are_halves) &&
           (plan->rows == 1 || (plan->rows <= 128 && apart % CONFLICT_BYTES != 0) ||
            (plan->rows <= plan->kernels->rows_max && stays_near(plan->columns, plan->depth)));
}

/* Few rows take their own ways through a right operand that needs no packing. */
static void choose_few_rows(struct contraction *plan)
{
    if (plan->is_exact || plan->depth == 0)
        return;
    const bool is_single = plan->rows == 1;
    const struct contraction_matrix *right = &plan->right;
    const bool is_strided =
        plan->kernels->across != NULL && plan->pack_right == NULL && right->stride[1] == 1 &&
        (right->group == 0 || (right->grouped_side == 1 && CONTRACTION_BLOCK % right->group == 0));
    plan->is_wide = is_single && plan->right.is_direct;
    plan->is_across = !plan->is_wide && plan->pack_left == NULL && plan->left.group == 0 &&
                      (plan->multiply_row != NULL ? plan->rows <= ROWS_ACROSS : is_single && is_strided);
}

static void choose_rows(struct contraction *plan)
{
    const struct contraction_kernels *kernels = plan->kernels;
    uint32_t most = plan->is_exact ? kernels->rows_exact_max
                    : (plan->left.is_direct && plan->left.stride[0] != 1) || plan->left_is_pairs ||
                            plan->left_is_widened || plan->right_is_halves
                        ? kernels->rows_direct_max
                        : kernels->rows_max;
    plan->rows_at_once = (uint32_t)equal_part(plan->rows, most, 1);
}

/* Tiles are as large as caches allow, but there are enough of them for the threads, and their rows are equal parts: a
 * last tile with few of them would leave threads without work. */
static void choose_tiles(struct contraction *plan, uint32_t threads)
{
    const uint64_t batch = batch_count(plan);
    const uint32_t width = panel_columns(plan);
    uint64_t rows = equal_part(plan->rows, TILE_ROWS, 1);
    uint64_t columns = equal_part(
        plan->columns, plan->is_wide ? plan->kernels->wide_bytes / plan->right.bytes : TILE_COLUMNS, width);
    const uint32_t each = plan->is_across || plan->is_wide ? TASKS_ACROSS : TASKS_PER_THREAD;
    uint64_t wanted = threads == 1 ? 1 : (uint64_t)threads * each;
    while (batch * divide_up(plan->rows, rows) * divide_up(plan->columns, columns) < wanted) {
        if (rows >= columns && rows > 4 * plan->rows_at_once)
            rows = divide_up(rows, 2);
        else if (columns > 2 * width)
            columns = round_up(columns / 2, width);
        else
            break;
    }
    plan->rows_at_once = (uint32_t)equal_part(rows, plan->rows_at_once, 1);
    plan->tile_rows = (uint32_t)rows;
    plan->tile_columns = (uint32_t)columns;
    plan->tiles_down = divide_up(plan->rows, rows);
    plan->tiles_across = divide_up(plan->columns, columns);
    plan->tile_count = batch * plan->tiles_down * plan->tiles_across;
    plan->slots = (uint32_t)least(threads, plan->tile_count);
}

/* What the tasks of one thread need: the block of the right operand, the panel of the left one, sums. */
static void choose_memory(struct contraction *plan)
{
    const uint32_t number = plan->is_exact ? sizeof(double) : sizeof(float);
    const uint32_t depth = (uint32_t)least(plan->depth, CONTRACTION_BLOCK), width = panel_columns(plan);
    const uint32_t columns = (uint32_t)round_up(least(plan->columns, plan->tile_columns), width);
    const uint32_t rows = (uint32_t)least(plan->rows, plan->tile_rows);
    /* A direct operand is packed where it ends within a vector: one panel. */
    plan->right_bytes = (plan->right.is_direct ? width : columns) * depth * (uint32_t)sizeof(float);
    const uint64_t panel_depth = round_up(depth, plan->kernels->vector_lanes);
    plan->widened_rows = plan->rows_at_once;
    while (plan->left_is_widened && plan->widened_rows < rows &&
           (plan->widened_rows + plan->rows_at_once) * panel_depth <= WIDENED_FLOATS)
        plan->widened_rows += plan->rows_at_once;
    plan->panel_bytes = plan->left.is_direct ? 0
                                             : round_up(plan->widened_rows, plan->kernels->lane_block) *
                                                   panel_depth * sizeof(float);
    const uint32_t narrow = plan->is_wide ? columns : width;
    /* Sums of one block go through one small tile. */
    plan->sums_bytes =
        (contraction_is_one_block(plan) ? plan->rows_at_once * narrow : rows * columns) * number;
    if (plan->is_across) {
        plan->right_bytes = plan->right.group > 0 ? ROW_COLUMNS * CONTRACTION_BLOCK * plan->right.bytes : 0;
        const bool is_there = plan->rows == 1 && plan->left.dtype == ACL_FLOAT && plan->left.stride[1] == 1;
        plan->panel_bytes = is_there ? 0 : plan->rows * plan->depth * sizeof(float);
        plan->sums_bytes = plan->rows * ROW_COLUMNS * sizeof(float);
    }
    plan->right_bytes = round_up(plan->right_bytes, 64);
    plan->panel_bytes = round_up(plan->panel_bytes, 64);
    plan->sums_bytes = round_up(plan->sums_bytes, 64);
}

size_t contraction_most_bytes(enum isa_level level, uint32_t threads, uint64_t depth)
{
    enum { MORE = 64 }; /* what parts are rounded up by, and rows at once */
    const uint64_t few = ROWS_ACROSS, columns = TILE_COLUMNS + MORE, wide = kernels_of[level]->wide_bytes / 2;
    const uint64_t panel = few * depth > MORE * CONTRACTION_BLOCK ? few * depth : MORE * CONTRACTION_BLOCK;
    const uint64_t sums = (TILE_ROWS + MORE) * columns + wide;
    const uint64_t slot = (columns * CONTRACTION_BLOCK + panel) * sizeof(float) + sums * sizeof(double);
    return (size_t)(threads * (slot + 3 * 64));
}

/* BFLOAT16 on both sides, packed as any such matrix is. */
static bool are_pairs(const struct contraction *plan)
{
    return !plan->is_exact && plan->left.dtype == ACL_BF16 && plan->right.dtype == ACL_BF16 &&
           (plan->pack_left == NULL || plan->pack_left == contraction_pack_joined) &&
           (plan->pack_right == NULL || plan->pack_right == contraction_pack_joined);
}

/* Steps or lanes side by side, in groups that hold whole pairs of steps or whole vectors of lanes. */
static bool has_words(const struct contraction_matrix *matrix, uint32_t vector_lanes)
{
    if (matrix->group == 0)
        return matrix->stride[0] == 1 || matrix->stride[1] == 1;
    return matrix->grouped_side == 1 ? matrix->stride[1] == 1 && matrix->group % 2 == 0
                                     : matrix->stride[0] == 1 && matrix->group % vector_lanes == 0;
}

static bool has_quick_pairs(const struct contraction *plan, enum isa_level level)
{
    return level >= ISA_AVX512_BF16 && plan->takes_pairs && plan->pack_left == NULL &&
           plan->pack_right == NULL && !plan->is_across && !plan->is_wide && plan->depth > 0 &&
           (plan->left.group == 0 || plan->left.grouped_side == 1) &&
           has_words(&plan->left, plan->kernels->vector_lanes) &&
           has_words(&plan->right, plan->kernels->vector_lanes);
}

/*
 * With 512 bits six vectors in a nanosecond, twice as many of pairs and half as many of doubles; with 256 three;
 * without the instruction one takes about ten. What is told to be longer than it is would be queued and a worker
 * woken for it, which may take longer than the work.
 */
static uint64_t product_ns(const struct contraction *plan)
{
    const uint64_t lanes = plan->kernels->vector_lanes;
    const uint64_t steps =
        vector_work(plan, plan->columns, plan->rows) * (plan->depth + 16) * batch_count(plan);
    if (lanes <= 4)
        return steps * 10;
    return lanes <= 8 || plan->is_exact ? steps / 3 : steps / (plan->has_quick_pairs ? 12 : 6);
}

void contraction_prepare(struct contraction *plan, enum isa_level level, uint32_t threads)
{
    plan->kernels = kernels_of[level];
    fold_batch(plan);
    gather_rows(plan);
    if (exchange_pays(plan))
        exchange_sides(plan);
    plan->left.is_direct = left_is_direct(plan);
    plan->right.is_direct = right_is_direct(plan);
    plan->right_is_halves = plan->right.is_direct && plan->right.dtype == ACL_FLOAT16 && plan->rows > 1;
    plan->takes_pairs = are_pairs(plan);
    choose_few_rows(plan);
    plan->has_quick_pairs = has_quick_pairs(plan, level);
    plan->results_are_sums = results_are_sums(plan);
    plan->left_is_pairs = left_is_pairs(plan);
    plan->left_is_widened = left_is_widened(plan);
    choose_rows(plan);
    plan->cost_ns = product_ns(plan);
    /* A single row waits for its right operand, which comes at about 32 bytes a nanosecond. To unpack a weight
     * of 8 or 4 bits, for which right.bytes is 0, takes as long as 2 bytes do. */
    const uint64_t bytes = plan->right.bytes > 0 ? plan->right.bytes : 2;
    const uint64_t waits = plan->columns * plan->depth * bytes * batch_count(plan) / 32;
    if (plan->rows == 1 && plan->cost_ns < waits)
        plan->cost_ns = waits;
    choose_tiles(plan, (uint32_t)least(threads, 1 + plan->cost_ns / COST_OF_PRODUCTS_THREAD_NS));
    choose_memory(plan);
}
