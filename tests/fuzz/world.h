/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a fuzzed program has made and what the library must therefore answer. Every object that a program made
 * stays in its table after its end, so that stale handles can be drawn; a call is judged by whether the
 * handle it was given is that of a live entry, wherever the handle came from.
 */
#ifndef BELAY_TESTS_FUZZ_WORLD_H
#define BELAY_TESTS_FUZZ_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

enum {
    BLOCKS = 10,
    TENSORS = 12,
    SCALARS = 4,
    ARRAYS = 4,
    EXECUTORS = 6,
    STREAMS = 5,
    EVENTS = 4,
    CONTEXTS = 4,
    DIMS_MOST = 25,
    OPERANDS_MOST = 4,
    BLOCK_SMALL = 512,
    BLOCK_LARGE = 40000
};

/* The bytes that the fuzzer gave; behind their end there are zeros. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

enum place { PLACE_DEVICE, PLACE_PINNED, PLACE_HOST };

struct block {
    unsigned char *address;
    uint64_t bytes;
    enum place place;
    int32_t device;
    bool is_live;
    unsigned char shadow[BLOCK_LARGE]; /* what the memory must hold when all queued work has ended */
};

struct view {
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[DIMS_MOST];
    int64_t stride[DIMS_MOST];
    int64_t offset;
    unsigned char *data;
};

struct tensor {
    aclTensor *handle; /* NULL when the entry was never used */
    bool is_live;
    struct view view;
};

struct scalar {
    aclScalar *handle;
    bool is_live;
    aclDataType dtype;
    long double value; /* of a complex one the real part */
    unsigned char bytes[16];
};

struct array {
    void *handle;
    bool is_live;
    int kind; /* 0 int array, 1 float array, 2 bool array, 3 tensor list, 4 scalar list */
    uint64_t count;
    void *element[4]; /* of lists */
};

/* In the order in which they came: a byte that names one keeps its meaning when others are appended. */
enum operator_kind {
    HARDSWISH_BACKWARD,
    SILU_BACKWARD,
    SMOOTH_L1_LOSS_BACKWARD,
    LEAKY_RELU_BACKWARD,
    HARDSWISH,
    INPLACE_HARDSWISH,
    HARDSWISH_BACKWARD_V2,
    SILU,
    SWISH,
    SWISH_BACKWARD,
    SMOOTH_L1_LOSS,
    LEAKY_RELU,
    INPLACE_LEAKY_RELU,
    CAST,
    COPY,
    FILL,
    ZERO,
    ONE,
    RELU,
    INPLACE_RELU,
    THRESHOLD_BACKWARD,
    SIGMOID,
    INPLACE_SIGMOID,
    SIGMOID_BACKWARD,
    TANH,
    INPLACE_TANH,
    TANH_BACKWARD,
    GELU,
    GELU_BACKWARD,
    ADD,
    ADDS,
    INPLACE_ADD,
    INPLACE_ADDS,
    SUB,
    SUBS,
    INPLACE_SUB,
    INPLACE_SUBS,
    MUL,
    MULS,
    INPLACE_MUL,
    INPLACE_MULS,
    DIV,
    DIVS,
    INPLACE_DIV,
    INPLACE_DIVS,
    OPERATORS
};

/* The arguments of phase 1. */
struct operator_call {
    enum operator_kind kind;
    aclTensor *operand[OPERANDS_MOST]; /* in argument order */
    aclScalar *scalar, *alpha;
    const struct scalar *alpha_found; /* the entry of alpha while the call is judged */
    aclDataType dtype;
    int64_t reduction;
    float beta;
    bool self_is_result;
    bool size_is_null, executor_is_null; /* the results */
};

struct executor {
    aclOpExecutor *handle;
    bool is_live, is_repeatable;
    struct operator_call call;
    struct view view[OPERANDS_MOST]; /* as they were in phase 1; data as aclSet*TensorAddr left it */
    struct scalar scalar, alpha;     /* as they were then; not live where none was given */
};

struct context {
    aclrtContext handle;
    bool is_live, is_primary;
    int32_t device;
};

struct stream {
    aclrtStream handle;
    bool is_live;
    int context; /* its index */
};

struct event {
    aclrtEvent handle;
    bool is_live;
    int context; /* its index; of an event whose context is destroyed -1 */
};

struct world {
    struct bytes bytes;
    struct block block[BLOCKS];
    struct tensor tensor[TENSORS];
    struct scalar scalar[SCALARS];
    struct array array[ARRAYS];
    struct executor executor[EXECUTORS];
    struct stream stream[STREAMS];
    struct event event[EVENTS];
    struct context context[CONTEXTS];
    int current;          /* the thread's context, or -1 */
    aclrtStream last;     /* where the last work was queued; meaningful while is_busy */
    bool is_busy;         /* work may be queued */
    uint64_t calls_due;   /* host functions queued */
    uint64_t calls_made;  /* host functions run, in that order */
    bool calls_are_wrong; /* one ran out of order */
};

/* Ends the process, which the fuzzer takes for a finding. */
#define DEMAND(condition, ...)                                   \
    do {                                                         \
        if (!(condition))                                        \
            failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)
void failed(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* A number below count. */
uint32_t draw(struct world *world, uint32_t count);
uint64_t draw_word(struct world *world);

/* An address behind another one, which may be NULL or dead: it is only given to the library. */
static inline unsigned char *behind(const unsigned char *address, uint64_t bytes)
{
    return (unsigned char *)((uintptr_t)address + bytes);
}

/* A handle that is none: garbage, or base with another kind or generation. */
void *draw_forged(struct world *world, const void *base);

/* Mostly a handle of a live entry; also stale and forged ones, ones of another kind, and NULL. */
aclTensor *draw_tensor(struct world *world);
aclScalar *draw_scalar(struct world *world);
aclOpExecutor *draw_executor(struct world *world);
aclrtStream draw_stream(struct world *world);
aclrtEvent draw_event(struct world *world);

/* The live entry that a handle names, or NULL. */
struct tensor *find_tensor(struct world *world, const aclTensor *handle);
struct scalar *find_scalar(struct world *world, const aclScalar *handle);
struct executor *find_executor(struct world *world, const aclOpExecutor *handle);
struct stream *find_stream(struct world *world, aclrtStream handle);
struct event *find_event(struct world *world, aclrtEvent handle);

/* The live block of the library in which an address lies, or NULL. */
struct block *find_block(struct world *world, const unsigned char *address);

/* Gives a new block its contents. */
void fill_block(struct world *world, struct block *block);

void world_open(struct world *world);
void world_close(struct world *world);

/* Makes a context current where there is none, because waiting needs one. The program cannot tell which it
 * had. */
void have_context(struct world *world);

/* Waits for all work and compares all memory. */
void settle(struct world *world);

/* Called before work is queued on a stream: orders it behind the work before, by an event or by waiting. */
void follow(struct world *world, aclrtStream stream);

/* Whether stream may take work now: there is a current context, and stream is NULL or live. *device is its.
 */
bool takes_work(struct world *world, aclrtStream stream, int32_t *device);

/* One call each, or a few. */
void step_tensor(struct world *world);
void step_scalar(struct world *world);
void step_array(struct world *world);
void step_getter(struct world *world);
void step_memory(struct world *world);
void step_copy(struct world *world);
void step_stream(struct world *world);
void step_event(struct world *world);
void step_context(struct world *world);
void step_host_function(struct world *world);
void step_odd(struct world *world);
void step_phase_1(struct world *world);
void step_phase_2(struct world *world);
void step_address(struct world *world);
void step_executor(struct world *world);
void step_whole_call(struct world *world);
void step_rows(struct world *world);
void step_batch(struct world *world);
void step_allocator(struct world *world);
void step_registration(struct world *world);
void step_description(struct world *world);
void step_data_buffer(struct world *world);
void step_stream_rest(struct world *world);
void step_event_rest(struct world *world);
void step_address_rest(struct world *world);
void step_device(struct world *world);
void step_report(struct world *world);
void step_exception(struct world *world);
void step_version(struct world *world);
void step_refused(struct world *world);
void step_shared(struct world *world);
void step_model_data(struct world *world);
void step_any_function(struct world *world);
void step_virtual_memory(struct world *world);
void step_looked_up(struct world *world);
void step_collective(struct world *world);
void step_profile(struct world *world);
void step_channel(struct world *world);
void step_allocators(struct world *world);

/* expected.c: what the contract of an operator means for a call. */
enum { EXPECT_EITHER = -1 }; /* 0 or 161002 */
int expect_phase_1(struct world *world, const struct operator_call *call);
int expect_phase_2(struct world *world, const struct executor *executor, const void *workspace,
                   uint64_t workspace_bytes, aclrtStream stream);

/* How much work it is: the elements of the output, or those that are summed up. */
uint64_t work_of(const struct executor *executor);

/*
 * compute.c: runs the executor on the shadows. Where the work is more than COMPUTE_MOST, results are taken
 * from the library's memory, which must be settled then; and where a result may be one of several, within the
 * bound that is promised for DOUBLE and complex numbers.
 */
enum { COMPUTE_MOST = 256 };
void compute(struct world *world, const struct executor *executor);
bool is_within_bound(const struct executor *executor);

uint64_t view_count(const struct view *view);
int64_t place_of(const struct view *view, uint32_t rank, const int64_t *index);
bool next_index(const struct view *view, int64_t *index);

/* The shape that the inputs of the call broadcast to; false when they do not. */
bool broadcast_inputs(const struct operator_call *call, struct view *const *view, struct view *shape);
unsigned char *operand_data(struct world *world, const struct executor *executor, uint32_t index);

#endif
