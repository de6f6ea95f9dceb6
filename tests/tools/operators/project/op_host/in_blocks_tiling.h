/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* How many elements are stored, and whether there is a weight. */
#ifndef IN_BLOCKS_TILING_H
#define IN_BLOCKS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(InBlocksTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, hasWeight);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InBlocks, InBlocksTilingData)
} // namespace optiling

#endif
