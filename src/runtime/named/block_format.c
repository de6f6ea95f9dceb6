/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The names of formats in blocks.
 */
#include "runtime/named/block_format.h"

#include <stddef.h>

const char *block_format_name(aclFormat format)
{
    switch (format) {
    case ACL_FORMAT_NC1HWC0:
        return "NC1HWC0";
    case ACL_FORMAT_FRACTAL_Z:
        return "FRACTAL_Z";
    case ACL_FORMAT_NC1HWC0_C04:
        return "NC1HWC0_C04";
    case ACL_FORMAT_FRACTAL_NZ:
        return "FRACTAL_NZ";
    case ACL_FORMAT_NDC1HWC0:
        return "NDC1HWC0";
    case ACL_FRACTAL_Z_3D:
        return "FRACTAL_Z_3D";
    case ACL_FORMAT_FRACTAL_NZ_C0_16:
        return "FRACTAL_NZ_C0_16";
    case ACL_FORMAT_FRACTAL_NZ_C0_32:
        return "FRACTAL_NZ_C0_32";
    case ACL_FORMAT_FRACTAL_NZ_C0_2:
        return "FRACTAL_NZ_C0_2";
    case ACL_FORMAT_FRACTAL_NZ_C0_4:
        return "FRACTAL_NZ_C0_4";
    case ACL_FORMAT_FRACTAL_NZ_C0_8:
        return "FRACTAL_NZ_C0_8";
    default:
        return NULL;
    }
}
