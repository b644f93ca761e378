#pragma once

#include <stdatomic.h>
#include <stdlib.h>

// The part of SQLite's C interface that the driver does not pass on. The
// library itself is linked by the driver's package, whose header is not on the
// include path, so what is used is declared here.
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

int sqlite3_auto_extension(void (*entry)(void));
int sqlite3_db_config(sqlite3 *, int op, ...);
int sqlite3_limit(sqlite3 *, int id, int value);
int sqlite3_drop_modules(sqlite3 *, const char **keep);
void sqlite3_interrupt(sqlite3 *);
void sqlite3_progress_handler(sqlite3 *, int steps, int (*stop)(void *), void *);
int sqlite3_prepare_v2(sqlite3 *, const char *sql, int bytes, sqlite3_stmt **, const char **tail);
int sqlite3_finalize(sqlite3_stmt *);
int sqlite3_stmt_readonly(sqlite3_stmt *);
int sqlite3_column_count(sqlite3_stmt *);
int sqlite3_error_offset(sqlite3 *);
long long sqlite3_memory_used(void);

// guard watches one connection. Whoever sets stop ends the query that runs on
// it, and every later one until guard_resume.
typedef struct {
	sqlite3 *db;
	_Atomic(sqlite3 *) open; // db, once it is open for good
	int max_value;    // bytes of a value from the first statement on; 0 watches nothing
	atomic_int stop;
	long long memory; // that SQLite may use, in the whole process
	int full;         // a query was ended because of memory
} guard;

int guard_arm(guard *g);
void guard_disarm(void);
int guard_harden(guard *g);
void guard_stop(guard *g);
void guard_resume(guard *g, long long more_memory);
int guard_prepare(guard *g, const char *sql, int bytes, int *tail, int *readonly, int *offset);
