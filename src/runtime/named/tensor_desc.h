/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensor descriptions and data buffers for the calls that take them.
 */
#ifndef BELAY_RUNTIME_NAMED_TENSOR_DESC_H
#define BELAY_RUNTIME_NAMED_TENSOR_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum { TENSOR_DESC_RANK_MAX = 25 };

/*
 * A copy of what a description says. Of a format in blocks dims are those of the plain tensor, which it was
 * created with, and the storage's are those that it was given with the format; otherwise there are none.
 */
struct tensor_desc_view {
    aclDataType dtype;
    aclFormat format;
    int32_t rank, storage_rank;
    int64_t dims[TENSOR_DESC_RANK_MAX], storage_dims[TENSOR_DESC_RANK_MAX];
    size_t bytes; /* of all elements; of those that are stored */
};

/* 0; 100000 with a sentence, which api opens, when desc is NULL, stale or foreign, or its shape is unknown or
 * too large to count. */
int tensor_desc_read(const char *api, const aclTensorDesc *desc, struct tensor_desc_view *view);

/* tensor_desc_read() without bytes, for messages: false, and nothing recorded, when desc is not live. */
bool tensor_desc_peek(const aclTensorDesc *desc, struct tensor_desc_view *view);

/* The dtype, format and shape that it was made with, whatever is said of its storage. 100000 as for
 * tensor_desc_read() when desc is not live. */
int tensor_desc_declared(const char *api, const aclTensorDesc *desc, struct tensor_desc_view *view);

/* *copy says what desc says; aclDestroyTensorDesc takes it. 100000 or 200000, with a sentence. */
int tensor_desc_copy(const char *api, const aclTensorDesc *desc, aclTensorDesc **copy);

/* What a data buffer holds; 100000 with a sentence when it is NULL, stale or foreign. */
int data_buffer_read(const char *api, const aclDataBuffer *buffer, void **data, size_t *bytes);

#endif
