/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is declared so that programs link, but not offered.
 */
#include "aclnn/acl_meta.h"
#include "base/error.h"
#include "tensor/lifetime.h"

aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors,
                             size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream)
{
    (void)opType, (void)opName, (void)tensors, (void)inputTensorNum, (void)outputTensorNum, (void)stream;
    TRY(lifetime_check());
    return fail(ACLNN_ERR_INNER, "aclDumpOpTensors is not supported by this library");
}
