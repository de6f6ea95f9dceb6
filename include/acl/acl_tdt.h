/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Channels: bounded queues of data sets between the host and a device, in memory of the host. A data set is a
 * list of items, an item a tensor: a kind, dims, a dtype and the address and size of its elements. A sent data
 * set is copied; what is received belongs to the data set that it was received into. The operator by name
 * GetNext takes from the channel whose name is its attribute channel_name.
 *
 * Any thread may call any of these functions. 100000 stands everywhere for an argument that is NULL, or no
 * live object of its kind.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_tdt.h>)
#include <third_party/acl/inc/acl/acl_tdt.h>
#elif !defined(BELAY_ACL_ACL_TDT_H)
#define BELAY_ACL_ACL_TDT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum acltdtTensorType {
    ACL_TENSOR_DATA_UNDEFINED = -1,
    ACL_TENSOR_DATA_TENSOR = 0,
    ACL_TENSOR_DATA_END_OF_SEQUENCE = 1, /* no more data follow */
    ACL_TENSOR_DATA_ABNORMAL = 2,
    ACL_TENSOR_DATA_SLICE_TENSOR = 3,
    ACL_TENSOR_DATA_END_TENSOR = 4
} acltdtTensorType;

typedef struct acltdtDataItem acltdtDataItem;
typedef struct acltdtDataset acltdtDataset;
typedef struct acltdtChannelHandle acltdtChannelHandle;

/*
 * An item of size bytes at data, which stay the program's and must be there while the item is used; dims, of
 * which there are dimNum (0 to 128), are copied. NULL: a NULL of these although there is something, a negative
 * size of a dim, more elements of a tensor than size bytes hold, a kind that there is not, or no memory.
 */
acltdtDataItem *acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t *dims, size_t dimNum,
                                     aclDataType dataType, void *data, size_t size);
/* Also of a received item, whose elements end with it. */
aclError acltdtDestroyDataItem(acltdtDataItem *dataItem);

/* The kind; ACL_TENSOR_DATA_UNDEFINED of what is no item. */
acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem *dataItem);
/* ACL_DT_UNDEFINED of what is no item. */
aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem *dataItem);
/* NULL of what is no item, or has no elements. */
void *acltdtGetDataAddrFromItem(const acltdtDataItem *dataItem);
/* Bytes; 0 of what is no item. */
size_t acltdtGetDataSizeFromItem(const acltdtDataItem *dataItem);
size_t acltdtGetDimNumFromItem(const acltdtDataItem *dataItem);
/* dims has room for dimNum, which must be as many as there are at least: otherwise 100000. */
aclError acltdtGetDimsFromItem(const acltdtDataItem *dataItem, int64_t *dims, size_t dimNum);
/* How many slices the tensor was cut into, and which one this is: 1 and 0, as nothing is cut here. */
aclError acltdtGetSliceInfoFromItem(const acltdtDataItem *dataItem, size_t *sliceNum, size_t *sliceId);

/* An empty data set; NULL where there is no memory. */
acltdtDataset *acltdtCreateDataset(void);
/* Items that were received into it end with it, others stay. */
aclError acltdtDestroyDataset(acltdtDataset *dataset);
/* The item must be there as long as the data set is used. 200000: no memory. */
aclError acltdtAddDataItem(acltdtDataset *dataset, acltdtDataItem *dataItem);
/* NULL behind the last. */
acltdtDataItem *acltdtGetDataItem(const acltdtDataset *dataset, size_t index);
size_t acltdtGetDatasetSize(const acltdtDataset *dataset);
/* The name that who sent it gave the data set: "", as there is no way to give one. NULL of what is no data set. */
const char *acltdtGetDatasetName(const acltdtDataset *dataset);

/*
 * A channel with this name (1 to 127 bytes) on the device, for so many data sets at a time (1 or more; 128
 * without a capacity). NULL: no such device (107001), another argument that is none (100000), no memory.
 */
acltdtChannelHandle *acltdtCreateChannel(uint32_t deviceId, const char *name);
acltdtChannelHandle *acltdtCreateChannelWithCapacity(uint32_t deviceId, const char *name, size_t capacity);
/* Ends what waits at the channel: calls return 100000, work that waits fails. */
aclError acltdtDestroyChannel(acltdtChannelHandle *handle);
/* For good: what waits ends, what is in the channel is dropped; sending and receiving return 500001. */
aclError acltdtStopChannel(acltdtChannelHandle *handle);
/* Drops what is in the channel. */
aclError acltdtCleanChannel(acltdtChannelHandle *handle);
/* How many data sets are in it. */
aclError acltdtQueryChannelSize(const acltdtChannelHandle *handle, size_t *size);

/*
 * Both wait at most timeout milliseconds, for ever with -1, not at all with 0. Sending: 207014, the channel
 * was full all the time. Receiving: 207013, it was empty all the time; what dataset held of an earlier receive
 * ends, and an item that the program added itself is refused (100000). Both answers are polled, and leave no
 * message. 500001: the channel was stopped. 200000: no memory.
 */
aclError acltdtSendTensor(const acltdtChannelHandle *handle, const acltdtDataset *dataset, int32_t timeout);
aclError acltdtReceiveTensor(const acltdtChannelHandle *handle, acltdtDataset *dataset, int32_t timeout);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
