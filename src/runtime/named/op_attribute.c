/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclopAttr: the attributes of an operator that is called by its name. Those that are offered
 * (named_operator.h) have a few numbers and words, so that some of these are kept and the rest is checked for
 * its form: whoever calls another operator should hear of the operator, not of its attributes.
 */
#include <stdio.h>
#include <string.h>

#include "acl/acl_op.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "runtime/named/op_attribute.h"
#include "base/settings.h"

enum { VALUES = 24, NAME_BYTES = 32, NUMBERS = 16, TEXT_BYTES = NUMBERS * 8 };

enum kind { NUMBER, TEXT, LIST, FLOATS };

struct op_attribute {
    struct handle_slot slot;
    unsigned count;
    struct attribute_value {
        char name[NAME_BYTES];
        enum kind kind;
        uint64_t count; /* of a list; more than NUMBERS of one that is too long to be kept */
        union {
            double number;
            char text[TEXT_BYTES];
            int64_t list[NUMBERS];
            float floats[NUMBERS];
        };
    } value[VALUES];
};

static struct handle_table op_attributes = HANDLE_TABLE(HANDLE_OP_ATTRIBUTE, struct op_attribute, (1u << 20));

static int find(const char *api, const aclopAttr *attr, struct op_attribute **found)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    *found = (struct op_attribute *)handle_find(&op_attributes, (uintptr_t)attr);
    return *found != NULL
               ? 0
               : handle_refuse(api, "attr", "attributes of aclopCreateAttr are", &op_attributes, attr);
}

int op_attribute_check(const char *api, const aclopAttr *attr)
{
    struct op_attribute *found;
    return attr == NULL ? 0 : find(api, attr, &found);
}

aclopAttr *aclopCreateAttr(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct op_attribute *attribute = (struct op_attribute *)handle_acquire(&op_attributes);
    if (attribute == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "aclopCreateAttr: there is no memory for other attributes");
        return NULL;
    }
    attribute->count = 0;
    return (aclopAttr *)(uintptr_t)handle_publish(&op_attributes, attribute);
}

int op_attribute_copy(const char *api, const aclopAttr *attr, aclopAttr **copy)
{
    struct op_attribute *from;
    *copy = NULL;
    if (attr == NULL)
        return 0;
    TRY(find(api, attr, &from));
    struct op_attribute *to = (struct op_attribute *)handle_acquire(&op_attributes);
    if (to == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for other attributes", api);
    to->count = from->count;
    memcpy(to->value, from->value, sizeof to->value);
    *copy = (aclopAttr *)(uintptr_t)handle_publish(&op_attributes, to);
    return 0;
}

void aclopDestroyAttr(const aclopAttr *attr)
{
    struct op_attribute *found;
    if (attr == NULL) {
        const struct settings *settings;
        settings_get(&settings);
    } else if (find("aclopDestroyAttr", attr, &found) == 0 && handle_retire(found, (uintptr_t)attr)) {
        handle_release(&op_attributes, found);
    }
}

/* What all setters check: count values at the address, which may be NULL where there are none. */
static int check(const char *api, const aclopAttr *attr, const char *name, int count, const void *values)
{
    struct op_attribute *found;
    TRY(find(api, attr, &found));
    if (name == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: attrName is NULL; the name of an attribute is expected", api);
    if (count < 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the number of values is %d; 0 or more is expected", api,
                    count);
    if (count > 0 && values == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: values is NULL; %d values are expected",
                    api, count);
    return 0;
}

/* A place for the value of that name, or NULL: of more values, and of longer names, no operator here asks. */
static struct attribute_value *place_for(const char *api, const aclopAttr *attr, const char *name,
                                         enum kind kind)
{
    struct op_attribute *found;
    unsigned place = 0;
    if (find(api, attr, &found) != 0)
        return NULL;
    while (place < found->count && strcmp(found->value[place].name, name) != 0)
        place++;
    if (place == VALUES || strlen(name) >= NAME_BYTES)
        return NULL;
    struct attribute_value *value = &found->value[place];
    *value = (struct attribute_value){.kind = kind};
    memcpy(value->name, name, strlen(name) + 1);
    found->count += place == found->count;
    return value;
}

static int keep_number(const char *api, const aclopAttr *attr, const char *name, double number)
{
    TRY(check(api, attr, name, 1, &number));
    struct attribute_value *value = place_for(api, attr, name, NUMBER);
    if (value != NULL)
        value->number = number;
    return 0;
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue)
{
    return keep_number(__func__, attr, attrName, attrValue != 0);
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue)
{
    return keep_number(__func__, attr, attrName, (double)attrValue);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue)
{
    return keep_number(__func__, attr, attrName, (double)attrValue);
}

/* A longer text is cut, and so is none that an operator knows. */
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue)
{
    TRY(check(__func__, attr, attrName, 1, attrValue));
    struct attribute_value *value = place_for(__func__, attr, attrName, TEXT);
    if (value != NULL)
        snprintf(value->text, sizeof value->text, "%.*s", TEXT_BYTES - 1, attrValue);
    return 0;
}

static const struct attribute_value *find_value(const aclopAttr *attr, const char *name, enum kind kind)
{
    const struct op_attribute *found = (struct op_attribute *)handle_find(&op_attributes, (uintptr_t)attr);
    for (unsigned i = 0; found != NULL && i < found->count; i++)
        if (found->value[i].kind == kind && strcmp(found->value[i].name, name) == 0)
            return &found->value[i];
    return NULL;
}

double op_attribute_number(const aclopAttr *attr, const char *name, double missing)
{
    const struct attribute_value *value = find_value(attr, name, NUMBER);
    return value != NULL ? value->number : missing;
}

const char *op_attribute_text(const aclopAttr *attr, const char *name, const char *missing)
{
    const struct attribute_value *value = find_value(attr, name, TEXT);
    return value != NULL ? value->text : missing;
}

const int64_t *op_attribute_list(const aclopAttr *attr, const char *name, uint64_t *count)
{
    const struct attribute_value *value = find_value(attr, name, LIST);
    *count = value != NULL && value->count <= NUMBERS ? value->count : 0;
    return value != NULL ? value->list : NULL;
}

const float *op_attribute_floats(const aclopAttr *attr, const char *name, uint64_t *count)
{
    const struct attribute_value *value = find_value(attr, name, FLOATS);
    *count = value != NULL && value->count <= NUMBERS ? value->count : 0;
    return value != NULL ? value->floats : NULL;
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue)
{
    return keep_number(__func__, attr, attrName, attrValue);
}

aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName, int numValues,
                                  const aclDataType values[])
{
    return check(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues, const uint8_t *values)
{
    return check(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues, const int64_t *values)
{
    TRY(check(__func__, attr, attrName, numValues, values));
    struct attribute_value *value = place_for(__func__, attr, attrName, LIST);
    if (value == NULL)
        return 0;
    value->count = (uint64_t)numValues;
    if (numValues > 0 && numValues <= NUMBERS)
        memcpy(value->list, values, (size_t)numValues * sizeof *values);
    return 0;
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues, const float *values)
{
    TRY(check(__func__, attr, attrName, numValues, values));
    struct attribute_value *value = place_for(__func__, attr, attrName, FLOATS);
    if (value == NULL)
        return 0;
    value->count = (uint64_t)numValues;
    if (numValues > 0 && numValues <= NUMBERS)
        memcpy(value->floats, values, (size_t)numValues * sizeof *values);
    return 0;
}

aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues, const char **values)
{
    return check(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists, const int *numValues,
                                 const int64_t *const values[])
{
    return check(__func__, attr, attrName, numLists, numValues != NULL ? (const void *)values : NULL);
}
