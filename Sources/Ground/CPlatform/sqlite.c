// SPDX-License-Identifier: MIT
#include "CSQLite.h"

#include "CDynamicLibrary.h"

#include <stddef.h>
#include <stdlib.h>

// Constants of <sqlite3.h>, whose numbers are part of its stable interface.
enum { OPEN_READONLY = 0x1, OPEN_READWRITE = 0x2, OPEN_FULLMUTEX = 0x10000, OPEN_NOFOLLOW = 0x01000000 };
#define TRANSIENT ((void (*)(void *))-1)

static struct {
  int (*open_v2)(const char *, csqlite_database **, int, const char *);
  int (*close)(csqlite_database *);
  const char *(*errmsg)(csqlite_database *);
  int (*exec)(csqlite_database *, const char *, void *, void *, char **);
  int (*busy_timeout)(csqlite_database *, int);
  int64_t (*last_insert_rowid)(csqlite_database *);
  int (*prepare_v2)(csqlite_database *, const char *, int, csqlite_statement **, const char **);
  int (*step)(csqlite_statement *);
  int (*reset)(csqlite_statement *);
  int (*finalize)(csqlite_statement *);
  int (*bind_int64)(csqlite_statement *, int, int64_t);
  int (*bind_double)(csqlite_statement *, int, double);
  int (*bind_text)(csqlite_statement *, int, const char *, int, void (*)(void *));
  int (*bind_blob)(csqlite_statement *, int, const void *, int, void (*)(void *));
  int (*bind_null)(csqlite_statement *, int);
  int64_t (*column_int64)(csqlite_statement *, int);
  double (*column_double)(csqlite_statement *, int);
  const unsigned char *(*column_text)(csqlite_statement *, int);
  int (*column_bytes)(csqlite_statement *, int);
  int (*column_type)(csqlite_statement *, int);
} sqlite;

const char *csqlite_load(void) {
  static int is_loaded;
  if (is_loaded) return NULL;
  const struct cdynamic_symbol symbols[] = {
      {"sqlite3_open_v2", &sqlite.open_v2},
      {"sqlite3_close", &sqlite.close},
      {"sqlite3_errmsg", &sqlite.errmsg},
      {"sqlite3_exec", &sqlite.exec},
      {"sqlite3_busy_timeout", &sqlite.busy_timeout},
      {"sqlite3_last_insert_rowid", &sqlite.last_insert_rowid},
      {"sqlite3_prepare_v2", &sqlite.prepare_v2},
      {"sqlite3_step", &sqlite.step},
      {"sqlite3_reset", &sqlite.reset},
      {"sqlite3_finalize", &sqlite.finalize},
      {"sqlite3_bind_int64", &sqlite.bind_int64},
      {"sqlite3_bind_double", &sqlite.bind_double},
      {"sqlite3_bind_text", &sqlite.bind_text},
      {"sqlite3_bind_blob", &sqlite.bind_blob},
      {"sqlite3_bind_null", &sqlite.bind_null},
      {"sqlite3_column_int64", &sqlite.column_int64},
      {"sqlite3_column_double", &sqlite.column_double},
      {"sqlite3_column_text", &sqlite.column_text},
      {"sqlite3_column_bytes", &sqlite.column_bytes},
      {"sqlite3_column_type", &sqlite.column_type},
  };
  const char *reason = cdynamic_load("libsqlite3.so.0", symbols, sizeof symbols / sizeof *symbols);
  if (reason) return reason;
  is_loaded = 1;
  return NULL;
}

int csqlite_open(const char *path, csqlite_database **database) {
  return sqlite.open_v2(path, database, OPEN_READWRITE | OPEN_FULLMUTEX | OPEN_NOFOLLOW, NULL);
}
int csqlite_open_to_read(const char *path, csqlite_database **database) {
  return sqlite.open_v2(path, database, OPEN_READONLY | OPEN_FULLMUTEX | OPEN_NOFOLLOW, NULL);
}
int csqlite_close(csqlite_database *database) { return sqlite.close(database); }
const char *csqlite_message(csqlite_database *database) { return sqlite.errmsg(database); }
int csqlite_execute(csqlite_database *database, const char *sql) {
  return sqlite.exec(database, sql, NULL, NULL, NULL);
}
int csqlite_busy_timeout(csqlite_database *database, int milliseconds) {
  return sqlite.busy_timeout(database, milliseconds);
}
int64_t csqlite_last_row(csqlite_database *database) { return sqlite.last_insert_rowid(database); }

int csqlite_prepare(csqlite_database *database, const char *sql, csqlite_statement **statement) {
  return sqlite.prepare_v2(database, sql, -1, statement, NULL);
}
int csqlite_step(csqlite_statement *statement) { return sqlite.step(statement); }
int csqlite_reset(csqlite_statement *statement) { return sqlite.reset(statement); }
int csqlite_finalize(csqlite_statement *statement) { return sqlite.finalize(statement); }

int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t value) {
  return sqlite.bind_int64(statement, index, value);
}
int csqlite_bind_real(csqlite_statement *statement, int index, double value) {
  return sqlite.bind_double(statement, index, value);
}
int csqlite_bind_text(csqlite_statement *statement, int index, const char *bytes, int count) {
  return sqlite.bind_text(statement, index, bytes, count, TRANSIENT);
}
// Without bytes, it is an empty blob and not null.
int csqlite_bind_blob(csqlite_statement *statement, int index, const void *bytes, int count) {
  return sqlite.bind_blob(statement, index, bytes ? bytes : "", count, TRANSIENT);
}
int csqlite_bind_null(csqlite_statement *statement, int index) { return sqlite.bind_null(statement, index); }
int64_t csqlite_integer(csqlite_statement *statement, int column) {
  return sqlite.column_int64(statement, column);
}
double csqlite_real(csqlite_statement *statement, int column) { return sqlite.column_double(statement, column); }
const char *csqlite_text(csqlite_statement *statement, int column) {
  return (const char *)sqlite.column_text(statement, column);
}
int csqlite_length(csqlite_statement *statement, int column) { return sqlite.column_bytes(statement, column); }
int csqlite_type(csqlite_statement *statement, int column) { return sqlite.column_type(statement, column); }
