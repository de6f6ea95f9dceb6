/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libgraph.so: the classes of C++ that a graph is built of. There is no graph engine here, but libraries that
 * run operator by operator are linked with them, and ask three things: whether a kind of operator exists,
 * what its attributes are where nobody gives them, and, of aclScalar::ToString() (src/tensor/cxx_getter.c),
 * the characters of a string. All else that they name fails, and says so (graph_names.h); of what nobody
 * names, the linker's or the loader's message has the name.
 *
 * The layouts are those of programs in the old interface of libstdc++: std::string is one pointer to its
 * characters, std::shared_ptr two pointers, the second of which may be NULL where nobody counts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "runtime/named/attribute_default.h"
#include "runtime/named/named_operator.h"

struct string {
    const char *characters;
};

/* ge::AscendString: a shared pointer to a string. */
struct ascend_string {
    const struct string *string;
    void *owner;
};

/* ge::Operator: a table of virtual functions, which the program's own compiler fills in where one is called,
 * and a shared pointer to what it is, here the kind. */
struct operator_object {
    const void *virtual_functions;
    const struct named_operator *kind;
    void *owner;
};

enum { FAILED = -1 }; /* all bits, as a graphStatus */

#pragma GCC visibility push(default)
const char *string_get(const struct ascend_string *string) __asm__("_ZNK2ge12AscendString9GetStringEv");
bool kind_exists(const char *type) __asm__("_ZN2ge15OperatorFactory9IsExistOpEPKc");
bool kind_exists_of(const struct string *type) __asm__("_ZN2ge15OperatorFactory9IsExistOpERKSs");
struct operator_object
operator_create(const char *name, const char *type) __asm__("_ZN2ge15OperatorFactory14CreateOperatorEPKcS2_");
struct operator_object
operator_create_of(const struct string *name,
                   const struct string *type) __asm__("_ZN2ge15OperatorFactory14CreateOperatorERKSsS2_");
int get_bool(const struct operator_object *self, const char *name,
             bool *value) __asm__("_ZNK2ge8Operator7GetAttrEPKcRb");
int get_float(const struct operator_object *self, const char *name,
              float *value) __asm__("_ZNK2ge8Operator7GetAttrEPKcRf");
int get_int(const struct operator_object *self, const char *name,
            int *value) __asm__("_ZNK2ge8Operator7GetAttrEPKcRi");
int get_long(const struct operator_object *self, const char *name,
             int64_t *value) __asm__("_ZNK2ge8Operator7GetAttrEPKcRl");
int get_dtype(const struct operator_object *self, const char *name,
              int *value) __asm__("_ZNK2ge8Operator7GetAttrEPKcRNS_8DataTypeE");
int get_string(const struct operator_object *self, const struct string *name,
               struct string *value) __asm__("_ZNK2ge8Operator7GetAttrERKSsRSs");
void register_creator(void *self, const char *type, const void *creator) __asm__(
    "_ZN2ge23OperatorCreatorRegisterC1EPKcRKSt8functionIFNS_8OperatorERKNS_12AscendStringEEE");
void register_creator_of(void *self, const struct string *type, const void *creator) __asm__(
    "_ZN2ge23OperatorCreatorRegisterC1ERKSsRKSt8functionIFNS_8OperatorES2_EE");
void register_infer(void *self, const struct string *type, const void *infer) __asm__(
    "_ZN2ge22InferShapeFuncRegisterC1ERKSsRKSt8functionIFjRNS_8OperatorEEE");
#pragma GCC visibility pop

/* std::string::assign(const char *, size_t), and the characters of an empty string: of libstdc++, which is
 * there where such a string is. */
void *string_assign(struct string *string, const char *text, size_t length) __asm__("_ZNSs6assignEPKcm")
    __attribute__((weak));
extern char empty_string_storage[] __asm__("_ZNSs4_Rep20_S_empty_rep_storageE") __attribute__((weak));
enum { STRING_HEADER_BYTES = 24 };

const char *string_get(const struct ascend_string *string)
{
    return string != NULL && string->string != NULL ? string->string->characters : "";
}

/* A library that has kinds of its own registers how to make them when it is loaded. Nobody asks for one. */
void register_creator(void *self, const char *type, const void *creator)
{
    (void)self, (void)type, (void)creator;
}

void register_creator_of(void *self, const struct string *type, const void *creator)
{
    (void)self, (void)type, (void)creator;
}

void register_infer(void *self, const struct string *type, const void *infer)
{
    (void)self, (void)type, (void)infer;
}

/* A program that is told no says so with the name of the kind, where it calls it. */
bool kind_exists(const char *type)
{
    return type != NULL && named_operator_find(type) != NULL;
}

bool kind_exists_of(const struct string *type)
{
    return kind_exists(type->characters);
}

struct operator_object operator_create(const char *name, const char *type)
{
    (void)name;
    return (struct operator_object){.kind = type != NULL ? named_operator_find(type) : NULL};
}

struct operator_object operator_create_of(const struct string *name, const struct string *type)
{
    return operator_create(name->characters, type->characters);
}

static void default_of(const struct operator_object *self, const char *name,
                       char text[ATTRIBUTE_DEFAULT_BYTES])
{
    text[0] = '\0';
    if (self->kind != NULL && name != NULL)
        attribute_default(self->kind, name, text);
}

/* Whoever asks passes on what it gets, and has put nothing there before: something is written always. */
static double number_of(const struct operator_object *self, const char *name)
{
    char text[ATTRIBUTE_DEFAULT_BYTES];
    default_of(self, name, text);
    return number_from_text(text, NULL);
}

int get_bool(const struct operator_object *self, const char *name, bool *value)
{
    *value = number_of(self, name) != 0;
    return 0;
}

int get_float(const struct operator_object *self, const char *name, float *value)
{
    *value = (float)number_of(self, name);
    return 0;
}

int get_int(const struct operator_object *self, const char *name, int *value)
{
    *value = (int)number_of(self, name);
    return 0;
}

int get_long(const struct operator_object *self, const char *name, int64_t *value)
{
    *value = (int64_t)number_of(self, name);
    return 0;
}

int get_dtype(const struct operator_object *self, const char *name, int *value)
{
    *value = (int)number_of(self, name);
    return 0;
}

int get_string(const struct operator_object *self, const struct string *name, struct string *value)
{
    char text[ATTRIBUTE_DEFAULT_BYTES];
    default_of(self, name->characters, text);
    if (string_assign == NULL)
        return FAILED;
    string_assign(value, text, strlen(text));
    return 0;
}

/* Who asks for the default of an attribute goes on without one, so that checkers are not told of it. */
static void refuse(const char *name)
{
    static const char
        asks[] = "Operator::GetAttr",
        words[] = "ge::%s is not supported by this library: there is no graph engine here, and "
                  "operators run one by one (of MindSpore, jit_level=\"O0\", not backend=\"GE\" or O2)";
    if (strncmp(name, asks, sizeof asks - 1) == 0)
        fail_unreported(ACL_ERROR_API_NOT_SUPPORT, words, name);
    else
        fail(ACL_ERROR_API_NOT_SUPPORT, words, name);
}

/* What each kind of function gives back. Objects are shared pointers, one or two words, that lead nowhere. */
static void *give_object(const char *name, void *self)
{
    refuse(name);
    memset(self, 0, 2 * sizeof(void *));
    return self;
}

static void *give_operator(const char *name, void *self)
{
    refuse(name);
    memset(self, 0, sizeof(struct operator_object));
    return self;
}

static void *give_self(const char *name, void *self)
{
    refuse(name);
    return self;
}

static void *give_status(const char *name, void *self)
{
    (void)self;
    refuse(name);
    return (void *)(uintptr_t)UINT32_MAX;
}

static void *give_number(const char *name, void *self)
{
    (void)self;
    refuse(name);
    return NULL;
}

static void *give_pair_result(const char *name, void *result)
{
    return give_object(name, result);
}

static void *give_vector_result(const char *name, void *result)
{
    return give_operator(name, result); /* three words, too */
}

static void *give_string_result(const char *name, void *result)
{
    refuse(name);
    char *empty = empty_string_storage != NULL ? empty_string_storage + STRING_HEADER_BYTES : NULL;
    memcpy(result, &empty, sizeof empty);
    return result;
}

#define OBJECT        give_object
#define OPERATOR      give_operator
#define SELF          give_self
#define STATUS        give_status
#define NUMBER        give_number
#define PAIR_RESULT   give_pair_result
#define VECTOR_RESULT give_vector_result
#define STRING_RESULT give_string_result

/* A name for the C compiler alone. */
#define JOIN(word, number)     word##number
#define NUMBERED(word, number) JOIN(word, number)

#define REFUSED(gives, words, symbol)                                                                       \
    __attribute__((visibility("default"))) void *NUMBERED(refused_, __LINE__)(void *first) __asm__(symbol); \
    void *NUMBERED(refused_, __LINE__)(void *first)                                                         \
    {                                                                                                       \
        return gives(words, first);                                                                         \
    }

/*
 * Where an object is given back, the place for it is told: on x86-64 it is the first argument, and is given
 * back as a pointer. On AArch64 it has a register of its own, from which it is moved to that of the first.
 */
#if defined(__aarch64__)
#define RESULT(gives, words, symbol)                                                   \
    void *NUMBERED(refused_, __LINE__)(void *first) __asm__("belay_result" symbol);    \
    void *NUMBERED(refused_, __LINE__)(void *first)                                    \
    {                                                                                  \
        return gives(words, first);                                                    \
    }                                                                                  \
    __asm__(".text\n\t.globl " symbol "\n\t.type " symbol ", %function\n" symbol ":\n" \
            "\thint #34\n\tmov x0, x8\n\tb belay_result" symbol "\n\t.size " symbol ", . - " symbol);
#else
#define RESULT(gives, words, symbol) REFUSED(gives, words, symbol)
#endif
#include "surroundings/graph_names.h"
