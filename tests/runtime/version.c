/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Versions: the built-in one, and those of packages from files in a folder made for the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"
#include "support/folder.h"

static void path_of(const char *package, char *path, size_t bytes)
{
    int length = snprintf(path, bytes, "%s/share/info/%s/version.info", root, package);
    assert_true(length > 0 && (size_t)length < bytes);
}

static void write_info(const char *package, const char *text)
{
    char path[512];
    path_of(package, path, sizeof path);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_interface_is_1_17_0(void **state)
{
    (void)state;
    int32_t major = -1, minor = -1, patch = -1;
    assert_int_equal(aclrtGetVersion(&major, &minor, &patch), 0);
    assert_int_equal(major, 1);
    assert_int_equal(minor, 17);
    assert_int_equal(patch, 0);
    assert_failure(aclrtGetVersion(NULL, &minor, &patch), 100000, "majorVersion is NULL");
    assert_failure(aclrtGetVersion(&major, NULL, &patch), 100000, "minorVersion is NULL");
    assert_failure(aclrtGetVersion(&major, &minor, NULL), 100000, "patchVersion is NULL");
}

static void a_package_s_version_is_read_from_its_file(void **state)
{
    (void)state;
    char package[] = "runtime", text[ACL_PKG_VERSION_MAX_SIZE];
    write_info("runtime", "# made for a test\nversion_dir=x\nVersion=8.5.0\r\ninner=1\n");
    assert_int_equal(aclsysGetVersionStr(package, text), 0);
    assert_string_equal(text, "8.5.0");
    write_info("runtime", "Version=9.1.2");
    assert_int_equal(aclsysGetVersionStr(package, text), 0);
    assert_string_equal(text, "9.1.2");
}

static void numbers_order_versions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t number;
    } versions[] = {
        {"9.0.0", 90000000},
        {"8.1.RC1", 80100000 - 100 + 1},
        {"8.5.2", 80502000},
        {"9.0.0-beta.2", 90000000 - 200 + 2},
        {"9.0.0.alpha003", 90000000 - 300 + 3},
        {"8.1.0.rc12", 80100000 - 100 + 12},
        {"7", 70000000},
        {"8.5.0.7.rc2", 80500000},
        {"7.0.1-unknown", 70001000},
        {"9.0.0_beta_2", 90000000 - 200 + 2},
        {"9.0.0--rc.-_3", 90000000 - 100 + 3},
        {"9.0.0..alpha4", 90000000 - 300 + 4},
        {"0.0.0.alpha", -300},
        {"beta1", -200 + 1},
        {"9.0.1234567890123", 90000000 + 123456 * 1000},
    };
    char package[] = "toolkit";
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char line[64];
        int32_t number = 0;
        snprintf(line, sizeof line, "Version=%s\n", versions[i].text);
        write_info("toolkit", line);
        assert_int_equal(aclsysGetVersionNum(package, &number), 0);
        assert_int_equal(number, versions[i].number);
    }
    int32_t number;
    write_info("toolkit", "Version=214.74.83\n"); /* 2^31 is 214.74.83 and 648 */
    assert_int_equal(aclsysGetVersionNum(package, &number), 0);
    assert_int_equal(number, 2147483000);
    write_info("toolkit", "Version=214.74.84\n");
    assert_failure(aclsysGetVersionNum(package, &number), 100003, "beyond");
    write_info("toolkit", "Version=99999.0.0\n");
    assert_failure(aclsysGetVersionNum(package, &number), 100003, "beyond");
}

static void the_parts_of_a_version_stand_apart(void **state)
{
    (void)state;
    static const char *const packages[] = {"cann",    "runtime", "compiler",   "hccl",
                                           "toolkit", "opp",     "opp_kernel", "driver"};
    for (int i = 0; i < 8; i++) {
        aclCANNPackageVersion version;
        memset(&version, 'x', sizeof version);
        write_info(packages[i], "Version=9.12.3.RC4\n");
        assert_int_equal(aclsysGetCANNVersion((aclCANNPackageName)i, &version), 0);
        assert_string_equal(version.version, "9.12.3.RC4");
        assert_string_equal(version.majorVersion, "9");
        assert_string_equal(version.minorVersion, "12");
        assert_string_equal(version.releaseVersion, "3");
        assert_string_equal(version.patchVersion, "rc4");
    }
    aclCANNPackageVersion released;
    memset(&released, 'x', sizeof released);
    write_info("cann", "Version=9.1\n");
    assert_int_equal(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &released), 0);
    assert_string_equal(released.releaseVersion, "0");
    assert_string_equal(released.patchVersion, "");
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    char package[] = "runtime", text[ACL_PKG_VERSION_MAX_SIZE];
    char outside[] = "../runtime", empty[] = "", spaced[] = "a b", absolute[] = "/etc", control[] = "a\x1b";
    char *bad[] = {outside, empty, spaced, absolute, control};
    char longest[66];
    aclCANNPackageVersion version;
    int32_t number;
    memset(longest, 'a', 65);
    longest[65] = '\0';
    assert_failure(aclsysGetVersionStr(NULL, text), 100000, "pkgName is NULL");
    assert_failure(aclsysGetVersionStr(package, NULL), 100000, "versionStr is NULL");
    assert_failure(aclsysGetVersionNum(NULL, &number), 100000, "pkgName is NULL");
    assert_failure(aclsysGetVersionNum(package, NULL), 100000, "versionNum is NULL");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_failure(aclsysGetVersionStr(bad[i], text), 100000, "pkgName is '");
    assert_failure(aclsysGetVersionStr(longest, text), 100000, "1 to 64 letters");
    longest[64] = '\0'; /* a name, but that of nothing */
    assert_failure(aclsysGetVersionStr(longest, text), ACL_ERROR_INVALID_FILE, "aaa");
    assert_failure(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL), 100000, "version is NULL");
    assert_failure(aclsysGetCANNVersion((aclCANNPackageName)8, &version), 100000, "name is 8");
    assert_failure(aclsysGetCANNVersion((aclCANNPackageName)-1, &version), 100000, "name is -1");
}

static void missing_and_broken_files_are_reported(void **state)
{
    (void)state;
    char missing[] = "missing", broken[] = "broken", folder[] = "folder", pipe[] = "pipe",
         text[ACL_PKG_VERSION_MAX_SIZE];
    char path[512], long_text[400];
    assert_failure(aclsysGetVersionStr(missing, text), 100003, "cannot be read");
    write_info("broken", "Versions=1\n Version=1\n");
    assert_failure(aclsysGetVersionStr(broken, text), 100003, "has no version");
    write_info("broken", "");
    assert_failure(aclsysGetVersionStr(broken, text), 100003, "has no version");
    write_info("broken", "Version=\n");
    assert_failure(aclsysGetVersionStr(broken, text), 100003, "has no version");
    memset(long_text, '9', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    memcpy(long_text, "Version=", 8);
    write_info("broken", long_text);
    assert_failure(aclsysGetVersionStr(broken, text), 100003, "has no version");

    write_info("folder", "");
    path_of("folder", path, sizeof path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_failure(aclsysGetVersionStr(folder, text), 100003, "cannot be read");
    write_info("pipe", "");
    path_of("pipe", path, sizeof path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_failure(aclsysGetVersionStr(pipe, text), 100003, "cannot be read");

    unsetenv("ASCEND_HOME_PATH");
    assert_failure(aclsysGetVersionStr(missing, text), 100003, "ASCEND_HOME_PATH is not set");
    setenv("ASCEND_HOME_PATH", "", 1);
    assert_failure(aclsysGetVersionStr(missing, text), 100003, "ASCEND_HOME_PATH is not set");
    /* A path that is too long is read from nowhere, not from what is open either. */
    write_info("broken", "Version=1.0.0\n");
    path_of("broken", path, sizeof path);
    assert_non_null(freopen(path, "r", stdin));
    static char long_root[5000];
    memset(long_root, '/', sizeof long_root - 1);
    setenv("ASCEND_HOME_PATH", long_root, 1);
    assert_failure(aclsysGetVersionStr(missing, text), 100003, "cannot be read");
    setenv("ASCEND_HOME_PATH", root, 1);
}

static int make_home(void **state)
{
    return make_root(state) == 0 && setenv("ASCEND_HOME_PATH", root, 1) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interface_is_1_17_0),
        cmocka_unit_test(a_package_s_version_is_read_from_its_file),
        cmocka_unit_test(numbers_order_versions),
        cmocka_unit_test(the_parts_of_a_version_stand_apart),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(missing_and_broken_files_are_reported),
    };
    return cmocka_run_group_tests(tests, make_home, remove_root);
}
