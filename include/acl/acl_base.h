/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The base of acl: everything that needs no device.
 */
#ifndef BELAY_ACL_ACL_BASE_H
#define BELAY_ACL_ACL_BASE_H

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"

#endif
