/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The configuration file of aclInit. Much of it is about profiling, dumping and the sizes of stacks on the
 * device, which mean nothing here; such values are checked for their type, so that a broken file is found,
 * and then left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/hash.h"
#include "runtime/init.h"
#include "base/json.h"

static int read_all(int file, const char *path, char *text, size_t *length)
{
    /* One byte more than allowed: the file may have grown since its size was asked for. */
    while (*length <= CONFIGURATION_BYTES_MAX) {
        ssize_t count = read(file, text + *length, CONFIGURATION_BYTES_MAX + 1 - *length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(ACL_ERROR_INVALID_FILE, "aclInit: configPath '%.256s' cannot be read: %s", path,
                        strerror(errno));
        if (count == 0)
            break;
        *length += (size_t)count;
    }
    if (*length > CONFIGURATION_BYTES_MAX)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: configPath '%.256s' holds more than 1 MiB; at most that is expected", path);
    text[*length] = '\0';
    return 0;
}

int configuration_load(const char *path, char **text, size_t *length)
{
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return fail(ACL_ERROR_INVALID_FILE,
                    "aclInit: configPath '%.256s' cannot be opened: %s; a file that can be read is expected",
                    path, strerror(errno));
    struct stat status;
    int code = 0;
    *text = NULL;
    *length = 0;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        code = fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: configPath '%.256s' is not a regular file; one is expected", path);
    else if (status.st_size > CONFIGURATION_BYTES_MAX)
        code = fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: configPath '%.256s' holds %lld bytes; at most 1 MiB is expected", path,
                    (long long)status.st_size);
    else if ((*text = (char *)malloc(CONFIGURATION_BYTES_MAX + 2)) == NULL)
        code = fail(ACL_ERROR_BAD_ALLOC, "aclInit: there is no memory to read configPath '%.256s'", path);
    else
        code = read_all(file, path, *text, length);
    close(file);
    if (code != 0) {
        free(*text);
        *text = NULL;
    }
    return code;
}

enum value_kind { KIND_STRING, KIND_NUMBER, KIND_STRING_OR_NUMBER, KIND_ARRAY, KIND_OBJECT };

static const struct key {
    const char *object; /* the member of the outermost object that holds it; NULL when it is one itself */
    const char *name;
    enum value_kind kind;
} keys[] = {
    {NULL, "dump", KIND_OBJECT},
    {"dump", "dump_list", KIND_ARRAY},
    {"dump", "dump_path", KIND_STRING},
    {"dump", "dump_mode", KIND_STRING},
    {"dump", "dump_level", KIND_STRING},
    {"dump", "dump_op_switch", KIND_STRING},
    {"dump", "dump_debug", KIND_STRING},
    {"dump", "dump_step", KIND_STRING},
    {"dump", "dump_data", KIND_STRING},
    {"dump", "dump_scene", KIND_STRING},
    {NULL, "profiler", KIND_OBJECT},
    {"profiler", "switch", KIND_STRING},
    {"profiler", "output", KIND_STRING},
    {"profiler", "aic_metrics", KIND_STRING},
    {NULL, "defaultDevice", KIND_OBJECT},
    {"defaultDevice", "default_device", KIND_STRING},
    {NULL, "err_msg_mode", KIND_STRING},
    {NULL, "event_mode", KIND_STRING_OR_NUMBER},
    {NULL, "aicore_stack_size", KIND_NUMBER},
    {NULL, "simt_stack_size", KIND_NUMBER},
    {NULL, "simt_divergence_stack_size", KIND_NUMBER},
    {NULL, "StackSize", KIND_OBJECT},
    {"StackSize", "aicore_stack_size", KIND_NUMBER},
    {"StackSize", "simt_stack_size", KIND_NUMBER},
    {"StackSize", "simt_divergence_stack_size", KIND_NUMBER},
};

/* Whether a value is a number of no more digits than an int64_t surely has. */
static bool is_number(yyjson_val *value)
{
    const char *digits = yyjson_get_raw(value);
    size_t length = yyjson_get_len(value);
    return digits != NULL && length <= 18 && strspn(digits, "0123456789") == length;
}

static bool is_of_kind(yyjson_val *value, enum value_kind kind)
{
    switch (kind) {
    case KIND_STRING:
        return yyjson_is_str(value);
    case KIND_NUMBER:
        return is_number(value);
    case KIND_STRING_OR_NUMBER:
        return yyjson_is_str(value) || is_number(value);
    case KIND_ARRAY:
        return yyjson_is_arr(value);
    default:
        return yyjson_is_obj(value);
    }
}

/* "aclInit: dump.dump_path of the configuration is 1; a string is expected" */
static int refuse(const char *object, const char *name, yyjson_val *value, const char *expected)
{
    const char *quote = yyjson_is_str(value) ? "\"" : "";
    const char *shown = yyjson_is_str(value)    ? yyjson_get_str(value)
                        : yyjson_is_raw(value)  ? yyjson_get_raw(value)
                        : yyjson_is_arr(value)  ? "an array"
                        : yyjson_is_obj(value)  ? "an object"
                        : yyjson_is_null(value) ? "null"
                        : yyjson_is_true(value) ? "true"
                                                : "false";
    return fail(ACL_ERROR_INVALID_PARAM, "aclInit: %s%s%s of the configuration is %s%.64s%s; %s is expected",
                object != NULL ? object : "", object != NULL ? "." : "", name, quote, shown, quote, expected);
}

static int check_type(yyjson_val *root, const struct key *key)
{
    static const char *const expected[] = {"a string", "an integer that is not negative",
                                           "a string or an integer that is not negative", "an array",
                                           "an object"};
    yyjson_val *object = key->object != NULL ? yyjson_obj_get(root, key->object) : root;
    yyjson_val *value = yyjson_obj_get(object, key->name);
    if (value == NULL)
        return 0;
    if (json_only(object, key->name) == NULL)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: %s%s%s is twice in the configuration; once is expected",
                    key->object != NULL ? key->object : "", key->object != NULL ? "." : "", key->name);
    return is_of_kind(value, key->kind) ? 0 : refuse(key->object, key->name, value, expected[key->kind]);
}

/* The number of a device, in at most three digits. */
static int take_default_device(yyjson_val *root, int32_t device_count, int32_t *device)
{
    yyjson_val *value = yyjson_obj_get(yyjson_obj_get(root, "defaultDevice"), "default_device");
    const char *text = yyjson_get_str(value);
    size_t length = yyjson_get_len(value);
    int32_t found = 0;
    bool is_good = length > 0 && length <= 3;
    if (value == NULL)
        return 0;
    for (size_t i = 0; is_good && i < length; i++) {
        is_good = text[i] >= '0' && text[i] <= '9';
        found = found * 10 + (text[i] - '0');
    }
    if (!is_good || found >= device_count) {
        char expected[64];
        if (device_count > 0)
            snprintf(expected, sizeof expected, "a device of \"0\" to \"%d\"", device_count - 1);
        else
            snprintf(expected, sizeof expected, "an ASCEND_RT_VISIBLE_DEVICES that names a device");
        return refuse("defaultDevice", "default_device", value, expected);
    }
    *device = found;
    return 0;
}

static int take_message_mode(yyjson_val *root, bool *is_shared)
{
    yyjson_val *value = yyjson_obj_get(root, "err_msg_mode");
    *is_shared = yyjson_equals_str(value, "1");
    if (value == NULL || *is_shared || yyjson_equals_str(value, "0"))
        return 0;
    return refuse(NULL, "err_msg_mode", value, "\"0\" or \"1\"");
}

static int take_members(yyjson_val *root, int32_t device_count, struct configuration *configuration)
{
    if (!yyjson_is_obj(root))
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: the configuration is not an object; a JSON object is expected");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        TRY(check_type(root, &keys[i]));
    TRY(take_default_device(root, device_count, &configuration->default_device));
    return take_message_mode(root, &configuration->messages_are_shared);
}

int configuration_parse(const char *text, size_t length, const struct settings *settings,
                        struct configuration *configuration)
{
    struct json_fault fault;
    *configuration = (struct configuration){.default_device = -1, .hash = hash_add(HASH_START, text, length)};
    yyjson_doc *document = json_read(text, length, &fault);
    if (document == NULL && fault.what == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "aclInit: there is no memory to read the configuration");
    if (document == NULL)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: line %zu, column %zu of the configuration: %s; JSON is expected", fault.line,
                    fault.column, fault.what);
    int code = take_members(yyjson_doc_get_root(document), settings->device_count, configuration);
    yyjson_doc_free(document);
    return code;
}
