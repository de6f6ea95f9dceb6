/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclopAttr: the attributes of an operator that is called by its name. Those that are offered
 * (named_operator.h) have at most a FLOAT, so that few of these are kept and the rest is checked for its
 * form: whoever calls another operator should hear of the operator, not of its attributes.
 */
#include <string.h>

#include "acl/acl_op.h"
#include "runtime/error.h"
#include "runtime/handle.h"
#include "runtime/op_attribute.h"
#include "runtime/report.h"
#include "runtime/settings.h"

enum { FLOATS = 4, NAME_BYTES = 16 };

struct op_attribute {
    struct handle_slot slot;
    unsigned count;
    struct {
        char name[NAME_BYTES];
        float value;
    } floats[FLOATS];
};

static struct handle_table op_attributes = HANDLE_TABLE(HANDLE_OP_ATTRIBUTE, struct op_attribute, (1u << 20));

static int find(const char *api, const aclopAttr *attr, struct op_attribute **found)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    *found = (struct op_attribute *)handle_find(&op_attributes, (uintptr_t)attr);
    if (*found != NULL)
        return 0;
    return report_misuse(handle_rule(&op_attributes, (uintptr_t)attr),
                         ACL_ERROR_INVALID_PARAM | (attr == NULL ? ARGUMENT_IS_NULL : 0),
                         "%s: attr %s; attributes of aclopCreateAttr are expected", api,
                         handle_fault(&op_attributes, (uintptr_t)attr));
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

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue)
{
    return check(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue)
{
    return check(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue)
{
    struct op_attribute *found;
    unsigned place = 0;
    TRY(check(__func__, attr, attrName, 1, &attrValue));
    TRY(find(__func__, attr, &found));
    while (place < found->count && strcmp(found->floats[place].name, attrName) != 0)
        place++;
    if (place == FLOATS || strlen(attrName) >= NAME_BYTES)
        return 0;
    memcpy(found->floats[place].name, attrName, strlen(attrName) + 1);
    found->floats[place].value = attrValue;
    found->count += place == found->count;
    return 0;
}

float op_attribute_float(const aclopAttr *attr, const char *name, float missing)
{
    const struct op_attribute *found = (struct op_attribute *)handle_find(&op_attributes, (uintptr_t)attr);
    for (unsigned i = 0; found != NULL && i < found->count; i++)
        if (strcmp(found->floats[i].name, name) == 0)
            return found->floats[i].value;
    return missing;
}

aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue)
{
    return check(__func__, attr, attrName, 1, attrValue);
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue)
{
    return check(__func__, attr, attrName, 1, &attrValue);
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
    return check(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues, const float *values)
{
    return check(__func__, attr, attrName, numValues, values);
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
