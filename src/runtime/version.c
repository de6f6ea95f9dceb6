/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Versions: of the acl interface, which is built in, and of packages, which stand in
 * $ASCEND_HOME_PATH/share/info/PACKAGE/version.info as a line Version=...
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/settings_peek.h"

enum { INFO_BYTES = 16384, PACKAGE_NAME_MAX = 64 };

/* The parts of a version such as 9.0.0, 8.1.RC1 or 9.0.0-beta.2. Missing numbers are 0. */
struct version {
    char text[ACL_PKG_VERSION_MAX_SIZE];
    uint32_t numbers[3];
    const char *stage;     /* "alpha", "beta", "rc" or "" */
    uint32_t stage_number; /* the ordinal behind it */
};

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclrtGetVersion", "majorVersion", majorVersion));
    TRY(check_result("aclrtGetVersion", "minorVersion", minorVersion));
    TRY(check_result("aclrtGetVersion", "patchVersion", patchVersion));
    *majorVersion = 1;
    *minorVersion = 17;
    *patchVersion = 0;
    return ACL_SUCCESS;
}

/* Package names become part of a path: letters, digits, underscores and hyphens only. */
static int check_package(const char *function, const char *package)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (package == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: pkgName is NULL; the name of a package is expected", function);
    size_t length = strnlen(package, PACKAGE_NAME_MAX + 1);
    if (length == 0 || length > PACKAGE_NAME_MAX || strspn(package, allowed) != length)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: pkgName is '%.256s'; 1 to 64 letters, digits, underscores and hyphens are expected",
                    function, package);
    return 0;
}

static ssize_t read_file(int file, char info[INFO_BYTES])
{
    struct stat status;
    int cancellation = cancellation_hold();
    ssize_t count = -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        count = read(file, info, INFO_BYTES - 1);
    close(file);
    cancellation_allow(cancellation);
    return count;
}

static int read_info(const char *function, const char *package, char info[INFO_BYTES])
{
    char path[4096];
    const char *root = secure_getenv("ASCEND_HOME_PATH");
    if (root == NULL || *root == '\0')
        return fail_unreported(
            ACL_ERROR_INVALID_FILE | ANSWER_IS_POLLED,
            "%s: ASCEND_HOME_PATH is not set; the folder of the toolkit is expected, as set_env.sh sets it",
            function);
    int length = snprintf(path, sizeof path, "%s/share/info/%s/version.info", root, package);
    int file = (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    ssize_t count = file >= 0 ? read_file(file, info) : -1;
    if (count < 0)
        return fail_unreported(ACL_ERROR_INVALID_FILE | ANSWER_IS_POLLED,
                               "%s: '%.256s' cannot be read; a regular file is expected", function, path);
    info[count] = '\0';
    return 0;
}

static bool take_number(const char **at, uint32_t *number)
{
    bool has_digits = **at >= '0' && **at <= '9';
    uint32_t sum = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        if (sum < 100000)
            sum = sum * 10 + (uint32_t)(**at - '0');
    }
    if (has_digits)
        *number = sum;
    return has_digits;
}

static void parse(struct version *version)
{
    static const char *const stages[] = {"alpha", "beta", "rc"};
    const char *at = version->text;
    for (int i = 0; i < 3 && take_number(&at, &version->numbers[i]); i++) {
        if (*at == '.')
            at++;
    }
    while (*at == '.' || *at == '-' || *at == '_')
        at++;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strncasecmp(at, stages[i], strlen(stages[i])) == 0) {
            version->stage = stages[i];
            at += strlen(stages[i]);
            while (*at == '.' || *at == '-' || *at == '_')
                at++;
            take_number(&at, &version->stage_number);
            break;
        }
    }
}

static int read_version(const char *function, const char *package, struct version *version)
{
    static const char key[] = "Version=";
    char info[INFO_BYTES];
    *version = (struct version){.stage = ""};
    TRY(check_package(function, package));
    TRY(read_info(function, package, info));
    for (char *line = info; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, sizeof key - 1) != 0)
            continue;
        line += sizeof key - 1;
        size_t length = strcspn(line, "\r\n");
        if (length == 0 || length >= sizeof version->text)
            break;
        memcpy(version->text, line, length);
        version->text[length] = '\0';
        parse(version);
        return 0;
    }
    return fail(ACL_ERROR_INVALID_FILE | ANSWER_IS_POLLED,
                "%s: version.info of package '%.64s' has no version; a line Version= with up to %d "
                "characters is expected",
                function, package, ACL_PKG_VERSION_MAX_SIZE - 1);
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    const struct settings *settings;
    struct version version;
    TRY(settings_peek(&settings));
    TRY(check_result("aclsysGetVersionStr", "versionStr", versionStr));
    TRY(read_version("aclsysGetVersionStr", pkgName, &version));
    memcpy(versionStr, version.text, strlen(version.text) + 1);
    return ACL_SUCCESS;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    const struct settings *settings;
    struct version version;
    TRY(settings_peek(&settings));
    TRY(check_result("aclsysGetVersionNum", "versionNum", versionNum));
    TRY(read_version("aclsysGetVersionNum", pkgName, &version));

    /* What comes before a release counts below it: alpha 300, beta 200, rc 100, and up again by their
     * ordinal. */
    int64_t number = (int64_t)version.numbers[0] * 10000000 + (int64_t)version.numbers[1] * 100000 +
                     (int64_t)version.numbers[2] * 1000;
    int64_t below = *version.stage == 'a'   ? 300
                    : *version.stage == 'b' ? 200
                    : *version.stage == 'r' ? 100
                                            : 0;
    number += (int64_t)version.stage_number - below;
    if (number > INT32_MAX)
        return fail(ACL_ERROR_INVALID_FILE | ANSWER_IS_POLLED,
                    "aclsysGetVersionNum: the version '%.128s' of package '%.64s' is beyond what a number of "
                    "32 bits holds",
                    version.text, pkgName);
    *versionNum = (int32_t)number;
    return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    static const char *const packages[] = {
        [ACL_PKG_NAME_CANN] = "cann",
        [ACL_PKG_NAME_RUNTIME] = "runtime",
        [ACL_PKG_NAME_COMPILER] = "compiler",
        [ACL_PKG_NAME_HCCL] = "hccl",
        [ACL_PKG_NAME_TOOLKIT] = "toolkit",
        [ACL_PKG_NAME_OPP] = "opp",
        [ACL_PKG_NAME_OPP_KERNEL] = "opp_kernel",
        [ACL_PKG_NAME_DRIVER] = "driver",
    };
    const struct settings *settings;
    struct version found;
    TRY(settings_peek(&settings));
    TRY(check_result("aclsysGetCANNVersion", "version", version));
    if ((int)name < ACL_PKG_NAME_CANN || (int)name > ACL_PKG_NAME_DRIVER)
        return fail(
            ACL_ERROR_INVALID_PARAM,
            "aclsysGetCANNVersion: name is %d; ACL_PKG_NAME_CANN (0) to ACL_PKG_NAME_DRIVER (7) is expected",
            (int)name);
    TRY(read_version("aclsysGetCANNVersion", packages[name], &found));

    memset(version, 0, sizeof *version);
    memcpy(version->version, found.text, sizeof found.text);
    snprintf(version->majorVersion, sizeof version->majorVersion, "%u", found.numbers[0]);
    snprintf(version->minorVersion, sizeof version->minorVersion, "%u", found.numbers[1]);
    snprintf(version->releaseVersion, sizeof version->releaseVersion, "%u", found.numbers[2]);
    if (*found.stage != '\0')
        snprintf(version->patchVersion, sizeof version->patchVersion, "%s%u", found.stage,
                 found.stage_number);
    return ACL_SUCCESS;
}
