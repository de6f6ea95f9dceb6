/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* What the kernel is told: how many elements each block has, and how many go on the chip at a time. */
#ifndef SCALE_ADD_TILING_H
#define SCALE_ADD_TILING_H

#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(ScaleAddTilingData)
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(uint64_t, perBlock);
TILING_DATA_FIELD_DEF(uint32_t, perTile);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleAdd, ScaleAddTilingData)
} // namespace optiling

#endif
