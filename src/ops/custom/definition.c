/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The description of an operator of a project, from what op_host says of it.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/custom/custom.h"
#include "ops/custom/generated.h"
#include "ops/custom/names.h"
#include "ops/finder.h"
#include "ops/promise.h"

/* The loader's lock is held when functions are entered, and taken when they are described. */
static pthread_mutex_t entry_lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct belay_generated *entered;                        /* the last one first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;       /* of each one's own */

void generated_enter(struct belay_generated *generated)
{
    custom_keep(generated);
    pthread_mutex_lock(&entry_lock);
    generated->next = entered;
    entered = generated;
    pthread_mutex_unlock(&entry_lock);
}

/* The first fault counts. */
static __attribute__((format(printf, 3, 4))) void blame(struct custom *custom, aclnnStatus status,
                                                        const char *format, ...)
{
    va_list arguments;
    if (custom->status != 0)
        return;
    custom->status = status;
    va_start(arguments, format);
    vsnprintf(custom->sentence, sizeof custom->sentence, format, arguments);
    va_end(arguments);
}

/* ascend910b for Ascend910B3. */
static const char *unit_of(const char *soc)
{
    static const struct {
        const char *soc, *unit;
    } all[] = {{"Ascend910_93", "ascend910_93"}, {"Ascend910_95", "ascend910_95"},
               {"Ascend950", "ascend950"},       {"Ascend910B", "ascend910b"},
               {"Ascend310P", "ascend310p"},     {"Ascend910", "ascend910"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strncmp(soc, all[i].soc, strlen(all[i].soc)) == 0)
            return all[i].unit;
    return soc;
}

/* Two names for one product. */
static bool is_unit(const char *name, const char *unit)
{
    static const char *const newest[] = {"ascend950", "ascend910_95"};
    if (strcmp(name, unit) == 0)
        return true;
    bool has[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        has[0] = has[0] || strcmp(name, newest[i]) == 0;
        has[1] = has[1] || strcmp(unit, newest[i]) == 0;
    }
    return has[0] && has[1];
}

static enum product rules_of(const char *unit)
{
    return is_unit(unit, "ascend950")       ? PRODUCT_950
           : strcmp(unit, "ascend910") == 0 ? PRODUCT_910A
                                            : PRODUCT_910B;
}

static void find_product(struct custom *custom)
{
    const struct belay_operator *operation = custom->operation;
    const struct settings *settings;
    char has[256] = "";
    if (settings_get(&settings) != 0)
        return;
    const char *unit = unit_of(settings->soc_name);
    for (uint32_t i = 0; i < operation->products; i++) {
        const char *name = operation->product[i].name;
        const size_t length = strlen(has);
        if (custom->product == NULL && is_unit(name, unit))
            custom->product = &operation->product[i];
        snprintf(has + length, sizeof has - length, "%s%s", i > 0 ? ", " : "", name);
    }
    if (custom->product == NULL)
        blame(custom, ACLNN_ERR_OPP_KERNEL_PKG_NOT_FOUND,
              "the operator is for %s, and the product is %s; AddConfig(\"%s\") in its definition, or "
              "another BELAY_SOC is "
              "expected",
              has, settings->soc_name, unit);
}

/* What a parameter may be on each product. */
static void collect_dtypes(const struct belay_operator *operation, bool is_output, uint32_t index,
                           struct dtype_set *set)
{
    for (uint32_t i = 0; i < operation->products; i++) {
        const struct belay_operator_product *product = &operation->product[i];
        const struct belay_operator_parameter *parameter =
            is_output ? &product->output[index] : &product->input[index];
        for (uint32_t k = 0; k < product->combinations; k++)
            if ((uint32_t)parameter->dtype[k] < 64)
                set->on[rules_of(product->name)] |= DTYPE_BIT(parameter->dtype[k]);
    }
}

static struct parameter *add(struct custom *custom, const char *name)
{
    struct function *function = &custom->function;
    static struct parameter none;
    if (function->parameter_count == PARAMETERS_MAX) {
        blame(custom, ACLNN_ERR_INNER, "it has more than %d parameters", PARAMETERS_MAX);
        return &none;
    }
    struct parameter *parameter = &custom->parameter[function->parameter_count++];
    *parameter = (struct parameter){.name = strdup(name)};
    if (parameter->name == NULL)
        blame(custom, ACLNN_ERR_INNER, "there is no memory for its description");
    return parameter;
}

static void add_tensor(struct custom *custom, bool is_output, uint32_t index)
{
    const struct belay_operator *operation = custom->operation;
    const struct belay_operator_parameter *from =
        is_output ? &operation->product[0].output[index] : &operation->product[0].input[index];
    char name[CUSTOM_NAME_BYTES];
    if (is_output)
        custom_output_name(operation, index, name);
    else
        custom_input_name(operation, index, name);
    struct dtype_set *set = &custom->dtypes[custom->function.parameter_count % PARAMETERS_MAX];
    struct parameter *parameter = add(custom, name);
    collect_dtypes(operation, is_output, index, set);
    parameter->dtypes = set;
    parameter->kind = from->presence == BELAY_DYNAMIC ? PARAMETER_TENSOR_LIST : PARAMETER_TENSOR;
    parameter->is_optional = from->presence == BELAY_OPTIONAL;
    parameter->role = is_output                                                 ? ROLE_WRITTEN
                      : custom_output_of(operation, index) < operation->outputs ? ROLE_BOTH
                                                                                : ROLE_READ;
    if (!from->is_value || is_output)
        return;
    parameter->dtypes = NULL;
    parameter->kind = from->dtype[0] == ACL_FLOAT  ? PARAMETER_FLOAT_ARRAY
                      : from->dtype[0] == ACL_BOOL ? PARAMETER_BOOL_ARRAY
                                                   : PARAMETER_INT_ARRAY;
    if (from->dtype[0] != ACL_FLOAT && from->dtype[0] != ACL_BOOL && from->dtype[0] != ACL_INT64)
        blame(custom, ACLNN_ERR_INNER, "%s has ValueDepend; INT64, FLOAT or BOOL is expected there",
              from->name);
}

static void add_attribute(struct custom *custom, const struct belay_operator_attribute *attribute)
{
    static const enum parameter_kind kinds[BELAY_ATTRIBUTE_KINDS] = {
        [BELAY_ATTRIBUTE_INT] = PARAMETER_INT64,        [BELAY_ATTRIBUTE_FLOAT] = PARAMETER_DOUBLE,
        [BELAY_ATTRIBUTE_BOOL] = PARAMETER_BOOL,        [BELAY_ATTRIBUTE_STRING] = PARAMETER_STRING,
        [BELAY_ATTRIBUTE_INTS] = PARAMETER_INT_ARRAY,   [BELAY_ATTRIBUTE_FLOATS] = PARAMETER_FLOAT_ARRAY,
        [BELAY_ATTRIBUTE_BOOLS] = PARAMETER_BOOL_ARRAY,
    };
    char name[CUSTOM_NAME_BYTES];
    custom_name(attribute->name, "", name);
    struct parameter *parameter = add(custom, name);
    parameter->kind = kinds[attribute->kind];
    parameter->is_optional = attribute->is_optional;
    parameter->usual = attribute->usual;
}

static void describe(struct custom *custom)
{
    const struct belay_operator *operation = custom->operation;
    struct function *function = &custom->function;
    const uint32_t all = operation->inputs + operation->outputs + operation->attributes;
    if (operation->fault != NULL)
        blame(custom, ACLNN_ERR_INNER, "its definition: %s", operation->fault);
    else if (all > PARAMETERS_MAX || operation->outputs > OUTPUTS_MAX)
        blame(custom, ACLNN_ERR_INNER, "it has %u outputs and %u parameters; %d and %d at most are expected",
              operation->outputs, all, OUTPUTS_MAX, PARAMETERS_MAX);
    if (custom->status != 0)
        return;
    for (uint32_t i = 0; i < operation->inputs; i++) {
        custom->input_at[i] = (uint8_t)function->parameter_count;
        add_tensor(custom, false, i);
    }
    for (uint32_t i = 0; i < operation->attributes; i++) {
        custom->attribute_at[i] = (uint8_t)function->parameter_count;
        add_attribute(custom, &operation->attribute[i]);
    }
    for (uint32_t i = 0; i < operation->outputs; i++) {
        const uint32_t same = custom_input_of(operation, i);
        custom->output_at[i] =
            same < operation->inputs ? custom->input_at[same] : (uint8_t)function->parameter_count;
        if (same == operation->inputs)
            add_tensor(custom, true, i);
    }
}

static struct custom *make(const struct belay_generated *generated)
{
    struct custom *custom = calloc(1, sizeof *custom);
    char name[CUSTOM_NAME_BYTES + 8];
    if (custom == NULL)
        return NULL;
    pthread_mutex_init(&custom->lock, NULL);
    custom->generated = generated;
    snprintf(name, sizeof name, "aclnn%.90s", generated->name);
    custom->function = (struct function){
        .operation = {.name = strdup(name), .work_bytes = custom_work_bytes, .run = custom_run},
        .stem = generated->stem,
        .file = "",
        .parameter = custom->parameter,
        .family = FAMILY_CUSTOM,
        .promise = &promise_of_kernel,
        .of_family = custom,
        .infer = custom_infer,
        .plan = custom_plan,
        .launch = generated->launch};
    if (custom->function.operation.name == NULL) {
        free(custom);
        return NULL;
    }
    if (!custom_package_of(generated, custom->package))
        blame(custom, ACLNN_ERR_OPP_PATH_NOT_FOUND, "the file of its library is not known");
    char sentence[CUSTOM_SENTENCE_BYTES];
    if (custom->status == 0)
        custom->operation = custom_find_operator(custom->package, generated->name, sentence);
    if (custom->status == 0 && custom->operation == NULL)
        blame(custom, ACLNN_ERR_OPP_KERNEL_PKG_NOT_FOUND, "%s", sentence);
    if (custom->operation != NULL)
        describe(custom);
    if (custom->status == 0)
        find_product(custom);
    if (custom->product != NULL)
        custom->kernel = calloc(custom->product->combinations, sizeof *custom->kernel);
    return custom;
}

struct custom *custom_resolve(struct belay_generated *generated)
{
    struct custom *made = __atomic_load_n((struct custom **)&generated->own, __ATOMIC_ACQUIRE);
    if (made != NULL)
        return made;
    pthread_mutex_lock(&lock);
    made = generated->own;
    if (made == NULL) {
        made = make(generated);
        __atomic_store_n((struct custom **)&generated->own, made, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return made;
}

/* Of packages with an operator of the same name the first one has it. */
static bool is_first(const struct belay_generated *generated)
{
    const struct belay_generated *before = generated->next;
    while (before != NULL && strcmp(before->name, generated->name) != 0)
        before = before->next;
    return before == NULL;
}

static void find(void (*visit)(const struct function *function))
{
    custom_load_all();
    pthread_mutex_lock(&entry_lock);
    struct belay_generated *each = entered;
    pthread_mutex_unlock(&entry_lock);
    for (; each != NULL; each = each->next) {
        const struct custom *custom = is_first(each) ? custom_resolve(each) : NULL;
        if (custom != NULL && custom->function.parameter_count > 0)
            visit(&custom->function);
        else if (custom != NULL)
            custom_remember(custom->sentence);
    }
}

static __attribute__((constructor)) void offer(void)
{
    functions_find_by(find);
}

static aclnnStatus no_memory(const struct belay_generated *generated)
{
    return fail(ACLNN_ERR_INNER, "aclnn%s: there is no memory for its description", generated->name);
}

aclnnStatus generated_plan(struct belay_generated *generated, const uint64_t *argument,
                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    const struct custom *custom = custom_resolve(generated);
    if (custom == NULL)
        return no_memory(generated);
    /* Without a description the arguments cannot be read. */
    if (custom->function.parameter_count == 0)
        return fail(custom->status, "%s: %s", custom->function.operation.name, custom->sentence);
    return function_plan(&custom->function, (const union argument *)(const void *)argument, workspaceSize,
                         executor);
}

aclnnStatus generated_launch(struct belay_generated *generated, void *workspace, uint64_t workspaceSize,
                             aclOpExecutor *executor, aclrtStream stream)
{
    const struct custom *custom = custom_resolve(generated);
    return custom == NULL
               ? no_memory(generated)
               : executor_launch(&custom->function.operation, workspace, workspaceSize, executor, stream);
}
