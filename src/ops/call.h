/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One call of phase 1: copies of all arguments, taken once through their handles, what comes out of them, and
 * the executor that is made of both. None of this writes to the caller's memory before the end, looks at
 * data, or locks.
 */
#ifndef BELAY_OPS_CALL_H
#define BELAY_OPS_CALL_H

#include <stdint.h>

#include "ops/broadcast.h"
#include "ops/function.h"
#include "base/settings.h"
#include "tensor/blocks.h"
#include "tensor/tensor.h"

/* The values of an array or a list. */
struct call_values {
    uint64_t count;
    union {
        const int64_t *int64;
        const bool *boolean;
        const float *fp32;
        const struct tensor_view *tensor;
        const struct scalar_value *scalar;
        void *any;
    } value;
    const void *const *handle; /* of a list: those of its elements */
};

/*
 * An operand whose memory is in blocks, or whose elements lie two to a byte: for its function it is the plain
 * tensor that its view is one of, with a byte for each element. Elements of 4 bits come like this where the
 * parameter takes all small dtypes, or says is_unpacked; other functions find the halves of bytes themselves.
 */
struct call_blocks {
    uint32_t operand;
    bool is_written, is_packed, is_in_blocks;
    bool is_packed_again;  /* the plain copy, of blocks, is packed as well */
    bool is_read_in_place; /* the function finds the elements in their blocks itself, also to write them */
    bool is_known_before;  /* the view does not say how the tensor lies, and who laid it out does */
    int64_t offset;        /* the first element's in the plain copy */
    int64_t count;         /* of the elements of the plain copy */
    struct blocks
        blocks; /* of one in blocks; of another the axes of its elements, the last one the fastest */
    uint32_t axis_count;
    int64_t size[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
};

/* Small arrays lie in the call, others in memory of its own. */
enum { CALL_ROOM_BYTES = 512 };

/* Arrays are indexed by parameter; entries of other kinds, and of NULL, are not set. */
struct call {
    const struct function *function;
    const struct settings *settings;
    const union argument *argument;
    const struct result *result; /* for what begins with plan: what infer has said */
    uint64_t *workspace_bytes;   /* where both results go */
    aclOpExecutor **executor;
    uint64_t given;   /* a bit for each parameter that is a handle and not NULL */
    bool has_outputs; /* false where infer alone is asked */
    bool is_uniform;  /* all tensors are given, contiguous and of one shape, and there are no lists */
    unsigned tensor_count;
    uint8_t tensor_parameter[PARAMETERS_MAX]; /* the parameters that are tensors or lists, in their order */
    uint32_t first_operand[PARAMETERS_MAX];   /* of a tensor or list: its index among phase 2's addresses */
    uint32_t operand_count;
    uint32_t blocks_count; /* of operands that are in blocks or packed: nearly always 0 */
    struct call_blocks *blocks;
    struct tensor_view tensor[PARAMETERS_MAX];
    struct scalar_value scalar[PARAMETERS_MAX];
    struct call_values values[PARAMETERS_MAX];
    size_t room_used;
    void *owned; /* memory that the end of phase 1 frees: a chain of blocks */
    _Alignas(16) unsigned char room[CALL_ROOM_BYTES];
};

/* Whether a handle was given for the parameter. */
static inline bool call_has(const struct call *call, unsigned parameter)
{
    return (call->given >> parameter & 1) != 0;
}

/* What was given for a tensor; of an optional one that was not a single DOUBLE, for loops that read it as 1.
 */
static inline const struct tensor_view *call_view(const struct call *call, unsigned parameter)
{
    static const struct tensor_view absent = {.dtype = ACL_DOUBLE, .count = 1};
    return call_has(call, parameter) ? &call->tensor[parameter] : &absent;
}

/* Where the result of a function with one output goes: the last parameter that is written, which is an input
 * of what works in place. */
static inline unsigned call_output(const struct call *call)
{
    unsigned parameter = call->function->parameter_count - 1;
    while (parameter > 0 && !parameter_is_written(&call->function->parameter[parameter]))
        parameter--;
    return parameter;
}

static inline aclDataType call_dtype(const struct call *call, unsigned parameter)
{
    enum parameter_kind kind = call->function->parameter[parameter].kind;
    return kind == PARAMETER_SCALAR  ? call->scalar[parameter].dtype
           : kind == PARAMETER_DTYPE ? (aclDataType)call->argument[parameter].int64
                                     : call->tensor[parameter].dtype;
}

/* How the dtype of an output that was given is judged. Its parameter's set counts always. */
enum dtype_rule {
    DTYPE_EQUAL,    /* the one that infer names */
    DTYPE_CASTABLE, /* one that a result of this dtype may be stored in */
    DTYPE_ANY       /* whatever the set has; the result is converted */
};

enum shape_rule {
    SHAPE_LIKE,    /* that of the tensor `like`, or of the list's tensors, whatever its rank */
    SHAPE_EQUAL,   /* dims as in shape */
    SHAPE_ONE,     /* one element: dims as in shape, or () and {1} for each other; of a list, whose tensors
                      infer judges itself, one for each of `like` */
    SHAPE_BY_COUNT /* as many elements as shape has */
};

/* What one output must be, and what eval and Python make it. */
struct output {
    aclDataType dtype; /* of a list: ACL_DT_UNDEFINED for that of each tensor of `like` */
    enum dtype_rule dtype_rule;
    enum shape_rule shape_rule;
    unsigned like; /* a parameter: whose shape it has, and, where the dtypes agree, what a sentence names */
    struct shape shape;
    bool may_overlap; /* indices may share elements: each has the same value */
    bool is_unwanted; /* nothing is asked of it: it may be NULL and of any shape, and is not written */
};

enum { OUTPUTS_MAX = 10 };

/* What comes out of a call: an entry for each parameter that is written, in their order. */
struct result {
    aclDataType computed; /* the dtype of the arithmetic, for the function's plan */
    unsigned count;
    struct output output[OUTPUTS_MAX];
};

/* The output whose parameter is the n-th written one. */
unsigned call_written(const struct call *call, unsigned n);

/* One output, with the dtype and shape of an input, or with the shape that inputs broadcast to. Every one
 * begins zeroed. */
struct output *result_add(struct result *result, aclDataType dtype, enum dtype_rule rule);
void result_like(struct result *result, const struct call *call, unsigned parameter);

/* An output of the parameter's dtype, which is computed in, and of another shape; returned to be changed. */
struct shape *result_reshaped(struct result *result, const struct call *call, unsigned parameter,
                              struct shape shape);

/*
 * The end of phase 1: takes an executor and fills in all operands, in the order of the call: address[i] of
 * the operation's functions is call->first_operand[parameter] of a tensor, and the following ones are of a
 * list. *plan has plan_bytes, to be filled in. Nothing may fail between this and call_finish.
 */
aclnnStatus call_begin(const struct call *call, size_t plan_bytes, struct executor_content **content,
                       void **plan);
void call_finish(const struct call *call, struct executor_content *content);

/* Memory that the call owns until phase 1 ends; NULL where there is none. */
void *call_allocate(struct call *call, size_t bytes);

/* Whether packed elements come to the function, and from it, one to a byte. */
static inline bool parameter_unpacks(const struct parameter *parameter)
{
    return parameter->is_unpacked ||
           (parameter->dtypes != NULL && DTYPES_HAVE_SMALL(parameter->dtypes->on[PRODUCT_950]));
}

/* Whether the function sees a tensor that is given for the parameter otherwise than it lies. */
static inline bool call_sees_plain(const struct parameter *parameter, const struct tensor_view *view)
{
    return view->is_in_blocks || (dtype_is_packed(view->dtype) && parameter_unpacks(parameter));
}

/* Reads how the operands lie that are in blocks or packed; refuses those of which that is not known. */
aclnnStatus call_read_blocks(struct call *call);

/* That of a tensor; NULL where it is plain. A plan that reads it in place says so there before it begins. */
struct call_blocks *call_blocks_of(const struct call *call, unsigned parameter);

/* What the plan of a call with such operands has in front of it, and the end of that. */
size_t call_blocks_bytes(const struct call *call);
void call_wrap_blocks(const struct call *call, struct executor_content *content);

/* For those who watch accesses: what the operands look like, and what becomes of them. */
void call_keep_views(const struct call *call, struct executor_view *view);

/* An executor with nothing to do. */
aclnnStatus call_idle(const struct call *call);

#endif
