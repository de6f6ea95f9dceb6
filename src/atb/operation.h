/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operation of ATB: a row of a table, which says how its parameters and tensors become calls of operators.
 * Setup makes phase 1 of the calls, with all checks; Execute makes phase 2 of them. What one call leaves to the
 * next one lies in the workspace.
 */
#ifndef BELAY_ATB_OPERATION_H
#define BELAY_ATB_OPERATION_H

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"
#include "atb/abi.h"
#include "base/error.h"

enum { PARAM_BYTES_MAX = 144, STEPS_MAX = 16, TEMPORARIES_MAX = 16, MADE_MAX = 48 };
enum { INPUTS_MAX = 12, OUTPUTS_MAX = 4 };

/* A tensor as either interface gives it: the classes of C++, whose tensors are contiguous, or an aclTensor. */
struct operand {
    aclDataType dtype;
    unsigned rank;                                    /* above ATB_RANK_MAX until that is refused */
    int64_t size[ATB_RANK_MAX], stride[ATB_RANK_MAX]; /* elements */
    void *data, *host;
    bool is_there;
    const char *name;
};

struct setup;

struct kind {
    const char *name; /* "Rope" */
    size_t param_bytes;
    uint8_t inputs_least, inputs, outputs_least, outputs;
    uint32_t optional_inputs; /* a bit for each that may be absent */
    /* Makes the calls: 0, or the status of a failure, whose sentence is recorded. */
    int32_t (*setup)(struct setup *setup, const void *param);
};

/* Phase 2 of an operator. */
typedef aclnnStatus launch_function(void *workspace, uint64_t workspace_bytes, aclOpExecutor *executor,
                                    aclrtStream stream);

struct step {
    launch_function *launch;
    aclOpExecutor *executor;
    uint64_t workspace_at, workspace_bytes;
};

/* A tensor in the workspace, which gets its address when that is known. */
struct temporary {
    aclTensor *tensor;
    uint64_t at;
};

struct atb_operation {
    const struct operation_functions *functions;
    const struct kind *kind;
    struct atb_operation *next, *previous; /* of all that there are */
    uint64_t workspace_bytes;
    bool is_set_up; /* and not executed since; there may be no steps, for want of elements */
    unsigned step_count, temporary_count;
    struct step step[STEPS_MAX];
    struct temporary temporary[TEMPORARIES_MAX];
    unsigned char param[PARAM_BYTES_MAX] __attribute__((aligned(8)));
};

/* While phase 1 of the calls is made. */
struct setup {
    struct atb_operation *operation;
    aclrtStream stream;
    unsigned in_count, out_count; /* the rest is not there */
    struct operand in[INPUTS_MAX], out[OUTPUTS_MAX];
    unsigned made_count;
    struct made {
        void *object;
        enum made_kind { MADE_TENSOR, MADE_ARRAY, MADE_LIST } kind;
    } made[MADE_MAX];    /* ended when Setup returns */
    bool is_short;       /* of memory: something could not be made */
    uint64_t step_bytes; /* results of the last call's phase 1 */
    aclOpExecutor *executor;
};

/* Makes phase 1 of all calls anew, of an operation, a stream and operands; the status of Setup. */
int32_t operation_prepare(struct setup *setup, const void *param, uint64_t *workspace_bytes);
int32_t operation_launch(struct atb_operation *operation, void *workspace, uint64_t workspace_bytes,
                         aclrtStream stream);
/* Drops what was prepared and not launched. */
void operation_forget(struct atb_operation *operation);

struct atb_operation *operation_create(const struct kind *kind, const void *param);
bool operation_is_live(const struct atb_operation *operation);
/* The stream of a context; false when it is none. */
bool context_stream(const struct atb_context *context, aclrtStream *stream);

/*
 * What kinds are written in. What a maker cannot make, for want of memory, fails the next call.
 */

/* The operand as it is; NULL for one that is not there. */
aclTensor *make_tensor(struct setup *setup, const struct operand *operand);
/* Its memory with another shape: `rank` sizes and strides from an element on. */
aclTensor *make_view(struct setup *setup, const struct operand *operand, unsigned rank, const int64_t *size,
                     const int64_t *stride, int64_t offset);
/* Contiguous memory of the workspace; and a further view of it. */
struct operand make_temporary(struct setup *setup, aclDataType dtype, unsigned rank, const int64_t *size,
                              aclTensor **tensor);
aclTensor *view_temporary(struct setup *setup, aclDataType dtype, unsigned rank, const int64_t *size,
                          const int64_t *stride, int64_t offset, const struct operand *temporary);
aclIntArray *make_array(struct setup *setup, const int64_t *value, uint64_t count);
/* A list of the operand with such a shape alone. */
aclTensorList *make_list(struct setup *setup, const struct operand *operand, unsigned rank,
                         const int64_t *size, const int64_t *stride);

/* The operand in another shape with the same elements, of which only dims that lie behind one another are
 * merged, or split. */
bool operand_reshape(struct operand *operand, unsigned rank, const int64_t *size);
int64_t operand_count(const struct operand *operand);
bool operand_is_packed(const struct operand *operand);

/* Whether the operand has this rank; otherwise a status with a sentence. */
int32_t expect_rank(const struct setup *setup, const struct operand *operand, unsigned rank);
int32_t atb_refuse(const struct setup *setup, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Lengths that the client has on the host or on the device, which is waited for: count of them at most, or a
 * status. */
int32_t read_lengths(struct setup *setup, const struct operand *operand, int64_t *length, uint64_t most,
                     uint64_t *count);

/* The end of phase 1 of a call, whose results lie in setup. */
int32_t add_step(struct setup *setup, launch_function *launch, aclnnStatus status);

/* Phase 1 of an operator's call, all but its last two arguments. */
#define PLAN(setup, function, ...) \
    function##GetWorkspaceSize(__VA_ARGS__, &(setup)->step_bytes, &(setup)->executor)
#define CALL(setup, function, ...) TRY(add_step(setup, function, PLAN(setup, function, __VA_ARGS__)))

extern const struct kind kind_rope, kind_reshape_and_cache, kind_linear, kind_paged_attention,
    kind_self_attention, kind_group_topk, kind_rms_norm, kind_elewise;

#endif
