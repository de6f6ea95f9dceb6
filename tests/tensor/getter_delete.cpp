// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Arrays from the getters are released with delete[] in C++, with the operators of the C++ runtime or a
// sanitizer.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "aclnn/acl_meta.h"

int main()
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
