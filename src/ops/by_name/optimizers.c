/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of optimizers by name (program.h): what they change is an input, and an output, mostly at the same
 * place. Those that are made of several functions compute in FLOAT, whatever their operands are. Formulas are
 * those that TensorFlow and MindSpore publish for the kinds.
 */
#include "ops/by_name/program.h"

#define ADAM "x3/v x4/v x5/v x6/v x7/v x8/v x9"
/* t2 += (1 - by) (of - t2), in place. */
#define TOWARDS(of, state, by) \
    "Sub " of " " state " 1 t0; Rsubs " by " 1 1 t1; Mul t0 t1 t2; InplaceAdd " state " t2 1; "
#define MOMENTUM                                                                             \
    "float x0 x1; InplaceMul x1 x4; InplaceAdd x1 x3 1; !use_nesterov Mul x1 x2 t0; "        \
    "?use_nesterov Mul x1 x4 t1; ?use_nesterov Add t1 x3 1 t2; ?use_nesterov Mul t2 x2 t0; " \
    "InplaceSub x0 t0 1; copy y0 x0"
#define ADAGRAD                                                                                       \
    "float x0 x1; Square x3 t0; ?@slots InplaceAdd x1 t0 1; Sqrt x1 t1; Mul x3 x2 t2; Div t2 t1 t3; " \
    "InplaceSub x0 t3 1; copy y0 x0"
#define ADADELTA                                                                                          \
    "float x0 x1 x2; Square x6 t0; Rsubs x4 1 1 t1; Mul t0 t1 t2; InplaceMul x1 x4; InplaceAdd x1 t2 1; " \
    "Add x2 x5 1 t3; Sqrt t3 t4; Add x1 x5 1 t5; Sqrt t5 t6; Mul t4 x6 t7; Div t7 t6 t8; Square t8 t9; "  \
    "Mul t9 t1 t10; InplaceMul x2 x4; InplaceAdd x2 t10 1; Mul t8 x3 t11; InplaceSub x0 t11 1; copy y0 x0"
/* With t6 the square of the gradient: mean squares, momentum, var. */
#define RMS_PROP(squares, momentum, rate, by, keeps, epsilon, gradient)                          \
    "Square " gradient " t6; " TOWARDS("t6", squares, by) epsilon                                \
        "Rsqrt t4 t5; Mul " gradient " t5 t6; Mul t6 " rate " t7; " keeps "InplaceAdd " momentum \
        " t7 1; InplaceSub x0 " momentum " 1; copy y0 x0"
/* How signs agree: t2, 1, 0 or -1, of m that goes towards the gradient before. */
#define SIGNS "float x0 x1; " TOWARDS("x6", "x1", "x5") "Sign x6 t3; Sign x1 t4; Mul t3 t4 t5; Mul t5 x4 t2; "
/* t5: what is nearest to t3 with |t3| less t4, none below 0. */
#define SHRINK "Abs t3 t6; Sub t6 t4 1 t7; ClampMin t7 0 t8; Sign t3 t9; Mul t8 t9 t5; "

static struct named_operator kinds[] = {
    KIND("ApplyAdam", 10, 1, 0, "ApplyAdam x0 x1 x2 " ADAM " use_locking=0 use_nesterov=0; copy y0 x0"),
    KIND("ApplyAdamD", 10, 3, 0,
         "copy y0 x0; copy y1 x1; copy y2 x2; ApplyAdam y0 y1 y2 " ADAM " use_locking=0 use_nesterov=0"),
    KIND("ApplyAdamW", 12, 3, X11,
         "copy y0 x0; copy y1 x1; copy y2 x2; "
         "ApplyAdamW y0 y1 y2 x3/v x4/v x5/v x6/v x7/v x8/v x9/v x10 x11? amsgrad=0 maximize=0"),
    /* The greatest second moment so far is a fourth state: var, m, v, vhat. */
    KIND(
        "ApplyAdamWithAmsgradV2", 11, 4, 0,
        "float x0 x1 x2 x3; " TOWARDS("x10", "x1", "x7") "Square x10 t13; " TOWARDS(
            "t13", "x2",
            "x8") "Maximum x3 x2 t3; copy x3 t3; Rsubs x5 1 1 t4; Sqrt t4 t5; Rsubs x4 1 1 t6; Div t5 t6 t7; "
                  "Mul t7 x6 t8; Sqrt t3 t9; Add t9 x9 1 t10; Div x1 t10 t11; Mul t11 t8 t12; InplaceSub x0 "
                  "t12 1; "
                  "copy y0 x0; copy y1 x1; copy y2 x2; copy y3 x3"),
    /* BERT's Adam and fairseq's, which differ from Adam: no moment is corrected, and the weight decays by itself.
     * t5: the gradient, shorter where its norm, input 9, is above input 8, if that is above 0. */
    KIND("ApplyAdamV2", 12, 3, X11,
         "need adam_mode=adam,mbart_adam; float x0 x1 x2; Adds x9 0.000001 1 t0; Div x8 t0 t1; like t2 t1; "
         "InplaceOne t2; Minimum t1 t2 t3; GtScalar x8 0 t4; SWhere t4 t3 t2 t0; Mul x7 t0 t5; Square t5 t6; "
         "Sub t5 x1 1 t7; Rsubs x4 1 1 t8; Mul t7 t8 t9; InplaceAdd x1 t9 1; "
         "Sub t6 x2 1 t7; Rsubs x5 1 1 t8; Mul t7 t8 t9; InplaceAdd x2 t9 1; "
         "Sqrt x2 t10; Add t10 x6 1 t11; Div x1 t11 t12; Mul x0 x10 t13; "
         "?adam_mode=adam Add t12 t13 1 t14; ?adam_mode=adam Mul t14 x3 t15; "
         "!adam_mode=adam Mul t12 x11 t14; !adam_mode=adam Mul t13 x3 t13; "
         "!adam_mode=adam Add t14 t13 1 t15; InplaceSub x0 t15 1; copy y0 x0; copy y1 x1; copy y2 x2"),
    KIND("ApplyGradientDescent", 3, 1, 0, "float x0; Mul x2 x1 t0; InplaceSub x0 t0 1; copy y0 x0"),
    KIND("ApplyMomentum", 5, 1, 0, MOMENTUM),
    KIND("ApplyMomentumD", 5, 2, 0, MOMENTUM "; copy y1 x1"),
    KIND("ApplyKerasMomentumD", 5, 2, 0,
         "float x0 x1; InplaceMul x1 x4; Mul x3 x2 t0; InplaceSub x1 t0 1; !use_nesterov InplaceAdd x0 x1 1; "
         "?use_nesterov Mul x1 x4 t1; ?use_nesterov InplaceAdd x0 t1 1; ?use_nesterov InplaceSub x0 t0 1; "
         "copy y0 x0; copy y1 x1"),
    KIND("SGD", 6, 1, 0,
         "float x0 x3 x5; Muls x0 weight_decay=0.0 t0; Add x1 t0 1 t1; ?#4 Mul x3 x4 t2; "
         "?#4 Muls t1 1-dampening=0.0 t3; ?#4 Add t2 t3 1 t4; ?#4 GtScalar x5 0 t5; ?#4 SWhere t5 t1 t4 t6; "
         "?#4 copy x3 t6; InplaceZero x5; ?#4 Mul t6 x4 t7; ?#4 Add t1 t7 1 t8; !#4 Mul t1 x2 t9; "
         "?#4 !nesterov Mul t6 x2 t9; ?#4 ?nesterov Mul t8 x2 t9; InplaceSub x0 t9 1; copy y0 x0"),
    KIND("AdamApplyOneWithDecayAssign", 11, 3, 0,
         "float x1 x2 x3; Square x0 t0; Mul t0 x8 t1; InplaceMul x1 x7; InplaceAdd x1 t1 1; Mul x0 x6 t2; "
         "InplaceMul x2 x5; InplaceAdd x2 t2 1; Sqrt x1 t3; Add t3 x10 1 t4; Div x2 t4 t5; Mul x3 x9 t6; "
         "Add t5 t6 1 t7; Mul t7 x4 t8; InplaceSub x3 t8 1; copy y0 x1; copy y1 x2; copy y2 x3"),
    KIND("ApplyRMSProp", 8, 1, 0,
         "float x0 x1 x2; " RMS_PROP("x1", "x2", "x3", "x4", "InplaceMul x2 x5; ", "Add x1 x6 1 t4; ", "x7")),
    KIND("ApplyRMSPropD", 5, 3, 0,
         "float x0 x1 x2; Square x4 t0; Sub t0 x1 1 t1; Muls t1 1-rho t2; InplaceAdd x1 t2 1; "
         "Adds x1 epsilon 1 t3; Sqrt t3 t4; Div x4 t4 t5; Mul t5 x3 t6; Muls x2 momentum t7; "
         "Add t7 t6 1 t8; copy x2 t8; InplaceSub x0 t8 1; copy y0 x0; copy y1 x1; copy y2 x2"),
    KIND("ApplyCenteredRMSProp", 9, 1, 0,
         "float x0 x1 x2 x3; " TOWARDS("x8", "x1", "x5")
             RMS_PROP("x2", "x3", "x4", "x5", "InplaceMul x3 x6; ",
                      "Square x1 t8; Sub x2 t8 1 t9; Add t9 x7 1 t4; ", "x8")),
    KIND("ApplyAdagrad", 4, 1, 0, ADAGRAD),
    KIND("ApplyAdagradD", 4, 2, 0, ADAGRAD "; copy y1 x1"),
    KIND("ApplyAdagradV2D", 4, 2, 0,
         "float x0 x1; Square x3 t0; ?@slots InplaceAdd x1 t0 1; Sqrt x1 t1; Adds t1 epsilon 1 t4; "
         "Mul x3 x2 t2; Div t2 t4 t3; InplaceSub x0 t3 1; copy y0 x0; copy y1 x1"),
    KIND("ApplyAdadelta", 7, 1, 0, ADADELTA),
    KIND("ApplyAdadeltaD", 7, 3, 0, ADADELTA "; copy y1 x1; copy y2 x2"),
    KIND("ApplyFtrl", 8, 1, 0,
         "float x0 x1 x2; Square x3 t0; Add x1 t0 1 t1; Neg x7 t2; PowTensorTensor t1 t2 t3; "
         "PowTensorTensor x1 t2 t4; Sub t3 t4 1 t5; Div t5 x4 t6; Mul t6 x0 t7; InplaceAdd x2 x3 1; "
         "InplaceSub x2 t7 1; copy x1 t1; Div t3 x4 t8; Add t8 x6 2 t9; Sign x2 t10; Mul t10 x5 t11; "
         "Sub t11 x2 1 t12; Div t12 t9 t13; Abs x2 t14; GtTensor t14 x5 t15; InplaceZero t7; "
         "SWhere t15 t13 t7 t5; copy x0 t5; copy y0 x0"),
    KIND(
        "ApplyAdaMaxD", 9, 3, 0,
        "float x0 x1 x2; " TOWARDS(
            "x8", "x1",
            "x5") "InplaceMul x2 x6; Abs x8 t3; Maximum x2 t3 t4; copy x2 t4; Rsubs x3 1 1 t5; Div x4 t5 t6; "
                  "Add x2 x7 1 t7; Div x1 t7 t8; Mul t8 t6 t9; InplaceSub x0 t9 1; copy y0 x0; copy y1 x1; "
                  "copy y2 x2"),
    KIND("ApplyAddSignD", 7, 2, 0,
         SIGNS "Add t2 x3 1 t6; Mul t6 x6 t7; Mul t7 x2 t8; InplaceSub x0 t8 1; copy y0 x0; copy y1 x1"),
    KIND("ApplyPowerSignD", 7, 2, 0,
         SIGNS "Mul t2 x3 t6; Exp t6 t7; Mul t7 x6 t8; Mul t8 x2 t9; InplaceSub x0 t9 1; copy y0 x0; "
               "copy y1 x1"),
    KIND("ApplyProximalGradientDescent", 5, 1, 0,
         "float x0; Mul x4 x1 t2; Sub x0 t2 1 t3; Mul x1 x2 t4; " SHRINK
         "Mul x1 x3 t10; Adds t10 1 1 t11; Div t5 t11 t12; copy x0 t12; copy y0 x0"),
    KIND("ApplyProximalAdagradD", 6, 2, 0,
         "float x0 x1; Square x5 t0; InplaceAdd x1 t0 1; Rsqrt x1 t13; Mul t13 x2 t1; Mul x5 t1 t2; "
         "Sub x0 t2 1 t3; Mul t1 x3 t4; " SHRINK
         "Mul t1 x4 t10; Adds t10 1 1 t11; Div t5 t11 t12; copy x0 t12; copy y0 x0; copy y1 x1"),
    /* Inputs: gradient, v, m, var, beta1, 1 - beta1, beta2, 1 - beta2, epsilon, steps, whether weights decay,
     * and how much. The first output is how var is to change, which LambApplyWeightAssign scales. */
    KIND("LambApplyOptimizerAssign", 12, 3, 0,
         "float x1 x2; Square x0 t0; Mul t0 x7 t1; InplaceMul x1 x6; InplaceAdd x1 t1 1; Mul x0 x5 t2; "
         "InplaceMul x2 x4; InplaceAdd x2 t2 1; PowTensorTensor x4 x9 t3; Rsubs t3 1 1 t4; Div x2 t4 t5; "
         "PowTensorTensor x6 x9 t6; Rsubs t6 1 1 t7; Div x1 t7 t8; Sqrt t8 t9; Add t9 x8 1 t10; "
         "Div t5 t10 t11; Mul x3 x11 t12; Mul t12 x10 t13; Add t11 t13 1 y0; copy y1 x1; copy y2 x2"),
    /* Inputs: the norms of var and of its change, the rate, the change, var. */
    KIND("LambApplyWeightAssign", 5, 1, 0,
         "float x4; Div x0 x1 t0; like t1 t0; InplaceOne t1; GtScalar x1 0 t2; SWhere t2 t0 t1 t3; "
         "GtScalar x0 0 t4; SWhere t4 t3 t1 t5; Mul t5 x2 t6; Mul x3 t6 t7; InplaceSub x4 t7 1; copy y0 x4"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
