/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kinds of operators by name that functions of this library compute: a line for each, its operands and
 * its program (program.h). Names, operands and attributes are those that torch_npu, MindSpore, onnxruntime
 * and others pass. scripts/kinds_table.sh makes the table of docs/operators-by-name.md of it.
 */
#include "ops/by_name/program.h"

#define UNARY(kind, function)  KIND(kind, 1, 1, 0, #function " x0 y0")
#define BINARY(kind, function) KIND(kind, 2, 1, 0, #function " x0 x1 y0")
#define REDUCTION(kind, before, after)                                                      \
    KIND(kind, 2, 1, 0, "?@none copy y0 x0; !@none " before " x0 $1:a keep_dims=0 " after), \
        KIND(kind "D", 1, 1, 0, "?@none copy y0 x0; !@none " before " x0 axes:a keep_dims=0 " after)

/* Functions of exponentials and logarithms. */
#define NATURAL         "need base=-1; need scale=1; need shift=0; "
#define REDUCED         "reduction{none,mean,sum}"
#define IMAGES(of)      "images " of "; "
#define CHANNELS        "need data_format=NCHW,NCDHW,ND,NHWC,NDHWC; "
#define DEPTHWISE(pads) IMAGES("x0 x1/f y0") "Convolution x0 x1/k x2? " pads " 0 [0,0] "
/* t0: x0, or moved by one along an axis. */
#define RUNNING(function, axis, number)                                                          \
    "!exclusive see t0 x0; ?exclusive !reverse ConstantPadNd x0 @later/" axis " " number " t0; " \
    "?exclusive ?reverse ConstantPadNd x0 @earlier/" axis " " number " t0; "                     \
    "!reverse " function " t0 " axis " y0 y0; ?reverse Flip t0 " axis " t1; "                    \
    "?reverse " function " t1 " axis " y0 t2; ?reverse Flip t2 " axis " y0"
/* Rows of x1 whose number in x0 is not below 0; t1 the numbers, t4 the rows. */
#define SEGMENTS "ClampMin x1 0 t1; GeScalar x1 0 t2; like t3 x0; InplaceZero t3; SWhere t2/l x0 t3 t4; "
/* t3: the variance by a mean that is given. */
#define DEVIATIONS \
    "float; Sub x0 x1 1 t0; Square t0 t1; ReduceSum t1 dim:a keepdim=0 x0 t2; Divs t2 @terms t3; "
#define PADS_2D "strides:s pads dilations=[1,1,1,1]:s"
#define PADS_3D "strides:s pads dilations=[1,1,1,1,1]:s"
#define PRODUCT(first, second)                     \
    "!x2 Matmul x0'" first " x1'" second " y0 0; " \
    "?x2 Matmul x0'" first " x1'" second " t0 0; ?x2 Add t0 x2 1 y0"
#define HARD_SIGMOID(of) "Muls " of " alpha=0.16666666 t0; Adds t0 beta=0.5 1 t1; "
#define WINDOWS          "ksize:s strides:s [0,0]"
/* t4: how many places of each window are the tensor's, whose like t2 is. */
#define PLACES(of)                                                      \
    "?@same InplaceOne t2; ?@same ConstantPadNd t2 @pads/" of " 0 t3; " \
    "?@same AvgPool2d t3 " WINDOWS " 0 1 1 0 t4; "
#define MIDDLE                "ksize:m strides:m pads:m "
#define GIVEN_2D              "ksize:s strides:s pads:h ceil_mode=0 1-exclusive=1 divisor_override=0 0 y0"
#define GIVEN_3D              "ksize:d strides:d pads:h "
#define PADDED_3D             "ksize:d strides:d [0,0,0] [1,1,1] 0 "
#define COUNTED_3D            GIVEN_3D "ceil_mode=0 count_include_pad=1 divisor_override=0 y0"
#define POOL_2D(of)           IMAGES(of) "need padding_mode=CALCULATED; need global_pooling=0; "
#define VALID_3D(of)          IMAGES(of) "need padding=CALCULATED,VALID; "
#define POOL_3D(of)           IMAGES(of) "need padding=CALCULATED; "
#define SEEDED(before, after) "?seed " before " seed seed2=0 " after "; !seed " before " 0 @calls " after

static struct named_operator kinds[] = {
    /* An element of one. */
    UNARY("Abs", Abs),
    UNARY("Acos", Acos),
    UNARY("Acosh", Acosh),
    UNARY("Asin", Asin),
    UNARY("Asinh", Asinh),
    UNARY("Atan", Atan),
    UNARY("Atanh", Atanh),
    UNARY("Ceil", Ceil),
    UNARY("Cos", Cos),
    UNARY("Cosh", Cosh),
    UNARY("Erf", Erf),
    UNARY("Erfc", Erfc),
    UNARY("Erfinv", Erfinv),
    KIND("Exp", 1, 1, 0, NATURAL "Exp x0 y0"),
    UNARY("Expm1", Expm1),
    UNARY("Floor", Floor),
    UNARY("Inv", Reciprocal),
    UNARY("Invert", BitwiseNot),
    UNARY("IsFinite", IsFinite),
    UNARY("IsInf", IsInf),
    KIND("IsNan", 1, 1, 0, "NeTensor x0 x0 y0"),
    KIND("Log", 1, 1, 0, NATURAL "Log x0 y0"),
    UNARY("LogSigmoid", LogSigmoid),
    UNARY("Log1p", Log1p),
    UNARY("LogicalNot", LogicalNot),
    UNARY("Neg", Neg),
    UNARY("Reciprocal", Reciprocal),
    UNARY("Relu", Relu),
    UNARY("Rint", Round),
    KIND("Round", 1, 1, 0, "need decimals=0; Round x0 y0"),
    UNARY("Rsqrt", Rsqrt),
    UNARY("Selu", Selu),
    UNARY("Sigmoid", Sigmoid),
    UNARY("Sign", Sign),
    UNARY("Sin", Sin),
    UNARY("Sinh", Sinh),
    UNARY("Softsign", Softsign),
    UNARY("Sqrt", Sqrt),
    UNARY("Square", Square),
    UNARY("Tan", Tan),
    UNARY("Tanh", Tanh),
    UNARY("Trunc", Trunc),
    UNARY("Gelu", Gelu),
    UNARY("FastGelu", FastGelu),
    UNARY("Mish", Mish),
    UNARY("HardSwish", Hardswish),
    KIND("Swish", 1, 1, 0, "Swish x0 scale=1.0 y0"),
    KIND("Relu6", 1, 1, 0, "Hardtanh x0 0 6 y0"),
    KIND("Relu6Grad", 2, 1, 0, "HardtanhBackward x0 x1 0 6 y0"),
    KIND("CeluV2", 1, 1, 0, "Celu x0 alpha=1.0 y0"),
    KIND("Elu", 1, 1, 0, "Elu x0 alpha=1.0 scale=1.0 input_scale=1.0 y0"),
    KIND("LeakyRelu", 1, 1, 0, "LeakyRelu x0 negative_slope=0.0 y0"),
    KIND("Softplus", 1, 1, 0, "Softplus x0 1.0 20.0 y0"),
    KIND("HardShrink", 1, 1, 0, "Hardshrink x0 lambd=0.5 y0"),
    KIND("SoftShrink", 1, 1, 0, "Softshrink x0 lambd=0.5 y0"),
    KIND("HardSigmoid", 1, 1, 0, HARD_SIGMOID("x0") "Hardtanh t1 0 1 y0"),
    KIND("PRelu", 2, 1, 0, "Prelu x0 x1 y0"),
    KIND("GLU", 1, 1, 0, "Glu x0 dim=-1 y0"),
    KIND("Adds", 1, 1, 0, "Adds x0 value 1 y0"),
    KIND("Muls", 1, 1, 0, "Muls x0 value y0"),
    KIND("Cast", 1, 1, 0, "Cast x0 y0 y0"),

    /* Functions of two and three tensors, which broadcast. */
    KIND("Add", 2, 1, 0, "Add x0 x1 1 y0"),
    KIND("AddV2", 2, 1, 0, "Add x0 x1 1 y0"),
    KIND("Sub", 2, 1, 0, "Sub x0 x1 1 y0"),
    KIND("Axpy", 2, 1, 0, "Add x0 x1 alpha=1.0 y0"),
    KIND("AxpyV2", 3, 1, 0, "Add x0 x1 #2 y0"),
    BINARY("Mul", Mul),
    BINARY("Div", Div),
    BINARY("RealDiv", Div),
    BINARY("Maximum", Maximum),
    BINARY("Minimum", Minimum),
    BINARY("Pow", PowTensorTensor),
    BINARY("FloorDiv", FloorDivide),
    BINARY("FloorMod", RemainderTensorTensor),
    BINARY("Mod", FmodTensor),
    BINARY("Atan2", Atan2),
    BINARY("Equal", EqTensor),
    BINARY("NotEqual", NeTensor),
    BINARY("Greater", GtTensor),
    BINARY("GreaterEqual", GeTensor),
    BINARY("Less", LtTensor),
    BINARY("LessEqual", LeTensor),
    BINARY("LogAddExp", LogAddExp),
    BINARY("LeftShift", LeftShift),
    BINARY("RightShift", RightShift),
    KIND("DivNoNan", 2, 1, 0,
         "Div x0 x1 t0; EqScalar x1 0 t1; like t2 t0; InplaceZero t2; SWhere t1 t2 t0 y0"),
    BINARY("LogicalAnd", LogicalAnd),
    BINARY("LogicalOr", LogicalOr),
    BINARY("BitwiseAnd", BitwiseAndTensor),
    BINARY("BitwiseOr", BitwiseOrTensor),
    BINARY("BitwiseXor", BitwiseXorTensor),
    KIND("SquaredDifference", 2, 1, 0, "Sub x0 x1 1 t0; Square t0 y0"),
    KIND("Select", 3, 1, 0, "SWhere x0 x1 x2 y0"),
    KIND("SelectV2", 3, 1, 0, "SWhere x0 x1 x2 y0"),
    KIND("ClipByValue", 3, 1, 0, "ClampTensor x0 x1 x2 y0"),
    KIND("ClipByValueV2", 3, 1, 0, "ClampTensor x0 x1 x2 y0"),
    KIND("Lerp", 3, 1, 0, "Lerp x0 x1 x2 y0"),
    KIND("Addcmul", 4, 1, 0, "Addcmul x0 x1 x2 #3 y0"),
    KIND("Addcdiv", 4, 1, 0, "Addcdiv x0 x1 x2 #3 y0"),
    KIND("MaskedFill", 3, 1, 0, "copy y0 x0; InplaceMaskedFillTensor y0 x1 x2"),
    KIND("MaskedScatter", 3, 1, 0, "copy y0 x0; InplaceMaskedScatter y0 x1 x2"),
    KIND("AccumulateNV2", NAMED_LIST, 1, 0, "Stack x* 0 t0; ReduceSum t0 [0] 0 y0 y0"),
    KIND("AddN", NAMED_LIST, 1, 0, "Stack x* 0 t0; ReduceSum t0 [0] 0 y0 y0"),
    KIND("BiasAdd", 2, 1, 0, CHANNELS "Add x0 x1/c 1 y0"),
    KIND("BiasAddGrad", 1, 1, 0, CHANNELS "ReduceSum x0 [0]:b 0 y0 y0"),

    /* Gradients by element. */
    KIND("SqrtGrad", 2, 1, 0, "Div x1 x0 t0; Muls t0 0.5 y0"),
    KIND("RsqrtGrad", 2, 1, 0, "Square x0 t0; Mul t0 x0 t1; Mul t1 x1 t2; Muls t2 -0.5 y0"),
    KIND("ReciprocalGrad", 2, 1, 0, "Square x0 t0; Mul t0 x1 t1; Neg t1 y0"),
    KIND("SigmoidGrad", 2, 1, 0, "SigmoidBackward x1 x0 y0"),
    KIND("TanhGrad", 2, 1, 0, "TanhBackward x1 x0 y0"),
    KIND("ReluGrad", 2, 1, 0, "ThresholdBackward x0 x1 0 y0"),
    KIND("EluGrad", 2, 1, 0, "EluBackward x0 1.0 1.0 1.0 1 x1 y0"),
    KIND("LeakyReluGrad", 2, 1, 0, "LeakyReluBackward x0 x1 negative_slope=0.0 0 y0"),
    KIND("SoftplusGrad", 2, 1, 0, "SoftplusBackward x0 x1 1.0 20.0 y0"),
    KIND("GeluGrad", 3, 1, X2, "GeluBackward x0 x1 y0"),
    KIND("FastGeluGrad", 2, 1, 0, "FastGeluBackward x0 x1 y0"),
    KIND("MishGrad", 3, 1, X2, "MishBackward x0 x1 y0"),
    KIND("SwishGrad", 3, 1, X2, "SwishBackward x0 x1 scale=1.0 y0"),
    KIND("HardSwishGrad", 2, 1, 0, "HardswishBackward x0 x1 y0"),
    KIND("HardShrinkGrad", 2, 1, 0, "HardshrinkBackward x0 x1 lambd=0.5 y0"),
    KIND("SoftShrinkGrad", 2, 1, 0, "SoftshrinkBackward x0 x1 lambd=0.5 y0"),
    KIND("HardSigmoidGrad", 2, 1, 0,
         HARD_SIGMOID("x1") "HardtanhBackward x0 t1 0 1 t2; Muls t2 alpha=0.16666666 y0"),
    KIND("HardtanhGrad", 2, 1, 0, "HardtanhBackward x1 x0 min_val=-1.0 max_val=1.0 y0"),
    KIND("LogSigmoidGrad", 2, 1, 0, "LogSigmoidBackward x0 x1 x1 y0"),
    KIND("PReluGrad", 3, 2, 0, "PreluBackward x0 x1 x2 y0 y1"),
    KIND("SeluGrad", 2, 1, 0, "SeluBackward x0 x1 y0"),
    KIND("SiluGrad", 2, 1, 0, "SiluBackward x0 x1 y0"),
    KIND("GLUGrad", 2, 1, 0, "GluBackward x0 x1 dim=-1 y0"),

    /* Rows: softmax, losses, norms. */
    KIND("SoftmaxV2", 1, 1, 0, "Softmax x0 axes=-1 y0"),
    KIND("SoftmaxGrad", 2, 1, 0, "SoftmaxBackward x1 x0 axes=-1 y0"),
    KIND("LogSoftmaxV2", 1, 1, 0, "LogSoftmax x0 axes=-1 y0"),
    KIND("LogSoftmaxGrad", 2, 1, 0, "LogSoftmaxBackward x0 x1 axis=-1 y0"),
    KIND("ScaledMaskedSoftmax", 2, 1, 0, "ScaledMaskedSoftmax x0 x1 scale=1 fixed_triu_mask=0 y0"),
    KIND("ScaledMaskedSoftmaxGrad", 3, 1, 0,
         "ScaledMaskedSoftmaxBackward x0 x1 x2 scale=1 fixed_triu_mask=0 y0"),
    KIND("SoftmaxCrossEntropyWithLogits", 2, 2, 0, "SoftmaxCrossEntropyWithLogits x0 x1 y0 y1"),
    KIND("KLDiv", 2, 1, 0, "KlDiv x0 x1 reduction{none,mean,sum,batchmean} log_target=0 y0"),
    KIND("KlDivLossGrad", 3, 1, 0,
         "KlDivBackward x0 x1 x2 reduction{none,mean,sum,batchmean} log_target=0 y0"),
    KIND("L1LossGrad", 3, 1, 0, "L1LossBackward x0 x1 x2 " REDUCED " y0"),
    KIND("LpLoss", 2, 1, 0, "need p=1; L1Loss x0 x1 " REDUCED " y0"),
    KIND("MseLoss", 2, 1, 0, "MseLoss x0 x1 " REDUCED " y0"),
    KIND("MseLossGrad", 3, 1, 0, "MseLossBackward x2 x0 x1 " REDUCED " y0"),
    KIND("SmoothL1LossV2", 2, 1, 0, "SmoothL1Loss x0 x1 " REDUCED " sigma=1.0 y0"),
    KIND("SmoothL1LossGradV2", 3, 1, 0, "SmoothL1LossBackward x2 x0 x1 " REDUCED " sigma=1.0 y0"),
    KIND("SoftMarginLoss", 2, 1, 0, "SoftMarginLoss x0 x1 " REDUCED " y0"),
    KIND("SoftMarginLossGrad", 3, 1, 0, "SoftMarginLossBackward x2 x0 x1 " REDUCED " y0"),
    KIND("BinaryCrossEntropy", 3, 1, X2, "BinaryCrossEntropy x0 x1 x2? " REDUCED " y0"),
    KIND("BinaryCrossEntropyGrad", 4, 1, X3, "BinaryCrossEntropyBackward x2 x0 x1 x3? " REDUCED " y0"),
    KIND("NLLLoss", 3, 2, 0, "NLLLoss x0 x1 x2 " REDUCED " ignore_index=-100 y0 y1"),
    KIND("NLLLossGrad", 5, 1, 0, "NLLLossBackward x1 x0 x2 x3 " REDUCED " ignore_index=-100 x4 y0"),
    KIND("L2Loss", 1, 1, 0, "Square x0 t0; Muls t0 0.5 t1; ReduceSum t1 []:a 0 y0 y0"),
    KIND("RmsNorm", 2, 2, 0, "RmsNorm x0 x1 epsilon=1e-6 y0 y1"),
    KIND("RmsNormGrad", 4, 2, 0, "RmsNormGrad x0 x1 x2 x3 y0 y1"),
    KIND("RotaryMul", 3, 1, 0, "need mode=half; RotaryPositionEmbedding x0 x1 x2 0 y0"),
    KIND("L2Normalize", 1, 1, 0,
         "Square x0 t0; ReduceSum t0 axis 1 x0 t1; ClampMin t1 eps=0.0001 t2; Sqrt t2 t3; Div x0 t3 y0"),
    KIND("LayerNorm", 3, 3, 0,
         "?@whole LayerNorm x0 @tail/x1 x1 x2 epsilon=1e-7 y0 y1 t0; "
         "!@whole LayerNorm x0 @tail/x1 - - epsilon=1e-7 t3 y1 t0; !@whole Mul t3 x1 t4; "
         "!@whole Add t4 x2 1 y0; Square t0 t1; Reciprocal t1 t2; Subs t2 epsilon=1e-7 1 y2"),
    KIND("LayerNormV3", 3, 3, 0, "LayerNorm x0 @tail/x1 x1 x2 epsilon=1e-5 y0 y1 y2"),
    KIND("LayerNormGrad", 5, 3, 0,
         "Adds x2 0.0000001 1 t0; Rsqrt t0 t1; LayerNormBackward x0 x1 @x4 x3 t1 x4 - [1,1,1] y0 y1 y2"),
    KIND("AddLayerNormGrad", 7, 3, X6,
         "Add x1 x2 1 t0; !x6 LayerNormBackward x0 t0 @x5 x4 x3 x5 - [1,1,1] y0 y1 y2; "
         "?x6 LayerNormBackward x0 t0 @x5 x4 x3 x5 - [1,1,1] t1 y1 y2; ?x6 Add t1 x6 1 y0"),
    KIND("DeepNorm", 4, 3, 0,
         "Muls x0 alpha=0.3 t0; Add t0 x1 1 t1; LayerNorm t1 @x3 x3 x2 epsilon=1e-6 y2 y0 y1"),
    KIND("DeepNormGrad", 6, 4, 0,
         "Muls x1 alpha=0.3 t0; Add t0 x2 1 t1; LayerNormBackward x0 t1 @x3 x4 x5 x3 - [1,1,1] t2 y3 y2; "
         "Muls t2 alpha=0.3 y0; copy y1 t2"),
    KIND("BNInfer", 5, 1, 0, "BatchNorm x0 x1 x2 x3 x4 0 0.1 epsilon=1e-5 y0 - -"),
    KIND("BNTrainingReduce", 1, 2, 0, "BatchNormReduce x0 y0 y1"),
    KIND("BNTrainingUpdate", 7, 5, 0,
         "copy y1 x5; copy y2 x6; !@950 BatchNorm x0 x3 x4 y1 y2 1 factor epsilon=1e-5 y0 y3 y4; "
         "?@950 BatchNorm x0 x3 x4 y1 y2 1 factor epsilon=1e-5 y0 y3 t0; ?@950 Square t0 t1; "
         "?@950 Reciprocal t1 t2; ?@950 Subs t2 epsilon=1e-5 1 y4"),
    KIND("BNTrainingUpdateGrad", 4, 2, 0,
         "BatchNormBackward x0 x1 - x2 x3 - - 0 epsilon=1e-5 [0,1,1] - y0 y1"),
    KIND("BNTrainingReduceGrad", 7, 1, 0,
         "!@950 BatchNormBackward x0 x1 x4 - - x5 x6 1 epsilon=1e-5 [1,0,0] y0 - -; "
         "?@950 Adds x6 epsilon=1e-5 1 t0; ?@950 Rsqrt t0 t1; "
         "?@950 BatchNormBackward x0 x1 x4 - - x5 t1 1 epsilon=1e-5 [1,0,0] y0 - -"),

    /* Sums, extremes, orders. */
    REDUCTION("ReduceSum", "ReduceSum", "y0 y0"),
    REDUCTION("ReduceMean", "Mean", "y0 y0"),
    REDUCTION("ReduceMax", "Amax", "y0"),
    REDUCTION("ReduceMin", "Amin", "y0"),
    REDUCTION("ReduceAll", "All", "y0"),
    REDUCTION("ReduceAny", "Any", "y0"),
    REDUCTION("ReduceLogSumExp", "LogSumExp", "y0"),
    KIND("Cummax", 1, 2, 0, "Cummax x0 dim=axis y0 y1"),
    KIND("Cummin", 1, 2, 0, "Cummin x0 dim=axis y0 y1"),
    KIND("SearchSorted", 2, 1, 0, "SearchSorted x0 x1 0 right=0 - y0"),
    KIND("TensorEqual", 2, 1, 0, "Equal x0 x1 y0"),
    KIND("ReduceProd", 2, 1, 0, "?@none copy y0 x0; !@none product y0 x0 $1:a"),
    KIND("ReduceProdD", 1, 1, 0, "product y0 x0 axes:a"),
    KIND("ReduceLogSum", 2, 1, 0, "?@none copy y0 x0; !@none ReduceLogSum x0 $1:a keep_dims=0 0 y0"),
    KIND("ReduceStd", 1, 2, 0, "StdMeanCorrection x0 dim=[]:a unbiased=1 keepdim=0 y0 y1"),
    KIND("ReduceStdV2Update", 2, 1, 0, DEVIATIONS "!if_std copy y0 t3; ?if_std Sqrt t3 y0"),
    KIND("ReduceStdWithMean", 2, 1, 0,
         DEVIATIONS "Sqrt t3 t4; !invert copy y0 t4; ?invert Adds t4 epsilon=0.001 1 t5; "
                    "?invert Reciprocal t5 y0"),
    KIND("ArgMaxV2", 2, 1, 0, "ArgMax x0 #1 0 y0"),
    KIND("ArgMin", 2, 1, 0, "ArgMin x0 #1 0 y0"),
    KIND("ArgMaxD", 1, 1, 0, "ArgMax x0 dimension 0 y0"),
    KIND("ArgMinD", 1, 1, 0, "ArgMin x0 dimension 0 y0"),
    KIND("ArgMaxWithValue", 1, 2, 0, "MaxDim x0 dimension keep_dims=0 y1 y0"),
    KIND("ArgMinWithValue", 1, 2, 0, "MinDim x0 dimension keep_dims=0 y1 y0"),
    KIND("ArgMaxGrad", 3, 1, 0, "Scatter x0 dimension x1/u x2/u 0 y0"),
    KIND("TopK", 2, 2, 0, "Topk x0 #1 dim=-1 largest=1 sorted=1 y0 y1"),
    KIND("TopKV2", 2, 2, 0, "Topk x0 #1 dim=-1 largest=1 sorted=1 y0 y1"),
    KIND("Sort", 1, 2, 0, "Sort x0 1 axis=-1 descending=0 y0 y1"),
    KIND("SortV2", 1, 1, 0, "Sort x0 1 axis=-1 descending=0 y0 t0"),
    KIND("Cumsum", 2, 1, 0, RUNNING("Cumsum", "#1", "0")),
    KIND("Cumprod", 2, 1, 0, RUNNING("Cumprod", "#1", "1")),
    KIND("CumsumD", 1, 1, 0, RUNNING("Cumsum", "axis", "0")),
    KIND("CumprodD", 1, 1, 0, RUNNING("Cumprod", "axis", "1")),
    KIND("Svd", 1, 3, 0, "Svd x0 full_matrices=0 compute_uv=1 y0 y1 y2"),

    /* Products and windows. */
    BINARY("Dot", Dot),
    KIND("MatrixInverse", 1, 1, 0, "need adjoint=0; Inverse x0 y0"),
    KIND("MatMul", 3, 1, X2, PRODUCT("transpose_x1", "transpose_x2")),
    KIND("MatMulV2", 4, 1, X2 | X3, PRODUCT("transpose_x1", "transpose_x2")),
    KIND("BatchMatMul", 2, 1, 0, PRODUCT("adj_x1", "adj_x2")),
    KIND("BatchMatMulV2", 4, 1, X2 | X3, PRODUCT("adj_x1", "adj_x2")),
    KIND("Conv2D", 4, 1, X2 | X3,
         IMAGES("x0 x1/f y0") "Convolution x0 x1 x2? " PADS_2D " 0 [0,0] groups=1 y0 0"),
    KIND("Conv3D", 4, 1, X2 | X3,
         IMAGES("x0 x1/f y0") "Convolution x0 x1 x2? " PADS_3D " 0 [0,0,0] groups=1 y0 0"),
    KIND("DepthwiseConv2D", 4, 1, X2 | X3, DEPTHWISE(PADS_2D) "@x0.1 y0 0"),
    KIND("DepthwiseConv2DBackpropInput", 3, 1, 0,
         IMAGES("x2 x1/f y0") "InplaceZero y0; ConvolutionBackward x2 y0 x1/k - " PADS_2D
                              " 0 [0,0] @y0.1 [1,0,0] 0 y0 - -"),
    KIND("DepthwiseConv2DBackpropFilter", 3, 1, 0,
         IMAGES("x2 x0 y0/f") "InplaceZero y0; ConvolutionBackward x2 x0 y0/k - " PADS_2D
                              " 0 [0,0] @x0.1 [0,1,0] 0 - y0 -"),
    KIND("Conv2DTranspose", 5, 1, X3 | 1 << 4,
         IMAGES("x1 x2/f y0") "Convolution x1 x2 x3? " PADS_2D " 1 output_padding=[0,0,0,0]:s groups=1 y0 0"),
    KIND("Conv3DTransposeD", 4, 1, X2 | X3,
         IMAGES("x0 x1/f y0") "Convolution x0 x1 x2? " PADS_3D
                              " 1 output_padding=[0,0,0,0,0]:s groups=1 y0 0"),
    KIND("Conv2DBackpropInput", 3, 1, 0,
         IMAGES("x2 x1/f y0") "InplaceZero y0; ConvolutionBackward x2 y0 x1 - " PADS_2D
                              " 0 [0,0] groups=1 [1,0,0] 0 y0 - -"),
    KIND("Conv2DBackpropFilter", 3, 1, 0,
         IMAGES("x2 x0 y0/f") "InplaceZero y0; ConvolutionBackward x2 x0 y0 - " PADS_2D
                              " 0 [0,0] groups=1 [0,1,0] 0 - y0 -"),
    KIND("Conv3DBackpropInput", 3, 1, 0,
         IMAGES("x2 x1/f y0") "InplaceZero y0; ConvolutionBackward x2 y0 x1 - " PADS_3D
                              " 0 [0,0,0] groups=1 [1,0,0] 0 y0 - -"),
    KIND("Conv3DBackpropFilter", 3, 1, 0,
         IMAGES("x2 x0 y0/f") "InplaceZero y0; ConvolutionBackward x2 x0 y0 - " PADS_3D
                              " 0 [0,0,0] groups=1 [0,1,0] 0 - y0 -"),
    KIND("MaxPool", 1, 1, 0,
         IMAGES("x0 y0") "need padding=VALID,SAME; MaxPool x0 ksize:s strides:s 0 @edges/x0 [1,1] 0 y0"),
    KIND("MaxPoolGrad", 3, 1, 0,
         IMAGES("x0 x1 x2 y0") "need padding=VALID,SAME; ConstantPadNd x0 @pads/x0 -inf t0; "
                               "MaxPool2dWithIndices t0 " WINDOWS " [1,1] 0 t1 t2; "
                               "MaxPool2dWithIndicesBackward x2 t0 t2 " WINDOWS " [1,1] 0 t3; "
                               "ConstantPadNd t3 @crop/x0 0 y0"),
    KIND("AvgPool", 1, 1, 0,
         IMAGES("x0 y0") "need padding=VALID,SAME; !@same AvgPool2d x0 " WINDOWS " 0 0 0 0 y0; "
                         "?@same ConstantPadNd x0 @pads/x0 0 t0; ?@same AvgPool2d t0 " WINDOWS " 0 1 1 0 t1; "
                         "?@same like t2 x0; " PLACES("x0") "?@same Div t1 t4 y0"),
    KIND("AvgPoolGrad", 2, 1, 0,
         IMAGES("x1 y0") "need padding=VALID,SAME; !@same AvgPool2dBackward x1 y0 " WINDOWS " 0 0 0 0 y0; "
                         "?@same like t2 y0; " PLACES(
                             "y0") "?@same Div x1 t4 t5; "
                                   "?@same AvgPool2dBackward t5 t3 " WINDOWS
                                   " 0 1 1 0 t6; ?@same ConstantPadNd t6 @crop/y0 0 y0"),
    KIND("MaxPoolWithArgmaxV1", 1, 2, 0,
         "MaxPool2dWithMask x0 " MIDDLE "dilation=[1,1,1,1]:m ceil_mode=0 y0 t1; narrow y1 t1"),
    KIND("MaxPoolGradWithArgmaxV1", 3, 1, 0,
         "widen t1 x2 x1; "
         "MaxPool2dWithMaskBackward x1 x0 t1 " MIDDLE "dilations=[1,1,1,1]:m ceil_mode=0 y0"),
    KIND("AvgPoolV2", 1, 1, 0, POOL_2D("x0 y0") "AvgPool2d x0 " GIVEN_2D),
    KIND("AvgPoolV2Grad", 2, 1, 0, POOL_2D("x1 y0") "AvgPool2dBackward x1 y0 " GIVEN_2D),
    KIND("MaxPool3D", 1, 1, 0,
         VALID_3D("x0 y0") "!padding=CALCULATED MaxPool3dWithArgmax x0 " PADDED_3D "y0 t1; "
                           "?padding=CALCULATED ?@even MaxPool3dWithArgmax x0 " GIVEN_3D
                           "dilation=[1,1,1]:d ceil_mode=0 y0 t1; "
                           "?padding=CALCULATED !@even ConstantPadNd x0 @fill/x0/y0 -inf t0; "
                           "?padding=CALCULATED !@even "
                           "MaxPool3dWithArgmax t0 ksize:d strides:d [0,0,0] dilation=[1,1,1]:d 0 y0 t1"),
    KIND("MaxPool3DGrad", 3, 1, 0,
         VALID_3D("x0 x1 x2 y0") "!padding=CALCULATED see t0 x0; ?padding=CALCULATED ConstantPadNd x0 "
                                 "@fill/x0/x2 -inf t0; "
                                 "MaxPool3dWithArgmax t0 " PADDED_3D "t1 t2; "
                                 "MaxPool3dWithArgmaxBackward x2 t0 t2 " PADDED_3D
                                 "t3; !padding=CALCULATED copy y0 t3; "
                                 "?padding=CALCULATED ConstantPadNd t3 @unfill/x0/x2 0 y0"),
    KIND("AvgPool3D", 1, 1, 0, IMAGES("x0 y0") "AvgPool3d x0 " COUNTED_3D),
    KIND("AvgPool3DGrad", 2, 1, 0, IMAGES("x1 y0") "AvgPool3dBackward x1 y0 " COUNTED_3D),
    KIND("AdaptiveAvgPool2d", 1, 1, 0, "AdaptiveAvgPool2d x0 output_size y0"),
    KIND("AdaptiveAvgPool2dGrad", 1, 1, 0, "AdaptiveAvgPool2dBackward x0 y0 y0"),
    KIND("CustAdaptiveAvgPool2D", 1, 1, 0, "AdaptiveAvgPool2d x0 output_size y0"),
    KIND("CustAdaptiveAvgPool2DGrad", 2, 1, X1, "AdaptiveAvgPool2dBackward x0 y0 y0"),

    /* Moves. */
    KIND("TensorMove", 1, 1, 0, "copy y0 x0"),
    KIND("Flatten", 1, 1, 0, "copy y0 x0"),
    KIND("Squeeze", 1, 1, 0, "copy y0 x0"),
    KIND("Unsqueeze", 1, 1, 0, "copy y0 x0"),
    KIND("ExpandDims", 2, 1, X1, "copy y0 x0"),
    KIND("Reshape", 2, 1, X1, "copy y0 x0"),
    KIND("Assign", 2, 1, 0, "copy x0 x1; copy y0 x1"),
    KIND("AssignAdd", 2, 1, 0, "InplaceAdd x0 x1 1; copy y0 x0"),
    KIND("AssignSub", 2, 1, 0, "InplaceSub x0 x1 1; copy y0 x0"),
    KIND("Transpose", 2, 1, 0, "Permute x0 $1 y0"),
    KIND("TransposeD", 1, 1, 0, "Permute x0 perm y0"),
    KIND("ConfusionTransposeD", 1, 1, 0,
         "?transpose_first Permute x0 perm y0; !transpose_first Permute x0/s perm y0"),
    KIND("BroadcastTo", 2, 1, 0, "Expand x0 $1 y0"),
    KIND("BroadcastToD", 1, 1, 0, "Expand x0 shape y0"),
    KIND("Tile", 2, 1, 0, "Repeat x0 $1 y0"),
    KIND("TileD", 1, 1, 0, "Repeat x0 multiples y0"),
    KIND("Slice", 3, 1, 0, "SliceV2 x0 $1 $1+@y0 []:a []:1 y0"),
    KIND("SliceD", 1, 1, 0, "SliceV2 x0 offsets offsets+@y0 []:a []:1 y0"),
    KIND("StridedSlice", 4, 1, 0,
         "StridedSlice x0 $1 $2 $3 begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 "
         "shrink_axis_mask=0 y0"),
    KIND("Pad", 2, 1, 0, "ConstantPadNd x0 $1:p 0 y0"),
    KIND("PadD", 1, 1, 0, "ConstantPadNd x0 paddings:p 0 y0"),
    KIND("PadV2", 3, 1, 0, "ConstantPadNd x0 $1:p #2 y0"),
    KIND(
        "PadV3", 3, 1, X2,
        "need mode=constant,reflect,edge,symmetric,circular; ?mode=constant ?x2 ConstantPadNd x0 $1:p #2 y0; "
        "?mode=constant !x2 ConstantPadNd x0 $1:p 0 y0; !mode=constant edges y0 x0 $1:q"),
    KIND("PadV3Grad", 2, 1, 0, "need mode=reflect,edge,symmetric,circular; unedge y0 x0 $1:q"),
    KIND("MirrorPad", 2, 1, 0, "need mode=REFLECT,SYMMETRIC; edges y0 x0 $1:q"),
    KIND("MirrorPadGrad", 2, 1, 0, "need mode=REFLECT,SYMMETRIC; unedge y0 x0 $1:q"),
    KIND("Pack", NAMED_LIST, 1, 0, "Stack x* axis=0 y0"),
    KIND("ConcatD", NAMED_LIST, 1, 0, "Cat x* concat_dim=0 y0"),
    KIND("Concat", NAMED_LIST, 1, 0, "Cat x1* #0 y0"),
    KIND("ConcatV2", NAMED_LIST, 1, 0, "Cat x*- #l y0"),
    KIND("Unpack", 1, NAMED_LIST, 0, "SplitTensor x0 1 axis=0 y*/e"),
    KIND("Split", 2, NAMED_LIST, 0, "SplitWithSize x1 @along/#0 #0 y*"),
    KIND("SplitD", 1, NAMED_LIST, 0, "SplitWithSize x0 @along/split_dim=0 split_dim=0 y*"),
    KIND("SplitV", 3, NAMED_LIST, 0, "SplitWithSize x0 $1 #2 y*"),
    KIND("SplitVD", 1, NAMED_LIST, 0, "SplitWithSize x0 size_splits split_dim=0 y*"),
    KIND("AsStrided", 4, 1, X3, "?x3 strided y0 x0 $1 $2 #3; !x3 strided y0 x0 $1 $2 0"),
    KIND("ViewCopy", 8, 1, 0, "copy y0 x0; place y0 $1 $2 #3 x4 $5 $6 #7"),
    KIND("Roll", 1, 1, 0, "Roll x0 shifts dims=[] y0"),
    KIND("ShuffleChannel", 1, 1, 0, "ChannelShuffle x0 group=1 y0"),
    KIND("Diag", 1, 1, 0, "Diag x0 0 y0"),
    KIND("DiagPart", 1, 1, 0, "Diag x0 0 y0"),
    KIND("Tril", 1, 1, 0, "Tril x0 diagonal=0 y0"),
    KIND("Triu", 1, 1, 0, "Triu x0 diagonal=0 y0"),
    KIND("ReverseV2", 2, 1, 0, "Flip x0 $1 y0"),
    KIND("ReverseV2D", 1, 1, 0, "Flip x0 axis y0"),

    /* Indices. */
    KIND("GatherV2", 3, 1, 0, "need batch_dims=0; GatherV2 x0 #2 x1 y0"),
    KIND("GatherV2D", 2, 1, 0, "GatherV2 x0 axis=0 x1 y0"),
    KIND("Gather", 2, 1, 0, "need batch_dims=0; GatherV2 x0 0 x1 y0"),
    KIND("GatherElements", 2, 1, 0, "Gather x0 dim=0 x1 y0"),
    KIND("GatherNd", 2, 1, 0, "GatherNd x0 x1 0 y0"),
    KIND("ScatterElements", 3, 1, 0, "Scatter x0 axis=0 x1 x2 reduction{none,add,mul} y0"),
    KIND("ScatterNdUpdate", 3, 1, 0, "ScatterNdUpdate x0 x1 x2; copy y0 x0"),
    KIND("ScatterUpdate", 3, 1, 0, "InplaceIndexCopy x0 0 x1 x2; copy y0 x0"),
    KIND("TensorScatterUpdate", 3, 1, 0, "copy y0 x0; ScatterNdUpdate y0 x1 x2"),
    KIND("InplaceIndexAdd", 4, 1, X3,
         "?x3 IndexAdd x0 axis x1 x2 #3 t0; !x3 IndexAdd x0 axis x1 x2 1 t0; copy x0 t0; copy y0 t0"),
    KIND("Index", NAMED_LIST, 1, 0, "Index x0 x3*$1 y0"),
    KIND("IndexPutV2", NAMED_LIST, 1, 0, "copy y0 x0; IndexPutImpl y0 x4*$2 x1 accumulate=0 1"),
    KIND("ScatterNd", 3, 1, 0, "InplaceZero y0; IndexPutImpl y0 x0% x1 1 0"),
    KIND("ScatterNdAdd", 3, 1, 0, "IndexPutImpl x0 x1% x2 1 0; copy y0 x0"),
    KIND("ScatterNdSub", 3, 1, 0, "Neg x2 t0; IndexPutImpl x0 x1% t0 1 0; copy y0 x0"),
    KIND("TensorScatterAdd", 3, 1, 0, "copy y0 x0; IndexPutImpl y0 x1% x2 1 0"),
    KIND("TensorScatterSub", 3, 1, 0, "copy y0 x0; Neg x2 t0; IndexPutImpl y0 x1% t0 1 0"),
    KIND("ScatterAdd", 3, 1, 0, "IndexPutImpl x0 {x1} x2 1 0; copy y0 x0"),
    KIND("ScatterSub", 3, 1, 0, "Neg x2 t0; IndexPutImpl x0 {x1} t0 1 0; copy y0 x0"),
    KIND("InplaceUpdate", 3, 1, 0, "copy y0 x0; IndexPutImpl y0 {x1} x2 0 0"),
    KIND("InplaceAdd", 3, 1, 0, "copy y0 x0; IndexPutImpl y0 {x1} x2 1 0"),
    KIND("InplaceSub", 3, 1, 0, "copy y0 x0; Neg x2 t0; IndexPutImpl y0 {x1} t0 1 0"),
    KIND("UnsortedSegmentSum", 3, 1, 0, SEGMENTS "InplaceZero y0; IndexPutImpl y0 {t1} t4 1 0"),
    KIND("SegmentSum", 2, 1, 0, SEGMENTS "InplaceZero y0; IndexPutImpl y0 {t1} t4 1 0"),
    KIND("OneHot", 4, 1, 0, "OneHot x0 #1 x2/v x3/v axis=-1 y0"),
    KIND("OneHotD", 3, 1, 0, "OneHot x0 depth x1/v x2/v axis=-1 y0"),

    /* Tensors out of nothing. */
    KIND("OnesLike", 1, 1, 0, "InplaceOne y0"),
    KIND("ZerosLike", 1, 1, 0, "InplaceZero y0"),
    KIND("Fill", 2, 1, 0, "InplaceFillTensor y0 x1"),
    KIND("Fills", 1, 1, 0, "InplaceFillScalar y0 value"),
    KIND("FillV2D", 0, 1, 0, "InplaceFillScalar y0 value"),
    KIND("Range", 3, 1, 0, "Arange #0 #1 #2 y0"),
    KIND("Size", 1, 1, 0, "InplaceFillScalar y0 @count"),
    KIND("Rank", 1, 1, 0, "InplaceFillScalar y0 @rank"),
    KIND("StatelessRandperm", 3, 1, 0, "Randperm #0 #1 #2 y0"),
    KIND("LinSpace", 3, 1, 0, "Linspace #0 #1 #2 y0"),
    KIND("DropOutGenMask", 2, 1, 0, SEEDED("DropoutGenMask $0 1-#1", "y0")),
    KIND("DropOutDoMask", 3, 1, 0, "DropoutDoMask x0 x1 1-#2 y0"),
    KIND("DropOutGenMaskV3", 2, 1, 0, SEEDED("InplaceBernoulli y0 #1", "")),
    KIND("DropOutDoMaskV3", 3, 1, 0, "Mul x0 x1 t0; Divs t0 #2 y0"),
    /* A mask of bytes, and how many of them are 1; softmax beside what is kept of it. */
    KIND("AxpyWithSoftmaxAndDropOutDoMask", 3, 2, 0,
         "Add x0 x1 alpha t0; Softmax t0 axis=-1 y0; like t1 x0; Cast x2 t1 t1; Mul y0 t1 t2; "
         "Divs t2 input_keep_prob y1"),
    KIND("DropoutWithMulsAndSoftmaxGrad", 3, 1, 0,
         "like t0 x0; Cast x1 t0 t0; Mul x0 t0 t1; Divs t1 input_keep_prob t2; "
         "SoftmaxBackward t2 x2 axes=-1 t3; Muls t3 alpha y0"),
    KIND("RandomStandardNormal", 1, 1, 0, SEEDED("InplaceNormal y0 0 1", "")),
    KIND("StatelessRandomNormalV2", 4, 1, 0, "InplaceNormal y0 0 1 $1 $2.1"),
    KIND("StatelessRandomUniformV2", 4, 1, 0, "InplaceUniform y0 0 1 $1 $2.1"),
    KIND("NPUAllocFloatStatus", 0, 1, 0, "InplaceZero y0"),
    KIND("NPUGetFloatStatus", 1, 1, 0, "InplaceZero y0"),
    KIND("NPUClearFloatStatus", 1, 1, 0, "InplaceZero y0"),
    KIND("NPUGetFloatStatusV2", 0, 1, 0, "InplaceZero y0"),
    KIND("NPUClearFloatStatusV2", 0, 0, 0, ""),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
