/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * RotatedNMS by its name: the boxes that overlap no better one, and their numbers. It is done when the call returns,
 * so that the descriptions of the outputs can say how many there are.
 */
#include "acl/acl_rt.h"
#include "base/error.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "runtime/streams/stream.h"

static int choose_boxes(struct run *run)
{
    const struct named_call *call = run->call;
    char statement[] = "TurnedBest x0 x1 x2? iou_threshold=0.5 score_threshold=0.0 max_output_size=-1 mode=0 "
                       "y0 y1 t0";
    bool drops = false;
    int32_t found = 0;
    TRY(program_run_statement(run, statement));
    TRY(stream_finish(call->api, run->stream, &drops));
    if (drops)
        return 0;
    TRY(aclrtMemcpy(&found, sizeof found, run_operand(run, "t0")->address, sizeof found,
                    ACL_MEMCPY_DEVICE_TO_HOST));
    const int64_t dims[] = {found, 5};
    for (int i = 0; i < 2; i++)
        if (call->output[i].desc != NULL)
            TRY(aclSetTensorShape(call->output[i].desc, 2 - i, dims));
    return 0;
}

static int run_choice(const struct named_call *call, aclrtStream stream)
{
    struct run run = {.call = call, .stream = stream};
    const int status = choose_boxes(&run);
    run_end(&run);
    return status;
}

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator kind = {"RotatedNMS", 3, 2, X2, run_choice, NULL, NULL};
    named_operator_offer(&kind);
}
