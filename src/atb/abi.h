/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What clients of libatb.so in C++ share with it: the layout of their classes, and the order of the virtual
 * functions, as compilers lay them out on 64-bit systems. No header of the project declares the classes: the
 * clients are compiled already.
 */
#ifndef BELAY_ATB_ABI_H
#define BELAY_ATB_ABI_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

/* The statuses that are answered here. */
enum atb_status {
    ATB_NO_ERROR = 0,
    ATB_INVALID_PARAM = 1,
    ATB_INTERNAL_ERROR = 3,
    ATB_INVALID_TENSOR_COUNT = 5,
    ATB_INVALID_TENSOR = 6,
    ATB_INVALID_CONTEXT = 20,
    ATB_INVALID_WORKSPACE = 22,
    ATB_INVALID_OPERATION = 24,
};

enum { ATB_RANK_MAX = 8, ATB_TENSORS_INLINE = 65 };

struct atb_dims {
    int64_t size[ATB_RANK_MAX];
    uint64_t rank;
};

struct atb_tensor_desc {
    int32_t dtype, format; /* dtype -1: there is no tensor */
    struct atb_dims dims;
};

struct atb_tensor {
    struct atb_tensor_desc desc;
    void *device, *host;
    uint64_t bytes;
};

/* A vector whose elements are in itself, or on the heap where they are many. */
struct atb_tensors {
    size_t capacity, count;
    struct atb_tensor storage[ATB_TENSORS_INLINE];
    struct atb_tensor *heap;
};

struct atb_variant_pack {
    struct atb_tensors in, out;
};

static_assert(sizeof(struct atb_dims) == 72 && sizeof(struct atb_tensor_desc) == 80 &&
                  sizeof(struct atb_tensor) == 104 && sizeof(struct atb_tensors) == 6784 &&
                  sizeof(struct atb_variant_pack) == 13568,
              "the layout is the clients'");

/* std::string of libstdc++'s new interface, whose characters are on the heap. */
struct cxx_string {
    char *characters;
    size_t length, capacity, unused;
};

struct atb_context;
struct atb_operation;

/* Behind the address of the table that an object begins with; before it stand where the object begins in a
 * larger one, and what type it has. */
struct context_functions {
    void (*end)(struct atb_context *);
    void (*end_and_free)(struct atb_context *);
    int32_t (*set_stream)(struct atb_context *, aclrtStream);
    aclrtStream (*get_stream)(const struct atb_context *);
    int32_t (*set_asynchronous_copy)(struct atb_context *, bool);
    bool (*get_asynchronous_copy)(const struct atb_context *);
};

/* C++ has the place of a result that is a class where C has that of a structure of this size. */
struct operation_functions {
    void (*end)(struct atb_operation *);
    void (*end_and_free)(struct atb_operation *);
    struct cxx_string (*name)(const struct atb_operation *);
    int32_t (*infer_shape)(const struct atb_operation *, const void *in, void *out);
    uint32_t (*input_count)(const struct atb_operation *);
    uint32_t (*output_count)(const struct atb_operation *);
    int32_t (*setup)(struct atb_operation *, const struct atb_variant_pack *, uint64_t *workspace_bytes,
                     struct atb_context *);
    int32_t (*execute)(struct atb_operation *, const struct atb_variant_pack *, uint8_t *workspace,
                       uint64_t workspace_bytes, struct atb_context *);
};

#endif
