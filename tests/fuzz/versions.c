/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: versions, attributes, and beginning and ending where neither is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "aclnn/aclnn_base.h"
#include "fuzz/verdict.h"

static void ask_for_the_version(struct world *world)
{
    int32_t part[3] = {-1, -1, -1};
    const uint32_t missing = draw(world, 8);
    const int status = aclrtGetVersion(missing == 0 ? NULL : &part[0], missing == 1 ? NULL : &part[1],
                                       missing == 2 ? NULL : &part[2]);
    judge("aclrtGetVersion", status, null_code(missing < 3), 0, 0);
    DEMAND(status != 0 || (part[0] == 1 && part[1] == 17 && part[2] == 0), "%d.%d.%d", part[0], part[1],
           part[2]);
}

static bool is_terminated(const char *text, size_t bytes)
{
    return memchr(text, 0, bytes) != NULL;
}

/* What is installed is not known. */
static void ask_for_packages(struct world *world)
{
    aclCANNPackageVersion version;
    const int name = draw(world, 8) == 0 ? (int32_t)draw_word(world) : (int)draw(world, 10) - 1;
    const bool is_null = draw(world, 8) == 0, is_name = name >= 0 && name < 8;
    memset(&version, 0x5a, sizeof version);
    const int status = aclsysGetCANNVersion((aclCANNPackageName)name, is_null ? NULL : &version);
    if (is_null || !is_name)
        judge("aclsysGetCANNVersion", status, 100000, 0, 0);
    else
        DEMAND(status == 0 || status == 100003, "package %d gave %d", name, status);
    if (status == 0)
        DEMAND(is_terminated(version.version, sizeof version.version) && version.version[0] != 0 &&
                   is_terminated(version.majorVersion, sizeof version.majorVersion) &&
                   is_terminated(version.patchVersion, sizeof version.patchVersion),
               "version of package %d", name);
}

/* In memory of its own that ends with the name. */
static char *draw_name(struct world *world)
{
    static const char *const names[] = {"runtime",   "",         "opp_kernel", "..",
                                        "../../etc", "no-such_", "a/b",        "/"};
    const uint32_t choice = draw(world, 16), length = choice < 8    ? (uint32_t)strlen(names[choice])
                                                      : choice < 12 ? 60 + draw(world, 8)
                                                                    : draw(world, 255);
    char *name = (char *)malloc(length + 1);
    DEMAND(name != NULL, "memory");
    for (uint32_t i = 0; i < length; i++)
        name[i] = (char)(choice < 8    ? names[choice][i]
                         : choice < 14 ? 'a' + (int)i % 26
                                       : 1 + (int)draw(world, 255));
    name[length] = 0;
    return name;
}

static void ask_for_a_package(struct world *world)
{
    char *name = draw_name(world), text[ACL_PKG_VERSION_MAX_SIZE];
    const uint32_t missing = draw(world, 8);
    int32_t number = 0, second = 0;
    memset(text, 0x5a, sizeof text);
    const int status = aclsysGetVersionStr(missing == 0 ? NULL : name, missing == 1 ? NULL : text);
    const int of_number = aclsysGetVersionNum(missing == 0 ? NULL : name, missing == 1 ? NULL : &number);
    if (missing < 2)
        DEMAND(status == 100000 && of_number == 100000, "NULL gave %d, %d", status, of_number);
    else
        DEMAND((status == 0 || status == 100000 || status == 100003) && (of_number == status || status == 0),
               "package '%s' gave %d, %d", name, status, of_number);
    if (status == 0)
        DEMAND(is_terminated(text, sizeof text), "version of '%s'", name);
    if (of_number == 0)
        DEMAND(aclsysGetVersionNum(name, &second) == 0 && second == number, "%d and %d", number, second);
    free(name);
}

/* What is listed is there, and nothing else. */
static void ask_for_attributes(struct world *world)
{
    const aclCannAttr *list = NULL;
    const int attribute = draw(world, 8) == 0 ? (int32_t)draw_word(world) : (int)draw(world, 6) - 1;
    const bool is_null = draw(world, 8) == 0;
    size_t count = 0;
    int32_t value = -1;
    DEMAND(aclGetCannAttributeList(NULL, &count) == 100000 && aclGetCannAttributeList(&list, NULL) == 100000,
           "NULL");
    DEMAND(aclGetCannAttributeList(&list, &count) == 0 && count == 3 && list != NULL, "%zu attributes",
           count);
    bool is_listed = false;
    for (size_t i = 0; i < count; i++)
        is_listed |= (int)list[i] == attribute;
    DEMAND(is_listed == (attribute >= 0 && attribute < 3), "attribute %d", attribute);
    const int status = aclGetCannAttribute((aclCannAttr)attribute, is_null ? NULL : &value);
    judge("aclGetCannAttribute", status, null_code(is_null), null_code(!is_listed), 0);
    DEMAND(status != 0 || value == 0 || value == 1, "attribute %d is %d", attribute, value);
}

static void ask_for_capabilities(struct world *world)
{
    const int32_t device = draw_device(world);
    const int info = (int)draw(world, 6) - 1;
    const bool is_null = draw(world, 8) == 0;
    int64_t value = -1, cores = -1;
    const int status = aclGetDeviceCapability((uint32_t)device, (aclDeviceInfo)info, is_null ? NULL : &value);
    judge("aclGetDeviceCapability", status, null_code(is_null), null_code(info < 0 || info > 2),
          null_code(device_code(device) != 0));
    if (status != 0)
        return;
    DEMAND(value > 0, "capability %d is %lld", info, (long long)value);
    const aclrtDevAttr attribute = info == 2 ? ACL_DEV_ATTR_L2_CACHE_SIZE : ACL_DEV_ATTR_VECTOR_CORE_NUM;
    DEMAND(aclrtGetDeviceInfo((uint32_t)device, attribute, &cores) == 0 && cores == value,
           "capability %d is %lld and %lld", info, (long long)value, (long long)cores);
}

/* A failure stays until it is taken; calls that succeed do not touch it, nor do answers that programs poll
 * for. */
static void ask_for_the_last_error(struct world *world)
{
    const int level = (int)draw(world, 4) - 1;
    int32_t device;
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    DEMAND(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0, "it was taken");
    DEMAND(aclrtSetDevice(-1 - (int32_t)draw(world, 4)) == 107001, "no such device");
    uint32_t count;
    DEMAND(aclrtGetDeviceCount(&count) == 0, "count");
    DEMAND(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 107001, "peek");
    judge("aclrtPeekAtLastError", aclrtPeekAtLastError((aclrtLastErrLevel)level),
          level == 0 ? 107001 : 100000, 0, 0);
    if (world->current < 0)
        DEMAND(aclrtGetDevice(&device) == 107002, "no context");
    DEMAND(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 107001, "the latest");
    DEMAND(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 107001, "get");
    DEMAND(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0, "it was taken");
}

/* What the functions that aclInit and the end of it call have been called for, and what they return. */
struct calls_made {
    uint32_t begun, ended;
    int code_of_begin, code_of_end;
    size_t bytes;
};

static aclError on_begin(const char *text, size_t bytes, void *user)
{
    struct calls_made *made = (struct calls_made *)user;
    (void)text;
    made->begun++;
    made->bytes += bytes;
    return made->code_of_begin;
}

static aclError on_end(void *user)
{
    struct calls_made *made = (struct calls_made *)user;
    made->ended++;
    return made->code_of_end;
}

/* The library is not in use by aclInit before and afterwards; everything else works without. */
static uint64_t begin(struct world *world, struct calls_made *made, uint64_t depth)
{
    static const struct {
        const char *path;
        int code;
    } configurations[] = {{NULL, 0},
                          {"", 0},
                          {"/no/such/file.json", 100003},
                          {"/dev/null", 100000},
                          {"/", 100000},
                          {"/proc/self/cmdline", 100000}};
    const uint32_t choice = draw(world, sizeof configurations / sizeof configurations[0]);
    const uint32_t before = made->begun;
    const int code = configurations[choice].code;
    const bool begins = code == 0 && depth == 0;
    const int status = aclInit(configurations[choice].path);
    judge("aclInit", status, code != 0 ? code : depth > 0 ? 100002 : made->code_of_begin, 0, 0);
    DEMAND(made->begun - before == begins, "%u calls", made->begun - before);
    return code != 0 || (begins && made->code_of_begin != 0) ? depth : depth + 1;
}

static uint64_t end(struct world *world, struct calls_made *made, uint64_t depth)
{
    const bool ends_all = draw(world, 4) == 0, is_null = draw(world, 4) == 0;
    const uint64_t rest = ends_all ? 0 : depth - 1;
    uint64_t left = UINT64_MAX;
    const uint32_t before = made->ended;
    judge("the end", ends_all ? aclFinalize() : aclFinalizeReference(is_null ? NULL : &left),
          rest == 0 ? made->code_of_end : 0, 0, 0);
    DEMAND(made->ended - before == (rest == 0), "%u calls", made->ended - before);
    DEMAND(ends_all || is_null || left == rest, "%llu are left", (unsigned long long)left);
    if (rest == 0)
        DEMAND(aclFinalize() == 100037, "ended twice");
    return rest;
}

static void begin_and_end(struct world *world)
{
    const aclRegisterCallbackType type = (aclRegisterCallbackType)draw(world, 16);
    struct calls_made made = {.code_of_begin = draw(world, 8) == 0 ? 7 : 0,
                              .code_of_end = draw(world, 8) == 0 ? 9 : 0};
    uint64_t depth = 0, left = 0;
    DEMAND(aclInitCallbackRegister(type, NULL, &made) == 100000 &&
               aclFinalizeCallbackRegister(type, NULL, &made) == 100000,
           "no function");
    DEMAND(aclInitCallbackRegister(type, on_begin, NULL) == 0 &&
               aclInitCallbackRegister(type, on_begin, &made) == 0 &&
               aclFinalizeCallbackRegister(type, on_end, &made) == 0,
           "register");
    for (uint32_t i = draw(world, 5); i > 0; i--)
        depth = depth > 0 && draw(world, 3) == 0 ? end(world, &made, depth) : begin(world, &made, depth);
    while (depth > 0)
        depth = end(world, &made, depth);
    DEMAND(aclFinalizeReference(&left) == 100037 && left == 0, "%llu are left", (unsigned long long)left);
    DEMAND(made.bytes == 0, "%zu bytes of configuration", made.bytes);
    const aclRegisterCallbackType other = (aclRegisterCallbackType)(type + 1);
    DEMAND(aclInitCallbackUnRegister(other, on_begin, &made) == 100000 &&
               aclFinalizeCallbackUnRegister(other, on_end, &made) == 100000,
           "another type");
    DEMAND(aclInitCallbackUnRegister(type, on_begin, NULL) == 0 &&
               aclFinalizeCallbackUnRegister(type, on_end, NULL) == 0,
           "taken back");
    DEMAND(aclInitCallbackUnRegister(type, on_begin, NULL) == 100000 &&
               aclFinalizeCallbackUnRegister(type, on_end, NULL) == 100000,
           "taken back twice");
    DEMAND(aclInitCallbackUnRegister(type, NULL, NULL) == 100000 &&
               aclFinalizeCallbackUnRegister(type, NULL, NULL) == 100000,
           "no function");
}

/* Registered for as many labels as there is room for. */
static void register_too_many(void)
{
    enum { REGISTERED_MOST = 64 };
    struct calls_made made = {0};
    for (int i = 0; i < REGISTERED_MOST; i++)
        DEMAND((i % 2 ? aclInitCallbackRegister((aclRegisterCallbackType)i, on_begin, &made)
                      : aclFinalizeCallbackRegister((aclRegisterCallbackType)i, on_end, &made)) == 0,
               "function %d", i);
    DEMAND(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_begin, &made) == 200000, "one too many");
    DEMAND(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_end, &made) == 200000, "one too many");
    for (int i = REGISTERED_MOST; i-- > 0;)
        DEMAND((i % 2 ? aclInitCallbackUnRegister((aclRegisterCallbackType)i, on_begin, NULL)
                      : aclFinalizeCallbackUnRegister((aclRegisterCallbackType)i, on_end, NULL)) == 0,
               "function %d", i);
}

/* Calls that programs make at their beginning and that change nothing here. */
static void begin_without_need(struct world *world)
{
    static const char *const paths[] = {NULL, "", "/no/such/file.json", "/"};
    static const char *const places[] = {"place", NULL, "%s%n", ""};
    const uint32_t level = draw(world, 2); /* lines of these are not written unless they are asked for */
    DEMAND(aclnnInit(paths[draw(world, 4)]) == 0 && aclnnFinalize() == 0, "operators");
    DEMAND(aclopSetModelDir("no such folder") == 0 && aclopSetModelDir(NULL) == 100000, "models");
    DEMAND(aclopSetMaxOpQueueNum(1 + draw(world, 9)) == 0 && aclopSetMaxOpQueueNum(0) == 100000, "queues");
    DEMAND(aclopSetCompileFlag((aclOpCompileFlag)draw(world, 2)) == 0 &&
               aclopSetCompileFlag((aclOpCompileFlag)(2 + draw(world, 9))) == 100000,
           "the compiler");
    const char *function = places[draw(world, 4)], *file = places[draw(world, 4)];
    aclAppLog(level ? ACL_INFO : ACL_DEBUG, function, file, (uint32_t)draw_word(world), "%d of %s", 3,
              "a program");
    DEMAND(aclrtGetSocName() != NULL && aclrtGetSocName() == aclrtGetSocName(), "the product");
}

void step_version(struct world *world)
{
    switch (draw(world, 12)) {
    case 0:
        ask_for_the_version(world);
        break;
    case 1:
        ask_for_packages(world);
        break;
    case 2:
        ask_for_a_package(world);
        break;
    case 3:
        ask_for_attributes(world);
        break;
    case 4:
        ask_for_capabilities(world);
        break;
    case 5:
        ask_for_the_last_error(world);
        break;
    case 6:
        register_too_many();
        break;
    case 7:
        begin_without_need(world);
        break;
    default:
        begin_and_end(world);
    }
}
