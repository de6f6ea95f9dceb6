/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* A plain struct, of both sides. */
#ifndef MISTAKES_TILING_H
#define MISTAKES_TILING_H

#include <cstdint>

struct MistakesTilingData {
    uint32_t count;
    uint32_t reserved;
};

#endif
