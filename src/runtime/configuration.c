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
#include "runtime/error.h"
#include "runtime/hash.h"
#include "runtime/init.h"
#include "runtime/json.h"

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

struct reading;

struct key {
    const char *object; /* the member of the outermost object that holds it; NULL when it is one itself */
    const char *name;
    enum value_kind kind;
    int (*take)(struct reading *reading, const struct key *key, const struct json_value *value); /* or NULL */
};

static int take_default_device(struct reading *reading, const struct key *key,
                               const struct json_value *value);
static int take_message_mode(struct reading *reading, const struct key *key, const struct json_value *value);

static const struct key keys[] = {
    {NULL, "dump", KIND_OBJECT, NULL},
    {"dump", "dump_list", KIND_ARRAY, NULL},
    {"dump", "dump_path", KIND_STRING, NULL},
    {"dump", "dump_mode", KIND_STRING, NULL},
    {"dump", "dump_level", KIND_STRING, NULL},
    {"dump", "dump_op_switch", KIND_STRING, NULL},
    {"dump", "dump_debug", KIND_STRING, NULL},
    {"dump", "dump_step", KIND_STRING, NULL},
    {"dump", "dump_data", KIND_STRING, NULL},
    {"dump", "dump_scene", KIND_STRING, NULL},
    {NULL, "profiler", KIND_OBJECT, NULL},
    {"profiler", "switch", KIND_STRING, NULL},
    {"profiler", "output", KIND_STRING, NULL},
    {"profiler", "aic_metrics", KIND_STRING, NULL},
    {NULL, "defaultDevice", KIND_OBJECT, NULL},
    {"defaultDevice", "default_device", KIND_STRING, take_default_device},
    {NULL, "err_msg_mode", KIND_STRING, take_message_mode},
    {NULL, "event_mode", KIND_STRING_OR_NUMBER, NULL},
    {NULL, "aicore_stack_size", KIND_NUMBER, NULL},
    {NULL, "simt_stack_size", KIND_NUMBER, NULL},
    {NULL, "simt_divergence_stack_size", KIND_NUMBER, NULL},
    {NULL, "StackSize", KIND_OBJECT, NULL},
    {"StackSize", "aicore_stack_size", KIND_NUMBER, NULL},
    {"StackSize", "simt_stack_size", KIND_NUMBER, NULL},
    {"StackSize", "simt_divergence_stack_size", KIND_NUMBER, NULL},
};

/* What the members that are shown to take_member are made into. */
struct reading {
    struct configuration *configuration;
    int32_t device_count;
    bool is_there[sizeof keys / sizeof keys[0]];
};

/* Of as many digits as an int64_t surely has. */
static bool is_number(const struct json_value *value)
{
    bool is_good = value->type == JSON_NUMBER && value->length <= 18;
    for (size_t i = 0; is_good && i < value->length; i++)
        is_good = value->text[i] >= '0' && value->text[i] <= '9';
    return is_good;
}

static bool is_of_kind(const struct json_value *value, enum value_kind kind)
{
    switch (kind) {
    case KIND_STRING:
        return value->type == JSON_STRING;
    case KIND_NUMBER:
        return is_number(value);
    case KIND_STRING_OR_NUMBER:
        return value->type == JSON_STRING || is_number(value);
    case KIND_ARRAY:
        return value->type == JSON_ARRAY;
    default:
        return value->type == JSON_OBJECT;
    }
}

/* "aclInit: dump.dump_path of the configuration is 1; a string is expected" */
static int refuse(const struct key *key, const struct json_value *value, const char *expected)
{
    return fail(ACL_ERROR_INVALID_PARAM, "aclInit: %s%s%s of the configuration is %.*s; %s is expected",
                key->object != NULL ? key->object : "", key->object != NULL ? "." : "", key->name,
                value->length < 64 ? (int)value->length : 64, value->text, expected);
}

/* The number of a device, in at most three digits. */
static int take_default_device(struct reading *reading, const struct key *key, const struct json_value *value)
{
    int32_t found = 0;
    bool is_good = value->length > 2 && value->length <= 5;
    for (size_t i = 1; is_good && i + 1 < value->length; i++) {
        is_good = value->text[i] >= '0' && value->text[i] <= '9';
        found = found * 10 + (value->text[i] - '0');
    }
    if (!is_good || found >= reading->device_count) {
        char expected[64];
        snprintf(expected, sizeof expected, "a device of \"0\" to \"%d\"", reading->device_count - 1);
        return refuse(key, value, expected);
    }
    reading->configuration->default_device = found;
    return 0;
}

static int take_message_mode(struct reading *reading, const struct key *key, const struct json_value *value)
{
    if (!json_is(value, "0") && !json_is(value, "1"))
        return refuse(key, value, "\"0\" or \"1\"");
    reading->configuration->messages_are_shared = json_is(value, "1");
    return 0;
}

static int take_member(void *context, const struct json_member *member)
{
    static const char *const expected[] = {"a string", "an integer that is not negative",
                                           "a string or an integer that is not negative", "an array",
                                           "an object"};
    struct reading *reading = context;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct key *key = &keys[i];
        bool is_outermost = member->object.length == 0;
        if (!json_is(&member->name, key->name) ||
            (key->object == NULL ? !is_outermost : is_outermost || !json_is(&member->object, key->object)))
            continue;
        if (reading->is_there[i])
            return fail(ACL_ERROR_INVALID_PARAM,
                        "aclInit: %s%s%s is twice in the configuration; once is expected",
                        key->object != NULL ? key->object : "", key->object != NULL ? "." : "", key->name);
        reading->is_there[i] = true;
        if (!is_of_kind(&member->value, key->kind))
            return refuse(key, &member->value, expected[key->kind]);
        return key->take != NULL ? key->take(reading, key, &member->value) : 0;
    }
    return 0;
}

int configuration_parse(const char *text, size_t length, const struct settings *settings,
                        struct configuration *configuration)
{
    struct reading reading = {.configuration = configuration, .device_count = settings->device_count};
    enum json_type type;
    struct json_fault fault;
    *configuration = (struct configuration){.default_device = -1, .hash = hash_add(HASH_START, text, length)};
    TRY(json_read(text, length, take_member, &reading, &type, &fault));
    if (fault.what != NULL)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: in line %u, column %u of the configuration there is %s; JSON is expected",
                    fault.line, fault.column, fault.what);
    if (type != JSON_OBJECT)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: the configuration is not an object; a JSON object is expected");
    return 0;
}
