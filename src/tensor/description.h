/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All that a program said when it created a tensor.
 */
#ifndef BELAY_TENSOR_DESCRIPTION_H
#define BELAY_TENSOR_DESCRIPTION_H

#include "tensor/tensor.h"

struct tensor_description {
    aclDataType dtype;
    aclFormat format;
    uint32_t rank;
    uint32_t storage_rank;
    int64_t offset;
    void *data;
    int64_t shape[TENSOR_RANK_MAX];
    int64_t stride[TENSOR_RANK_MAX];
    int64_t storage_shape[TENSOR_RANK_MAX];
};

/* A copy; false when the handle is not a live tensor. */
bool tensor_describe(const aclTensor *tensor, struct tensor_description *description) SHARED(tensor_describe);

/* Room for so many dims that the program will release with free or delete[]; NULL where there is no memory.
 */
int64_t *dims_for_program(uint32_t count) SHARED(dims_for_program);

#endif
