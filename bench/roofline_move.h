/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Transposing and thinning out for elements of one width, as fast as vectors allow: what a memcpy of such a
 * layout would be. Included once per width with ELEMENT, LANES, and names for what it defines: BLOCK_TYPE,
 * TRANSPOSE, THIN.
 */

typedef ELEMENT BLOCK_TYPE __attribute__((vector_size(ROOFLINE_BYTES)));

/*
 * The transpose of rows x columns elements, both multiples of LANES. Interleaving vector i with vector
 * i + LANES / 2, for all i, log2(LANES) times, transposes a block of LANES vectors.
 */
static void TRANSPOSE(const unsigned char *from, int64_t from_stride, unsigned char *to, int64_t to_stride,
                      int64_t rows, int64_t columns)
{
    const int64_t bytes = sizeof(ELEMENT);
    for (int64_t row = 0; row < rows; row += LANES)
        for (int64_t column = 0; column < columns; column += LANES) {
            BLOCK_TYPE block[LANES], next[LANES];
            for (int i = 0; i < LANES; i++)
                memcpy(&block[i], from + ((row + i) * from_stride + column) * bytes, sizeof block[i]);
            for (int step = 1; step < LANES; step *= 2) {
                for (int i = 0; i < LANES / 2; i++) {
                    next[2 * i] = __builtin_shufflevector(block[i], block[i + LANES / 2], ZIP_LOW(LANES));
                    next[2 * i + 1] =
                        __builtin_shufflevector(block[i], block[i + LANES / 2], ZIP_HIGH(LANES));
                }
                for (int i = 0; i < LANES; i++)
                    block[i] = next[i];
            }
            for (int i = 0; i < LANES; i++)
                memcpy(to + ((column + i) * to_stride + row) * bytes, &block[i], sizeof block[i]);
        }
}

/* Every other element of 2 * count, count being a multiple of LANES; the last element read is 2 * count - 2.
 */
static void THIN(const unsigned char *from, unsigned char *to, int64_t count)
{
    for (int64_t at = 0; at < count; at += LANES) {
        BLOCK_TYPE low, high, even;
        const unsigned char *pair = from + 2 * at * (int64_t)sizeof(ELEMENT);
        memcpy(&low, pair, sizeof low);
        /* One element earlier: there may be nothing behind the last one. */
        memcpy(&high, pair + sizeof low - sizeof(ELEMENT), sizeof high);
        even = __builtin_shufflevector(low, high, EVEN(LANES));
        memcpy(to + at * (int64_t)sizeof(ELEMENT), &even, sizeof even);
    }
}

#undef ELEMENT
#undef LANES
#undef BLOCK_TYPE
#undef TRANSPOSE
#undef THIN
