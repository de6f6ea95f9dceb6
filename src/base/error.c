/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Messages of failed calls: recorded per thread (or per process, err_msg_mode 1) in buffers of 4 KiB, newest
 * first, and handed out by aclGetRecentErrMsg.
 *
 * The buffers are not thread-local themselves: thread-local storage of a library that is opened late is
 * allocated by libc, which ends the process when it cannot. Each thread holds a pointer to a buffer out of a
 * pool that never shrinks.
 */
#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "base/order.h"
#include "base/held_sentence.h"
#include "base/local_time.h"
#include "base/log.h"
#include "base/report.h"
#include "base/saboteur.h"
#include "base/settings_peek.h"

enum {
    MESSAGES_BYTES = 4096,
    ENTRY_BYTES = ERROR_SENTENCE_BYTES + 256,
    FIRST_BUFFERS = 32,
    MORE_BUFFERS = 64
};

/* What a failure adds: whose it is, when it was and of which kind, then the sentence. */
struct entry {
    char text[ENTRY_BYTES]; /* ends with 0 */
    size_t sentence_at;
};

struct messages {
    struct messages *next;     /* in free_buffers */
    char text[MESSAGES_BYTES]; /* ends with 0; empty when there is none */
    size_t newest_bytes;       /* of text: the newest entry, behind which is the heading of the others */
    bool has_others;
    struct entry polled; /* what comes first when the messages are asked for now; empty when there is none */
    char handed[MESSAGES_BYTES];     /* what the program was given, which stays until it asks again */
    char held[FAULT_SENTENCE_BYTES]; /* of work that this thread runs: error_held_sentence */
    char last[ERROR_SENTENCE_BYTES]; /* the sentence of the newest entry */
};

/* lock guards the list of free buffers and, while messages are shared, shared_messages. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct messages first_buffers[FIRST_BUFFERS];
static struct messages *free_buffers;
static bool has_first_buffers;
static struct messages shared_messages; /* also for a thread that cannot get a buffer of its own */

static _Atomic bool is_shared_between_threads;
static pthread_key_t buffer_key; /* returns the buffer when the thread ends */
static bool has_key;             /* under the lock; tried again for every thread until there is one */

static _Thread_local struct messages *own_messages;
static _Thread_local int last_error;

static void return_buffer(void *buffer)
{
    struct messages *messages = (struct messages *)buffer;
    own_messages = NULL;
    pthread_mutex_lock(&lock);
    messages->next = free_buffers;
    free_buffers = messages;
    pthread_mutex_unlock(&lock);
}

/* lock is held. */
static void add_buffers(struct messages *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffers[i].next = free_buffers;
        free_buffers = &buffers[i];
    }
}

/* This thread's buffer; NULL when there is no memory for one. */
static struct messages *own_buffer(void)
{
    if (own_messages != NULL)
        return own_messages;
    pthread_mutex_lock(&lock);
    if (!has_key)
        has_key = pthread_key_create(&buffer_key, return_buffer) == 0;
    if (free_buffers == NULL && !has_first_buffers) {
        add_buffers(first_buffers, FIRST_BUFFERS);
        has_first_buffers = true;
    }
    if (free_buffers == NULL) {
        size_t bytes = MORE_BUFFERS * sizeof(struct messages);
        void *more = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more != MAP_FAILED)
            add_buffers((struct messages *)more, MORE_BUFFERS);
    }
    struct messages *messages = has_key ? free_buffers : NULL;
    if (messages != NULL)
        free_buffers = messages->next;
    pthread_mutex_unlock(&lock);

    if (messages == NULL)
        return NULL;
    messages->text[0] = '\0';
    messages->polled.text[0] = '\0';
    messages->held[0] = '\0';
    messages->last[0] = '\0';
    if (pthread_setspecific(buffer_key, messages) != 0) {
        return_buffer(messages);
        return NULL;
    }
    own_messages = messages;
    return messages;
}

/* Bytes of the well-formed UTF-8 sequence at text, of which length bytes are there; 0 when it is none. */
static size_t utf8_length(const unsigned char *text, size_t length)
{
    unsigned char lead = text[0];
    size_t count = lead < 0x80   ? 1
                   : lead < 0xc2 ? 0
                   : lead < 0xe0 ? 2
                   : lead < 0xf0 ? 3
                   : lead < 0xf5 ? 4
                                 : 0;
    if (count == 0 || count > length)
        return 0;
    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return count;
}

void error_escape(char *escaped, size_t bytes, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = (const unsigned char *)text;
    size_t left = strlen(text);
    size_t used = 0;
    while (left > 0) {
        if (*from >= 0x20 && *from < 0x7f && used + 1 < bytes) { /* most of it */
            escaped[used++] = (char)*from++;
            left--;
            continue;
        }
        size_t count = utf8_length(from, left);
        /* U+0080 to U+009F are control characters too; terminals obey them. */
        bool is_control =
            count == 1 ? *from < 0x20 || *from == 0x7f : count == 2 && *from == 0xc2 && from[1] < 0xa0;
        if (count == 0 || is_control) {
            if (used + 4 >= bytes)
                break;
            escaped[used++] = '\\';
            escaped[used++] = 'x';
            escaped[used++] = digits[*from >> 4];
            escaped[used++] = digits[*from & 15];
            count = 1;
        } else {
            if (used + count >= bytes)
                break;
            memcpy(escaped + used, from, count);
            used += count;
        }
        from += count;
        left -= count;
    }
    escaped[used] = '\0';
}

struct heading {
    const char *code;
    const char *title;
    bool is_internal;
};

/* What the first line of a message says about its status code; scripts look for the short code. */
static struct heading heading_for(int code, bool is_null)
{
    switch (code) {
    case ACL_ERROR_RT_WAIT_TIMEOUT: /* no argument is at fault where work took too long or was given up */
    case ACL_ERROR_RT_TASK_TIMEOUT:
    case ACL_ERROR_RT_DEVICE_TASK_ABORT:
    case ACL_ERROR_RT_STREAM_ABORT:
        return (struct heading){"EE1003", "Execution_Error", false};
    case ACL_ERROR_INVALID_PARAM:
        return is_null ? (struct heading){"EH0002", "Invalid_Argument_Null_Pointer", false}
                       : (struct heading){"EH0001", "Invalid_Argument", false};
    case ACL_ERROR_INVALID_FILE:
        return (struct heading){"EH0003", "File_Operation_Error", false};
    case ACL_ERROR_API_NOT_SUPPORT:
    case ACL_ERROR_FEATURE_UNSUPPORTED:
        return (struct heading){"EH0005", "Not_Supported", false};
    case ACL_ERROR_BAD_ALLOC:
        return (struct heading){"EH0006", "Resource_Error_Insufficient_Host_Memory", false};
    default:
        break;
    }
    switch (code / 1000) {
    case 161:
        return (struct heading){"EZ1001", "AclNN_Parameter_Error", false};
    case 361:
        return (struct heading){"EZ9903", "AclNN_Runtime_Error", false};
    case 561:
        return (struct heading){"EZ9999", "AclNN_Inner_Error", true};
    case 107:
        return (struct heading){"EE1001", "Invalid_Argument", false};
    case 207:
        return (struct heading){"EE1002", "Resource_Error", false};
    case 507:
        return (struct heading){"EE1003", "Execution_Error", false};
    case 500:
        return (struct heading){"EH9999", "Inner_Error", true};
    default:
        return (struct heading){"EH0001", "Invalid_Argument", false};
    }
}

/* Whether the newest entry ends with the same sentence and is as long: no more than its time is another. */
static bool is_newest(const struct messages *messages, const struct entry *entry, size_t length)
{
    const size_t at = entry->sentence_at;
    return messages->text[0] != '\0' && messages->newest_bytes == length &&
           memcmp(messages->text + at, entry->text + at, length - at) == 0;
}

/*
 * Puts the entry in front of what is recorded; the oldest text falls off the end. What is said again, as by a
 * loop, takes the place of what was said before, so that it does not crowd out the rest.
 */
static void record(struct messages *messages, const struct entry *entry)
{
    static const char traceback[] = "        Traceback (newest first):\n";
    static const char indent[] = "        ";
    char *text = messages->text;
    size_t entry_length = strlen(entry->text);
    size_t old_length = strlen(text);
    if (is_newest(messages, entry, entry_length)) {
        memcpy(text, entry->text, entry_length);
        return;
    }
    if (old_length > 0) {
        /* The former first line moves below the heading, which stands once, behind the newest message. */
        size_t first_length = messages->newest_bytes;
        size_t after_first = first_length + (messages->has_others ? sizeof traceback - 1 : 0);
        size_t front = entry_length + sizeof traceback - 1 + sizeof indent - 1;
        size_t rest_at = front + first_length;
        size_t rest_length = old_length - after_first;
        if (rest_at >= MESSAGES_BYTES - 1)
            rest_length = 0;
        else if (rest_length > MESSAGES_BYTES - 1 - rest_at)
            rest_length = MESSAGES_BYTES - 1 - rest_at;
        memmove(text + rest_at, text + after_first, rest_length);
        memmove(text + front, text, first_length);
        memcpy(text + entry_length, traceback, sizeof traceback - 1);
        memcpy(text + entry_length + sizeof traceback - 1, indent, sizeof indent - 1);
        old_length = first_length + sizeof traceback - 1 + sizeof indent - 1 + rest_length;
    }
    messages->newest_bytes = entry_length;
    messages->has_others = old_length > 0;
    memcpy(text, entry->text, entry_length);
    /* Where the rest was cut, half a character may be left. */
    size_t length = entry_length + old_length;
    while (length > entry_length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
        length--;
    if (length > entry_length && ((unsigned char)text[length - 1] & 0xc0) == 0xc0)
        length--;
    text[length] = '\0';
}

/* The entry of a failure. */
static void add(struct messages *messages, const struct entry *entry, bool is_polled)
{
    messages->polled.text[0] = '\0';
    if (is_polled)
        messages->polled = *entry;
    else
        record(messages, entry);
}

/* Copies all messages to a buffer, which is as long as theirs, and clears them. */
static void hand_out(struct messages *messages, char handed[MESSAGES_BYTES])
{
    if (messages->polled.text[0] != '\0')
        record(messages, &messages->polled);
    messages->polled.text[0] = '\0';
    memcpy(handed, messages->text, MESSAGES_BYTES);
    messages->text[0] = '\0';
}

static bool is_empty(const struct messages *messages)
{
    return messages->text[0] == '\0' && messages->polled.text[0] == '\0';
}

char *error_held_sentence(void)
{
    struct messages *messages = own_buffer();
    return messages != NULL ? messages->held : NULL;
}

const char *error_last_sentence(void)
{
    return own_messages != NULL ? own_messages->last : "";
}

/* Failures are errors to the log too, of the part of the library that their code belongs to. */
void error_log(int code, const char *sentence)
{
    int family = code / 1000 % 100;
    enum log_module module = family == 7    ? LOG_MODULE_RUNTIME
                             : family == 61 ? LOG_MODULE_OP
                                            : LOG_MODULE_ASCENDCL;
    if (!log_wants(module, LOG_ERROR))
        return;
    long thread = syscall(SYS_gettid);
    if (module == LOG_MODULE_OP)
        log_line(module, LOG_ERROR, __FILE__, __LINE__, "[NNOP][%ld] errno[%d] %s", thread, code, sentence);
    else
        log_line(module, LOG_ERROR, __FILE__, __LINE__, "%ld %s", thread, sentence);
}

/* Codes of the runtime and of operators become the last error: clients head what they raise for a failed
 * operator with the last error, which must not be that of something long caught. */
static bool becomes_last_error(int code)
{
    switch (code / 1000) {
    case 107:
    case 207:
    case 507:
    case 161:
    case 361:
    case 561:
        return true;
    default:
        return false;
    }
}

int(fail)(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_failure(RULE_CALL, code, format, arguments);
    va_end(arguments);
    return code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED);
}

int(fail_unreported)(int code, const char *format, ...)
{
    char raw[ERROR_SENTENCE_BYTES], sentence[ERROR_SENTENCE_BYTES], now[LOCAL_TIME_BYTES];
    struct entry entry;
    int kept_errno = errno;
    bool is_null = (code & ARGUMENT_IS_NULL) != 0;
    bool is_polled = (code & ANSWER_IS_POLLED) != 0;
    code &= ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    error_escape(sentence, sizeof sentence, length >= 0 ? raw : format);

    if (!is_polled && becomes_last_error(code))
        last_error = code;

    struct heading heading = heading_for(code, is_null);
    local_time_text(now);
    /* The heading takes less than its part of ENTRY_BYTES. */
    entry.sentence_at =
        (size_t)snprintf(entry.text, sizeof entry.text, "[PID: %ld] %s %s(%s): ", (long)getpid(), now,
                         heading.title, heading.code);
    snprintf(entry.text + entry.sentence_at, sizeof entry.text - entry.sentence_at, "%s%s%s\n",
             heading.is_internal ? heading.code : "", heading.is_internal ? ": internal error\n        " : "",
             sentence);

    struct messages *own = own_buffer();
    if (own != NULL)
        memcpy(own->last, sentence, sizeof sentence);
    if (own != NULL && !atomic_load_explicit(&is_shared_between_threads, memory_order_acquire)) {
        add(own, &entry, is_polled);
    } else {
        pthread_mutex_lock(&lock);
        add(&shared_messages, &entry, is_polled);
        pthread_mutex_unlock(&lock);
    }
    error_log(code, sentence);
    if (fault_is_awaited(FAULT_ANY) && !is_polled)
        saboteur->saw(code, sentence);
    errno = kept_errno;
    return code;
}

void error_share_between_threads(bool is_shared)
{
    atomic_store_explicit(&is_shared_between_threads, is_shared, memory_order_release);
}

void error_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

const char *aclGetRecentErrMsg(void)
{
    order_error_read();
    static const char no_memory[] = "a call failed, but there is no memory for a copy of its message\n";
    struct messages *own = own_messages;
    if (own != NULL && !is_empty(own)) {
        hand_out(own, own->handed);
        return own->handed;
    }
    /* Shared messages last: they are those of other threads, or of this one before it got a buffer. */
    pthread_mutex_lock(&lock);
    bool has_shared = !is_empty(&shared_messages);
    pthread_mutex_unlock(&lock);
    if (!has_shared)
        return NULL;
    own = own_buffer();
    if (own == NULL)
        return no_memory;
    pthread_mutex_lock(&lock);
    hand_out(&shared_messages, own->handed);
    pthread_mutex_unlock(&lock);
    return own->handed[0] != '\0' ? own->handed : NULL;
}

void error_forget_polled(void)
{
    if (own_messages != NULL)
        own_messages->polled.text[0] = '\0';
}

static int check_level(const char *function, aclrtLastErrLevel level)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    if (level != ACL_RT_THREAD_LEVEL)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: level is %d; ACL_RT_THREAD_LEVEL (0) is expected", function,
                    (int)level);
    return 0;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    TRY(check_level("aclrtGetLastError", level));
    order_error_read();
    int code = last_error;
    last_error = 0;
    return code;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    TRY(check_level("aclrtPeekAtLastError", level));
    order_error_read();
    return last_error;
}
