/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * More kinds of operators by name (program.h): what MindSpore's older operators and their gradients ask for
 * besides kinds.c, and what torch_npu has of its own.
 */
#include "ops/by_name/program.h"

/* t0: the number of each element, in the shape of y0, of which some t1 is taken; dy goes to those places. */
#define NUMBERED   "InplaceZero y0; Arange 0 @elements 1 t0; "
#define PUT(dy)    "; IndexPutImpl y0/v {t1/v} " dy "/v 0 0"
#define SLICE_GRAD NUMBERED "SliceV2 t0/y $2 $2+@x0 []:a []:1 t1" PUT("x0")
#define IMAGES     "images x0 y0; "
/* Where x0 is 0 the result is, and else t0. */
#define UNLESS_0   "; EqScalar x0 0 t1; like t2 t0; InplaceZero t2; SWhere t1 t2 t0 y0"
#define AXIS       "axis=dim"
#define ASYMMETRIC "!align_corners !half_pixel_centers "
#define LABELS     "$3 @labels "
#define BLANK      "@x0.2+-1 ignore_longer_outputs_than_inputs=0 "

static struct named_operator kinds[] = {
    /* Gradients by element, of what went in or, of the hyperbolic ones, of what came out. */
    KIND("AtanGrad", 2, 1, 0, "Square x0 t0; Adds t0 1 1 t1; Div x1 t1 y0"),
    KIND("AsinGrad", 2, 1, 0, "Square x0 t0; Rsubs t0 1 1 t1; Sqrt t1 t2; Div x1 t2 y0"),
    KIND("AcosGrad", 2, 1, 0, "Square x0 t0; Rsubs t0 1 1 t1; Sqrt t1 t2; Div x1 t2 t3; Neg t3 y0"),
    KIND("AsinhGrad", 2, 1, 0, "Cosh x0 t0; Div x1 t0 y0"),
    KIND("AcoshGrad", 2, 1, 0, "Sinh x0 t0; Div x1 t0 y0"),
    KIND("InvGrad", 2, 1, 0, "Square x0 t0; Mul t0 x1 t1; Neg t1 y0"),
    KIND("Xdivy", 2, 1, 0, "Div x0 x1 t0" UNLESS_0),
    KIND("Xlogy", 2, 1, 0, "XLogYTensor x0 x1 y0"),
    KIND("TruncateDiv", 2, 1, 0, "DivMod x0 x1 1 y0"),
    KIND("TruncateMod", 2, 1, 0, "FmodTensor x0 x1 y0"),
    KIND("ApproximateEqual", 2, 1, 0, "Sub x0 x1 1 t0; Abs t0 t1; LtScalar t1 tolerance=0.00001 y0"),
    KIND("Cross", 2, 1, 0, "LinalgCross x0 x1 dim=-1 y0"),

    /* Norms, sums of squares. */
    KIND("LpNormV2", 1, 1, 0, "LinalgVectorNorm x0 p=2 axes=[] keepdim=0 y0 y0"),
    KIND("SquareSumAll", 2, 2, 0,
         "Square x0 t0; ReduceSum t0 []:a 0 x0 y0; Square x1/v t1; ReduceSum t1 [0] 0 x1 y1"),
    KIND("SquareSumV1", 1, 1, 0, "Square x0 t0; ReduceSum t0 axis:a keep_dims=1 x0 y0"),
    KIND("SquareSumV2", 1, 2, 0, "Square x0 y0; ReduceSum y0 axis:a keep_dims=1 x0 y1"),
    KIND("L2NormalizeGrad", 3, 1, 0,
         "Mul x2 x1 t0; ReduceSum t0 " AXIS " 1 x0 t1; Mul x1 t1 t2; Sub x2 t2 1 t3; Square x0 t4; "
         "ReduceSum t4 " AXIS " 1 x0 t5; ClampMin t5 eps=0.0001 t6; Sqrt t6 t7; Div t3 t7 y0"),
    /* Inputs: weights, gradient, the squares of each summed, decay, rate. */
    KIND("LarsV2Update", 6, 1, 0,
         "float; Sqrt x2 t0; Sqrt x3 t1; Mul t0 x4 t2; Add t1 t2 1 t3; Adds t3 epsilon=0.00001 1 t4; "
         "Muls t0 hyperpara=0.001 t5; Div t5 t4 t6; ?use_clip Div t6 x5 t7; ?use_clip Clamp t7 0 1 t8; "
         "Mul x0 x4 t9; Add x1 t9 1 t10; ?use_clip Mul t10 t8 y0; !use_clip Mul t10 t6 y0"),

    KIND("Trace", 1, 1, 0, "Trace x0 y0"),
    KIND("CustTraceGrad", 2, 1, 0, "like t0 y0; Eye $1.0 $1.1 t0; Mul t0 x0 y0"),

    /* Whether fewer than k of a row are greater than the one that is named. */
    KIND("InTopKD", 2, 1, 0,
         "Gather x0 1 x1/l t0; GtTensor x0 t0 t1; ReduceSum t1 [1] 0 x0 t2; LtScalar t2 k y0"),
    KIND("DataFormatDimMap", 1, 1, 0, "numbers t0 @formats; RemainderTensorScalar x0 4 t1; Index t0 {t1} y0"),

    /* Labels of sequences: their lengths lie wherever operands do. */
    KIND("CTCLossV2", 4, 2, 0, "need reduction=none; CtcLoss x0 x1 $2 $3 blank=0 zero_infinity=0 y0 y1"),
    KIND("CTCLossV2Grad", 7, 1, 0, "CtcLossBackward x0 x1 x2 $3 $4 x5 x6 blank=0 zero_infinity=0 y0"),
    KIND("CTCLoss", 4, 2, 0,
         "need preprocess_collapse_repeated=0; need ctc_merge_repeated=1; LogSoftmax x0 2 t0; "
         "CtcLoss t0 x2 " LABELS BLANK "y0 t1; like t2 y0; InplaceOne t2; "
         "CtcLossBackward t2 t0 x2 " LABELS "y0 t1 " BLANK "y1"),

    /* Windows as columns, and added up again; the window is an axis of its own. */
    KIND("CustIm2col", 1, 1, 0,
         "need padding_mode=CALCULATED; Im2col x0 ksizes dilations=[1,1] pads=[0,0,0,0]:h strides=[1,1] y0"),
    KIND("Col2im", 2, 1, 0,
         "Im2colBackward x0/m $1 kernel_size dilation=[1,1] padding=[0,0] stride=[1,1] y0"),
    KIND("InplaceAddD", 2, 1, 0, "numbers t0 indices; copy y0 x0; IndexPutImpl y0 {t0} x1 1 0"),
    KIND("InplaceSubD", 2, 1, 0, "numbers t0 indices; copy y0 x0; Neg x1 t1; IndexPutImpl y0 {t0} t1 1 0"),
    KIND("InplaceUpdateD", 2, 1, 0, "numbers t0 indices; copy y0 x0; IndexPutImpl y0 {t0} x1 0 0"),

    /* Gradients of slices; blocks of places as channels. */
    KIND("StridedSliceGrad", 5, 1, 0,
         NUMBERED "StridedSlice t0/y $1 $2 $3 begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 "
                  "shrink_axis_mask=0 t1" PUT("x4")),
    KIND("CustSliceGrad", 4, 1, 0, SLICE_GRAD),
    KIND("SliceGrad", 4, 1, 0, SLICE_GRAD),
    KIND("SpaceToDepth", 1, 1, 0, IMAGES "Permute x0/S [0,3,5,1,2,4] y0"),
    KIND("DepthToSpace", 1, 1, 0,
         IMAGES "need mode=DCR,CRD; ?mode=DCR Permute x0/D [0,3,4,1,5,2] y0; "
                "!mode=DCR Permute x0/D [0,1,4,2,5,3] y0"),

    /* Images of another size. */
    KIND("ResizeNearestNeighborV2", 2, 1, 0,
         IMAGES ASYMMETRIC "UpsampleNearest2d x0 $1 y0; ?align_corners resize y0 x0 near; "
                           "?half_pixel_centers resize y0 x0 near"),
    KIND("ResizeNearestNeighborV2Grad", 2, 1, 0,
         IMAGES ASYMMETRIC
         "UpsampleNearest2dBackward x0 @x0:s @y0 0 0 y0; ?align_corners unresize y0 x0 near; "
         "?half_pixel_centers unresize y0 x0 near"),
    KIND("ResizeBilinearV2", 2, 1, 0,
         IMAGES "?align_corners UpsampleBilinear2d x0 $1 1 0 0 y0; "
                "?half_pixel_centers UpsampleBilinear2d x0 $1 0 0 0 y0; " ASYMMETRIC "float; " ASYMMETRIC
                "resize y0 x0 linear"),
    KIND("ResizeBilinearV2Grad", 2, 1, 0,
         "images x0 x1 y0; "
         "?align_corners UpsampleBilinear2dBackward x0 @x0:s @x1 1 0 0 y0; "
         "?half_pixel_centers UpsampleBilinear2dBackward x0 @x0:s @x1 0 0 0 y0; " ASYMMETRIC
         "float; " ASYMMETRIC "unresize y0 x0 linear"),

    KIND("CustResizeBicubic", 2, 1, 0, IMAGES "float; resize y0 x0 cubic"),
    KIND("ResizeBicubicGrad", 2, 1, 0, IMAGES "float; unresize y0 x0 cubic"),

    /* Part of the channels of two tensors, added. */
    KIND("StrideAdd", 2, 1, 0,
         "ConstantPadNd x0 @blocks/x0/x1_c1_offset=0 0 t0; ConstantPadNd x1 @blocks/x1/x2_c1_offset=0 0 t1; "
         "Add t0 t1 1 y0"),

    /* What goes beyond a mean and a deviation, of so many numbers of each row. */
    KIND("NormalizeBatch", 2, 1, 0,
         "need normalize_type=per_feature,all_features; "
         "?normalize_type=per_feature own NormalizeRows x0 x1 0 y0; "
         "!normalize_type=per_feature own NormalizeRows x0 x1 1 y0"),
    KIND("MaskedFillRange", 4, 1, 0, "own FillRanges x0 x1 x2 x3 axis=-1 y0"),
    KIND("SignBitsPack", 1, 1, 0, "own PackSigns x0 y0"),
    KIND("SignBitsUnpack", 1, 1, 0, "own UnpackSigns x0 y0"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
