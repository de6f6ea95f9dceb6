/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef PARTS_TILING_H
#define PARTS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(PartsWords)
TILING_DATA_FIELD_DEF(bool, negate);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_ARR(float, 8, told);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PartsWordsOp, PartsWords)

BEGIN_TILING_DATA_DEF(PartsTilingData)
TILING_DATA_FIELD_DEF(uint8_t, chosenCount);
TILING_DATA_FIELD_DEF_ARR(int32_t, 8, chosen);
TILING_DATA_FIELD_DEF_STRUCT(PartsWords, words);
TILING_DATA_FIELD_DEF(uint16_t, hasBias);
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Parts, PartsTilingData)
} // namespace optiling

#endif
