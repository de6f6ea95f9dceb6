/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops of scan/extremes.c for one dtype. That file includes this one for each, having defined word, a
 * signed integer as large as an element, element_bits, the same as a type by which elements may be read,
 * KEY(bits, flip), which makes a key of an element, and NAME(function), the name of a function for the dtype.
 */

/* The greatest keys of some lines side by side, which are STRIP where width is a constant, and their rows, -1
 * where those are as before. */
static inline __attribute__((always_inline)) void NAME(extreme_strip)(const element_bits *input, int64_t step,
                                                                      word flip, size_t count, size_t width,
                                                                      word *greatest, word *row)
{
    word best[STRIP] __attribute__((uninitialized)), place[STRIP] __attribute__((uninitialized));
    for (size_t k = 0; k < width; k++) {
        best[k] = greatest[k];
        place[k] = -1;
    }
    for (size_t i = 0; i < count; i++, input += step)
        for (size_t k = 0; k < width; k++) {
            const word own = KEY(input[k], flip);
            place[k] = own > best[k] ? (word)i : place[k];
            best[k] = own > best[k] ? own : best[k];
        }
    for (size_t k = 0; k < width; k++) {
        greatest[k] = best[k];
        row[k] = place[k];
    }
}

static void NAME(extreme_whole_strip)(const element_bits *input, int64_t step, word flip, size_t count,
                                      word *greatest, word *row)
{
    NAME(extreme_strip)(input, step, flip, count, STRIP, greatest, row);
}

static void NAME(extreme_line)(const struct scan_piece *piece)
{
    const element_bits *input = (const element_bits *)piece->input;
    const word flip = -(word)piece->is_least;
    word best = piece->begins ? KEY(input[0], flip) : (word)piece->state[0], greatest[STRIP], row[STRIP];
    int64_t place = piece->begins ? piece->first : piece->state[SCAN_WIDTH];
    for (size_t i = 0; i < piece->length; i += (size_t)ROWS * STRIP) {
        const size_t left = (piece->length - i) / STRIP, rows = left < ROWS ? left : ROWS;
        const word before = best;
        int64_t in_block = INT64_MAX;
        for (size_t k = 0; k < STRIP; k++)
            greatest[k] = before;
        NAME(extreme_whole_strip)(input + i, STRIP, flip, rows, greatest, row);
        for (size_t k = 0; k < STRIP; k++) {
            const int64_t own = (int64_t)row[k] * STRIP + (int64_t)k;
            if (row[k] >= 0 && (greatest[k] > best || (greatest[k] == best && own < in_block))) {
                best = greatest[k];
                in_block = own;
            }
        }
        if (in_block != INT64_MAX)
            place = piece->first + (int64_t)i + in_block;
        for (size_t k = rows * STRIP; k < piece->length - i && rows < ROWS; k++)
            if (KEY(input[i + k], flip) > best) {
                best = KEY(input[i + k], flip);
                place = piece->first + (int64_t)(i + k);
            }
    }
    piece->state[0] = best;
    piece->state[SCAN_WIDTH] = place;
}

static void NAME(extreme)(const struct scan_piece *piece)
{
    const element_bits *input = (const element_bits *)piece->input;
    const word flip = -(word)piece->is_least;
    word greatest[STRIP], row[STRIP];
    if (piece->width == 1 && piece->step == 1) {
        NAME(extreme_line)(piece);
        return;
    }
    for (size_t k = 0; k < piece->width && piece->begins; k++) {
        piece->state[k] = KEY(input[k], flip);
        piece->state[SCAN_WIDTH + k] = piece->first;
    }
    for (size_t i = 0; i < piece->length; i += ROWS, input += ROWS * piece->step) {
        const size_t count = piece->length - i < ROWS ? piece->length - i : ROWS;
        for (size_t k = 0; k < piece->width; k += STRIP) {
            const size_t width = piece->width - k < STRIP ? piece->width - k : STRIP;
            int64_t *state = piece->state + k;
            for (size_t n = 0; n < width; n++)
                greatest[n] = (word)state[n];
            if (width == STRIP)
                NAME(extreme_whole_strip)(input + k, piece->step, flip, count, greatest, row);
            else
                NAME(extreme_strip)(input + k, piece->step, flip, count, width, greatest, row);
            for (size_t n = 0; n < width; n++) {
                state[n] = greatest[n];
                if (row[n] >= 0)
                    state[SCAN_WIDTH + n] = piece->first + (int64_t)i + row[n];
            }
        }
    }
}

/* The rows of the greatest keys up to each, of some lines side by side, STRIP where that is a constant. */
static inline __attribute__((always_inline)) void NAME(running_strip)(const struct scan_piece *piece,
                                                                      size_t line, size_t width)
{
    const element_bits *input = (const element_bits *)piece->input + line;
    int32_t *output = (int32_t *)piece->output + line, made[STRIP] __attribute__((uninitialized));
    const word flip = -(word)piece->is_least;
    word best[STRIP] __attribute__((uninitialized)), row[STRIP] __attribute__((uninitialized));
    for (size_t k = 0; k < width; k++) {
        best[k] = piece->begins ? KEY(input[k], flip) : (word)piece->state[line + k];
        row[k] = -1;
    }
    for (size_t i = 0; i < piece->length; i++) {
        for (size_t k = 0; k < width; k++) {
            const word own = KEY(input[k], flip);
            row[k] = own >= best[k] ? (word)i : row[k];
            best[k] = own >= best[k] ? own : best[k];
            made[k] = (int32_t)row[k];
        }
        memcpy(output, made, width * sizeof *made);
        input += piece->step;
        output += piece->output_step;
    }
    for (size_t k = 0; k < width; k++)
        piece->state[line + k] = best[k];
}

static void NAME(running_line)(const struct scan_piece *piece, size_t line)
{
    const element_bits *input = (const element_bits *)piece->input + line;
    int32_t *output = (int32_t *)piece->output + line, row = -1;
    const word flip = -(word)piece->is_least;
    word best = piece->begins ? KEY(*input, flip) : (word)piece->state[line];
    const int64_t step = piece->step, output_step = piece->output_step;
    for (size_t i = 0, count; i < piece->length; i += count) {
        word most = INT8_MIN * ((word)1 << (8 * sizeof(word) - 8)), key[STRIP];
        count = piece->length - i < STRIP ? piece->length - i : STRIP;
        if (step == 1 && output_step == 1 && count == STRIP) {
            for (size_t k = 0; k < STRIP; k++) {
                key[k] = KEY(input[i + k], flip);
                most = key[k] > most ? key[k] : most;
            }
            const bool has_new = most >= best; /* most strips have none */
            for (size_t k = 0; k < STRIP && !has_new; k++)
                output[i + k] = row;
            for (size_t part = 0; part < STRIP && has_new; part += PART) {
                word most_of_part = key[part];
                for (size_t k = part + 1; k < part + PART; k++)
                    most_of_part = key[k] > most_of_part ? key[k] : most_of_part;
                const bool part_has_new = most_of_part >= best; /* and most parts of those that do */
                for (size_t k = part; k < part + PART && !part_has_new; k++)
                    output[i + k] = row;
                for (size_t k = part; k < part + PART && part_has_new; k++) {
                    row = key[k] >= best ? (int32_t)(i + k) : row;
                    best = key[k] >= best ? key[k] : best;
                    output[i + k] = row;
                }
            }
            continue;
        }
        for (size_t k = i; k < i + count; k++) {
            const word own = KEY(input[(int64_t)k * step], flip);
            row = own >= best ? (int32_t)k : row;
            best = own >= best ? own : best;
            output[(int64_t)k * output_step] = row;
        }
    }
    piece->state[line] = best;
}

static void NAME(running)(const struct scan_piece *piece)
{
    size_t line = 0;
    for (; line + STRIP <= piece->width; line += STRIP)
        NAME(running_strip)(piece, line, STRIP);
    for (; line < piece->width; line++)
        NAME(running_line)(piece, line);
}

#undef word
#undef element_bits
#undef KEY
#undef NAME
