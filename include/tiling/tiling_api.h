/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What tiling functions include for the product. There is no tiling of the high-level Matmul.
 */
#ifndef TILING_TILING_API_H
#define TILING_TILING_API_H

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
