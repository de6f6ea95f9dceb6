// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Takes an array from each getter and releases it as programs in C++ do.
#ifndef BELAY_TESTS_TENSOR_GETTER_ARRAYS_H
#define BELAY_TESTS_TENSOR_GETTER_ARRAYS_H

#include "aclnn/acl_meta.h"

enum { GETTERS = 3 };

// The exit status: 0 when all answer as they should.
static inline int take_and_release_arrays()
{
    const int64_t dims[] = {2, 3};
    aclTensor *tensor = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    int64_t *values = nullptr;
    uint64_t count = 0;
    if (aclGetViewShape(tensor, &values, &count) != 0 || count != 2 || values[1] != 3)
        return 1;
    delete[] values;
    if (aclGetViewStrides(tensor, &values, &count) != 0 || count != 2 || values[0] != 3)
        return 2;
    delete[] values;
    if (aclGetStorageShape(tensor, &values, &count) != 0 || count != 0 || values == nullptr)
        return 3;
    delete[] values;
    return aclDestroyTensor(tensor);
}

#endif
