/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "ops/loops/scan_follow.h"

#ifdef KERNEL_PASS /* there is nothing else */

#include "ops/element_bytes.h"

/* The elements and places of the rows that a scan names in a piece, or those that were kept, which are
 * replaced. */
static inline __attribute__((always_inline)) void follow(const void *work, size_t element_bytes)
{
    const struct followed *followed = (const struct followed *)work;
    const struct scan_piece *piece = followed->piece;
    const unsigned char *element = followed->element;
    const int64_t step = followed->step, bytes = (int64_t)element_bytes;
    struct kept *kept = followed->kept;
    unsigned char *to = followed->to;
    int64_t *place = followed->place;
    const int64_t width = (int64_t)piece->width, length = (int64_t)piece->length;
    const int32_t *row = (const int32_t *)piece->output;
    int64_t i = 0, at = 0;
    for (; i < length && (width > 1 || row[i] < 0); i++)
        for (int64_t k = 0; k < width; k++, at++) {
            const bool is_old = row[at] < 0;
            place[at] = is_old ? kept->place[k] : piece->first + row[at];
            memcpy(to + at * bytes,
                   is_old ? kept->element + k * bytes : element + (row[at] * step + k) * bytes,
                   (size_t)bytes);
        }
    enum { STEADY = 16 };
    while (i < length) { /* of one line: nothing more that was kept, and rows rise */
        const int64_t here = piece->first + row[i];
        unsigned char own[16];
        memcpy(own, element + row[i] * step * bytes, (size_t)bytes);
        const bool is_steady = length - i >= STEADY && row[i] == row[i + STEADY - 1];
        for (int64_t k = 0; is_steady && k < STEADY; k++)
            place[i + k] = here;
        for (int64_t k = 0; is_steady && k < STEADY; k++)
            memcpy(to + (i + k) * bytes, own, (size_t)bytes);
        place[i] = here;
        memcpy(to + i * bytes, own, (size_t)bytes);
        i += is_steady ? STEADY : 1;
    }
    memcpy(kept->place, place + (length - 1) * width, piece->width * sizeof *place);
    memcpy(kept->element, to + (length - 1) * width * bytes, (size_t)(width * bytes));
}

/* What follow does, line by line, an element being taken from where its line lies. Where values lie in self's
 * place it is still there: an element that is named is the value at its own place. */
static inline __attribute__((always_inline)) void follow_lines(const void *work, size_t bytes)
{
    const struct followed_lines *followed = (const struct followed_lines *)work;
    const struct scan_piece *piece = followed->piece;
    const int32_t *row = (const int32_t *)piece->output;
    for (size_t k = 0; k < piece->width; k++) {
        const int64_t line = (int64_t)k;
        const unsigned char *self = followed->self + line * followed->self_stride * (int64_t)bytes;
        unsigned char *to =
            followed->values + (line * followed->values_stride + piece->first) * (int64_t)bytes;
        int64_t *place = followed->indices + line * followed->indices_stride + piece->first;
        int64_t last = followed->kept->place[k];
        for (size_t i = 0; i < piece->length; i++) {
            const int32_t own = row[i * piece->width + k];
            last = own < 0 ? last : piece->first + own;
            place[i] = last;
            memcpy(to + i * bytes, self + last * (int64_t)bytes, bytes);
        }
        followed->kept->place[k] = last;
    }
}

static void follow_piece(const struct followed *followed, uint64_t bytes)
{
    by_element_bytes(follow, followed, bytes);
}

static void follow_all_lines(const struct followed_lines *followed, uint64_t bytes)
{
    by_element_bytes(follow_lines, followed, bytes);
}

extern const struct scan_follow AT_LEVEL(scan_follow);
const struct scan_follow AT_LEVEL(scan_follow) = {follow_piece, follow_all_lines};

#endif
