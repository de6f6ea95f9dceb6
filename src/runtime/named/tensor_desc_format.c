/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensor descriptions in another format: the same axes in another order.
 */
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "runtime/named/tensor_desc.h"

/* The axes of a format, in order, by their letters; NULL for a format whose elements are not laid out so. */
static const char *axes_of(aclFormat format)
{
    switch (format) {
    case ACL_FORMAT_NCHW:
        return "NCHW";
    case ACL_FORMAT_NHWC:
        return "NHWC";
    case ACL_FORMAT_HWCN:
        return "HWCN";
    case ACL_FORMAT_NCDHW:
        return "NCDHW";
    case ACL_FORMAT_NDHWC:
        return "NDHWC";
    default:
        return NULL;
    }
}

/* Dimensions in the order of another format; false when one of the formats has axes that the other has not.
 */
static bool reorder(const struct tensor_desc_view *from, aclFormat to_format, int64_t *dims)
{
    const char *from_axes = axes_of(from->format), *to_axes = axes_of(to_format);
    memcpy(dims, from->dims, sizeof from->dims);
    if (from->format == to_format)
        return true;
    if (from_axes == NULL || to_axes == NULL || strlen(from_axes) != strlen(to_axes) ||
        (size_t)from->rank != strlen(from_axes))
        return false;
    for (size_t i = 0; to_axes[i] != '\0'; i++)
        dims[i] = from->dims[strchr(from_axes, to_axes[i]) - from_axes];
    return true;
}

aclError aclTransTensorDescFormat(const aclTensorDesc *srcDesc, aclFormat dstFormat, aclTensorDesc **dstDesc)
{
    const struct settings *settings;
    struct tensor_desc_view from;
    int64_t dims[TENSOR_DESC_RANK_MAX];
    TRY(settings_get(&settings));
    TRY(check_result("aclTransTensorDescFormat", "dstDesc", dstDesc));
    TRY(tensor_desc_declared("aclTransTensorDescFormat", srcDesc, &from));
    if (!reorder(&from, dstFormat, dims))
        return fail(ACL_ERROR_FORMAT_NOT_MATCH,
                    "aclTransTensorDescFormat: dstFormat is %d, which cannot be made of format %d and rank "
                    "%d; the same "
                    "axes in another order are expected (NCHW, NHWC, HWCN, or NCDHW, NDHWC)",
                    (int)dstFormat, (int)from.format, from.rank);
    aclTensorDesc *made = aclCreateTensorDesc(from.dtype, from.rank, dims, dstFormat);
    if (made == NULL)
        return ACL_ERROR_BAD_ALLOC; /* all arguments are good, and the sentence is recorded */
    *dstDesc = made;
    return ACL_SUCCESS;
}
