/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Executors: what phase 1 makes and phase 2 runs. An executor owns copies of everything it needs. It knows
 * nothing of any operator: the operator gives it a plan (bytes that it copies) and a function that runs the
 * plan.
 *
 * All checks of phase 2 (operators.md 1.3) stand in executor_launch, so that the phase 2 of an operator is
 * one line.
 */
#ifndef BELAY_TENSOR_EXECUTOR_H
#define BELAY_TENSOR_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "runtime/export.h"
#include "tensor/tensor.h"

enum { EXECUTOR_OPERANDS_MAX = 5, EXECUTOR_ARGUMENTS_MAX = 8, EXECUTOR_PLAN_BYTES = 1408 };
enum { SHORTCUT_INPUTS_MAX = 3 };

/* All that run would do, where that is one call: function(input, output, count, parameters, false). */
struct shortcut {
    void (*function)(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams);
    const void *input[SHORTCUT_INPUTS_MAX];
    void *output;
    size_t count;
    const void *parameters; /* in the plan, or constant */
};

/* What identifies an operator; one const object each. The address is the identity. */
struct operation {
    const char *name; /* "aclnnSiluBackward" */

    /*
     * Bytes of temporary memory that run needs on these addresses (operands that overlap, say); 0 nearly
     * always. Called in phase 2, before anything is queued. May be NULL: none.
     */
    size_t (*scratch_bytes)(const void *plan, void *const *address);

    /*
     * Runs the plan on resolved addresses: address[i] is the first element of operand i (offset already
     * added), in the order of executor_content. scratch is NULL or as long as scratch_bytes said, aligned to
     * 64 bytes. Called on any thread, any number of times at once for a repeatable executor: the plan is read
     * only. 0, or a status that the stream reports at its next synchronise.
     */
    int (*run)(const void *plan, void *const *address, void *scratch);

    /* Whether run, without scratch on these addresses, is a shortcut. May be NULL: it never is. */
    bool (*find_shortcut)(const void *plan, void *const *address, struct shortcut *shortcut);
};

/* A tensor parameter, in argument order. */
struct executor_operand {
    const aclTensor *tensor; /* asked again in phase 2 for its address, while it is live */
    void *data;              /* the address that is used otherwise */
    int64_t offset;          /* elements */
    int64_t reach;           /* elements, from data to the last one; ignored when is_empty */
    uint32_t element_bytes;  /* a power of two */
    uint32_t version;        /* the tensor's when it had that address */
    bool is_output;
    bool is_in_place; /* an output that is an input too */
    bool is_empty;    /* its address is never looked at, and run gets NULL for it */
    const char *name; /* of the parameter, for messages: "gradOutput"; static storage */
};

/* What phase 1 makes: filled in where it stays, so that nothing is copied. */
struct executor_content {
    const struct operation *operation;
    uint64_t workspace_bytes; /* what phase 1 asks for; an operator that needs more raises it */
    uint64_t cost_ns;         /* predicted running time on one thread */
    uint32_t operand_count;
    bool is_idle; /* nothing to run at all (empty tensors) */
    struct executor_operand operand[EXECUTOR_OPERANDS_MAX];

    /* The call that this is the result of, for executor_repeat. */
    uint32_t argument_count; /* 0 where the content is not only its result */
    uint32_t scalars;        /* a bit for each argument that is the handle of a scalar */
    uint64_t argument[EXECUTOR_ARGUMENTS_MAX];
    _Alignas(16) unsigned char plan[EXECUTOR_PLAN_BYTES]; /* for run; read only from phase 2 on */
};

/*
 * The end of phase 1, when nothing can be found wrong any more: takes an executor, its content as an earlier
 * owner left it but for operation, workspace_bytes and argument_count, which is 0. 0, 561101 when memory runs
 * out, or 361001 when the library cannot be used in this process, with a recorded sentence. Nothing may fail
 * between this and executor_finish.
 */
aclnnStatus executor_begin(const struct operation *operation, struct executor_content **content)
    SHARED(executor_begin);

/* Gives the executor its handle and writes both results of phase 1. */
void executor_finish(struct executor_content *content, uint64_t *workspaceSize, aclOpExecutor **executor)
    SHARED(executor_finish);

/*
 * Phase 1 of a call that repeats one of this thread, which is what loops do: true, and both results written,
 * when one of the last few executors that the thread finished was made by the same call of the same operation
 * and all tensors and scalars of it are live and unchanged. All checks would have the same outcome then and
 * the plan would be the same. argument is an array of argument_count words. False: phase 1 is to be made;
 * nothing has been written or recorded.
 */
bool executor_repeat(const struct operation *operation, const void *argument, uint32_t argument_count,
                     uint64_t *workspaceSize, aclOpExecutor **executor) SHARED(executor_repeat);

/*
 * Phase 2, whole: claims the executor, checks, queues. The first fault found decides the code:
 *
 *   161001  executor is NULL
 *   361001  the library cannot be used in this process
 *   161002  the executor is stale, foreign, consumed, in use by another thread, or of another operator
 *   161001  workspaceSize > 0 and workspace is NULL; destroys even a repeatable executor
 *   161002  workspaceSize is less than phase 1 asked for
 *   361001  the stream is stale or foreign, or NULL with no current context
 *   161002  the workspace is not live memory of the stream's device, as long as workspaceSize says
 *   161002  an operand, in argument order: its address is NULL, misaligned or not in live memory of the
 *           stream's device, its view leaves its block, or it shares memory with the workspace
 *   361001  there is no memory for scratch or for the queue
 *
 * A single-use executor is consumed whatever comes out, but for the first two lines.
 */
aclnnStatus executor_launch(const struct operation *operation, void *workspace, uint64_t workspaceSize,
                            aclOpExecutor *executor, aclrtStream stream) SHARED(executor_launch);

#endif
