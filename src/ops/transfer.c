/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of each instruction-set level that bring elements to tiles and back.
 */
#include "ops/transfer.h"

#include <string.h>

#include "tensor/dtype.h"

static const struct transfer transfers[ISA_LEVELS] = {
    [ISA_BASELINE] = {convert_baseline, gather_baseline, scatter_baseline},
#ifdef BELAY_LEVELS_ABOVE_BASELINE
    [ISA_AVX2] = {convert_avx2, gather_avx2, scatter_avx2},
    [ISA_AVX512] = {AVX512_NAME(convert), AVX512_NAME(gather), AVX512_NAME(scatter)},
    [ISA_AVX512_BF16] = {AVX512_NAME(convert), AVX512_NAME(gather), AVX512_NAME(scatter)},
#endif
};

const struct transfer *transfer_of(enum isa_level level)
{
    return &transfers[level];
}

void transfer_convert(const struct transfer *transfer, const void *from, aclDataType from_dtype, void *to,
                      aclDataType to_dtype, uint64_t count)
{
    const uint32_t from_bytes = dtype_bytes(from_dtype), to_bytes = dtype_bytes(to_dtype);
    if (from_dtype == to_dtype && count > 0) /* an empty tensor may have no address */
        memcpy(to, from, (size_t)count * to_bytes);
    if (from_dtype == to_dtype)
        return;
    for (uint64_t done = 0, some; done < count; done += some) {
        some = count - done < CONVERT_MAX ? count - done : CONVERT_MAX;
        transfer->convert((const unsigned char *)from + done * from_bytes, from_dtype,
                          (unsigned char *)to + done * to_bytes, to_dtype, (size_t)some);
    }
}
