/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators by name that are functions of this library, called with other arguments: each is a line of text,
 * its program, which says what to call with what. kinds.c has most of them, the files that call program_offer
 * beside it have the others.
 *
 * A program is statements, parted by ';'. A statement is the name of a function without aclnn, and an
 * argument for each of its parameters, whose kinds the function's description tells:
 *
 *   x2 y0      an input, an output, as a tensor; x2? one that may be left out, and is NULL then; - is NULL
 *   t3         a tensor of the program's own, which its first use as an output makes, as infer says
 *   x* y*      all of them, as a list; x3*$1 those from x3 on, one where a number of input 1 is not 0 and one
 *              without elements where it is, which functions of indices take for an axis without
 *   x0%        columns of the last axis, as a list; {t1,x2} a list of these
 *   x1~        with its last two axes exchanged; x1/h with an axis of one element before two
 *   x1/c       a vector, seen along the second axis of as many axes as x0 has, with the attribute `data_format`
 *              NHWC or NDHWC along the last
 *   t0/y       with the dims of y0; x0/S and x0/D an image whose places in blocks of `block_size` are axes of
 *              their own, or whose channels are such blocks
 *   x1/l       with axes of one element behind its own, as many in all as x0 has
 *   x1/a       with an axis of one element more behind its own; x0/m with its second and third axes as one
 *   x1/s       with the dims that the attribute `shape` says
 *   y0/e       as x0, with one element along the axis of the attribute `axis`
 *   x0'name    with its last two axes exchanged where the attribute of that name is not 0
 *   $2         the numbers that input 2 holds, which the call reads; $2.1 the second of them
 *   #2         the one that it holds
 *   name, name=1   an attribute, or else what stands behind '='; means.2=0.0 one of a list; name{a,b} a text,
 *              as its place in the list
 *   5 1.5 [1,0]    a number, numbers;   @y0 the dims of an operand, @y0.1 one of them, @rank of x0
 *   @edges/x0  what the attribute `padding` puts around x0: above, left, below, right; @pads/x0 with the last
 *              axis first, @crop/x0 so as to take it away; @along/1 the outputs' dims of that axis
 *   @fill/x0/y0    with the last axis first, what has to be put around x0 for as many windows as y0 has;
 *              @unfill so as to take it away
 *   ...:s      of numbers those behind the second, :d the last three, :m those between the first and the last,
 *              :h one of each pair, which has to be of equals; :a as axes of x0, all where there are none; :p
 *              pairs of axes from first to last, for functions that begin at the last; :q the pairs as they are;
 *              both take all that is before axes and then all that is behind, where `paddings_contiguous` is 0
 *   @later/#1  pads, the last axis first, that move elements by one along the axis that input 1 holds; @earlier
 *   @tail/x1   dims of x0 from the attribute `begin_norm_axis` on, or the last, as many as x1 has
 *   @lowest @greatest  the ends of the range of x0's dtype; @labels how many rows of input 1 name each sample;
 *              @formats where the axes of `src_format` are in `dst_format`
 *   @count     how many elements x0 has, @elements y0, @terms how many of x0 make one of y0, less `unbiased`
 *   @blocks/x1/name    pads that leave of the channels of an operand as many as y0 has, from 16 times an
 *              attribute on, zeros behind the last
 *   dtype of y0 for a parameter that is a dtype: y0 itself
 *
 * An output is written with the shape that infer says where it has as many elements, and through a cast where
 * it has another dtype. Before the function may stand ?name or !name, several of them: only where the
 * attribute is not 0, or is; ?x2 where an input is there, ?x2+ where it has axes, ?#4 where what it holds is
 * not 0, ?@950 on that product, ?@floats where x0 has such a dtype, ?@same where `padding` is SAME, ?@even
 * where `pads` has pairs of equals, ?@slots where `update_slots` is not false, ?@eps where `eps` is not 1,
 * ?@none where there are no axes and `noop_with_empty_axes` is set, ?@whole where x1 has as many axes as
 * @tail/x1, ?mode=constant where a text is that, in large letters or small.
 *
 * Further statements: `own` before a function that is the kinds' own; `need name=a,b` refuses other values of
 * an attribute; `copy y0 x0` copies, unless both are at one place; `like t0 x1` makes a tensor, `see t0 x1`
 * another name for one, `numbers t0 axes` one of numbers; `float x0 x1` computes in FLOAT what has 16 bits, and
 * writes x0 and x1 back in the end; `strided y0 x0 $1 $2 #3` copies the elements at sizes, strides and an
 * offset, `place y0 $1 $2 #3 x4 $5 $6 #7` those of x4 to such places of y0; `swap t1 x1 3 0 1` exchanges the
 * first two of three parts of the last axis; `edges y0 x0 $1:q` continues x0 at its edges by pairs of numbers,
 * as the attribute `mode` says, `unedge` is its gradient; `resize y0 x0 linear` (or near, cubic) and `unresize`
 * give images the size of y0; `divide y0 x0 $1 $2` makes samples of the places in blocks, `join` the reverse;
 * `product y0 x0 $1:a` multiplies along axes; `narrow y1 t1` and `widen t1 x2 x1` pack the mask of a pool, and
 * unpack it for the windows that x1 has; `images x0 x1/f y0` has images and filters whose channels come last, as
 * `data_format` or a filter's format says, seen as planes from there on.
 */
#ifndef BELAY_OPS_BY_NAME_PROGRAM_H
#define BELAY_OPS_BY_NAME_PROGRAM_H

#include "ops/function.h"
#include "runtime/named/named_operator.h"

named_function program_run;

/* A kind, whose optional inputs are bits. */
#define KIND(kind, inputs, outputs, optional, program)              \
    {                                                               \
        kind, inputs, outputs, optional, program_run, NULL, program \
    }
enum { X1 = 1 << 1, X2 = 1 << 2, X3 = 1 << 3, X4 = 1 << 4, X5 = 1 << 5, X6 = 1 << 6, X11 = 1 << 11 };
void program_offer(struct named_operator *kinds, size_t count);

/*
 * A function that programs call by `own Name ...`, and nobody else: FUNCTION_OF without a public name. What
 * offers kinds offers it.
 */
#define KIND_FUNCTION(api, list, ...)                                                          \
    static const struct function api##_function;                                               \
    static aclnnStatus api##_launch(void *workspace, uint64_t bytes, aclOpExecutor *executor,  \
                                    aclrtStream stream)                                        \
    {                                                                                          \
        return executor_launch(&api##_function.operation, workspace, bytes, executor, stream); \
    }                                                                                          \
    static const struct function api##_function = {.operation.name = #api,                     \
                                                   .file = SOURCE_FILE,                        \
                                                   .line = __LINE__,                           \
                                                   .launch = api##_launch,                     \
                                                   PARAMETERS(list##_parameters),              \
                                                   __VA_ARGS__}
void program_offer_function(const struct function *function);

/* A statement of the program that runs; the text is taken apart. */
struct run;
int program_run_statement(struct run *run, char *statement);

/* The function of that name without aclnn, or of the kinds' own, NULL where there is none; and both phases of
 * it. */
const struct function *program_function(const char *name);
int program_call(struct run *run, const struct function *function, const union argument *argument);

/* strided.c: `strided`, `place` and `swap`, which lstm.c does itself. */
int strided_read(struct run *run, char *const *word);
int strided_write(struct run *run, char *const *word);
int strided_swap(struct run *run, char *const *word);
int strided_swap_blocks(struct run *run, const struct named_operand *to, const struct named_operand *from,
                        const int blocks[3]);

/* pool_mask.c: `narrow` and `widen`. */
int pool_mask_narrow(struct run *run, const char *to_word, const char *from_word);
int pool_mask_widen(struct run *run, const char *to_word, const char *from_word, const char *windows_word);

/* space_batch.c: `divide` and `join`. */
int space_divide(struct run *run, char *const *word);
int space_join(struct run *run, char *const *word);

/* mirror.c: `edges` and `unedge`. */
int edges_continue(struct run *run, const char *to_word, const char *from_word, const char *pads_word);
int edges_gather(struct run *run, const char *to_word, const char *from_word, const char *pads_word);

/* resize.c: `resize` and `unresize`. */
int resize_run(struct run *run, const char *to_word, const char *from_word, const char *how);
int resize_back(struct run *run, const char *to_word, const char *from_word, const char *how);

/* layout.c: `images`, and what is left to be done behind the program. */
int layout_images(struct run *run, char *const *word, unsigned words);
int layout_write_back(struct run *run);

/* along.c: `numbers` and `product`. */
int numbers_upload(struct run *run, const char *own_word, const char *word);
int axes_multiply(struct run *run, const char *to_word, const char *from_word, const char *axes_word);

#endif
