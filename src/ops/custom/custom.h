/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators of projects: a package has a library of functions, one of what op_host says of them, and their kernels. The
 * description of each is made of what op_host says; phase 1 asks its functions, phase 2 runs the kernel.
 */
#ifndef BELAY_OPS_CUSTOM_CUSTOM_H
#define BELAY_OPS_CUSTOM_CUSTOM_H

#include <limits.h>
#include <pthread.h>

#include "ops/call.h"
#include "register/belay_generated.h"
#include "register/belay_operator.h"

enum { CUSTOM_SENTENCE_BYTES = 512 };

/* The kernel of a combination of dtypes: looked for once. */
struct custom_kernel {
    const struct belay_operator_kernel *kernel; /* NULL: not yet */
};

/* One operator, for good. */
struct custom {
    struct function function; /* what it is to all others */
    const struct belay_generated *generated;
    const struct belay_operator *operation;
    const struct belay_operator_product *product; /* the one of the process; NULL: it has no kernels for it */
    char package[PATH_MAX];                       /* its folder, vendors/NAME */

    /* What cannot be used: a status, and the sentence. */
    aclnnStatus status;
    char sentence[CUSTOM_SENTENCE_BYTES];

    struct parameter parameter[PARAMETERS_MAX];
    struct dtype_set dtypes[PARAMETERS_MAX];
    uint8_t input_at[PARAMETERS_MAX], output_at[PARAMETERS_MAX],
        attribute_at[PARAMETERS_MAX]; /* parameters */

    pthread_mutex_t lock;         /* of what follows */
    struct custom_kernel *kernel; /* product->combinations */
};

static inline struct custom *custom_of(const struct call *call)
{
    return (struct custom *)(uintptr_t)call->function->of_family;
}

/* The description of the operator, which is made once. NULL where there is no memory. */
struct custom *custom_resolve(struct belay_generated *generated);

/* The library that says what the operators of a package are, and the operator of that name: NULL with a sentence. */
const struct belay_operator *custom_find_operator(const char *package, const char *name, char *sentence);

/* Opens a library of a package, for good. NULL: it cannot be loaded, and fault says why. */
enum { CUSTOM_FAULT_BYTES = 320 };
void *custom_open(const char *path, char fault[CUSTOM_FAULT_BYTES]);

/* What custom_fault tells, which is the first. */
void custom_remember(const char *sentence);

/* The library of the address stays when the program closes it. */
void custom_keep(const void *address);

/* The package that the address's library is in, vendors/NAME: false where it lies in none. */
bool custom_package_of(const void *address, char package[PATH_MAX]);

/* The kernel of a combination; NULL with a recorded sentence, and *status. */
const struct belay_operator_kernel *custom_find_kernel(struct custom *custom, uint32_t combination,
                                                       aclnnStatus *status);

/* A call in the words of op_host: owned, and given back by free. NULL where there is no memory. outputs of the call that
 * are not given have dtypes of the combination, and no dims. */
struct custom_call {
    struct belay_operator_call call;
    uint32_t combination;
    struct belay_operator_value *value;
};
struct custom_call *custom_call_make(const struct call *call);

/* How a tensor lies that the kernel gets in blocks, as the definition has it: one of the call, or of a list. NULL: it
 * gets none such. */
struct call_blocks *custom_blocks_of(const struct call *call, unsigned parameter, uint64_t element,
                                     const struct belay_operator_parameter *of, uint32_t combination);

aclnnStatus custom_infer(const struct call *call, struct result *result);
aclnnStatus custom_plan(const struct call *call, const struct result *result);
int custom_run(const void *plan, void *const *address, void *scratch);
size_t custom_work_bytes(const void *plan);

#endif
