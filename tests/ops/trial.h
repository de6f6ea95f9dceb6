/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls whose arguments are given by name: tensors in layouts drawn at random, everything else as it usually is.
 * Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_TRIAL_H
#define BELAY_TESTS_OPS_TRIAL_H

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

struct trial {
    bool is_example; /* elements are set one by one, so that no two of an input are the same memory */
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    struct layout layout[PARAMETERS_MAX]; /* of tensors, where they were given */
};

static uint64_t trial_hash = UINT64_C(0xcbf29ce484222325); /* of all results so far */

static inline struct trial trial_of(const char *api)
{
    struct trial trial = {.function = find(api)};
    for (unsigned i = 0; i < trial.function->parameter_count; i++)
        if (!parameter_is_handle(&trial.function->parameter[i]))
            trial.argument[i] = sample_argument(&trial.function->parameter[i]);
    return trial;
}

static inline struct trial example_of(const char *api)
{
    struct trial trial = trial_of(api);
    trial.is_example = true;
    return trial;
}

static inline unsigned place_named(const struct trial *trial, const char *name)
{
    for (unsigned i = 0; i < trial->function->parameter_count; i++)
        if (strcmp(trial->function->parameter[i].name, name) == 0)
            return i;
    fail_msg("%s has no %s", trial->function->operation.name, name);
    return 0;
}

static inline bool trial_has(const struct trial *trial, const char *name)
{
    for (unsigned i = 0; i < trial->function->parameter_count; i++)
        if (strcmp(trial->function->parameter[i].name, name) == 0)
            return true;
    return false;
}

/* A tensor of numbers of about this size. */
static inline struct layout *give(struct trial *trial, const char *name, aclDataType dtype, unsigned rank,
                                  const int64_t *shape, double size)
{
    const unsigned place = place_named(trial, name);
    const bool is_read = trial->function->parameter[place].role == ROLE_READ;
    struct layout *layout = &trial->layout[place];
    *layout = layout_create(
        dtype, rank, shape,
        (enum layout_kind)random_below(is_read && !trial->is_example ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(layout, size, false);
    trial->argument[place].tensor = layout->tensor;
    return layout;
}

/* A tensor of whole numbers, row-major. */
static inline struct layout *give_numbers(struct trial *trial, const char *name, aclDataType dtype,
                                          unsigned rank, const int64_t *shape, const int64_t *number)
{
    const unsigned place = place_named(trial, name);
    struct layout *layout = &trial->layout[place];
    *layout = layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    for (int64_t i = 0; i < layout->count; i++)
        memcpy(layout_element(layout, i), &number[i], layout->bytes);
    trial->argument[place].tensor = layout->tensor;
    return layout;
}

static inline void give_value(struct trial *trial, const char *name, union argument value)
{
    trial->argument[place_named(trial, name)] = value;
}

static inline const struct layout *given(const struct trial *trial, const char *name)
{
    return &trial->layout[place_named(trial, name)];
}

static inline bool was_given(const struct trial *trial, const char *name)
{
    return given(trial, name)->tensor != NULL;
}

/* An element, by its row-major number. */
static inline double at(const struct trial *trial, const char *name, int64_t index)
{
    return element_of(given(trial, name), index);
}

/* All elements in doubles, for the caller to free. */
static inline double *numbers_of(const struct trial *trial, const char *name)
{
    const struct layout *layout = given(trial, name);
    double *number = malloc(((size_t)layout->count + 1) * sizeof *number);
    assert_non_null(number);
    for (int64_t i = 0; i < layout->count; i++)
        number[i] = element_of(layout, i);
    return number;
}

/* The status of the synchronise; what is written goes into the hash. */
static inline int run_trial(const struct trial *trial)
{
    const int status = call_function(trial->function, trial->argument);
    for (unsigned i = 0; i < trial->function->parameter_count; i++)
        for (int64_t k = 0; parameter_is_written(&trial->function->parameter[i]) &&
                            trial->layout[i].tensor != NULL && k < trial->layout[i].count;
             k++)
            trial_hash = hash_of(layout_element(&trial->layout[i], k), trial->layout[i].bytes, trial_hash);
    return status;
}

static inline void end_trial(struct trial *trial)
{
    for (unsigned i = 0; i < trial->function->parameter_count; i++) {
        const enum parameter_kind kind = trial->function->parameter[i].kind;
        if (kind == PARAMETER_TENSOR && trial->layout[i].tensor != NULL)
            layout_destroy(&trial->layout[i]);
        else if (kind != PARAMETER_TENSOR)
            release_argument(&trial->function->parameter[i], trial->argument[i]);
    }
}

/* A call that phase 1 accepts, by which refusals are tried; the caller releases the attempt. */
static inline struct trial sample_of(struct attempt *attempt, const char *api)
{
    struct trial trial;
    memset(&trial, 0, sizeof trial);
    *attempt = accepted(find(api));
    trial.function = attempt->function;
    memcpy(trial.argument, attempt->argument, sizeof attempt->argument);
    return trial;
}

/* All kinds of trials of a program, one after the other, so many times. */
#define TRY_ROUNDS(rounds, times) try_rounds(rounds, sizeof(rounds) / sizeof *(rounds), times)
static inline void try_rounds(void (*const *rounds)(void), size_t count, int times)
{
    for (int round = 0; round < times; round++)
        for (size_t i = 0; i < count; i++)
            rounds[i]();
}

/* Phase 1 with one argument changed. */
static inline void refuse_trial(const struct trial *trial, const char *name, union argument value,
                                const char *sentence)
{
    struct trial changed = *trial;
    uint64_t bytes;
    aclOpExecutor *executor;
    give_value(&changed, name, value);
    assert_failure(function_plan_anew(changed.function, changed.argument, &bytes, &executor),
                   ACLNN_ERR_PARAM_INVALID, sentence);
}

static inline void refuse_tensor(const struct trial *trial, const char *name, aclDataType dtype,
                                 unsigned rank, const int64_t *shape, const char *sentence)
{
    aclTensor *tensor = tensor_with(dtype, rank, shape, NULL);
    refuse_trial(trial, name, argument_of_pointer(tensor), sentence);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

/* The call's work fails with this sentence. */
static inline void expect_fault(const struct trial *trial, const char *sentence)
{
    (void)aclGetRecentErrMsg();
    assert_int_equal(call_function(trial->function, trial->argument), 507035);
    assert_sentence(sentence);
}

#endif
