// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// The few functions of SQLite that a log needs. The system's library is loaded at its first use: a command that logs to
// no database does not pay for it, and needs no SQLite.

typedef struct sqlite3 csqlite_database;
typedef struct sqlite3_stmt csqlite_statement;

/// Loads the library once; returns NULL, or the reason why it cannot be loaded.
const char *csqlite_load(void);

// Result codes of SQLite.
enum { CSQLITE_OK = 0, CSQLITE_CORRUPT = 11, CSQLITE_NOTADB = 26, CSQLITE_ROW = 100, CSQLITE_DONE = 101 };
// Types of values in SQLite.
enum { CSQLITE_INTEGER = 1, CSQLITE_FLOAT = 2 };

/// Opens an existing file for reading and writing; no part of the path may be a symbolic link.
int csqlite_open(const char *path, csqlite_database **database);
/// The same for reading only.
int csqlite_open_to_read(const char *path, csqlite_database **database);
int csqlite_close(csqlite_database *database);
/// Returns the reason why the last call failed; valid until the next one.
const char *csqlite_message(csqlite_database *database);
int csqlite_execute(csqlite_database *database, const char *sql);
int csqlite_busy_timeout(csqlite_database *database, int milliseconds);
int64_t csqlite_last_row(csqlite_database *database);

int csqlite_prepare(csqlite_database *database, const char *sql, csqlite_statement **statement);
int csqlite_step(csqlite_statement *statement);
int csqlite_reset(csqlite_statement *statement);
int csqlite_finalize(csqlite_statement *statement);

// Parameters are counted from 1, columns from 0; texts and blobs are copied.
int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t value);
int csqlite_bind_real(csqlite_statement *statement, int index, double value);
int csqlite_bind_text(csqlite_statement *statement, int index, const char *bytes, int count);
int csqlite_bind_blob(csqlite_statement *statement, int index, const void *bytes, int count);
int csqlite_bind_null(csqlite_statement *statement, int index);
int64_t csqlite_integer(csqlite_statement *statement, int column);
double csqlite_real(csqlite_statement *statement, int column);
/// Returns NULL if there is no value; valid until the next step, and as long as csqlite_length() says, which is asked after it.
const char *csqlite_text(csqlite_statement *statement, int column);
int csqlite_length(csqlite_statement *statement, int column);
int csqlite_type(csqlite_statement *statement, int column);
