/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The names of C++ that libraries are linked with which run operator by operator: called as they call them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

struct object {
    const void *virtual_functions, *kind;
    void *owner;
};
typedef bool exist_function(const char *);
typedef struct object create_function(const char *, const char *);
typedef int attribute_function(const struct object *, const char *, void *);
typedef uintptr_t any_function(void *, void *);

static void *find(const char *library, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.so", LIBRARIES, library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = handle != NULL ? dlsym(handle, name) : NULL;
    if (address == NULL)
        fail_msg("%s has no %s: %s", library, name, dlerror());
    return address;
}

#define FIND(type, name) \
    type *name;          \
    memcpy(&name, (void *[]){find("libgraph", symbol_##name)}, sizeof name)

static const char symbol_exists[] = "_ZN2ge15OperatorFactory9IsExistOpEPKc";
static const char symbol_create[] = "_ZN2ge15OperatorFactory14CreateOperatorEPKcS2_";
static const char symbol_get_bool[] = "_ZNK2ge8Operator7GetAttrEPKcRb";
static const char symbol_get_long[] = "_ZNK2ge8Operator7GetAttrEPKcRl";
static const char symbol_get_int[] = "_ZNK2ge8Operator7GetAttrEPKcRi";
static const char symbol_get_float[] = "_ZNK2ge8Operator7GetAttrEPKcRf";
static const char symbol_get_dtype[] = "_ZNK2ge8Operator7GetAttrEPKcRNS_8DataTypeE";

static void a_kind_exists_where_it_is_computed(void **state)
{
    (void)state;
    FIND(exist_function, exists);
    assert_true(exists("Identity"));
    assert_true(exists("Relu")); /* of libopapi, which is not open before */
    assert_false(exists("Rellu"));
    assert_false(exists(""));
    assert_false(exists(NULL));
}

/* Whoever asks has put nothing there before, and passes on what it finds: with a bool that is neither, compilers
 * go wrong. */
static void an_attribute_is_written_always(void **state)
{
    (void)state;
    FIND(create_function, create);
    FIND(attribute_function, get_bool);
    FIND(attribute_function, get_long);
    FIND(attribute_function, get_int);
    FIND(attribute_function, get_float);
    FIND(attribute_function, get_dtype);
    static const struct {
        const char *kind, *name;
        int expected;
    } rows[] = {
        {"GatherV2", "negative_index_support", 0}, {"ReduceMean", "keep_dims", 0},
        {"ReduceMean", "noop_with_empty_axes", 0}, {"Unique", "out_idx", ACL_INT32},
        {"ArgMaxV2", "dtype", ACL_INT64},          {"KlDivLossGrad", "log_target", 0},
        {"AvgPool3D", "count_include_pad", 1},     {"Relu", "no_such_attribute", 0},
        {"no such kind", "keep_dims", 0},          {"", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct object kind = create("any name", rows[i].kind);
        union {
            bool is_set;
            int number;
            int64_t wide;
            float fraction;
            unsigned char byte[8];
        } value;
        assert_null(kind.virtual_functions);
        assert_null(kind.owner);
        memset(&value, 0xcc, sizeof value);
        assert_int_equal(get_bool(&kind, rows[i].name, &value), 0);
        assert_int_equal(value.byte[0], rows[i].expected != 0);
        assert_int_equal(value.byte[1], 0xcc);
        memset(&value, 0xcc, sizeof value);
        assert_int_equal(get_int(&kind, rows[i].name, &value), 0);
        assert_int_equal(value.number, rows[i].expected);
        memset(&value, 0xcc, sizeof value);
        assert_int_equal(get_dtype(&kind, rows[i].name, &value), 0);
        assert_int_equal(value.number, rows[i].expected);
        assert_int_equal(value.byte[4], 0xcc);
        memset(&value, 0xcc, sizeof value);
        assert_int_equal(get_long(&kind, rows[i].name, &value), 0);
        assert_int_equal(value.wide, rows[i].expected);
        memset(&value, 0xcc, sizeof value);
        assert_int_equal(get_float(&kind, rows[i].name, &value), 0);
        assert_true(value.fraction == (float)rows[i].expected);
    }
}

static uintptr_t call(const char *library, const char *name, void *self)
{
    any_function *function;
    memcpy(&function, (void *[]){find(library, name)}, sizeof function);
    return function(self, NULL);
}

/* What would build a graph says so, and leaves nothing behind that its caller could stumble over. */
static void what_builds_graphs_is_refused(void **state)
{
    (void)state;
    uint64_t object[4] = {1, 1, 1, 1};
    (void)aclGetRecentErrMsg();
    call("libgraph", "_ZN2ge5ShapeC1Ev", object);
    assert_sentence("ge::Shape::Shape is not supported by this library: there is no graph engine here");
    assert_true(object[0] == 0 && object[1] == 0 && object[2] == 1);
    assert_ptr_equal(call("libgraph", "_ZN2ge8Operator7SetAttrEPKcb", object), object);
    assert_sentence("ge::Operator::SetAttr");
    assert_int_equal(call("libgraph", "_ZN2ge6Tensor7SetDataEPKhm", object), UINT32_MAX);
    assert_sentence("ge::Tensor::SetData");
    assert_int_equal(call("libgraph", "_ZNK2ge5Shape9GetDimNumEv", object), 0);
    assert_sentence("ge::Shape::GetDimNum");
    memset(object, 1, sizeof object);
    call("libgraph", "_ZN2ge7SessionC1ERKSt3mapISsSsSt4lessISsESaISt4pairIKSsSsEEE", object);
    assert_sentence("jit_level=\"O0\"");
    assert_true(object[0] == UINT64_MAX / 255);
    assert_int_equal(call("libgraph", "_ZN2ge7Session11RemoveGraphEj", object), UINT32_MAX);
    assert_sentence("ge::Session::RemoveGraph");
}

static void the_engine_starts_and_takes_words(void **state)
{
    (void)state;
    assert_int_equal(
        call("libge_runner", "_ZN2ge12GEInitializeERKSt3mapISsSsSt4lessISsESaISt4pairIKSsSsEEE", NULL), 0);
    assert_int_equal(call("libge_runner", "_ZN2ge10GEFinalizeEv", NULL), 0);
    /* An empty std::map: no root, the least and the greatest are its header, nothing is in it. */
    uintptr_t *factory = (uintptr_t *)call("libge_runner", "_ZN2ge13StatusFactory8InstanceEv", NULL);
    assert_true(factory[2] == 0 && factory[3] == (uintptr_t)(factory + 1) &&
                factory[4] == (uintptr_t)(factory + 1) && factory[5] == 0);
    factory[5] = 0; /* it can be written to */
    assert_ptr_equal(call("libge_runner", "_ZN2ge13StatusFactory8InstanceEv", NULL), factory);
    /* Who is linked with this library alone finds the functions of the other. */
    find("libge_runner", "_ZN2ge15OperatorFactory9IsExistOpEPKc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_exists_where_it_is_computed),
        cmocka_unit_test(an_attribute_is_written_always),
        cmocka_unit_test(what_builds_graphs_is_refused),
        cmocka_unit_test(the_engine_starts_and_takes_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
