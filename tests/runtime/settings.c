/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The environment: for each variable the values that are understood, those that are not, and the default.
 * Every look at it is in a process of its own, because it is read once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "support/child.h"

static const char *expected_words;
static int64_t expected_number;
static int64_t (*number_of)(const struct settings *settings);

/* The value is refused: every call says so, with the words expected, and the first is like later ones. */
static int be_refused(void)
{
    for (int i = 0; i < 3; i++) {
        const struct settings *settings;
        CHILD_CHECK(settings_get(&settings) == 100000);
        CHILD_CHECK(settings == NULL);
        const char *message = aclGetRecentErrMsg();
        CHILD_CHECK(message != NULL);
        if (strstr(message, expected_words) == NULL) {
            print_error("'%s' is not in %s", expected_words, message);
            return 1;
        }
    }
    CHILD_CHECK(aclInit(NULL) == 100000);
    CHILD_CHECK(aclrtGetSocName() == NULL);
    CHILD_CHECK(aclCreateDataBuffer(NULL, 0) == NULL);
    CHILD_CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 100000);
    return 0;
}

static int be_understood(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 0);
    CHILD_CHECK(settings != NULL);
    if (number_of(settings) != expected_number) {
        print_error("%lld instead of %lld\n", (long long)number_of(settings), (long long)expected_number);
        return 1;
    }
    return 0;
}

/* One line of a table: a value of the variable, and what it means; REFUSED for none. */
#define REFUSED INT64_MIN
struct meaning {
    const char *value;
    int64_t number;
};

static void assert_meanings(const char *variable, int64_t (*number)(const struct settings *settings),
                            size_t count, const struct meaning *meanings)
{
    number_of = number;
    for (size_t i = 0; i < count; i++) {
        char words[64];
        snprintf(words, sizeof words, "%s: ", variable);
        expected_words = words;
        expected_number = meanings[i].number;
        int result = run_in_child(meanings[i].value != NULL ? variable : NULL, meanings[i].value,
                                  meanings[i].number == REFUSED ? be_refused : be_understood);
        if (result != 0)
            fail_msg("%s=%s: %d", variable, meanings[i].value, result);
    }
}

#define ASSERT_MEANINGS(variable, number, meanings) \
    assert_meanings(variable, number, sizeof(meanings) / sizeof(meanings)[0], meanings)

static int64_t product_of(const struct settings *settings)
{
    return settings->product;
}

static int64_t device_count_of(const struct settings *settings)
{
    return settings->device_count;
}

static int64_t thread_count_of(const struct settings *settings)
{
    return settings->thread_count;
}

static int64_t memory_of(const struct settings *settings)
{
    return (int64_t)settings->memory_bytes;
}

static int64_t workspace_of(const struct settings *settings)
{
    return (int64_t)settings->workspace_bytes;
}

static int64_t accuracy_of(const struct settings *settings)
{
    return settings->accuracy;
}

static int64_t isa_of(const struct settings *settings)
{
    return settings->isa;
}

static int64_t schedule_of(const struct settings *settings)
{
    return settings->schedule;
}

static int64_t seed_of(const struct settings *settings)
{
    return (int64_t)settings->schedule_seed;
}

static int64_t checks_of(const struct settings *settings)
{
    return settings->checks;
}

static int64_t host_pointers_of(const struct settings *settings)
{
    return settings->host_pointers_allowed;
}

static int64_t grace_of(const struct settings *settings)
{
    return settings->handles_have_grace;
}

static int64_t reports_absent_of(const struct settings *settings)
{
    return settings->reports_absent;
}

static int64_t visible_of(const struct settings *settings)
{
    return settings->visible_devices_are_bad ? -1 : settings->device_count;
}

static void belay_soc_selects_a_product(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, PRODUCT_910B},
        {"", PRODUCT_910B},
        {"Ascend910A", PRODUCT_910A},
        {"Ascend910B3", PRODUCT_910B},
        {"Ascend910_9391", PRODUCT_910B},
        {"Ascend950PR", PRODUCT_950},
        {"Ascend310P3", REFUSED},
        {"ascend910b3", REFUSED},
        {"Ascend910B3 ", REFUSED},
        {"Ascend910B33333333333333333333333333333333333", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_SOC", product_of, meanings);
}

static int name_is_what_was_asked_for(void)
{
    CHILD_CHECK(strcmp(aclrtGetSocName(), "Ascend910_9372") == 0);
    return 0;
}

static int name_is_the_default(void)
{
    CHILD_CHECK(strcmp(aclrtGetSocName(), "Ascend910B3") == 0);
    return 0;
}

static void the_soc_name_is_handed_out(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SOC", "Ascend910_9372", name_is_what_was_asked_for), 0);
    assert_int_equal(run_in_child(NULL, NULL, name_is_the_default), 0);
}

static void belay_devices_is_1_to_64(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 1},
        {"", 1},
        {"1", 1},
        {"64", 64},
        {"0", REFUSED},
        {"65", REFUSED},
        {"-1", REFUSED},
        {"+1", REFUSED},
        {" 1", REFUSED},
        {"1 ", REFUSED},
        {"1x", REFUSED},
        {"0x2", REFUSED},
        {"2.0", REFUSED},
        {"two", REFUSED},
        {"4294967297", REFUSED},
        {"18446744073709551617", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_DEVICES", device_count_of, meanings);
}

static void belay_threads_is_1_to_1024(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"1", 1},          {"7", 7},        {"1024", 1024},    {"0", REFUSED},
        {"1025", REFUSED}, {"-3", REFUSED}, {"many", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_THREADS", thread_count_of, meanings);
}

static int threads_follow_the_affinity(void)
{
    const struct settings *settings;
    cpu_set_t one;
    int cpu = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    CHILD_CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHILD_CHECK(settings_get(&settings) == 0);
    CHILD_CHECK(settings->thread_count == 1);
    return 0;
}

static int threads_are_at_least_one(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 0);
    CHILD_CHECK(settings->thread_count >= 1 && settings->thread_count <= 1024);
    CHILD_CHECK((long)settings->thread_count <= sysconf(_SC_NPROCESSORS_CONF));
    return 0;
}

static void without_belay_threads_the_processors_allowed_count(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, threads_follow_the_affinity), 0);
    assert_int_equal(run_in_child(NULL, NULL, threads_are_at_least_one), 0);
}

static void belay_memory_takes_suffixes(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"1", 1},
        {"4096", 4096},
        {"3K", 3 << 10},
        {"5M", 5 << 20},
        {"2G", INT64_C(2) << 30},
        {"1T", INT64_C(1) << 40},
        {"128T", INT64_C(1) << 47},
        {"140737488355328", INT64_C(1) << 47},
        {"140737488355329", REFUSED},
        {"129T", REFUSED},
        {"0", REFUSED},
        {"0K", REFUSED},
        {"K", REFUSED},
        {"1k", REFUSED},
        {"1KB", REFUSED},
        {"1KK", REFUSED},
        {"1 K", REFUSED},
        {"1.5G", REFUSED},
        {"-1", REFUSED},
        {"16777216T", REFUSED},
        {"18446744073709551615T", REFUSED},
        {"18446744073709551616", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_MEMORY", memory_of, meanings);
}

/* Sanitizers need more addresses than the limit of the next test leaves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static int memory_is_half_of_the_limit(void)
{
#ifndef HAS_SANITIZER
    const struct settings *settings;
    struct rlimit space = {1 << 30, 1 << 30};
    CHILD_CHECK(setrlimit(RLIMIT_AS, &space) == 0);
    CHILD_CHECK(settings_get(&settings) == 0);
    CHILD_CHECK(settings->memory_bytes <= 1 << 29 && settings->memory_bytes > 0);
#endif
    return 0;
}

static int memory_is_at_most_half_of_the_machine(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 0);
    uint64_t installed = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    CHILD_CHECK(settings->memory_bytes > 0 && settings->memory_bytes <= installed / 2);
    return 0;
}

static void without_belay_memory_it_is_half_of_what_the_process_may_use(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, memory_is_half_of_the_limit), 0);
    assert_int_equal(run_in_child(NULL, NULL, memory_is_at_most_half_of_the_machine), 0);
    assert_int_equal(run_in_child("BELAY_MEMORY", "", memory_is_at_most_half_of_the_machine), 0);
}

static void belay_workspace_may_be_0_and_takes_suffixes(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 0},       {"0", 0},       {"1", 1}, {"16M", 16 << 20}, {"1T", INT64_C(1) << 40},
        {"2T", REFUSED}, {"x", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_WORKSPACE", workspace_of, meanings);
}

static void belay_accuracy_is_default_or_exact(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, ACCURACY_DEFAULT},  {"", ACCURACY_DEFAULT}, {"default", ACCURACY_DEFAULT},
        {"exact", ACCURACY_EXACT}, {"Exact", REFUSED},     {"fast", REFUSED},
        {"exact ", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_ACCURACY", accuracy_of, meanings);
}

static void belay_isa_lowers_the_level(void **state)
{
    (void)state;
    enum isa_level highest = processor_level();
#ifdef __x86_64__
    const struct meaning meanings[] = {
        {NULL, highest},
        {"baseline", ISA_BASELINE},
        {"avx2", highest >= ISA_AVX2 ? ISA_AVX2 : REFUSED},
        {"avx512", highest >= ISA_AVX512 ? ISA_AVX512 : REFUSED},
        {"avx512_bf16", highest >= ISA_AVX512_BF16 ? ISA_AVX512_BF16 : REFUSED},
        {"neon", REFUSED},
        {"AVX2", REFUSED},
        {"avx", REFUSED},
        {"avx2,avx512", REFUSED},
    };
#else
    const struct meaning meanings[] = {
        {NULL, highest}, {"baseline", ISA_BASELINE}, {"avx2", REFUSED}, {"avx512", REFUSED}, {"x", REFUSED},
    };
#endif
    ASSERT_MEANINGS("BELAY_ISA", isa_of, meanings);
}

static void belay_schedule_has_three_forms(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, SCHEDULE_EAGER},
        {"eager", SCHEDULE_EAGER},
        {"lazy", SCHEDULE_LAZY},
        {"random:0", SCHEDULE_RANDOM},
        {"random", REFUSED},
        {"random:", REFUSED},
        {"random:x", REFUSED},
        {"random:1 ", REFUSED},
        {"random:-1", REFUSED},
        {"Lazy", REFUSED},
        {"random:18446744073709551616", REFUSED},
    };
    static const struct meaning seeds[] = {{"random:42", 42}, {"random:18446744073709551615", -1}};
    ASSERT_MEANINGS("BELAY_SCHEDULE", schedule_of, meanings);
    ASSERT_MEANINGS("BELAY_SCHEDULE", seed_of, seeds);
}

static void belay_check_is_a_list(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 0},
        {"", 0},
        {"mem", CHECK_MEMORY},
        {"init", CHECK_INIT},
        {"race", CHECK_RACE},
        {"leak", CHECK_LEAK},
        {"sync", CHECK_ORDER},
        {"num", CHECK_NUM},
        {"report", CHECK_REPORT},
        {"memory", CHECK_MEMORY},
        {"order", CHECK_ORDER},
        {"mem,sync", CHECK_MEMORY | CHECK_ORDER},
        {"sync,leak,race,init,mem,mem", 31},
        {"all", REFUSED},
        {"mem,", REFUSED},
        {",mem", REFUSED},
        {"mem,,init", REFUSED},
        {"mem init", REFUSED},
        {"memor", REFUSED},
        {"me", REFUSED},
        {"1", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_CHECK", checks_of, meanings);
}

static void belay_host_pointers_is_allow(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 0}, {"", 0}, {"allow", 1}, {"1", REFUSED}, {"deny", REFUSED}, {"Allow", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_HOST_POINTERS", host_pointers_of, meanings);
}

static void belay_handles_is_strict_or_grace(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 0}, {"", 0}, {"strict", 0}, {"grace", 1}, {"1", REFUSED}, {"Grace", REFUSED},
    };
    ASSERT_MEANINGS("BELAY_HANDLES", grace_of, meanings);
}

static void belay_absent_is_report(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {{NULL, 0}, {"", 0}, {"report", 1}, {"1", REFUSED}};
    ASSERT_MEANINGS("BELAY_ABSENT", reports_absent_of, meanings);
}

static void visible_devices_pick_ascending_numbers(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {NULL, 4},      {"", -1},        {"0", 1},
        {"3", 1},       {"0,1,2,3", 4},  {"1,3", 2},
        {"0,1,x,3", 2}, {"0,4,1", 1},    {"0,1,", 2},
        {"0,1 ,2", 1},  {"0,-1", 1},     {"0,0", -1},
        {"1,0", -1},    {"0,2,2", -1},   {"4", -1},
        {"x", -1},      {",0", -1},      {"-1", -1},
        {" 0", -1},     {"0,1,2,1", -1}, {"99999999999999999999", -1},
    };
    setenv("BELAY_DEVICES", "4", 1);
    ASSERT_MEANINGS("ASCEND_RT_VISIBLE_DEVICES", visible_of, meanings);
    unsetenv("BELAY_DEVICES");
}

static void long_and_dirty_values_are_cut_and_escaped(void **state)
{
    (void)state;
    char value[4000];
    memset(value, 'a', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    expected_words = "; eager, lazy or random:SEED";
    assert_int_equal(run_in_child("BELAY_SCHEDULE", value, be_refused), 0);
    expected_words = "'\\x1b[2J\\x0a'";
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "\x1b[2J\n", be_refused), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belay_soc_selects_a_product),
        cmocka_unit_test(the_soc_name_is_handed_out),
        cmocka_unit_test(belay_devices_is_1_to_64),
        cmocka_unit_test(belay_threads_is_1_to_1024),
        cmocka_unit_test(without_belay_threads_the_processors_allowed_count),
        cmocka_unit_test(belay_memory_takes_suffixes),
        cmocka_unit_test(without_belay_memory_it_is_half_of_what_the_process_may_use),
        cmocka_unit_test(belay_workspace_may_be_0_and_takes_suffixes),
        cmocka_unit_test(belay_accuracy_is_default_or_exact),
        cmocka_unit_test(belay_isa_lowers_the_level),
        cmocka_unit_test(belay_schedule_has_three_forms),
        cmocka_unit_test(belay_check_is_a_list),
        cmocka_unit_test(belay_host_pointers_is_allow),
        cmocka_unit_test(belay_handles_is_strict_or_grace),
        cmocka_unit_test(belay_absent_is_report),
        cmocka_unit_test(visible_devices_pick_ascending_numbers),
        cmocka_unit_test(long_and_dirty_values_are_cut_and_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
