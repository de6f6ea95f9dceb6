/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writing an SQLite file, a table after another and row by row, by the system's libsqlite3, which is opened
 * when it is needed: nothing else of Belay wants it.
 */
#ifndef BELAY_TOOLS_DATABASE_H
#define BELAY_TOOLS_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

struct database {
    struct sqlite3 *connection;
    struct sqlite3_stmt *insert; /* a row of the table that was begun last */
    int next;                    /* its next column, from 1 on */
    char why[256]; /* the first failure, behind which nothing is written; empty when there is none */
};

/* Makes the file, which must not be there. False, with why, where it cannot or there is no libsqlite3. */
bool database_open(struct database *database, const char *path);

/* Begins a table: "id INTEGER, value TEXT". Rows go into the table that was begun last. */
void database_table(struct database *database, const char *name, const char *columns);

/* The values of a row in the order of the columns; then the row itself. */
void database_integer(struct database *database, int64_t value);
void database_real(struct database *database, double value);
void database_text(struct database *database, const char *value);
void database_row(struct database *database);

/* False, with why, where anything has failed; the file is of no use then. */
bool database_close(struct database *database);

#endif
