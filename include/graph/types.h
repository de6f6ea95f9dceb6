/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The graph engine's headers come with PyTorch for Ascend, whose own headers look for this one in the toolkit.
 */
#ifndef BELAY_GRAPH_TYPES_H
#define BELAY_GRAPH_TYPES_H

#if defined(__has_include) && __has_include(<third_party/acl/inc/graph/types.h>)
#include <third_party/acl/inc/graph/types.h>
#endif

#endif
