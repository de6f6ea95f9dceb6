/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What another thread costs. It decides who computes, and so no bit of the results.
 */
#ifndef BELAY_OPS_LOOPS_COST_OF_THREAD_H
#define BELAY_OPS_LOOPS_COST_OF_THREAD_H

/*
 * Work that takes one thread less than this for each is not cut for another. Products pay sooner: what takes one thread
 * 10 to 20 us takes two 0.57 to 0.74 of that, where a worker polls for work already.
 */
enum { COST_OF_THREAD_NS = 20000, COST_OF_PRODUCTS_THREAD_NS = 10000 };

#endif
