/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of vllm-ascend's library of kernels that Belay stands in for, by their names in C++: rows times
 * the matrix of each row's adapter, down to the rank and up again; and what is wrong with a call fails in the
 * stream.
 */
#include <csetjmp>
#include <cstdarg>
#include <cstring>
extern "C" {
#include <cmocka.h>
}

#include "atb/atb.h"

namespace vllm_ascend
{
enum struct AscendType { FP16 = 0, BF16 = 1 };

void bgmv_shrink_impl(AscendType type, void *stream, void *x, void *weight, void *indices,
                      uint32_t indicesSize, void *y, uint32_t batch, uint32_t perCore, uint32_t hidden,
                      uint32_t rank, float scale);
void bgmv_expand_impl(AscendType type, void *stream, void *x, void *weight, void *indices,
                      uint32_t indicesSize, void *y, void *out, uint32_t batch, uint32_t perCore,
                      uint32_t rank, uint32_t outHidden, uint32_t offset, uint32_t whole);
void sgmv_shrink_impl(AscendType type, void *stream, void *x, void *weight, void *indices,
                      uint32_t indicesSize, void *seqLen, uint32_t seqLenSize, void *y, uint32_t batch,
                      uint32_t perCore, uint32_t hidden, uint32_t rank, float scale);
void sgmv_expand_impl(AscendType type, void *stream, void *x, void *weight, void *indices,
                      uint32_t indicesSize, void *seqLen, uint32_t seqLenSize, void *y, void *out,
                      uint32_t batch, uint32_t perCore, uint32_t rank, uint32_t outHidden, uint32_t offset,
                      uint32_t whole);
} // namespace vllm_ascend

namespace
{
using vllm_ascend::AscendType;
enum { ROWS = 4, HIDDEN = 3, RANK = 2, ADAPTERS = 2, WHOLE = 5, OFFSET = 1 };

aclrtStream stream;

/* Whole numbers are exact in either dtype. */
uint16_t bits(AscendType type, int number)
{
    const float wide = static_cast<float>(number);
    uint32_t word;
    memcpy(&word, &wide, sizeof word);
    return type == AscendType::BF16 ? static_cast<uint16_t>(word >> 16) : aclFloatToFloat16(wide);
}

int begin(void **)
{
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
}

int end(void **)
{
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int down(int adapter, int rank, int hidden)
{
    return 1 + adapter * 7 + rank * 3 - hidden * 2;
}

int up(int adapter, int hidden, int rank)
{
    return hidden - adapter * 2 + rank * 4;
}

int row_of(int row, int hidden)
{
    return row * 2 + hidden - 3;
}

/* Through both, by an index for each row or for sequences of them, for which there are none or some. */
void adapters_multiply(void **)
{
    for (AscendType type : {AscendType::FP16, AscendType::BF16}) {
        for (int by_sequences = 0; by_sequences < 2; by_sequences++) {
            const int64_t per_row[ROWS] = {1, -1, 0, 1}, per_sequence[3] = {1, -1, 0}, lengths[3] = {1, 1, 2};
            const int64_t of_row[2][ROWS] = {{1, -1, 0, 1}, {1, -1, 0, 0}};
            uint16_t x[ROWS * HIDDEN], a[ADAPTERS * RANK * HIDDEN], b[ADAPTERS * HIDDEN * RANK],
                y[ROWS * WHOLE];
            float middle[ROWS * RANK], got_middle[ROWS * RANK];
            for (int i = 0; i < ROWS * HIDDEN; i++)
                x[i] = bits(type, row_of(i / HIDDEN, i % HIDDEN));
            for (int i = 0; i < ADAPTERS * RANK * HIDDEN; i++) {
                a[i] = bits(type, down(i / (RANK * HIDDEN), i / HIDDEN % RANK, i % HIDDEN));
                b[i] = bits(type, up(i / (RANK * HIDDEN), i / RANK % HIDDEN, i % RANK));
            }
            for (int i = 0; i < ROWS * RANK; i++)
                middle[i] = -77;
            for (int i = 0; i < ROWS * WHOLE; i++)
                y[i] = bits(type, i);
            OnDevice<uint16_t> on_x(x, ROWS * HIDDEN), on_a(a, ADAPTERS * RANK * HIDDEN),
                on_b(b, ADAPTERS * HIDDEN * RANK), on_y(y, ROWS * WHOLE);
            OnDevice<float> on_middle(middle, ROWS * RANK);
            OnDevice<int64_t> row_index(per_row, ROWS), sequence_index(per_sequence, 3), length(lengths, 3);
            if (by_sequences != 0) {
                vllm_ascend::sgmv_shrink_impl(type, stream, on_x.memory, on_a.memory, sequence_index.memory,
                                              3, length.memory, 3, on_middle.memory, ROWS, 1, HIDDEN, RANK,
                                              2.0F);
                vllm_ascend::sgmv_expand_impl(type, stream, on_middle.memory, on_b.memory,
                                              sequence_index.memory, 3, length.memory, 3, on_y.memory,
                                              on_y.memory, ROWS, 1, RANK, HIDDEN, OFFSET, WHOLE);
            } else {
                vllm_ascend::bgmv_shrink_impl(type, stream, on_x.memory, on_a.memory, row_index.memory, ROWS,
                                              on_middle.memory, ROWS, 1, HIDDEN, RANK, 2.0F);
                vllm_ascend::bgmv_expand_impl(type, stream, on_middle.memory, on_b.memory, row_index.memory,
                                              ROWS, on_y.memory, on_y.memory, ROWS, 1, RANK, HIDDEN, OFFSET,
                                              WHOLE);
            }
            assert_int_equal(aclrtSynchronizeStream(stream), 0);
            on_middle.read(got_middle);
            on_y.read(y);
            for (int row = 0; row < ROWS; row++) {
                const int adapter = static_cast<int>(of_row[by_sequences][row]);
                int wanted[RANK];
                for (int r = 0; r < RANK; r++) {
                    wanted[r] = adapter < 0 ? -77 : 0;
                    for (int h = 0; h < HIDDEN && adapter >= 0; h++)
                        wanted[r] += 2 * row_of(row, h) * down(adapter, r, h);
                    assert_true(got_middle[row * RANK + r] == static_cast<float>(wanted[r]));
                }
                for (int i = 0; i < WHOLE; i++) {
                    int sum = row * WHOLE + i;
                    const int h = i - OFFSET;
                    for (int r = 0; r < RANK && adapter >= 0 && h >= 0 && h < HIDDEN; r++)
                        sum += wanted[r] * up(adapter, h, r);
                    /* Sums of up to 256 are exact in BFLOAT16; larger ones are rounded, once. */
                    const float wide = static_cast<float>(sum);
                    uint32_t word;
                    memcpy(&word, &wide, sizeof word);
                    const uint16_t rounded = static_cast<uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
                    assert_int_equal(y[row * WHOLE + i],
                                     type == AscendType::BF16 ? rounded : aclFloatToFloat16(wide));
                }
            }
        }
    }
}

void what_is_wrong_fails_in_the_stream(void **)
{
    const int64_t beyond[1] = {1 << 20}, lengths[1] = {9};
    uint16_t numbers[64] = {0};
    float middle[64] = {0};
    OnDevice<uint16_t> memory(numbers, 64);
    OnDevice<float> on_middle(middle, 64);
    OnDevice<int64_t> index(beyond, 1), length(lengths, 1);
    vllm_ascend::bgmv_shrink_impl(AscendType::FP16, stream, memory.memory, memory.memory, index.memory, 1,
                                  on_middle.memory, 1, 1, HIDDEN, RANK, 1.0F);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "bgmv_shrink: index 0 is 1048576 for 1 rows"));
    vllm_ascend::sgmv_expand_impl(AscendType::FP16, stream, on_middle.memory, memory.memory, index.memory, 1,
                                  length.memory, 1, memory.memory, memory.memory, 1, 1, RANK, HIDDEN, 0,
                                  HIDDEN);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    vllm_ascend::bgmv_shrink_impl(AscendType::FP16, stream, nullptr, memory.memory, index.memory, 1,
                                  on_middle.memory, 1, 1, HIDDEN, RANK, 1.0F);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "bgmv_shrink: x"));
}
} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adapters_multiply),
        cmocka_unit_test(what_is_wrong_fails_in_the_stream),
    };
    return cmocka_run_group_tests_name("atb/lora", tests, begin, end);
}
