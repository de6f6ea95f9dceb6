/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACL_ACL_H
#define BELAY_ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif
