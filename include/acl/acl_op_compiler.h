/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Compiling single operators. Belay compiles nothing. Options are kept without effect, and one operator runs
 * by its name; the other functions return 200001 (NULL or 0 where they return no status) and change nothing.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_op_compiler.h>)
#include <third_party/acl/inc/acl/acl_op_compiler.h>
#elif !defined(BELAY_ACL_ACL_OP_COMPILER_H)
#define BELAY_ACL_ACL_OP_COMPILER_H

#include "acl/acl_base.h"
#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclGraphDumpOption aclGraphDumpOption;

typedef enum aclOpCompileFlag {
    ACL_OP_COMPILE_DEFAULT = 0,
    ACL_OP_COMPILE_FUZZ = 1,
} aclOpCompileFlag;

typedef enum aclCompileOpt {
    ACL_PRECISION_MODE = 0,
    ACL_AICORE_NUM = 1,
    ACL_AUTO_TUNE_MODE = 2,
    ACL_OP_SELECT_IMPL_MODE = 3,
    ACL_OPTYPELIST_FOR_IMPLMODE = 4,
    ACL_OP_DEBUG_LEVEL = 5,
    ACL_DEBUG_DIR = 6,
    ACL_OP_COMPILER_CACHE_MODE = 7,
    ACL_OP_COMPILER_CACHE_DIR = 8,
    ACL_OP_PERFORMANCE_MODE = 9,
    ACL_OP_JIT_COMPILE = 10,
    ACL_OP_DETERMINISTIC = 11,
    ACL_CUSTOMIZE_DTYPES = 12,
    ACL_OP_PRECISION_MODE = 13,
    ACL_ALLOW_HF32 = 14,
    ACL_PRECISION_MODE_V2 = 15,
    ACL_OP_DEBUG_OPTION = 16,
} aclCompileOpt;

/*
 * Options of the compiler, of the process: kept as text of at most 4,095 bytes, and without effect.
 * ACL_OP_JIT_COMPILE is "disable" at first, the others have no value. The size of a value includes its 0
 * byte; it is 0 where there is none. 100000: no such option, value is NULL or too long, length is less than
 * the size (nothing is written then), or an option without a value is asked for. 200000: no memory for it.
 */
aclError aclSetCompileopt(aclCompileOpt opt, const char *value);
size_t aclGetCompileoptSize(aclCompileOpt opt);
aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length);

/* Accepted and without effect: nothing is compiled. 100000: flag is none of these. */
aclError aclopSetCompileFlag(aclOpCompileFlag flag);

/*
 * Looks whether aclopExecuteV2 would know the operator: 0 and nothing else, or the codes of
 * aclopCreateHandle. What else is wrong with the call is told by its execution. engineType, compileFlag and
 * opPath are not looked at.
 */
aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
                      aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath);

/*
 * Runs the operator opType in stream order, by the functions of libopapi, once that is there: docs/
 * operators-by-name.md lists the kinds, of which "Identity" copies its one input to its one output, of the
 * same dtype and size, without it. Formats are those whose elements lie in the order of the dims; attr may be
 * NULL; engineType, compileFlag and opPath are not looked at. Inputs lie on the device, or on the host, where
 * they are read during the call. The descriptions, the buffers and attr may be destroyed as soon
 * as the call returns. 100000: opType is NULL. 107002, 107017: of aclrtMemcpyAsync. Everything else that is
 * refused is queued as work that fails, as frameworks call this from queues that go wrong for good where a
 * call fails: the next synchronise answers 507035, and says which operator it was and what is wrong: another
 * opType; another number of inputs or outputs; a description or buffer that is NULL, destroyed or foreign, as
 * is attr; a shape that is not known, other dtypes or sizes, a buffer that is shorter than its description, a
 * format in blocks, and what the function answers that computes it. Where only the work tells how many
 * elements come out ("Unique"), the call returns when that is done; aclopCompileAndExecuteV2 and
 * aclopExecuteV2 write the dims into the output's description.
 */
aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                const aclopAttr *attr, aclopEngineType engineType,
                                aclopCompileType compileFlag, const char *opPath, aclrtStream stream);
aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                                  aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath, aclrtStream stream);

/* Not supported: graphs of operators in a file. */
aclGraphDumpOption *aclCreateGraphDumpOpt(void);
aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption *graphDumpOpt);
aclError aclGenGraphAndDumpForOp(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                 const aclDataBuffer *const inputs[], int numOutputs,
                                 const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                 const aclopAttr *attr, aclopEngineType engineType, const char *graphDumpPath,
                                 const aclGraphDumpOption *graphDumpOpt);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
