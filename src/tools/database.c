/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libsqlite3 by the names and prototypes of its documented interface.
 */
#include "tools/database.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SQLITE_OK = 0, SQLITE_DONE = 101, OPEN_READWRITE = 2, OPEN_CREATE = 4, STATEMENT_BYTES = 1024 };

/* How a text is to be kept: copied. */
typedef void destructor(void *);
#define TRANSIENT ((destructor *)(intptr_t)-1)

static struct {
    int (*open)(const char *path, struct sqlite3 **connection, int flags, const char *system);
    int (*close)(struct sqlite3 *connection);
    int (*exec)(struct sqlite3 *connection, const char *text, void *callback, void *context, char **message);
    int (*prepare)(struct sqlite3 *connection, const char *text, int bytes, struct sqlite3_stmt **statement,
                   const char **rest);
    int (*finalize)(struct sqlite3_stmt *statement);
    int (*step)(struct sqlite3_stmt *statement);
    int (*reset)(struct sqlite3_stmt *statement);
    int (*bind_integer)(struct sqlite3_stmt *statement, int place, int64_t value);
    int (*bind_real)(struct sqlite3_stmt *statement, int place, double value);
    int (*bind_text)(struct sqlite3_stmt *statement, int place, const char *value, int bytes,
                     destructor *destroy);
    const char *(*message)(struct sqlite3 *connection);
} sqlite;

static bool load(void)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {{"sqlite3_open_v2", &sqlite.open},
                     {"sqlite3_close", &sqlite.close},
                     {"sqlite3_exec", &sqlite.exec},
                     {"sqlite3_prepare_v2", &sqlite.prepare},
                     {"sqlite3_finalize", &sqlite.finalize},
                     {"sqlite3_step", &sqlite.step},
                     {"sqlite3_reset", &sqlite.reset},
                     {"sqlite3_bind_int64", &sqlite.bind_integer},
                     {"sqlite3_bind_double", &sqlite.bind_real},
                     {"sqlite3_bind_text", &sqlite.bind_text},
                     {"sqlite3_errmsg", &sqlite.message}};
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    bool is_whole = library != NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && is_whole; i++) {
        void *function = dlsym(library, functions[i].name);
        is_whole = function != NULL;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return is_whole;
}

static bool is_good(const struct database *database)
{
    return database->why[0] == '\0';
}

/* Keeps the first failure, for a result that is not the one that is expected. */
static void judge(struct database *database, int result, int expected)
{
    if (result != expected && is_good(database))
        snprintf(database->why, sizeof database->why, "%.200s (%d)",
                 database->connection != NULL ? sqlite.message(database->connection) : "no memory", result);
}

static void run(struct database *database, const char *text)
{
    if (is_good(database))
        judge(database, sqlite.exec(database->connection, text, NULL, NULL, NULL), SQLITE_OK);
}

bool database_open(struct database *database, const char *path)
{
    *database = (struct database){0};
    if (!load()) {
        snprintf(database->why, sizeof database->why,
                 "data bases are written by libsqlite3.so.0, which is not there; Debian's package "
                 "libsqlite3-0, or another system's, is expected");
        return false;
    }
    judge(database, sqlite.open(path, &database->connection, OPEN_READWRITE | OPEN_CREATE, NULL), SQLITE_OK);
    /* Who reads the file has it whole or not at all. */
    run(database, "PRAGMA journal_mode = OFF");
    run(database, "PRAGMA synchronous = OFF");
    run(database, "BEGIN");
    return is_good(database) || database_close(database);
}

void database_table(struct database *database, const char *name, const char *columns)
{
    char text[STATEMENT_BYTES];
    if (!is_good(database))
        return;
    snprintf(text, sizeof text, "CREATE TABLE %s (%s)", name, columns);
    run(database, text);
    int length = snprintf(text, sizeof text, "INSERT INTO %s VALUES (?", name);
    for (const char *c = columns; *c != '\0' && length < STATEMENT_BYTES - 4; c++)
        if (*c == ',')
            length += snprintf(text + length, sizeof text - (size_t)length, ",?");
    snprintf(text + length, sizeof text - (size_t)length, ")");
    sqlite.finalize(database->insert);
    database->insert = NULL;
    database->next = 1;
    if (is_good(database))
        judge(database, sqlite.prepare(database->connection, text, -1, &database->insert, NULL), SQLITE_OK);
}

void database_integer(struct database *database, int64_t value)
{
    if (is_good(database))
        judge(database, sqlite.bind_integer(database->insert, database->next++, value), SQLITE_OK);
}

void database_real(struct database *database, double value)
{
    if (is_good(database))
        judge(database, sqlite.bind_real(database->insert, database->next++, value), SQLITE_OK);
}

void database_text(struct database *database, const char *value)
{
    if (is_good(database))
        judge(database, sqlite.bind_text(database->insert, database->next++, value, -1, TRANSIENT),
              SQLITE_OK);
}

void database_row(struct database *database)
{
    if (!is_good(database))
        return;
    judge(database, sqlite.step(database->insert), SQLITE_DONE);
    if (is_good(database))
        judge(database, sqlite.reset(database->insert), SQLITE_OK);
    database->next = 1;
}

bool database_close(struct database *database)
{
    sqlite.finalize(database->insert);
    database->insert = NULL;
    run(database, "COMMIT");
    int result = sqlite.close(database->connection);
    database->connection = NULL;
    judge(database, result, SQLITE_OK);
    return is_good(database);
}
