/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: descriptions and data sets of offline models, live, destroyed and foreign.
 */
#include "acl/acl_mdl.h"
#include "fuzz/world.h"

enum { BUFFERS_MOST = 20 };

static void fill(struct world *world, aclmdlDataset *set, aclDataBuffer *buffer)
{
    const size_t count = draw(world, BUFFERS_MOST);
    for (size_t i = 0; i < count; i++)
        DEMAND(aclmdlAddDatasetBuffer(set, buffer) == 0, "buffer %zu was refused", i);
    DEMAND(aclmdlAddDatasetBuffer(set, (aclDataBuffer *)set) == 100000, "a data set is no buffer");
    DEMAND(aclmdlGetDatasetNumBuffers(set) == count, "not %zu buffers", count);
    const size_t index = draw(world, BUFFERS_MOST + 1);
    aclTensorDesc *desc = (aclTensorDesc *)(uintptr_t)draw_word(world); /* which is only kept */
    DEMAND(aclmdlGetDatasetBuffer(set, index) == (index < count ? buffer : NULL), "buffer %zu", index);
    DEMAND(aclmdlSetDatasetTensorDesc(set, desc, index) == (index < count ? 0 : 100000), "set %zu", index);
    DEMAND(aclmdlGetDatasetTensorDesc(set, index) == (index < count ? desc : NULL), "description %zu", index);
}

void step_model_data(struct world *world)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlDataset *set = aclmdlCreateDataset();
    aclDataBuffer *buffer = aclCreateDataBuffer(world, draw_word(world));
    DEMAND(desc != NULL && set != NULL && buffer != NULL, "nothing was made");
    fill(world, set, buffer);
    DEMAND(aclmdlDestroyDataset((const aclmdlDataset *)desc) == 100000, "a description is no data set");
    DEMAND(aclmdlDestroyDesc((aclmdlDesc *)set) == 100000, "a data set is no description");
    DEMAND(aclmdlDestroyDataset(set) == 0 && aclmdlDestroyDesc(desc) == 0, "destroyed");
    DEMAND(aclmdlDestroyDataset(set) == 100000 && aclmdlDestroyDesc(desc) == 100000, "destroyed twice");
    DEMAND(aclmdlGetDatasetNumBuffers(set) == 0, "a data set that is gone");
    DEMAND(aclDestroyDataBuffer(buffer) == 0, "the buffer is the program's");
}
