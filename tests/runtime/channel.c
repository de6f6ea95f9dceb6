/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Channels between host and device: what goes through them, how long who waits waits, and every status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_tdt.h"
#include "support/failure.h"
#include "support/gate.h"

static const int64_t dims[] = {2, 3};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static acltdtDataset *make_set(acltdtDataItem **item, float *data)
{
    acltdtDataset *set = acltdtCreateDataset();
    *item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, data, 6 * sizeof *data);
    assert_non_null(set);
    assert_non_null(*item);
    assert_int_equal(acltdtAddDataItem(set, *item), 0);
    return set;
}

static void what_is_sent_is_received_as_it_was(void **state)
{
    (void)state;
    float data[6] = {1, 2, 3, 4, 5, 6};
    acltdtDataItem *item,
        *end = acltdtCreateDataItem(ACL_TENSOR_DATA_END_OF_SEQUENCE, NULL, 0, ACL_INT32, NULL, 0);
    acltdtDataset *set = make_set(&item, data), *received = acltdtCreateDataset();
    acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "numbers", 2);
    size_t size = 7;
    assert_non_null(channel);
    assert_int_equal(acltdtAddDataItem(set, end), 0);
    assert_int_equal(acltdtGetDatasetSize(set), 2);
    assert_ptr_equal(acltdtGetDataItem(set, 1), end);
    assert_int_equal(acltdtQueryChannelSize(channel, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    data[0] = 9; /* a copy was sent */
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    assert_int_equal(acltdtQueryChannelSize(channel, &size), 0);
    assert_int_equal(size, 2);
    for (int i = 0; i < 2; i++) {
        int64_t found[3] = {-1, -1, -1};
        size_t slices = 7, slice = 7;
        assert_int_equal(acltdtReceiveTensor(channel, received, -1), 0);
        assert_int_equal(acltdtGetDatasetSize(received), 2);
        assert_string_equal(acltdtGetDatasetName(received), "");
        const acltdtDataItem *first = acltdtGetDataItem(received, 0),
                             *second = acltdtGetDataItem(received, 1);
        assert_int_equal(acltdtGetTensorTypeFromItem(first), ACL_TENSOR_DATA_TENSOR);
        assert_int_equal(acltdtGetTensorTypeFromItem(second), ACL_TENSOR_DATA_END_OF_SEQUENCE);
        assert_int_equal(acltdtGetDataTypeFromItem(first), ACL_FLOAT);
        assert_int_equal(acltdtGetDataTypeFromItem(second), ACL_INT32);
        assert_int_equal(acltdtGetDataSizeFromItem(first), sizeof data);
        assert_int_equal(acltdtGetDimNumFromItem(first), 2);
        assert_int_equal(acltdtGetDimsFromItem(first, found, 3), 0);
        assert_true(found[0] == 2 && found[1] == 3 && found[2] == -1);
        assert_failure(acltdtGetDimsFromItem(first, found, 1), 100000, "dimNum is 1; at least 2");
        assert_failure(acltdtGetDimsFromItem(first, NULL, 2), 100000, "dims is NULL");
        assert_int_equal(acltdtGetDimsFromItem(second, NULL, 0), 0);
        assert_int_equal(acltdtGetSliceInfoFromItem(first, &slices, &slice), 0);
        assert_true(slices == 1 && slice == 0);
        assert_failure(acltdtGetSliceInfoFromItem(first, NULL, &slice), 100000, "sliceNum is NULL");
        assert_failure(acltdtGetSliceInfoFromItem(first, &slices, NULL), 100000, "sliceId is NULL");
        const float *there = acltdtGetDataAddrFromItem(first);
        assert_true(there != data && there[0] == (i == 0 ? 1 : 9) && there[5] == 6);
        assert_null(acltdtGetDataAddrFromItem(second));
    }
    acltdtDataItem *last = acltdtGetDataItem(received, 0), *stays = acltdtGetDataItem(received, 1);
    assert_int_equal(acltdtDestroyDataItem(last),
                     0); /* as some programs do it; the others end with their set */
    assert_int_equal(acltdtDestroyDataset(received), 0);
    assert_failure(acltdtDestroyDataItem(stays), 100000, "was destroyed");
    assert_int_equal(acltdtDestroyDataset(set), 0);
    assert_int_equal(acltdtGetDataTypeFromItem(item), ACL_FLOAT);
    assert_int_equal(acltdtDestroyDataItem(item), 0);
    assert_int_equal(acltdtDestroyDataItem(end), 0);
    assert_int_equal(acltdtDestroyChannel(channel), 0);
}

/* Who polls gets its answer after the time, neither before nor with a sentence. */
static void who_waits_waits_its_time(void **state)
{
    (void)state;
    float data[6] = {0};
    acltdtDataItem *item;
    acltdtDataset *set = make_set(&item, data), *received = acltdtCreateDataset();
    acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "polled", 1);
    (void)aclGetRecentErrMsg();
    for (int full = 0; full < 2; full++) {
        double begin = now_ms();
        assert_int_equal(full ? acltdtSendTensor(channel, set, 60)
                              : acltdtReceiveTensor(channel, received, 60),
                         full ? 207014 : 207013);
        assert_in_range((int)(now_ms() - begin), 60, 5000);
        assert_int_equal(full ? acltdtSendTensor(channel, set, 0) : acltdtReceiveTensor(channel, received, 0),
                         full ? 207014 : 207013);
        assert_null(aclGetRecentErrMsg());
        assert_int_equal(acltdtSendTensor(channel, set, 0), full ? 207014 : 0);
    }
    size_t size = 7;
    assert_int_equal(acltdtCleanChannel(channel), 0);
    assert_int_equal(acltdtQueryChannelSize(channel, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(acltdtReceiveTensor(channel, received, 0), 207013);
    assert_int_equal(acltdtSendTensor(channel, set, 0), 0);
    assert_int_equal(acltdtStopChannel(channel), 0);
    assert_failure(acltdtSendTensor(channel, set, 0), 500001, "polled was stopped");
    assert_failure(acltdtReceiveTensor(channel, received, -1), 500001, "polled was stopped");
    assert_int_equal(acltdtDestroyChannel(channel), 0);
    assert_int_equal(acltdtDestroyDataset(received), 0);
    assert_int_equal(acltdtDestroyDataset(set), 0);
    assert_int_equal(acltdtDestroyDataItem(item), 0);
}

struct wait {
    acltdtChannelHandle *channel;
    acltdtDataset *set;
    bool sends;
    int status;
};

static void *wait_for_ever(void *argument)
{
    struct wait *wait = argument;
    wait->status = wait->sends ? acltdtSendTensor(wait->channel, wait->set, -1)
                               : acltdtReceiveTensor(wait->channel, wait->set, -1);
    return NULL;
}

static void who_waits_is_woken(void **state)
{
    (void)state;
    float data[6] = {0};
    acltdtDataItem *item;
    acltdtDataset *set = make_set(&item, data), *received = acltdtCreateDataset();
    for (int way = 0; way < 4; way++) {
        acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "woken", 1);
        struct wait wait = {channel, way == 1 ? set : received, way == 1, -1};
        pthread_t thread;
        if (way == 1)
            assert_int_equal(acltdtSendTensor(channel, set, 0), 0);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, &wait), 0);
        pause_us(20000);
        assert_int_equal(way == 0   ? acltdtSendTensor(channel, set, 0)
                         : way == 1 ? acltdtReceiveTensor(channel, received, 0)
                         : way == 2 ? acltdtStopChannel(channel)
                                    : acltdtDestroyChannel(channel),
                         0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(wait.status, way < 2 ? 0 : way == 2 ? 500001 : 100000);
        if (way < 3)
            assert_int_equal(acltdtDestroyChannel(channel), 0);
    }
    assert_int_equal(acltdtDestroyDataset(received), 0);
    assert_int_equal(acltdtDestroyDataset(set), 0);
    assert_int_equal(acltdtDestroyDataItem(item), 0);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    char name[129];
    float data[6];
    const int64_t negative[] = {2, -1};
    acltdtDataItem *item;
    acltdtDataset *set = make_set(&item, data);
    acltdtChannelHandle *channel = acltdtCreateChannel(0, "checked");
    size_t size;
    memset(name, 'a', 128);
    name[128] = '\0';
    assert_null(acltdtCreateChannel(0, name));
    assert_sentence("more than 127 bytes");
    assert_null(acltdtCreateChannel(0, ""));
    assert_sentence("0 bytes");
    assert_null(acltdtCreateChannelWithCapacity(0, NULL, 2));
    assert_sentence("name is NULL");
    assert_null(acltdtCreateChannelWithCapacity(0, "a", 0));
    assert_sentence("capacity is 0");
    assert_null(acltdtCreateChannelWithCapacity(7, "a", 2));
    assert_sentence("device 7");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_UNDEFINED, dims, 2, ACL_FLOAT, data, 24));
    assert_sentence("tdtType is -1");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, NULL, 2, ACL_FLOAT, data, 24));
    assert_sentence("dims is NULL");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, NULL, 24));
    assert_sentence("data is NULL");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 129, ACL_FLOAT, data, 24));
    assert_sentence("dimNum is 129");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, negative, 2, ACL_FLOAT, data, 24));
    assert_sentence("dims[1] is -1");
    const int64_t many[] = {INT64_MAX, INT64_MAX, 2}, none[] = {INT64_MAX, 0};
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, data, 23));
    assert_sentence("size is 23 bytes; what dims have of elements of 4 bytes, or more, is expected");
    assert_null(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, many, 3, ACL_UINT8, data, 24));
    assert_sentence("size is 24 bytes");
    acltdtDataItem *empty = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, none, 2, ACL_FLOAT, NULL, 0);
    assert_int_equal(acltdtDestroyDataItem(empty), 0);
    assert_null(acltdtGetDataItem(set, 1));
    assert_sentence("index is 1; one below 1");
    assert_failure(acltdtReceiveTensor(channel, set, 0), 100000, "items that the program added");
    assert_failure(acltdtReceiveTensor(channel, set, -2), 100000, "timeout is -2");
    assert_failure(acltdtSendTensor(channel, set, -2), 100000, "timeout is -2");
    assert_failure(acltdtQueryChannelSize(channel, NULL), 100000, "size is NULL");
    assert_int_equal(acltdtDestroyDataItem(item), 0);
    assert_failure(acltdtSendTensor(channel, set, 0), 100000, "an item of the data set was destroyed");
    assert_int_equal(acltdtDestroyDataset(set), 0);
    assert_int_equal(acltdtDestroyChannel(channel), 0);

    /* NULL, what is gone, and what is something else. */
    void *const others[] = {NULL, channel, set, item};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        int64_t found[2];
        size_t slices, slice;
        void *other = others[i];
        assert_failure(acltdtSendTensor(other, set, 0), 100000, "argument handle");
        assert_failure(acltdtReceiveTensor(other, set, 0), 100000, "argument handle");
        assert_failure(acltdtQueryChannelSize(other, &size), 100000, "argument handle");
        assert_failure(acltdtCleanChannel(other), 100000, "argument handle");
        assert_failure(acltdtStopChannel(other), 100000, "argument handle");
        assert_failure(acltdtDestroyChannel(other), 100000, "argument handle");
        assert_failure(acltdtDestroyDataset(other), 100000, "argument dataset");
        assert_failure(acltdtAddDataItem(other, item), 100000, "argument dataset");
        assert_int_equal(acltdtGetDatasetSize(other), 0);
        assert_null(acltdtGetDatasetName(other));
        assert_null(acltdtGetDataItem(other, 0));
        assert_failure(acltdtDestroyDataItem(other), 100000, "argument dataItem");
        assert_int_equal(acltdtGetTensorTypeFromItem(other), ACL_TENSOR_DATA_UNDEFINED);
        assert_int_equal(acltdtGetDataTypeFromItem(other), ACL_DT_UNDEFINED);
        assert_null(acltdtGetDataAddrFromItem(other));
        assert_int_equal(acltdtGetDataSizeFromItem(other), 0);
        assert_int_equal(acltdtGetDimNumFromItem(other), 0);
        assert_failure(acltdtGetDimsFromItem(other, found, 2), 100000, "argument dataItem");
        assert_failure(acltdtGetSliceInfoFromItem(other, &slices, &slice), 100000, "argument dataItem");
    }
    set = acltdtCreateDataset();
    assert_failure(acltdtAddDataItem(set, (acltdtDataItem *)set), 100000,
                   "argument dataItem is a data set of channels");
    assert_int_equal(acltdtDestroyDataset(set), 0);
}

/* Nothing is sent of device memory that was freed, or from behind a block. */
static void data_that_are_not_there_are_not_sent(void **state)
{
    (void)state;
    static const int64_t shapes[2][2] = {{4, 1024}, {64, 1024}};
    acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "gone", 2);
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int way = 0; way < 2; way++) {
        void *memory;
        assert_int_equal(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        acltdtDataset *set = acltdtCreateDataset();
        acltdtDataItem *item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, shapes[way], 2, ACL_UINT8, memory,
                                                    way == 0 ? 4096 : 65536);
        assert_int_equal(acltdtAddDataItem(set, item), 0);
        if (way == 0)
            assert_int_equal(aclrtFree(memory), 0);
        assert_failure(acltdtSendTensor(channel, set, 0), 107000,
                       way == 0 ? "memory of a live block or of the host is expected"
                                : "past the end of a block");
        if (way == 1)
            assert_int_equal(aclrtFree(memory), 0);
        assert_int_equal(acltdtDestroyDataItem(item), 0);
        assert_int_equal(acltdtDestroyDataset(set), 0);
    }
    assert_int_equal(acltdtDestroyChannel(channel), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

/* GetNext into two outputs of 24 and count bytes. */
static int get_next(const char *kind, const char *name, void *memory, int64_t count, aclrtStream stream)
{
    const int64_t rest[] = {count};
    aclopAttr *attr = aclopCreateAttr();
    aclTensorDesc *const desc[] = {aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND),
                                   aclCreateTensorDesc(ACL_UINT8, 1, rest, ACL_FORMAT_ND)};
    aclDataBuffer *const buffer[] = {aclCreateDataBuffer(memory, 24),
                                     aclCreateDataBuffer((char *)memory + 64, (size_t)count)};
    if (name != NULL)
        assert_int_equal(aclopSetAttrString(attr, "channel_name", name), 0);
    const int outputs = strcmp(kind, "GetNext") == 0 ? 2 : 0;
    const int status =
        aclopCompileAndExecute(kind, 0, NULL, NULL, outputs, (const aclTensorDesc *const *)desc, buffer, attr,
                               ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclDestroyDataBuffer(buffer[i]), 0);
        aclDestroyTensorDesc(desc[i]);
    }
    aclopDestroyAttr(attr);
    return status;
}

struct synchronised {
    aclrtStream stream;
    _Atomic bool is_set;
    int status;
    char sentence[512];
};

static void *synchronise(void *argument)
{
    struct synchronised *synchronised = argument;
    synchronised->status = aclrtSetDevice(0);
    synchronised->is_set = true;
    if (synchronised->status == 0)
        synchronised->status = aclrtSynchronizeStream(synchronised->stream);
    const char *sentence = aclGetRecentErrMsg();
    snprintf(synchronised->sentence, sizeof synchronised->sentence, "%s", sentence != NULL ? sentence : "");
    return NULL;
}

/* A device ends though GetNext waits for what nobody sends, which fails then; the next run is as if nothing
 * had been. */
static void a_device_ends_though_nothing_is_sent(void **state)
{
    (void)state;
    acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "never", 1);
    for (int way = 0; way < 3; way++) {
        struct synchronised other;
        pthread_t thread;
        void *memory;
        assert_int_equal(aclrtSetDevice(0), 0);
        assert_int_equal(aclrtCreateStream(&other.stream), 0);
        assert_int_equal(aclrtMalloc(&memory, 67, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(get_next("GetNext", "never", memory, 3, other.stream), 0);
        assert_int_equal(get_next("GetNext", "never", memory, 3, other.stream), 0);
        other.is_set = false;
        if (way > 0)
            assert_int_equal(pthread_create(&thread, NULL, synchronise, &other), 0);
        while (way > 0 && !other.is_set)
            pause_us(1000);
        pause_us(20000);
        assert_int_equal(way == 2 ? aclrtResetDeviceForce(0) : aclrtResetDevice(0), 0);
        if (way == 1) /* the other thread has set it, too */
            assert_int_equal(aclrtResetDevice(0), 0);
        if (way > 0) {
            assert_int_equal(pthread_join(thread, NULL), 0);
            if (other.status != 0 &&
                other.status != 107003) { /* who waits learns of it, or that all has ended */
                assert_int_equal(other.status, 507035);
                assert_non_null(strstr(other.sentence, "GetNext: device 0 was reset before anything was sent "
                                                       "through channel never; a data set for each GetNext"));
            }
        }
    }
    assert_int_equal(acltdtDestroyChannel(channel), 0);
}

static void work_waits_for_what_is_sent(void **state)
{
    (void)state;
    static const char name[] = "a name of more than thirty-two characters";
    float data[6] = {1, 2, 3, 4, 5, 6};
    const int64_t three[] = {3};
    unsigned char bytes[] = {7, 8, 9}, result[67];
    void *memory;
    aclrtStream stream;
    acltdtDataItem *item,
        *more = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, three, 1, ACL_UINT8, bytes, 3),
        *end = acltdtCreateDataItem(ACL_TENSOR_DATA_END_OF_SEQUENCE, NULL, 0, ACL_INT32, NULL, 0);
    acltdtDataset *set = make_set(&item, data), *last = acltdtCreateDataset();
    assert_int_equal(acltdtAddDataItem(set, more), 0);
    assert_int_equal(acltdtAddDataItem(last, end), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtMalloc(&memory, 67, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, name, 1);
    assert_int_equal(get_next("InitData", name, memory, 3, stream), 0);
    assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
    pause_us(20000);
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(result, 67, memory, 67, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_memory_equal(result, data, sizeof data);
    assert_memory_equal(result + 64, bytes, sizeof bytes);

    /* Sent before, and by who waits for room; in the order in which they were sent. */
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
    data[0] = 9;
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(result, 67, memory, 67, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_memory_equal(result, data, sizeof data);

    /* What does not fit, has ended, or is not there. */
    assert_int_equal(acltdtSendTensor(channel, set, -1), 0);
    assert_int_equal(get_next("GetNext", name, memory, 2, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "has an item of 3 bytes; 2, as the output");
    assert_int_equal(acltdtSendTensor(channel, last, -1), 0);
    assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "have ended");
    assert_int_equal(get_next("GetNext", "another", memory, 3, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "there is no channel another on device 0");
    assert_int_equal(get_next("GetNext", NULL, memory, 3, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "GetNext has no attribute channel_name");
    assert_int_equal(get_next("InitData", NULL, memory, 3, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "InitData has no attribute channel_name");
    for (int stops = 0; stops < 2; stops++) {
        assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
        pause_us(20000);
        assert_int_equal(stops ? acltdtDestroyChannel(channel) : acltdtStopChannel(channel), 0);
        assert_failure(aclrtSynchronizeStream(stream), 507035, "there is no channel");
    }
    /* A stream that waits for ever ends with its device. */
    channel = acltdtCreateChannel(0, name);
    assert_int_equal(get_next("GetNext", name, memory, 3, stream), 0);
    assert_int_equal(aclrtDestroyStreamForce(stream), 0);
    assert_int_equal(acltdtSendTensor(channel, set, 0), 0);
    assert_int_equal(acltdtDestroyChannel(channel), 0);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(acltdtDestroyDataset(set), 0);
    assert_int_equal(acltdtDestroyDataset(last), 0);
    assert_int_equal(acltdtDestroyDataItem(item), 0);
    assert_int_equal(acltdtDestroyDataItem(more), 0);
    assert_int_equal(acltdtDestroyDataItem(end), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_is_received_as_it_was),
        cmocka_unit_test(who_waits_waits_its_time),
        cmocka_unit_test(who_waits_is_woken),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(data_that_are_not_there_are_not_sent),
        cmocka_unit_test(a_device_ends_though_nothing_is_sent),
        cmocka_unit_test(work_waits_for_what_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
