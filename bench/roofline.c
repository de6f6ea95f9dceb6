/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lays the copies over a workload: rows of contiguous bytes where there are any, tiles where an operand is
 * transposed, single elements where neighbours are apart.
 */
#include "roofline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"

/* A tile's side: 64 rows of 64 elements of 8 bytes are 32 KiB, the first cache of most processors. */
enum { TILE = 64 };

/* An operand as rows and columns of bytes. */
struct plane {
    unsigned char *first;
    int64_t row_stride, column_stride; /* elements */
};

struct roofline {
    const struct roofline_kernels *kernels;
    bool is_streaming;
    int64_t rows, columns, bytes; /* bytes of an element */
    int sources;
    int copies; /* that are written: 2 where the output's elements are twice as wide, 4, or 0 where it is none
                 */
    struct plane source[ROOFLINE_SOURCES], out;
    unsigned char repeated[64]; /* what is written where nothing is read */
    uint64_t read;              /* what there is to show for it where nothing is written */
};

#if defined(__x86_64__)
extern const struct roofline_kernels roofline_128, roofline_256, roofline_512;
static const struct roofline_kernels *candidate_kernels(int candidate)
{
    if (__builtin_cpu_supports("avx512f"))
        return candidate / 2 ? &roofline_512 : &roofline_256;
    return __builtin_cpu_supports("avx2") ? &roofline_256 : &roofline_128;
}

int roofline_candidates(void)
{
    return __builtin_cpu_supports("avx512f") ? 4 : 2;
}
#else
extern const struct roofline_kernels roofline_128;
static const struct roofline_kernels *candidate_kernels(int candidate)
{
    (void)candidate;
    return &roofline_128;
}

int roofline_candidates(void)
{
    return 1; /* the streaming stores of this architecture have no effect that a program could see */
}
#endif

const char *roofline_candidate_name(int candidate)
{
    return candidate_kernels(candidate)->name[candidate % 2];
}

void roofline_set_threads(int threads)
{
    crew_start(threads);
}

/*
 * Brings a tile of a source to a packed one of TILE columns. rows and columns are multiples of 32: the
 * layouts that need this are squares of a power of two.
 */
static void pack_tile(const struct roofline *roofline, const struct plane *plane, int64_t row, int64_t column,
                      int64_t rows, int64_t columns, unsigned char *packed)
{
    int64_t bytes = roofline->bytes;
    int width = bytes == 2 ? 0 : bytes == 4 ? 1 : 2;
    const unsigned char *first =
        plane->first + (row * plane->row_stride + column * plane->column_stride) * bytes;
    if (plane->row_stride == 1)
        roofline->kernels->transpose[width](first, plane->column_stride, packed, TILE, columns, rows);
    else
        for (int64_t i = 0; i < rows; i++)
            roofline->kernels->thin[width](first + i * plane->row_stride * bytes, packed + i * TILE * bytes,
                                           columns);
}

/* Takes a packed tile to the transposed output. */
static void unpack_tile(const struct roofline *roofline, int64_t row, int64_t column, int64_t rows,
                        int64_t columns, const unsigned char *packed)
{
    int64_t bytes = roofline->bytes;
    const struct plane *out = &roofline->out;
    unsigned char *first = out->first + (row * out->row_stride + column * out->column_stride) * bytes;
    roofline->kernels->transpose[bytes == 2   ? 0
                                 : bytes == 4 ? 1
                                              : 2](packed, TILE, first, out->column_stride, rows, columns);
}

static void run_tiles(const struct roofline *roofline, int64_t row_begin, int64_t row_end)
{
    _Alignas(64) unsigned char packed[ROOFLINE_SOURCES + 1][TILE * TILE * 8] __attribute__((uninitialized));
    int64_t bytes = roofline->bytes;
    for (int64_t row = row_begin; row < row_end; row += TILE)
        for (int64_t column = 0; column < roofline->columns; column += TILE) {
            int64_t rows = row_end - row < TILE ? row_end - row : TILE;
            int64_t columns = roofline->columns - column < TILE ? roofline->columns - column : TILE;
            for (int k = 0; k < roofline->sources; k++)
                if (roofline->source[k].column_stride != 1)
                    pack_tile(roofline, &roofline->source[k], row, column, rows, columns, packed[k]);
            bool is_out_packed = roofline->out.column_stride != 1;
            for (int64_t i = 0; i < rows; i++) {
                const unsigned char *source[ROOFLINE_SOURCES] = {roofline->repeated};
                for (int k = 0; k < roofline->sources; k++) {
                    const struct plane *plane = &roofline->source[k];
                    source[k] = plane->column_stride != 1
                                    ? packed[k] + i * TILE * bytes
                                    : plane->first + ((row + i) * plane->row_stride + column) * bytes;
                }
                unsigned char *out =
                    is_out_packed
                        ? packed[ROOFLINE_SOURCES] + i * TILE * bytes
                        : roofline->out.first + ((row + i) * roofline->out.row_stride + column) * bytes;
                roofline->kernels->copy[roofline->sources][0](source, out, (size_t)(columns * bytes));
            }
            if (is_out_packed)
                unpack_tile(roofline, row, column, rows, columns, packed[ROOFLINE_SOURCES]);
        }
}

static void run_rows(struct roofline *roofline, int64_t row_begin, int64_t row_end, int64_t column_begin,
                     int64_t column_end)
{
    const struct roofline_kernels *kernels = roofline->kernels;
    int64_t bytes = roofline->bytes;
    roofline_copy *copy = roofline->copies == 1 ? kernels->copy[roofline->sources][roofline->is_streaming]
                          : roofline->copies ? kernels->spread[roofline->copies / 4][roofline->is_streaming]
                                             : kernels->read[roofline->sources];
    uint64_t word;
    for (int64_t row = row_begin; row < row_end; row++) {
        const unsigned char *source[ROOFLINE_SOURCES] = {roofline->repeated};
        for (int k = 0; k < roofline->sources; k++)
            source[k] =
                roofline->source[k].first + (row * roofline->source[k].row_stride + column_begin) * bytes;
        unsigned char *out =
            roofline->out.first + (row * roofline->out.row_stride + column_begin * roofline->copies) * bytes;
        copy(source, roofline->copies ? out : (unsigned char *)&word,
             (size_t)((column_end - column_begin) * bytes));
        if (roofline->copies == 0)
            __atomic_fetch_xor(&roofline->read, word, __ATOMIC_RELAXED);
    }
}

/* The beginning of a part in steps of 64 elements, so that no two threads write to one line. */
static int64_t part_begin(int64_t count, int part, int parts)
{
    return part == parts ? count : count / parts * part / 64 * 64;
}

static void run_part(void *context, int part, int parts)
{
    struct roofline *roofline = context;
    bool is_tiled = roofline->out.column_stride != 1;
    for (int k = 0; k < roofline->sources; k++)
        is_tiled = is_tiled || roofline->source[k].column_stride != 1;
    if (is_tiled)
        run_tiles(roofline, part_begin(roofline->rows, part, parts),
                  part_begin(roofline->rows, part + 1, parts));
    else if (roofline->rows == 1)
        run_rows(roofline, 0, 1, part_begin(roofline->columns, part, parts),
                 part_begin(roofline->columns, part + 1, parts));
    else
        run_rows(roofline, part_begin(roofline->rows, part, parts),
                 part_begin(roofline->rows, part + 1, parts), 0, roofline->columns);
}

/* The layouts of three axes are contiguous in the end, which is how the roofline takes them. */
static bool is_flat(const struct view *view)
{
    return view->rank != 2;
}

static struct plane plane_of(const struct workload *workload, enum operand operand)
{
    const struct view *view = &workload->view[operand];
    struct plane plane = {.column_stride = 1};
    plane.first =
        (unsigned char *)workload->memory[operand] + view->offset * workload_element_bytes(workload, operand);
    if (is_flat(view))
        return plane;
    plane.column_stride = view->stride[view->rank - 1];
    plane.row_stride = view->stride[view->rank - 2];
    return plane;
}

struct roofline *roofline_prepare(const struct workload *workload, int candidate)
{
    struct roofline *roofline = calloc(1, sizeof *roofline);
    if (!roofline)
        return NULL;
    roofline->kernels = candidate_kernels(candidate);
    roofline->is_streaming = candidate % 2 != 0;
    int64_t in_bytes = workload_dtype_bytes(workload->dtype),
            out_bytes = workload_dtype_bytes(workload->out_dtype);
    roofline->bytes = in_bytes < out_bytes ? in_bytes : out_bytes;
    roofline->copies = workload->is_reduced ? 0 : (int)(out_bytes / roofline->bytes);
    const struct view *shape = &workload->view[OUT];
    roofline->columns = is_flat(shape) ? workload->count : shape->shape[1];
    roofline->rows = workload->count / roofline->columns;
    roofline->out = plane_of(workload, OUT);
    for (enum operand operand = FIRST; operand < OUT; operand++) {
        if (!workload_has_operand(workload, operand))
            continue;
        bool is_in_place = operand == FIRST && workload->subject->is_in_place;
        struct plane plane = plane_of(workload, is_in_place ? OUT : operand);
        /* Repeated elements cost no traffic: a scalar or a column is not read, a row stays in the cache. */
        if (plane.column_stride != 0)
            roofline->source[roofline->sources++] = plane;
    }
    /* Some processors write zeros twice as fast as anything else: what is there is what the operator wrote.
     */
    if (roofline->sources == 0)
        memcpy(roofline->repeated, roofline->out.first, sizeof roofline->repeated);
    /* Elements that are twice as wide as the output's are read as two sources, each of half of them; or four.
     */
    for (int64_t k = 1; k < in_bytes / roofline->bytes && roofline->sources < ROOFLINE_SOURCES; k++) {
        roofline->source[roofline->sources] = roofline->source[0];
        roofline->source[roofline->sources++].first += k * workload->count * roofline->bytes;
    }
    return roofline;
}

uint64_t roofline_read(const struct roofline *roofline)
{
    return roofline->read;
}

void roofline_run(void *roofline, uint64_t repetitions)
{
    crew_run(run_part, roofline, repetitions);
}

void roofline_release(struct roofline *roofline)
{
    free(roofline);
}
