/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every kind of operator by name that a program computes: its results beside PyTorch's and formulas, with
 * operands on the device and on the host, whose memory is written over when the call returns; and that each
 * is refused, once, in the stream, with a sum behind it that is right.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_add.h"
#include "runtime/named/named_operator.h"
#include "support/failure.h"
#include "support/named_call.h"

static const struct row rows[] = {
#include "ops/by_name_box_rows.h"
#include "ops/by_name_rows.h"
    /* Without boxes there may be any number of classes. */
    {"BatchMultiClassNonMaxSuppression", "f 1,0,1,4: | f 1,0,1099511627776:",
     "score_threshold:f=0 iou_threshold:f=0.5 max_size_per_class:i=1 max_total_size:i=1",
     "f 1,1,4: 0 0 0 0 | f 1,1: 0 | f 1,1: 0 | i 1: 0"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static aclrtStream stream;

static void every_row_is_right(void **state)
{
    int wrong = 0;
    (void)state;
    for (int at = 0; at < 2 * ROWS; at++) {
        const int i = at / 2;
        struct call call;
        open_call(&rows[i], &call);
        const int queued = at % 2 == 0 ? execute(rows[i].kind, &call, call.inputs, stream)
                                       : execute_by_handle(rows[i].kind, &call, stream);
        take_away(&call);
        const int status = queued != 0 ? queued : aclrtSynchronizeStream(stream);
        if (status != 0) {
            const char *sentence = aclGetRecentErrMsg();
            print_error("%s (%s; %s): %d, %s\n", rows[i].kind, rows[i].inputs, rows[i].attributes, status,
                        sentence != NULL ? sentence : "");
            wrong++;
        } else {
            for (int k = 0; k < call.outputs; k++)
                wrong += compare(&rows[i], &call.out[k]);
        }
        close_call(&call);
    }
    assert_int_equal(wrong, 0);
}

static const struct row *row_of(const char *kind)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            return &rows[i];
    return NULL;
}

static void every_kind_has_a_row(void **state)
{
    (void)state;
    for (const struct named_operator *kind = named_operator_last(); kind != NULL; kind = kind->next)
        if (kind->program != NULL && row_of(kind->name) == NULL)
            fail_msg("%s has no row", kind->name);
}

static void see_sum(const char *kind, float number)
{
    static const int64_t shape[] = {1}, stride[] = {1};
    float values[3] = {number, 2 * number, -1}, alpha = 1, *memory;
    aclTensor *tensor[3];
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclrtMalloc((void **)&memory, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    for (int i = 0; i < 3; i++)
        tensor[i] = aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, memory + i);
    aclScalar *one = aclCreateScalar(&alpha, ACL_FLOAT);
    assert_int_equal(aclnnAddGetWorkspaceSize(tensor[0], tensor[1], one, tensor[2], &bytes, &executor), 0);
    assert_int_equal(aclnnAdd(NULL, bytes, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(values, sizeof values, memory, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    if (values[2] != 3 * number)
        fail_msg("behind %s the sum is %g", kind, (double)values[2]);
    for (int i = 0; i < 3; i++)
        aclDestroyTensor(tensor[i]);
    aclDestroyScalar(one);
    aclrtFree(memory);
}

/* With inputs left off, and with outputs whose buffers are too short. */
static void every_kind_that_is_refused_fails_in_the_stream(void **state)
{
    float number = 1;
    (void)state;
    for (const struct named_operator *kind = named_operator_last(); kind != NULL; kind = kind->next) {
        assert_int_equal(aclopCompileAndExecute(kind->name, 60, NULL, NULL, 0, NULL, NULL, NULL,
                                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
                         0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "expected");
        see_sum(kind->name, number++);
        const struct row *row = row_of(kind->name);
        struct call call;
        if (row == NULL || row->outputs[0] == '\0')
            continue;
        open_call(row, &call);
        assert_int_equal(aclUpdateDataBuffer(call.out[0].buffer, call.out[0].memory, 0), 0);
        assert_int_equal(execute(row->kind, &call, call.inputs, stream), 0);
        take_away(&call);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "0 bytes");
        see_sum(kind->name, number++);
        close_call(&call);
    }
}

static const struct {
    struct row row;
    const char *sentence;
} refused[] = {
    {{"GatherV2", "f 2,2: 1 2 3 4 | l 2,1: 0 1 | Hl 1: 1", "batch_dims:i=1", "f 2,1: 0 0"},
     "the attribute batch_dims of GatherV2 is 1; 0 is expected"},
    {{"Cumsum", "f 2: 1 2 | Hl 1: 1", "exclusive:b=1", "f 2: 0 0"}, "Cumsum has no axis 1"},
    {{"DepthwiseConv2D", "f 1,2,1,1: 1 2 | f 2,2,1,1: 1 2 3 4",
      "strides:I=1,1,1,1 pads:I=0,0,0,0 dilations:I=1,1,1,1 data_format:s=NCHW", "f 1,4,1,1: 0 0 0 0"},
     "DepthwiseConv2D cannot be computed with these operands (filter)"},
    {{"LayerNorm", "f 1,2: 1 2 | f 2: 1 1 | f 2: 0 0", "begin_norm_axis:i=2",
      "f 1,2: 0 0 | f 1,1: 0 | f 1,1: 0"},
     "begin_norm_axis of LayerNorm is none of 2 axes"},
    {{"PadV3", "f 2: 1 2 | Hl 2: 1 1", "mode:s=mirror", "f 4: 0 0 0 0"},
     "the attribute mode of PadV3 is \"mirror\"; constant,reflect,edge,symmetric,circular is expected"},
    {{"PadV3Grad", "f 3: 1 2 3 | Hl 2: 1 1", "mode:s=reflect", "f 1: 0"},
     "PadV3Grad continues 1 elements of axis 0 by 1 and 1; 0 to 0 are expected"},
    {{"ResizeNearestNeighborV2", "f 1,1,1,1: 1 | Hi 2: 2 2", "align_corners:b=1 half_pixel_centers:b=1",
      "f 1,1,2,2: 0 0 0 0"},
     "ResizeNearestNeighborV2 cannot be computed with these operands (near)"},
    {{"ScatterNd", "l 1,1: 2 | f 1: 1 | Hl 1: 2", "", "f 2: 0 0"}, "IndexPutImpl"},
    {{"ScatterNd", "l -: 1 | f -: 1 | Hl 1: 2", "", "f 2: 0 0"}, "ScatterNd cannot be computed"},
    {{"Log", "f 2: 1 2", "base:f=2", "f 2: 0 0"}, "the attribute base of Log is 2; -1 is expected"},
    {{"Exp", "f 2: 1 2", "shift:f=1", "f 2: 0 0"}, "the attribute shift of Exp is 1; 0 is expected"},
    {{"Round", "f 2: 1 2", "decimals:i=1", "f 2: 0 0"},
     "the attribute decimals of Round is 1; 0 is expected"},
    {{"MaxPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=1,1,2,2 strides:I=1,1,2,2 padding:s=FULL data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "the attribute padding of MaxPool is \"FULL\"; VALID,SAME is expected"},
    {{"AvgPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=1,1,2,2 strides:I=1,1,0,2 padding:s=SAME data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "AvgPool has a window of 2 each 0; 1 or more is expected"},
    {{"MaxPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=2,2 strides:I=2,2 padding:s=SAME data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "MaxPool has no tensor, ksize or strides of 4 axes"},
    {{"AvgPoolV2", "f 1,1,2,2: 1 2 3 4",
      "ksize:I=1,1,2,2 strides:I=1,1,2,2 padding_mode:s=CALCULATED pads:I=0,1,0,0 data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "pads of AvgPoolV2 has 0 before and 1 behind an axis; as much is expected"},
    {{"MaxPool3DGrad", "f 1,1,1,1,1: 1 | f 1,1,1,1,1: 1 | f 1,1,1,1,1: 1",
      "ksize:I=1,1 strides:I=1,1,1,1,1 padding:s=CALCULATED pads:I=0,0,0,0,0,0 data_format:s=NCDHW",
      "f 1,1,1,1,1: 0"},
     "ksize, strides or pads of MaxPool3DGrad are none of 3 axes"},
    {{"MaxPoolWithArgmaxV1", "f 1,1,2,2: 1 2 3 4", "ksize:I=1,2,2,1 strides:I=1,2,2,1 pads:I=1,0,0,1",
      "f 1,1,1,1: 0 | u 2: 0 0"},
     "the mask of MaxPoolWithArgmaxV1 has 2 bytes; 16 for each of 1 channels or more are expected"},
    {{"MaxPoolGradWithArgmaxV1",
      "f 1,1,2,2: 1 2 3 4 | f 1,1,1,1: 1 | u 20: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
      "ksize:I=1,2,2,1 strides:I=1,2,2,1 pads:I=1,0,0,1", "f 1,1,2,2: 0 0 0 0"},
     "the mask of MaxPoolGradWithArgmaxV1 has 20 bytes; 16 for each of 1 channels or more are expected"},
    {{"MirrorPad", "f 2: 1 2 | Hl 2: 2 0", "mode:s=REFLECT", "f 4: 0 0 0 0"},
     "MirrorPad continues 2 elements of axis 0 by 2 and 0; 0 to 1 are expected"},
    {{"MirrorPad", "f 2: 1 2 | Hl 3: 1 1 1", "mode:s=REFLECT", "f 4: 0 0 0 0"},
     "MirrorPad of 1 axes has 3 numbers; two for each are expected"},
    {{"SplitD", "f 2: 1 2", "split_dim:i=1", "f 1: 0 | f 1: 0"}, "output 0 of SplitD has no axis 1"},
    {{"Unpack", "f 2,2: 1 2 3 4", "axis:i=2", "f 2: 0 0 | f 2: 0 0"}, "Unpack cannot be computed"},
    {{"Conv2D", "f 1,1,2,2: 1 2 3 4 | f 1,1,1,1: 1", "strides:I=1,1,1,1", "f 1,1,2,2: 0 0 0 0"},
     "Conv2D has no attribute pads"},
    {{"KLDiv", "f 1: 1 | f 1: 1", "reduction:s=median", "f 1: 0"},
     "is \"median\"; one of {none,mean,sum,batchmean} is expected"},
    {{"SoftmaxV2", "f 1,2: 1 2", "axes:I=0,1", "f 1,2: 0 0"}, "is 2 numbers; one is expected"},
    {{"Add", "f 2: 1 2 | f 3: 1 2 3", "", "f 3: 0 0 0"}, "aclnnAdd"},
    {{"BatchMultiClassNonMaxSuppression", "f 1,1,4,1: 0 0 1 1 | f 1,1,1: 1",
      "score_threshold:f=0 iou_threshold:f=0.5 max_size_per_class:i=1 max_total_size:i=1 "
      "change_coordinate_frame:b=0 transpose_box:b=1",
      "f 1,1,4: 0 0 0 0 | f 1,1: 0 | f 1,1: 0 | i 1: 0"},
     "the attribute transpose_box of BatchMultiClassNonMaxSuppression is 1; 0 is expected"},
    {{"BatchMultiClassNonMaxSuppression", "f 1,1,2,4: 0 0 1 1 0 0 1 1 | f 1,1,3: 1 1 1",
      "score_threshold:f=0 iou_threshold:f=0.5 max_size_per_class:i=1 max_total_size:i=1",
      "f 1,1,4: 0 0 0 0 | f 1,1: 0 | f 1,1: 0 | i 1: 0"},
     "boxes are of 2 classes and scores of 3; 1 or as many are expected"},
    {{"RotatedIou", "f 1,5,2: 0 0 0 0 1 1 1 1 0 0 | f 1,5,2: 0 0 0 0 1 1 1 1 0 0",
      "trans:b=0 mode:s=iou is_cross:b=0", "f 1,2,2: 0 0 0 0"},
     "out has shape [1, 2, 2]; [1, 2, 1], the shape that the inputs lead to, is expected"},
    {{"GIoUGrad", "f 2: 1 1 | f 4,1: 0 0 1 1 | f 4,1: 0 0 1 1", "trans:b=0 is_cross:b=0 mode:s=iou",
      "f 4,1: 0 0 0 0 | f 4,1: 0 0 0 0"},
     "dy has 2 numbers; 1 are expected"},
    {{"CIoUGrad", "f 1: 1 | f 4,1: 0 0 1 1 | f 4,1: 0 0 1 1 | f 2: 0 0", "trans:b=0 is_cross:b=0 mode:s=iou",
      "f 4,1: 0 0 0 0 | f 4,1: 0 0 0 0"},
     "atan_sub has 2 numbers; 1 are expected"},
    {{"CIoUGrad", "f 1: 1 | f 4,1: 0 0 1 1 | f 4,1: 0 0 1 1 | i 1: 0", "trans:b=0 is_cross:b=0 mode:s=iou",
      "f 4,1: 0 0 0 0 | f 4,1: 0 0 0 0"},
     "angles has dtype INT32; FLOAT, FLOAT16 or BFLOAT16 expected"},
    {{"AnchorResponseFlags", "f 1,4: 0 0 1 1", "featmap_size:I=2,2 strides:I=0,1 num_base_anchors:i=1",
      "u 4: 0 0 0 0"},
     "featmap_size and strides are not two numbers from 1 to 32767 each"},
    {{"GridAssignPositive", "f 1: 0 | f 1,1: 0 | u 1: 1 | f 1: 0 | i 1: 0 | f 1: 0 | i 1: 0 | i 2: 1 1",
      "pos_iou_thr:f=0 min_pos_iou:f=0 gt_max_assign_all:b=1", "f 1: 0"},
     "num_gts has 2 numbers; one is expected"},
    {{"PSROIPoolingV2", "f 1,4,1,1: 1 2 3 4 | f 1,5,1: 0 0 0 1 1",
      "spatial_scale:f=1 output_dim:i=1 group_size:i=128", "f 1,1,2,2: 0 0 0 0"},
     "output_dim and group_size are 1 and 128"},
    {{"PSROIPoolingGradV2D", "f 1,1,2,2: 1 2 3 4 | f 1,5,1: 0 0 0 1 1",
      "spatial_scale:f=1 output_dim:i=1 group_size:i=2 input_size:I=1", "f 1,4,1,1: 0 0 0 0"},
     "input_size is no height and width, which are expected"},
    {{"RotatedNMS", "f 2,5: 0 0 1 1 0 0 0 1 1 0 | f 2: 1 1 | i 3: 0 0 0", "",
      "f 2,5: 0 0 0 0 0 0 0 0 0 0 | i 2: 0 0"},
     "labels are 3; 1 or 2 are expected"},
    {{"RotatedNMS", "f 1,5: 0 0 1 1 0 | f 1: 1 | f 1: 0", "", "f 1,5: 0 0 0 0 0 | i 1: 0"},
     "labels has dtype FLOAT; INT32 expected"},
    {{"AttentionScore", "f 1,1,1,1: 1 | f 1,1,1,1: 1 | f 1,1,1,1: 1 | f 1,1,1,1: 1 | f -: 1",
      "keep_prob:f=1 query_transpose:b=1", "f 1,1: 0 | f 1,1,1,1: 0"},
     "the attribute query_transpose of AttentionScore is 1; 0 is expected"},
    {{"Conv2D", "f 1,1,1,1: 1 | f 1,1,1,1: 1", "strides:I=1,1,1,1 pads:I=0,0,0,0 data_format:s=HWCN",
      "f 1,1,1,1: 0"},
     "the attribute data_format of Conv2D is \"HWCN\"; NCHW or NHWC is expected"},
    {{"ResizeBilinearV2", "f 1,1,1: 1 | Hi 2: 1 1", "data_format:s=NHWC", "f 1,1,1: 0"},
     "ResizeBilinearV2 cannot be computed with these operands (x0)"},
    {{"RandomChoiceWithMask", "b 1: 1", "count:i=0", "i 1,1: 0 | b 1: 0"},
     "count is 0; 1 or more are expected"},
    {{"SubSample", "i 1: 1", "batch_size_per_images:i=1 positive_fraction:f=1.5", "i 1: 0"},
     "batch_size_per_images and positive_fraction are 1 and 1.5"},
    {{"ApplyAdamV2",
      "f 1: 0 | f 1: 0 | f 1: 0 | f -: 1 | f -: 1 | f -: 1 | f -: 1 | f 1: 1 | f -: 1 | f -: 1 | f -: 0",
      "adam_mode:s=mbart_adam", "=0 f 1: 0 | =1 f 1: 0 | =2 f 1: 0"},
     "ApplyAdamV2 cannot be computed with these operands (x11)"},
    {{"Slice", "f 2: 1 2 | Hl 2: 0 0 | Hl 2: 1 1", "", "f 1: 0"}, "lists of 2 and 1 numbers"},
    {{"Slice", "f 2: 1 2 | Hf 1: 0", "", "f 1: 0"}, "Slice has 2 inputs; 3 are expected"},
    {{"AsStrided", "f 2: 1 2 | Hl 1: 2 | Hl 1: 2 | Hl 1: 0", "", "f 2: 0 0"}, "leave its 2 elements"},
    {{"AsStrided", "f 2: 1 2 | Hl 1: 2 | Hl 1: 0 | Hl 1: 2", "", "f 2: 0 0"}, "leave its 2 elements"},
    {{"AsStrided", "f 2: 1 2 | Hl 1: 2 | Hl 1: 9223372036854775807 | Hl 1: 1", "", "f 2: 0 0"},
     "leave its 2 elements"},
    {{"AsStrided", "f 2: 1 2 | Hl 1: 1 | Hl 1: 1 | Hl 1: 0", "", "f 2: 0 0"},
     "sizes of AsStrided are 1 elements; the output has 2"},
    {{"ViewCopy", "f 2: 1 2 | Hl 1: 2 | Hl 1: 1 | Hl -: 1 | f 2: 1 2 | Hl 1: 2 | Hl 1: 1 | Hl -: 0", "",
      "=0 f 2: 0 0"},
     "leave its 2 elements"},
    {{"ViewCopy", "f 2: 1 2 | Hl 1: 2 | Hl 1: 1 | Hl -: 0 | f 2: 1 2 | Hl 1: 2 | Hl 1: -1 | Hl -: 1", "",
      "=0 f 2: 0 0"},
     "leave its 2 elements"},
    {{"Index", "f 2: 1 2 | Hl 1: 1 | Hl 1: 2 | l 2: 1 0 | l 2: 1 0", "", "f 2: 0 0"},
     "Index cannot be computed with these operands (x3*$1)"},
    {{"Index", "f 2: 1 2 | Hl 1: 0 | Hl 1: 2 | l 2: 1 0", "", "f 2: 0 0"},
     "Index cannot be computed with these operands (x3*$1)"},
    {{"StatelessRandomUniformV2", "Hl 1: 2 | Hq 1: 5 | Hq 1: 0 | Hi -: 1", "", "f 2: 0 0"},
     "input 2 of StatelessRandomUniformV2 has 1 numbers; more than 1 are expected"},
    {{"Assign", "f 2: 1 2 | f 1: 1", "", "=0 f 2: 0 0"}, "Assign is to copy 4 bytes of FLOAT to 8 bytes"},
    {{"Unique", "i 3: 1 2 3", "", "i 2: 0 0 | i 3: 0 0 0"},
     "Unique has found 3 values of 4 bytes; the first output has room for 8 bytes"},
    {{"Unique", "i 3: 1 2 3", "", "l 3: 0 0 0 | i 3: 0 0 0"}, "Unique of INT32 gives INT64"},
    {{"Unique", "i 3: 1 2 3", "", "i 3: 0 0 0 | f 3: 0 0 0"}, "the places of Unique are 3 of FLOAT"},
    {{"Unique", "i 3: 1 2 3", "", "i 3: 0 0 0 | i 2: 0 0"}, "the places of Unique are 2 of INT32"},
    {{"NonZero", "f 2: 1 2", "", "i 2,1: 0 0"}, "NonZero gives INT64"},
    {{"NonZero", "f 2: 1 2", "transpose:b=1", "l 1: 0"}, "NonZero cannot be computed"},
    {{"NonZero", "f 2: 1 2", "", "l 1: 0"}, "aclnnNonzero: out has"},
    {{"MatrixDiagPartV3", "f 2,2: 1 2 3 4 | Hi 1: 2 | f -: 0", "", "f 1: 0"},
     "TakeDiagonals: k is from 2 to 2; diagonals of 2 by 2 are expected"},
    {{"MatrixDiagV3", "f 2: 1 2 | Hi 2: 1 0 | Hi -: 2 | Hi -: 2 | f -: 0", "", "f 2,2: 0 0 0 0"},
     "PutDiagonals: k is from 1 to 0"},
    {{"MatrixSetDiagV3", "f 2,2: 1 2 3 4 | f 3: 1 2 3 | Hi -: 0", "", "f 2,2: 0 0 0 0"},
     "1 matrices of 2 by 2; 2 elements on diagonals are expected"},
    {{"MatrixSetDiagV3", "f 2,2: 1 2 3 4 | f 2: 1 2 | Hi -: 0", "align:s=CENTER", "f 2,2: 0 0 0 0"},
     "the attribute align of MatrixSetDiagV3 is \"CENTER\"; one of"},
    {{"SpaceToBatchND", "f 1,3: 1 2 3 | Hi 1: 2 | Hl 1,2: 0 0", "", "f 2,1: 0 0"},
     "SpaceToBatchND cannot be computed with these operands ($1)"},
    {{"BatchToSpaceND", "f 2,2: 1 2 3 4 | Hi 1: 2 | Hl 1,2: 0 -1", "", "f 1,5: 0 0 0 0 0"},
     "BatchToSpaceND cannot be computed with these operands ($1)"},
    {{"LRN", "f 1,1: 1", "norm_region:s=WITHIN_CHANNEL", "f 1,1: 0"}, "ACROSS_CHANNELS is expected"},
    {{"LRN", "f 1,1: 1", "depth_radius:i=-1", "f 1,1: 0"},
     "radius is -1; 2 or more and 0 or more are expected"},
    {{"CheckValid", "f 1,4: 1 2 3 4 | f 2: 1 2", "", "b 1: 0"}, "BoxesInside: image has shape [2]"},
    {{"UnsortedSegmentMax", "f 1: 1 | i 1: 2 | Hl 1: 2", "", "f 2: 0 0"}, "indices holds 2 at [0]"},
    {{"UnsortedSegmentMax", "b 1: 1 | i 1: 0 | Hl 1: 1", "", "b 1: 0"}, "integers are expected"},
    {{"ScatterMax", "f 2: 1 2 | i 1: 2 | f 1: 1", "", "=0 f 2: 1 2"}, "indices holds 2 at [0]"},
    {{"TensorScatterDiv", "f 2: 1 2 | i 1,1: 0 | f 2: 1 1", "", "f 2: 0 0"}, "updates has shape [2]"},
    {{"DataFormatDimMap", "i 1: 0", "src_format:s=NHWC dst_format:s=NDHW", "i 1: 0"},
     "the formats of DataFormatDimMap are \"NHWC\" and \"NDHW\""},
    {{"CTCLoss", "f 1,1,2: 0 0 | l 1,2: 1 0 | i 1: 0 | i 1: 1", "", "f 1: 0 | f 1,1,2: 0 0"},
     "label 0 of CTCLoss is sample 1's"},
    {{"CTCLoss", "f 1,1,2: 0 0 | i 1,2: 0 0 | i 1: 0 | i 1: 1", "", "f 1: 0 | f 1,1,2: 0 0"},
     "the labels of CTCLoss are not INT64 [n, 2]"},
    {{"CTCLossV2", "f 1,1,2: 0 0 | i 1,1: 1 | i 1: 1 | i 1: 1", "reduction:s=mean",
      "f 1: 0 | f 1,1,8: 0 0 0 0 0 0 0 0"},
     "none is expected"},
    {{"DropOutGenMask", "Hl 1: 800000000 | f -: 1", "seed:i=1 seed2:i=0", "f 2: 0 0"},
     "aclnnCast: out has shape [2]"},
    {{"Reluu", "f 2: 1 2", "", "f 2: 0 0"},
     "Reluu of FLOAT [2] is not in this release of Belay; the nearest kinds that it has by name are Relu"},
};

static void what_is_not_computed_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct call call;
        open_call(&refused[i].row, &call);
        assert_int_equal(execute(refused[i].row.kind, &call, call.inputs, stream), 0);
        take_away(&call);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       refused[i].sentence);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        close_call(&call);
    }
}

static void casts_have_a_function_of_their_own(void **state)
{
    static const struct row row = {"Cast", "f 3: 1.75 -2.5 3", "", "i 3: 1 -2 3"};
    (void)state;
    for (int form = 0; form < 4; form++) {
        const uint8_t truncate = form % 2 != 0;
        aclopHandle *handle = NULL;
        struct call call;
        open_call(&row, &call);
        if (form < 2) {
            assert_int_equal(aclopCast(call.in[0].desc, call.in[0].buffer, call.out[0].desc,
                                       call.out[0].buffer, truncate, stream),
                             0);
        } else {
            const aclDataBuffer *const from = call.in[0].buffer;
            assert_int_equal(aclopCreateHandleForCast(call.in[0].desc, call.out[0].desc, truncate, &handle),
                             0);
            assert_int_equal(aclopExecWithHandle(handle, 1, &from, 1, &call.out[0].buffer, stream), 0);
        }
        aclopDestroyHandle(handle);
        take_away(&call);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(compare(&row, &call.out[0]), 0);
        close_call(&call);
    }
}

/* In the order of first appearance; how many there are is in the description when the call returns. */
static void unique_values_say_how_many_they_are(void **state)
{
    static const struct {
        struct row row;
        int64_t distinct;
    } cases[] = {
        {{"Unique", "i 6: 3 1 3 -2 1 7", "", "i 6: 3 1 -2 7 0 0 | i 6: 0 1 0 2 1 3"}, 4},
        {{"Unique", "l 2,2: 5 5 5 5", "", "l 4: 5 0 0 0 | l 2,2: 0 0 0 0"}, 1},
        {{"Unique", "f 5: 2.5 -0 1 0 2.5", "", "f 5: 2.5 0 1 0 0 | i 5: 0 1 2 1 0"}, 3},
        {{"Unique", "f 4: nan 1 nan 1", "", "* f 4: 0 0 0 0 | i 4: 0 1 2 1"}, 3},
        {{"Unique", "Hh 3: 0.5 0.5 -1", "", "h 3: 0.5 -1 0 | i 3: 0 0 1"}, 2},
        {{"Unique", "u 3: 255 0 255", "", "u 2: 255 0 | i 3: 0 1 0"}, 2},
        {{"Unique", "i 1: 9", "", "i 1: 9 | i 1: 0"}, 1},
        {{"Unique", "i 0:", "", "i 0: | i 0:"}, 0},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const struct row *row = &cases[i / 2].row;
        const bool is_told = i % 2 == 0; /* handles keep descriptions of their own */
        struct call call;
        open_call(row, &call);
        const int64_t before = call.out[0].count;
        assert_int_equal(is_told ? execute(row->kind, &call, call.inputs, stream)
                                 : execute_by_handle(row->kind, &call, stream),
                         0);
        assert_int_equal(aclGetTensorDescNumDims(call.out[0].desc), 1);
        assert_int_equal(aclGetTensorDescDim(call.out[0].desc, 0), is_told ? cases[i / 2].distinct : before);
        assert_int_equal(aclGetTensorDescDim(call.out[1].desc, 0), call.out[1].dims[0]);
        take_away(&call);
        call.out[0].count = cases[i / 2].distinct;
        assert_int_equal(compare(row, &call.out[0]) + compare(row, &call.out[1]), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        close_call(&call);
    }
}

/* Rows, of which the description says how many there are when the call returns. */
static void rows_that_are_found_say_how_many_they_are(void **state)
{
    static const struct {
        struct row row;
        int64_t found, axes;
    } cases[] = {
        {{"NonZero", "b 2,3: 0 1 0 1 0 1", "transpose:b=1", "l 2,6: 0 1 1 1 0 2 0 0 0 0 0 0"}, 2, 3},
        {{"NonZero", "b 2,3: 0 1 0 1 0 1", "transpose:b=0", "l 6,2: 0 1 1 0 1 2 0 0 0 0 0 0"}, 3, 2},
        {{"NonZero", "f 4: -0 nan 0 0.5", "", "l 4,1: 1 3 0 0"}, 2, 1},
        {{"NonZero", "Hi 3: 0 0 0", "", "l 3,1: 0 0 0"}, 0, 1},
        {{"NonZero", "u 1,1,2: 0 200", "", "l 2,3: 0 0 1 0 0 0"}, 1, 3},
        {{"RotatedNMS", "f 3,5: 0 0 2 2 0 0 0 2 2 10 9 9 1 1 0 | f 3: 0.5 0.75 0.25", "iou_threshold:f=0.5",
          "f 3,5: 0 0 2 2 10 9 9 1 1 0 0 0 0 0 0 | i 3: 1 2 0"},
         2,
         5},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const struct row *row = &cases[i / 2].row;
        const bool is_told = i % 2 == 0; /* handles keep descriptions of their own */
        struct call call;
        open_call(row, &call);
        const int64_t before[] = {call.out[0].dims[0], call.out[0].dims[1]};
        assert_int_equal(is_told ? execute(row->kind, &call, call.inputs, stream)
                                 : execute_by_handle(row->kind, &call, stream),
                         0);
        assert_int_equal(aclGetTensorDescNumDims(call.out[0].desc), 2);
        assert_int_equal(aclGetTensorDescDim(call.out[0].desc, 0), is_told ? cases[i / 2].found : before[0]);
        assert_int_equal(aclGetTensorDescDim(call.out[0].desc, 1), is_told ? cases[i / 2].axes : before[1]);
        if (call.outputs > 1) {
            assert_int_equal(aclGetTensorDescNumDims(call.out[1].desc), 1);
            assert_int_equal(aclGetTensorDescDim(call.out[1].desc, 0),
                             is_told ? cases[i / 2].found : before[0]);
        }
        take_away(&call);
        call.out[0].count = cases[i / 2].found * cases[i / 2].axes;
        assert_int_equal(compare(row, &call.out[0]), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        close_call(&call);
    }
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_right),
        cmocka_unit_test(every_kind_has_a_row),
        cmocka_unit_test(every_kind_that_is_refused_fails_in_the_stream),
        cmocka_unit_test(what_is_not_computed_says_why),
        cmocka_unit_test(casts_have_a_function_of_their_own),
        cmocka_unit_test(unique_values_say_how_many_they_are),
        cmocka_unit_test(rows_that_are_found_say_how_many_they_are),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
