/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The best boxes of each sample, by name, as TensorFlow's models choose them: of each class those above a score that
 * overlap no better one of the class too much, and of all classes those of the highest scores, of equal ones the lower
 * class and then the lower box. Behind those that are found is 0.
 */
#include "ops/by_name/boxes.h"
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { CORNERS = BOX_CORNERS, PAIR_NS = 10 };

#define BATCH(X, of)                                              \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "2x3x1x4") \
    X(of, IN, scores, &dtypes_fp32_fp16_bf16, .sample = "2x3x2")  \
    X(of, FLOAT, least, .usual = "0")                             \
    X(of, FLOAT, threshold, .usual = "0.5")                       \
    X(of, INT64, ofClass, .usual = "2")                           \
    X(of, INT64, ofAll, .usual = "3")                             \
    X(of, OUT, best, &dtypes_fp32_fp16_bf16)                      \
    X(of, OUT, bestScores, &dtypes_fp32_fp16_bf16)                \
    X(of, OUT, bestClasses, &dtypes_fp32_fp16_bf16)               \
    X(of, OUT, found, &dtypes_int32)
SIGNATURE(BATCH)

struct batch {
    uint64_t count, owners, classes; /* owners: 1, or each class has its own boxes */
    uint64_t of_class, of_all;
    double least, threshold;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t of_class = call->argument[BATCH_ofClass].int64, of_all = call->argument[BATCH_ofAll].int64;
    TRY(check_dtype(call, BATCH_boxes));
    TRY(check_same_dtype(call, BATCH_scores, BATCH_boxes, NULL));
    TRY(check_sizes(call, BATCH_boxes, SIZES(-1, -1, -1, CORNERS)));
    const int64_t *shape = call->tensor[BATCH_boxes].shape;
    TRY(check_sizes(call, BATCH_scores, SIZES(shape[0], shape[1], -1)));
    const int64_t classes = call->tensor[BATCH_scores].shape[2];
    if (shape[2] != 1 && shape[2] != classes)
        return refuse(call, "boxes are of %lld classes and scores of %lld; 1 or as many are expected",
                      (long long)shape[2], (long long)classes);
    if (of_class < 0 || of_all < 0 || of_class > MOST_BOXES || of_all > MOST_BOXES)
        return refuse(call, "max_size_per_class and max_total_size are %lld and %lld; 0 to %d are expected",
                      (long long)of_class, (long long)of_all, MOST_BOXES);
    TRY(boxes_check_count(call,
                          classes > 0 && shape[1] > INT64_MAX / classes ? INT64_MAX : shape[1] * classes));
    result->computed = call->tensor[BATCH_boxes].dtype;
    TRY(check_element_count(
        call, &result_sized(result, result->computed, DTYPE_EQUAL, SIZES(shape[0], of_all, CORNERS))->shape));
    for (int i = 0; i < 2; i++)
        result_sized(result, result->computed, DTYPE_EQUAL, SIZES(shape[0], of_all));
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(shape[0]));
    return ACLNN_SUCCESS;
}

static uint64_t kept_of_class(const struct batch *batch)
{
    return batch->of_class < batch->count ? batch->of_class : batch->count;
}

/* The best of one class: their numbers, at most as many as are kept. */
static uint64_t choose_of_class(const struct batch *batch, const double *box, const double *score,
                                double *order, double *other, double *taken)
{
    uint64_t found = 0;
    boxes_order(order, other, score, batch->count);
    for (uint64_t i = 0; i < batch->count && found < kept_of_class(batch); i++) {
        const uint64_t own = (uint64_t)order[i];
        bool is_free = score[own] > batch->least;
        for (uint64_t k = 0; is_free && k < found; k++)
            is_free =
                !(boxes_overlap(box + own * CORNERS, box + (uint64_t)taken[k] * CORNERS) > batch->threshold);
        if (is_free)
            taken[found++] = order[i];
    }
    return found;
}

static void take_sample(const struct task *task, uint64_t sample)
{
    const struct batch *batch = task->parameters;
    const uint64_t count = batch->count, most = kept_of_class(batch) * batch->classes;
    double *score = task->room, *order = score + count, *other = order + count, *box = other + count,
           *number = box + count * CORNERS, *found_score = number + most, *class = found_score + most,
           *all_order = class + most, *all_other = all_order + most;
    uint64_t found = 0;
    for (uint64_t n = 0; count > 0 && n < batch->classes; n++) { /* without boxes there may be any number */
        const uint64_t owner = batch->owners > 1 ? n : 0;
        for (uint64_t i = 0; i < count; i++) {
            score[i] = task_number(task, BATCH_scores, (sample * count + i) * batch->classes + n);
            task_read(task, BATCH_boxes, ((sample * count + i) * batch->owners + owner) * CORNERS, CORNERS,
                      box + i * CORNERS);
        }
        const uint64_t more = choose_of_class(batch, box, score, order, other, number + found);
        for (uint64_t k = found; k < found + more; k++) {
            found_score[k] = score[(uint64_t)number[k]];
            class[k] = (double)n;
        }
        found += more;
    }
    boxes_order(all_order, all_other, found_score, found);
    const uint64_t kept = found < batch->of_all ? found : batch->of_all, first = sample * batch->of_all;
    task_clear(task, BATCH_best, first * CORNERS, batch->of_all * CORNERS);
    task_clear(task, BATCH_bestScores, first, batch->of_all);
    task_clear(task, BATCH_bestClasses, first, batch->of_all);
    for (uint64_t k = 0; k < kept; k++) {
        const uint64_t own = (uint64_t)all_order[k], owner = batch->owners > 1 ? (uint64_t) class[own] : 0;
        task_read(task, BATCH_boxes,
                  ((sample * count + (uint64_t)number[own]) * batch->owners + owner) * CORNERS, CORNERS, box);
        task_write(task, BATCH_best, (first + k) * CORNERS, CORNERS, box);
        task_set(task, BATCH_bestScores, first + k, found_score[own]);
        task_set(task, BATCH_bestClasses, first + k, class[own]);
    }
    task_set_integer(task, BATCH_found, sample, (int64_t)kept);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const int64_t *shape = call->tensor[BATCH_boxes].shape;
    const struct batch batch = {.count = (uint64_t)shape[1],
                                .owners = (uint64_t)shape[2],
                                .classes = (uint64_t)call->tensor[BATCH_scores].shape[2],
                                .of_class = (uint64_t)call->argument[BATCH_ofClass].int64,
                                .of_all = (uint64_t)call->argument[BATCH_ofAll].int64,
                                .least = (double)call->argument[BATCH_least].fp32,
                                .threshold = (double)call->argument[BATCH_threshold].fp32};
    const uint64_t most = kept_of_class(&batch) * batch.classes;
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = take_sample,
                                          .count = (uint64_t)shape[0],
                                          .task_ns = (batch.count + 1) * (kept_of_class(&batch) + 8) *
                                                     (batch.classes + 1) * PAIR_NS,
                                          .room = (3 + CORNERS) * batch.count + 5 * most + CORNERS,
                                          .parameters = &batch,
                                          .parameter_bytes = sizeof batch});
}

KIND_FUNCTION(BestOfBatch, BATCH, .stem = "best_of_batch", .family = FAMILY_WINDOW, .promise = &promise_exact,
              ROW_TASKS, .infer = infer, .plan = plan);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&BestOfBatch_function);
}
