#pragma once

#include <stdint.h>

#include "guard.h"

// What bulk insertion takes of SQLite's C interface besides.
int sqlite3_step(sqlite3_stmt *);
int sqlite3_reset(sqlite3_stmt *);
int sqlite3_clear_bindings(sqlite3_stmt *);
int sqlite3_bind_null(sqlite3_stmt *, int at);
int sqlite3_bind_int64(sqlite3_stmt *, int at, long long);
int sqlite3_bind_text(sqlite3_stmt *, int at, const char *, int bytes, void (*destroy)(void *));

enum { bulk_null, bulk_integer, bulk_text };

sqlite3_stmt *bulk_prepare(sqlite3 *, const char *sql, int bytes, int *code);
int bulk_run(sqlite3_stmt *, int columns, int rows, const unsigned char *values, int64_t bytes);
