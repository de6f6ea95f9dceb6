/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The configuration file of aclInit. Much of it is about profiling, dumping and the sizes of stacks on the
 * device, which mean nothing here; such values are checked for their type, so that a broken file is found,
 * and then left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "runtime/error.h"
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
            return fail(ACL_ERROR_INVALID_FILE,
                        "aclInit: configPath '%.256s' cannot be read, error number %d", path, errno);
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
                    "aclInit: configPath '%.256s' cannot be opened, error number %d; a file that can be read "
                    "is expected",
                    path, errno);
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

struct key {
    const char *object; /* the member of the outermost object that holds it; NULL when it is one itself */
    const char *name;
    enum value_kind kind;
};

static const struct key keys[] = {
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

static bool is_of_kind(struct json_value value, enum value_kind kind)
{
    int64_t ignored;
    bool is_number = json_integer(value, &ignored) && ignored >= 0;
    switch (kind) {
    case KIND_STRING:
        return value.type == JSON_STRING;
    case KIND_NUMBER:
        return is_number;
    case KIND_STRING_OR_NUMBER:
        return value.type == JSON_STRING || is_number;
    case KIND_ARRAY:
        return value.type == JSON_ARRAY;
    default:
        return value.type == JSON_OBJECT;
    }
}

static int check_kinds(struct json_value all)
{
    static const char *const expected[] = {"a string", "an integer that is not negative",
                                           "a string or an integer that is not negative", "an array",
                                           "an object"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct json_value holder = all, value;
        if (keys[i].object != NULL && !json_member(all, keys[i].object, &holder))
            continue;
        if (json_member(holder, keys[i].name, &value) && !is_of_kind(value, keys[i].kind))
            return fail(
                ACL_ERROR_INVALID_PARAM, "aclInit: %s%s%s of the configuration is %.*s; %s is expected",
                keys[i].object != NULL ? keys[i].object : "", keys[i].object != NULL ? "." : "", keys[i].name,
                value.length < 64 ? (int)value.length : 64, value.text, expected[keys[i].kind]);
    }
    return 0;
}

/* FNV-1a. Only has to tell two configurations of well-meaning libraries apart. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* defaultDevice.default_device: the digits of a device's number. */
static int parse_default_device(struct json_value all, int32_t device_count, int32_t *device)
{
    struct json_value object, value;
    char digits[16];
    int32_t found = 0;
    if (!json_member(all, "defaultDevice", &object) || !json_member(object, "default_device", &value))
        return 0;
    bool is_good = json_string(value, digits, 4) && digits[0] != '\0';
    for (const char *at = digits; is_good && *at != '\0'; at++) {
        is_good = *at >= '0' && *at <= '9';
        found = found * 10 + (*at - '0');
    }
    if (!is_good || found >= device_count)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: defaultDevice.default_device of the configuration is %.*s; a device of \"0\" "
                    "to \"%d\" is "
                    "expected",
                    value.length < 64 ? (int)value.length : 64, value.text, device_count - 1);
    *device = found;
    return 0;
}

int configuration_parse(const char *text, size_t length, const struct settings *settings,
                        struct configuration *configuration)
{
    struct json_value all, mode;
    struct json_fault fault;
    *configuration = (struct configuration){.default_device = -1, .hash = hash_of(text, length)};
    if (!json_check(text, length, &all, &fault))
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: in line %u, column %u of the configuration there is %s; JSON is expected",
                    fault.line, fault.column, fault.what);
    if (all.type != JSON_OBJECT)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclInit: the configuration is not an object; a JSON object is expected");
    TRY(check_kinds(all));
    TRY(parse_default_device(all, settings->device_count, &configuration->default_device));
    if (json_member(all, "err_msg_mode", &mode)) {
        char digit[2];
        if (!json_string(mode, digit, sizeof digit) || (digit[0] != '0' && digit[0] != '1'))
            return fail(ACL_ERROR_INVALID_PARAM,
                        "aclInit: err_msg_mode of the configuration is %.*s; \"0\" or \"1\" is expected",
                        mode.length < 64 ? (int)mode.length : 64, mode.text);
        configuration->messages_are_shared = digit[0] == '1';
    }
    return 0;
}
