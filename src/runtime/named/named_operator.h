/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators that are called by their names: libraries above this one offer what they compute.
 */
#ifndef BELAY_RUNTIME_NAMED_NAMED_OPERATOR_H
#define BELAY_RUNTIME_NAMED_NAMED_OPERATOR_H

#include "acl/acl_op.h"
#include "base/export.h"
#include "runtime/named/tensor_desc.h"

/* A tensor, plain for functions, whose memory has room for it; of an optional one that is left out nothing
 * else is set. */
struct named_operand {
    bool is_there;
    struct tensor_desc_view view;
    void *address;
    aclTensorDesc *desc; /* of an output whose dims the call may write; otherwise NULL */
};

struct named_operator;
enum { NAMED_INPUTS = 24, NAMED_OUTPUTS = 8 };
enum { NAMED_LIST = -1 }; /* as inputs or outputs: one or more, however many */

/* At least NAMED_INPUTS and NAMED_OUTPUTS operands are there; those behind the counts are left out. */
struct named_call {
    const char *api;
    const struct named_operator *named;
    int inputs, outputs;
    struct named_operand *input, *output;
    const aclopAttr *attr; /* live, or NULL */
};

/* Queues the work; or fails with a sentence, which then fails in the stream; or says that these operands are
 * none that it knows. */
enum { NAMED_UNKNOWN = -1 };
typedef int named_function(const struct named_call *call, aclrtStream stream);

/* What is offered, for good: a library's own, static. */
struct named_operator {
    const char *name;
    int inputs, outputs;
    uint32_t optional; /* a bit for each input that may be left out, also by a shorter list at its end */
    named_function *function;
    const struct named_operator *next; /* of this library */
    const char *program;               /* of those that ops/by_name computes */
};

/*
 * What runs a function whose operands are in blocks, some of them: makes plain ones of them before and brings
 * back what it has written. The library that knows these formats offers it, once.
 */
typedef int named_conversion(struct named_call *call, named_function *function, aclrtStream stream);
void named_operator_convert_by(named_conversion *conversion) SHARED(named_operator_convert_by);

void named_operator_offer(struct named_operator *offered) SHARED(named_operator_offer);

/* The last one that was offered, which leads to the others. */
const struct named_operator *named_operator_last(void) SHARED(named_operator_last);

/* The kind of that name, or NULL, for which libopapi is opened once; and the three nearest, "CdistGrad, ...".
 * This is what says whether a kind exists (ge::OperatorFactory::IsExistOp). */
enum { NAMED_NEAREST_BYTES = 128 };
const struct named_operator *named_operator_find(const char *type) SHARED(named_operator_find);
void named_operator_nearest(const char *type, char names[NAMED_NEAREST_BYTES]);

/* 0; 100000 with a sentence where the kind has not so many inputs or outputs. */
int named_operator_check_counts(const char *api, const struct named_operator *named, int inputs, int outputs);

/* What aclopExecute does, for the function that is called so. */
int named_operator_run(const char *api, const char *type, int inputs, const aclTensorDesc *const *input_desc,
                       const aclDataBuffer *const *input, int outputs,
                       const aclTensorDesc *const *output_desc, const aclDataBuffer *const *output,
                       const aclopAttr *attr, aclrtStream stream);

#endif
