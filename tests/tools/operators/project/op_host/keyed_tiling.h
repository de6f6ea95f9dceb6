/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* How many elements there are. */
#ifndef KEYED_TILING_H
#define KEYED_TILING_H

#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(KeyedTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Keyed, KeyedTilingData)
} // namespace optiling

#endif
