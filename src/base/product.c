/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * SoC names, and which product's rules each stands for.
 */
#include "base/product.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/settings_peek.h"

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* True when name is family, or family and an underscore and up to 12 letters and digits. */
static bool is_of_family(const char *name, const char *family)
{
    size_t length = strlen(family);
    if (strncmp(name, family, length) != 0)
        return false;
    name += length;
    if (*name == '\0')
        return true;
    if (*name != '_')
        return false;
    size_t count = 0;
    while (is_alphanumeric(name[count + 1]))
        count++;
    return name[count + 1] == '\0' && count >= 1 && count <= 12;
}

/* Ascend910_93 and two digits, each a variant of the third generation, which has the rules of the second. */
static bool is_third_generation(const char *name)
{
    static const char family[] = "Ascend910_93";
    if (strncmp(name, family, sizeof family - 1) != 0)
        return false;
    name += sizeof family - 1;
    return name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9' && name[2] == '\0';
}

bool product_find(const char *soc_name, enum product *product)
{
    static const struct {
        const char *name;
        enum product product;
    } exact[] = {
        {"Ascend910A", PRODUCT_910A},        {"Ascend910ProA", PRODUCT_910A}, {"Ascend910ProB", PRODUCT_910A},
        {"Ascend910PremiumA", PRODUCT_910A}, {"Ascend910B1", PRODUCT_910B},   {"Ascend910B2", PRODUCT_910B},
        {"Ascend910B2C", PRODUCT_910B},      {"Ascend910B3", PRODUCT_910B},   {"Ascend910B4", PRODUCT_910B},
        {"Ascend910B4-1", PRODUCT_910B},
    };
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (strcmp(soc_name, exact[i].name) == 0) {
            *product = exact[i].product;
            return true;
        }
    }
    if (is_third_generation(soc_name)) {
        *product = PRODUCT_910B;
        return true;
    }
    if (is_of_family(soc_name, "Ascend950PR") || is_of_family(soc_name, "Ascend950DT")) {
        *product = PRODUCT_950;
        return true;
    }
    return false;
}

uint32_t product_cube_cores(const char *soc_name)
{
    /* The longest beginning that fits comes first; platform_ascendc.h has the same, for programs. */
    static const struct {
        const char *begins;
        uint32_t cores;
    } all[] = {{"Ascend910_93", 24}, {"Ascend950", 32},  {"Ascend910B1", 24},
               {"Ascend910B2", 24},  {"Ascend910B", 20}, {"Ascend910", 32}};
    size_t i = 0;
    while (i + 1 < sizeof all / sizeof all[0] && strncmp(soc_name, all[i].begins, strlen(all[i].begins)) != 0)
        i++;
    return all[i].cores;
}

const char *aclrtGetSocName(void)
{
    const struct settings *settings;
    return settings_peek(&settings) == 0 ? settings->soc_name : NULL;
}
