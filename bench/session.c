/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the sections share.
 */
#include "session.h"

#include <stdio.h>

const char *section_name(enum section section)
{
    static const char *const name[SECTIONS] = {"throughput", "layouts", "data",   "calls", "streams",
                                               "speedup",    "checks",  "family", "builds"};
    return name[section];
}

struct measure_plan session_plan(const struct session *session, enum section section, int64_t count)
{
    bool is_quick = session->options.is_quick;
    struct measure_plan plan = {.threads = session->threads};
    plan.sample_ns = is_quick ? 0.2e6 : 1e6;
    plan.rounds = is_quick ? 7 : 31;
    plan.rounds_min = is_quick ? 2 : 7;
    plan.budget_ns = is_quick ? 0.2e9 : 1e9;
    if (count >= 1 << 24)
        plan.rounds = plan.rounds > 11 ? 11 : plan.rounds;
    if (section == SECTION_BUILDS && !is_quick)
        plan = (struct measure_plan){.rounds = count >= 1 << 24 ? 7 : 21,
                                     .sample_ns = 0.3e6,
                                     .budget_ns = 0.6e9,
                                     .rounds_min = 5,
                                     .threads = session->threads};
    /* So many operators that each gets less. */
    if (section == SECTION_FAMILY && !is_quick)
        plan = (struct measure_plan){.rounds = 11,
                                     .sample_ns = 0.5e6,
                                     .budget_ns = 0.3e9,
                                     .rounds_min = 5,
                                     .threads = session->threads};
    return plan;
}

void session_allocate(struct workload *workload)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        workload->memory[operand] = NULL;
        if (workload_has_operand(workload, operand))
            workload->memory[operand] = belay_allocate(
                (size_t)(workload->view[operand].storage * workload_element_bytes(workload, operand)));
    }
}

void session_free(struct workload *workload)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        if (workload->memory[operand])
            belay_free(workload->memory[operand]);
}

struct row session_row(const struct session *session, enum section section, const char *operation,
                       const char *dtype, const char *layout, const char *data, int64_t count)
{
    struct row row = {.count = count, .threads = session->threads};
    snprintf(row.section, sizeof row.section, "%s", section_name(section));
    snprintf(row.operation, sizeof row.operation, "%s", operation);
    snprintf(row.dtype, sizeof row.dtype, "%s", dtype);
    snprintf(row.layout, sizeof row.layout, "%s", layout);
    snprintf(row.data, sizeof row.data, "%s", data);
    return row;
}
