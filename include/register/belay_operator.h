/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the host side of an operator project tells Belay of its operators, and what is asked of it for each call: the
 * library that op_host is compiled to has belay_operators(), which register/op_def_registry.h defines. Programs call
 * nothing of this.
 */
#ifndef BELAY_REGISTER_BELAY_OPERATOR_H
#define BELAY_REGISTER_BELAY_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BELAY_OPERATORS_VERSION = 1, BELAY_OPERATOR_DIMS = 25 };

/* Whether a parameter has a tensor. */
enum { BELAY_REQUIRED = 0, BELAY_OPTIONAL = 1, BELAY_DYNAMIC = 2 /* it has a list of them */ };

/* What of a tensor that is not contiguous: it is refused, it is copied, it comes as it is. */
enum { BELAY_CONTIGUOUS_EXPECTED = 0, BELAY_CONTIGUOUS_MADE = 1, BELAY_CONTIGUOUS_NOT = 2 };

enum {
    BELAY_ATTRIBUTE_INT,
    BELAY_ATTRIBUTE_FLOAT,
    BELAY_ATTRIBUTE_BOOL,
    BELAY_ATTRIBUTE_STRING,
    BELAY_ATTRIBUTE_INTS,
    BELAY_ATTRIBUTE_FLOATS,
    BELAY_ATTRIBUTE_BOOLS,
    BELAY_ATTRIBUTE_KINDS /* and those that no function of C takes */
};

/* An input or output of the definition, with a dtype and a format for each combination. */
struct belay_operator_parameter {
    const char *name;
    uint32_t presence;
    uint32_t contiguity;
    uint32_t is_value; /* its numbers are known when the work is cut: an array of the call, and no tensor */
    const int32_t *dtype, *format;
};

struct belay_operator_attribute {
    const char *name;
    uint32_t kind;
    uint32_t is_optional;
    const char *usual; /* the value where it is optional, as text: 1, 0.5, true, 1,2,3 */
};

/* What the operator is on the products of one kind: ascend910b. */
struct belay_operator_product {
    const char *name;
    const char *kernel; /* the name of the kernel and of its file */
    uint32_t combinations;
    const struct belay_operator_parameter *input, *output; /* as many as the operator has */
};

/* A tensor of a call. */
struct belay_operator_tensor {
    int32_t is_there;
    int32_t dtype;
    int32_t format, storage_format;
    int32_t rank, storage_rank; /* of an output that is to be inferred -1: not known */
    int64_t dim[BELAY_OPERATOR_DIMS], storage_dim[BELAY_OPERATOR_DIMS];
    void *data; /* of what is_value: its numbers; else NULL */
};

struct belay_operator_value {
    uint32_t kind;
    int64_t integer;
    float number;
    unsigned char truth;
    const char *text;
    const void *list; /* int64_t, float or bool */
    uint64_t count;
};

struct belay_operator_call {
    const char *name;                   /* "aclnnAddCustom" */
    uint32_t input_count, output_count; /* of tensors */
    struct belay_operator_tensor *input, *output;
    const uint32_t *first_input, *first_output; /* of each parameter of the definition, and
                                                    behind the last one; then UINT32_MAX */
    const struct belay_operator_value *attribute;
    uint32_t attribute_count;

    /* What the tiling function says. */
    uint64_t tiling_key;
    uint64_t workspace_bytes;
    uint32_t blocks;
    uint32_t is_atomic;
    unsigned char *tiling;
    uint64_t tiling_room, tiling_bytes;
    char sentence[256]; /* why it failed, where that is known */
};

struct belay_operator {
    const struct belay_operator *next;
    const char *name; /* "AddCustom" */
    const char *stem; /* "add_custom" */
    uint32_t inputs, outputs, attributes, products;
    const struct belay_operator_attribute *attribute;
    const struct belay_operator_product *product;
    const char *tiling_source; /* the structs that the tiling data are, for the kernel's side, in C++ */
    const char *fault;         /* what is wrong with the definition; NULL: nothing */

    /* 0, or the status that the function of the project has returned. NULL: there is none. */
    int (*infer_shape)(struct belay_operator_call *call);
    int (*infer_dtype)(struct belay_operator_call *call);
    int (*tiling)(struct belay_operator_call *call);
};

/* The first operator of the library; NULL for another version. */
#define BELAY_OPERATORS "belay_operators"
typedef const struct belay_operator *belay_operators_function(uint32_t version);

/* What a kernel's library has, one for each combination of dtypes: see ascendc/operator.h. */
#define BELAY_OPERATOR_KERNEL "belay_operator_kernel"
struct belay_operator_memory {
    const void *base;
    uint64_t bytes;
};

struct belay_operator_launch {
    const char *name;
    void *const *pointer; /* the kernel's arguments */
    uint32_t blocks;
    uint64_t tiling_key;
    uint32_t memory_count; /* memory that kernels may reach beside that of the device */
    const struct belay_operator_memory *memory;
};

struct belay_operator_kernel {
    uint32_t parameters;
    uint32_t key_count; /* 0: the kernel asks for none */
    const uint64_t *key;
    /* Runs the kernel here and now: 0, or a status with a recorded sentence. */
    int (*run)(const struct belay_operator_launch *launch);
};
typedef const struct belay_operator_kernel *belay_operator_kernel_function(void);

#ifdef __cplusplus
}
#endif

#endif
