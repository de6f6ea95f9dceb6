/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The steps of cells in FLOAT, compiled once for each instruction-set level. sigma and tanh are within 1 unit
 * in the last place, products and sums of them rounded where written, fused ones once.
 */
#include "ops/recurrent/cell.h"

#ifdef KERNEL_PASS
#include "ops/contraction/element.h"
#include "simd/vector/level_table.h"
#include "simd/maths/logistic_reach.h"
#include "simd/maths/tanh_fp32.h"

static INLINE_IF_FUSED vector sigma(vector y, enum path path)
{
    struct unsettled unsettled = all_settled(ARITHMETIC_FP32, path);
    return logistic_times(vector_of(1), y, vector_of(0), false, &unsettled);
}

static INLINE_IF_FUSED vector tangent(vector x, enum path path)
{
    struct unsettled unsettled = all_settled(ARITHMETIC_FP32, path);
    return vector_tanh(x, &unsettled);
}

/* Whether sigma and tanh of all these may go the quick way, which gives the same bits: sigma's ends first. */
static ALWAYS_INLINE bool are_near(const vector *value, int count)
{
    flags far = vector_above((vector_bits)vector_absolute(value[0]), LOGISTIC_SEGMENTS_QUICK);
    for (int i = 1; i < count; i++)
        far |= vector_above((vector_bits)vector_absolute(value[i]), LOGISTIC_SEGMENTS_QUICK);
    return !vector_any_flag(far);
}

/* A value as an element of this dtype has it. */
static ALWAYS_INLINE vector rounded(vector value, aclDataType dtype)
{
    value = vector_canonical(value);
    return dtype == ACL_FLOAT     ? value
           : dtype == ACL_FLOAT16 ? vector_from_fp16(halves_of_fp16(value))
                                  : vector_from_bf16(halves_of_bf16(value));
}

static ALWAYS_INLINE void write_at(const struct cell_elements *to, uint32_t i, const struct cell_row *row,
                                   vector value)
{
    const int64_t bytes = to->stride * (row->dtype == ACL_FLOAT ? 4 : 2);
    if (to->first == NULL)
        return;
    if (row->dtype == ACL_FLOAT && to->stride == 1 && row->hidden - i >= VECTOR_LANES)
        store_floats((float *)(void *)(to->first + i * bytes), vector_canonical(value));
    else
        write_elements(vector_canonical(value), to->first + i * bytes, row->dtype, to->stride,
                       row->hidden - i);
}

static ALWAYS_INLINE vector read_at(const struct cell_elements *from, uint32_t i, const struct cell_row *row)
{
    const int64_t bytes = from->stride * (row->dtype == ACL_FLOAT ? 4 : 2);
    return read_elements(from->first + i * bytes, row->dtype, from->stride, row->hidden - i);
}

/* The new h, wherever it goes. */
static ALWAYS_INLINE void write_h(const struct cell_row *row, uint32_t i, unsigned list, vector h)
{
    store_some_floats(row->h + i, h, row->hidden - i);
    if (row->next != NULL)
        store_some_floats(row->next + i, h, row->hidden - i);
    write_at(&row->list[list], i, row, h);
    write_at(&row->out, i, row, h);
}

static ALWAYS_INLINE void step_lstm_by(const struct cell_row *row, uint32_t k, const vector *gate,
                                       vector earlier, enum path path)
{
    const vector i = sigma(gate[0], path), f = sigma(gate[1], path), g = tangent(gate[2], path),
                 o = sigma(gate[3], path);
    const vector c = rounded(fused(f, earlier, i * g), row->dtype), t = tangent(c, path);
    store_some_floats(row->c + k, c, row->hidden - k);
    write_at(&row->list[LSTM_I], k, row, i);
    write_at(&row->list[LSTM_G], k, row, g);
    write_at(&row->list[LSTM_F], k, row, f);
    write_at(&row->list[LSTM_O], k, row, o);
    write_at(&row->list[LSTM_C], k, row, c);
    write_at(&row->list[LSTM_TANH_C], k, row, t);
    write_h(row, k, LSTM_H, rounded(o * t, row->dtype));
}

static void step_lstm(const struct cell_row *row)
{
    const size_t hidden = row->hidden;
    for (uint32_t k = 0; k < hidden; k += VECTOR_LANES) {
        const float *gate = row->gates + k;
        const vector gates[] = {load_floats(gate), load_floats(gate + hidden), load_floats(gate + 2 * hidden),
                                load_floats(gate + 3 * hidden)};
        const vector c = load_floats(row->c + k);
        /* The new c is no larger than the old one and 1. */
        if (are_near(gates, 4) && are_near((const vector[]){vector_absolute(c) + 1}, 1))
            step_lstm_by(row, k, gates, c, PATH_QUICK);
        else
            step_lstm_by(row, k, gates, c, PATH_ANY);
    }
}

static void step_gru(const struct cell_row *row)
{
    const uint32_t hidden = row->hidden;
    for (uint32_t k = 0; k < hidden; k += VECTOR_LANES) {
        const float *gate = row->gates + k, *other = row->of_state + k;
        const vector r = sigma(load_floats(gate) + load_floats(other), PATH_ANY),
                     z = sigma(load_floats(gate + hidden) + load_floats(other + hidden), PATH_ANY),
                     hn = load_floats(other + 2 * (size_t)hidden),
                     n = tangent(fused(r, hn, load_floats(gate + 2 * (size_t)hidden)), PATH_ANY);
        write_at(&row->list[GRU_R], k, row, r);
        write_at(&row->list[GRU_Z], k, row, z);
        write_at(&row->list[GRU_N], k, row, n);
        write_at(&row->list[GRU_HN], k, row, hn);
        write_h(row, k, GRU_H, rounded(fused(z, load_floats(row->h + k) - n, n), row->dtype));
    }
}

static ALWAYS_INLINE void write_gate(float *gates, const struct cell_row *row, unsigned part, uint32_t k,
                                     vector value)
{
    store_some_floats(gates + (size_t)part * row->hidden + k, value, row->hidden - k);
}

static ALWAYS_INLINE vector earlier_c(const struct cell_row *row, uint32_t k)
{
    return row->earlier_c.first != NULL ? read_at(&row->earlier_c, k, row) : vector_of(0);
}

/* dc += dh o (1 - tanh^2 c); what is before sigma and tanh gets dy y (1 - y) and dy (1 - y^2). */
static void step_lstm_backward(const struct cell_row *row)
{
    for (uint32_t k = 0; k < row->hidden; k += VECTOR_LANES) {
        const vector i = read_at(&row->list[LSTM_I], k, row), g = read_at(&row->list[LSTM_G], k, row),
                     f = read_at(&row->list[LSTM_F], k, row), o = read_at(&row->list[LSTM_O], k, row),
                     t = row->list[LSTM_TANH_C].first != NULL
                             ? read_at(&row->list[LSTM_TANH_C], k, row)
                             : tangent(read_at(&row->list[LSTM_C], k, row), PATH_ANY);
        const vector dh = load_floats(row->h + k) + load_floats(row->output_gradient + k);
        const vector dc = fused(dh * o, fused_from(t, t, vector_of(1)), load_floats(row->c + k));
        write_gate(row->gates, row, 0, k, dc * g * (i * (1 - i)));
        write_gate(row->gates, row, 1, k, dc * earlier_c(row, k) * (f * (1 - f)));
        write_gate(row->gates, row, 2, k, dc * i * fused_from(g, g, vector_of(1)));
        write_gate(row->gates, row, 3, k, dh * t * (o * (1 - o)));
        store_some_floats(row->c + k, dc * f, row->hidden - k);
        store_some_floats(row->h + k, vector_of(0), row->hidden - k);
    }
}

static void step_gru_backward(const struct cell_row *row)
{
    for (uint32_t k = 0; k < row->hidden; k += VECTOR_LANES) {
        const vector r = read_at(&row->list[GRU_R], k, row), z = read_at(&row->list[GRU_Z], k, row),
                     n = read_at(&row->list[GRU_N], k, row), hn = read_at(&row->list[GRU_HN], k, row);
        const vector dh = load_floats(row->h + k) + load_floats(row->output_gradient + k);
        const vector dn = dh * (1 - z) * fused_from(n, n, vector_of(1)), dr = dn * hn * (r * (1 - r)),
                     dz = dh * (load_floats(row->earlier_h + k) - n) * (z * (1 - z));
        write_gate(row->gates, row, 0, k, dr);
        write_gate(row->gates, row, 1, k, dz);
        write_gate(row->gates, row, 2, k, dn);
        write_gate(row->of_state, row, 0, k, dr);
        write_gate(row->of_state, row, 1, k, dz);
        write_gate(row->of_state, row, 2, k, dn * r);
        store_some_floats(row->h + k, dh * z, row->hidden - k);
    }
}

static void load_row(const unsigned char *from, aclDataType dtype, int64_t stride, uint64_t count, float *to)
{
    const int64_t bytes = stride * (dtype == ACL_FLOAT ? 4 : 2);
    for (uint64_t i = 0; i < count; i += VECTOR_LANES)
        store_some_floats(to + i,
                          read_elements(from + (int64_t)i * bytes, dtype, stride,
                                        count - i < VECTOR_LANES ? (uint32_t)(count - i) : VECTOR_LANES),
                          count - i < VECTOR_LANES ? (uint32_t)(count - i) : VECTOR_LANES);
}

static void store_row(const float *from, unsigned char *to, aclDataType dtype, int64_t stride, uint64_t count)
{
    const int64_t bytes = stride * (dtype == ACL_FLOAT ? 4 : 2);
    for (uint64_t i = 0; i < count; i += VECTOR_LANES)
        write_elements(vector_canonical(load_floats(from + i)), to + (int64_t)i * bytes, dtype, stride,
                       count - i < VECTOR_LANES ? (uint32_t)(count - i) : VECTOR_LANES);
}

extern const struct cell_kernels AT_LEVEL(cell_kernels);
const struct cell_kernels AT_LEVEL(cell_kernels) = {
    .load = load_row,
    .store = store_row,
    .lstm = step_lstm,
    .gru = step_gru,
    .lstm_backward = step_lstm_backward,
    .gru_backward = step_gru_backward,
};

#endif
