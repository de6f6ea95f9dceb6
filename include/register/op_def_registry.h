/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What op_host includes: definitions of operators, and OP_ADD, which registers one. All that is registered in a library
 * is what its belay_operators() tells.
 */
#ifndef REGISTER_OP_DEF_REGISTRY_H
#define REGISTER_OP_DEF_REGISTRY_H

#include "log/ops_log.h"
#include "register/belay_definition.h"
#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#define OP_ADD(type, ...)                                                     \
    static ::belay_operators_host::DefinitionEntry belay_definition_of_##type \
        __attribute__((unused)) ([]() -> ::ops::OpDef * {                     \
            static type definition(#type);                                    \
            return &definition;                                               \
        });

#endif
