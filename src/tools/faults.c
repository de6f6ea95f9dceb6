/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs a program with faults: their text goes to its processes in BELAY_FAULT, and what comes of them is written
 * down in a journal that all of them share (runtime/faults).
 */
#include "tools/faults.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/faults/journal.h"
#include "runtime/faults/plan.h"
#include "tools/belay.h"
#include "tools/child.h"

enum { FILE_BYTES_MAX = 64 << 10 };

static bool append(struct asked_faults *faults, const char *verb, const char *text)
{
    const size_t before = faults->text != NULL ? strlen(faults->text) : 0, size = before + strlen(text) + 2;
    char *longer = realloc(faults->text, size);
    if (longer == NULL) {
        complain("%s: there is no memory for the faults", verb);
        return false;
    }
    snprintf(longer + before, size - before, "%s%s", before > 0 ? "\n" : "", text);
    faults->text = longer;
    return true;
}

static bool append_file(struct asked_faults *faults, const char *verb, const char *path)
{
    char *text = malloc(FILE_BYTES_MAX + 1);
    FILE *file = text != NULL ? fopen(path, "re") : NULL;
    size_t bytes = file != NULL ? fread(text, 1, FILE_BYTES_MAX + 1, file) : 0;
    const bool is_read = file != NULL && !ferror(file);
    const int error = errno;
    bool is_good = is_read && bytes <= FILE_BYTES_MAX && memchr(text, '\0', bytes) == NULL;
    if (file != NULL)
        fclose(file);
    if (!is_read)
        complain("%s: the file of faults %.256s cannot be read: %s", verb, path, strerror(error));
    else if (!is_good)
        complain("%s: the file of faults %.256s is no text of at most %d bytes", verb, path, FILE_BYTES_MAX);
    if (is_good) {
        text[bytes] = '\0';
        is_good = append(faults, verb, text);
    }
    free(text);
    return is_good;
}

bool faults_add(struct asked_faults *faults, const char *verb, const char *argument)
{
    return argument[0] == '@' ? append_file(faults, verb, argument + 1) : append(faults, verb, argument);
}

bool faults_add_environment(struct asked_faults *faults, const char *verb)
{
    const char *text = getenv("BELAY_FAULT"), *journal = getenv("BELAY_FAULT_JOURNAL");
    if (faults->text != NULL || text == NULL || *text == '\0' || (journal != NULL && *journal != '\0'))
        return true;
    return append(faults, verb, text);
}

/* "process 4711, rank 2, restart 1" */
static void print_process(FILE *file, const struct journal_note *note)
{
    fprintf(file, "process %d", (int)note->process);
    if (note->rank >= 0)
        fprintf(file, ", rank %" PRId64, note->rank);
    if (note->restart > 0)
        fprintf(file, ", restart %" PRId64, note->restart);
}

static const struct journal_note *note_at(struct journal *journal, uint32_t index)
{
    const struct journal_note *note = &journal->note[index];
    return atomic_load_explicit(&note->is_whole, memory_order_acquire) != 0 ? note : NULL;
}

static uint32_t note_count(struct journal *journal)
{
    const uint32_t used = atomic_load(&journal->used);
    return used < JOURNAL_NOTES ? used : JOURNAL_NOTES;
}

static void print_fault(FILE *file, struct journal *journal, const struct fault *fault, uint32_t index)
{
    char text[4 * FAULT_TEXT_BYTES];
    error_escape(text, sizeof text, fault->text);
    const uint32_t came = atomic_load(&journal->came[index]);
    const uint64_t fitted = atomic_load(&journal->fitted[index]);
    if (came == 0) {
        fprintf(file, "  %s did not come: ", text);
        if (fitted == 0)
            fputs("nothing that the program did fits\n", file);
        else if (fault->times != TIMES_ODDS && fitted >= fault->number)
            fputs("what was asked for before it came in its place\n", file);
        else
            fprintf(file, "of what fits there were %" PRIu64 " in a process at most\n", fitted);
        return;
    }
    fprintf(file, came == 1 ? "  %s came once\n" : "  %s came %" PRIu32 " times\n", text, came);
    for (uint32_t i = 0; i < note_count(journal); i++) {
        const struct journal_note *note = note_at(journal, i);
        if (note == NULL || note->fault != (int32_t)index)
            continue;
        fputs("    ", file);
        print_process(file, note);
        fprintf(file, ", %s\n", note->text);
    }
}

static void print_seen(FILE *file, struct journal *journal, const char *verb)
{
    bool has_seen = false;
    for (uint32_t i = 0; i < note_count(journal); i++) {
        const struct journal_note *note = note_at(journal, i);
        if (note == NULL || note->fault != JOURNAL_SEEN)
            continue;
        if (!has_seen)
            fprintf(file, "%s: calls that failed from then on\n", verb);
        has_seen = true;
        const uint32_t count = atomic_load(&note->count);
        fputs("  ", file);
        print_process(file, note);
        fprintf(file, ": %d", (int)note->code);
        if (count > 1)
            fprintf(file, " (%" PRIu32 " times)", count);
        fprintf(file, ", %s\n", note->text);
    }
    if (!has_seen && atomic_load(&journal->any_came) != 0)
        fprintf(file, "%s: no call failed from then on\n", verb);
    if (atomic_load(&journal->used) > JOURNAL_NOTES)
        fprintf(file, "%s: there was more, for which the journal has no room\n", verb);
}

/* Whether all of them came. */
static bool print_report(FILE *file, struct journal *journal, const struct fault_plan *plan, const char *verb)
{
    bool have_come = true;
    fprintf(file, "%s: faults that were asked for\n", verb);
    for (uint32_t i = 0; i < plan->count; i++) {
        have_come = have_come && atomic_load(&journal->came[i]) != 0;
        print_fault(file, journal, &plan->fault[i], i);
    }
    if (atomic_load(&journal->processes) == 0)
        fprintf(file,
                "%s: no process used the library (programs that are statically linked, set-user-id, or "
                "change BELAY_FAULT are not seen)\n",
                verb);
    print_seen(file, journal, verb);
    return have_come;
}

static struct journal *open_journal(void)
{
    char path[64];
    const int file = memfd_create("belay-faults", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(struct journal)) != 0)
        return NULL;
    void *journal = mmap(NULL, sizeof(struct journal), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    return journal != MAP_FAILED && setenv("BELAY_FAULT_JOURNAL", path, 1) == 0 ? (struct journal *)journal
                                                                                : NULL;
}

int faults_run(const struct asked_faults *faults, const char *verb, char **program, const char *report)
{
    struct fault_plan *plan = malloc(sizeof *plan);
    char sentence[FAULT_PLAN_SENTENCE_BYTES] = "there is no memory for the faults";
    if (plan == NULL || !fault_plan_read(faults->text, plan, sentence)) {
        complain("%s: %s", verb, sentence);
        free(plan);
        return STATUS_USAGE;
    }
    struct journal *journal = open_journal();
    if (journal == NULL || setenv("BELAY_FAULT", faults->text, 1) != 0) {
        complain("%s: there is no room for the journal of faults: %s", verb, strerror(errno));
        free(plan);
        return STATUS_REFUSED;
    }
    int status = child_run(verb, program, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the writing */
    FILE *file = report != NULL ? fopen(report, "we") : stderr;
    if (file == NULL) {
        complain("%s: %.256s cannot be written: %s", verb, report, strerror(errno));
        status = status != 0 ? status : STATUS_REFUSED;
        file = stderr;
    }
    bool is_good = print_report(file, journal, plan, verb);
    if (file != stderr && fclose(file) != 0) {
        complain("%s: %.256s cannot be written: %s", verb, report, strerror(errno));
        is_good = false;
    }
    free(plan);
    return status == 0 && !is_good ? STATUS_REFUSED : status;
}

/* Behind a comma conditions may stand, too, and behind a colon what happens: the page has them. */
void faults_complete(struct completion *completion)
{
    const char *about, *word;
    completion_skip_list(completion, ',');
    for (uint32_t i = 0; (word = fault_event_word(i, &about)) != NULL; i++)
        completion_offer(completion, word, about);
}
