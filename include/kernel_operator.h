/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What AscendC kernels include: C++20, compiled by bisheng of this installation, or by any C++ compiler where nothing is
 * launched with <<<>>>.
 */
#ifndef KERNEL_OPERATOR_H
#define KERNEL_OPERATOR_H

#include "ascendc/launch.h"
#include "ascendc/qualifiers.h"
#include "ascendc/types.h"
#include "ascendc/layout.h"
#include "ascendc/params.h"
#include "ascendc/tensor.h"
#include "ascendc/cores.h"
#include "ascendc/pipe.h"
#include "ascendc/copy.h"
#include "ascendc/cube.h"
#include "ascendc/image.h"
#include "ascendc/fixpipe.h"
#include "ascendc/elementwise.h"
#include "ascendc/cast.h"
#include "ascendc/compare.h"
#include "ascendc/reduce.h"
#include "ascendc/gather.h"
#include "ascendc/sort.h"
#include "ascendc/functions.h"
#include "ascendc/softmax.h"
#include "ascendc/rows.h"
#include "ascendc/tiling.h"

#endif
