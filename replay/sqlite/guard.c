#include "guard.h"

// The driver keeps its sqlite3 handle to itself. SQLite calls every automatic
// extension with the handle of each connection that is opened in the process;
// this one takes it for the thread that asked, and does nothing for others.
static _Thread_local guard *expecting;

// stopped is called every so many steps of SQLite's virtual machine. Unlike
// sqlite3_interrupt, which is lost between two statements, a flag stays set.
// Memory is looked at because some aggregates collect a text without regard to
// its limit until they are done.
static int stopped(void *p) {
	guard *g = p;
	if (sqlite3_memory_used() > g->memory) g->full = 1;
	return g->full || atomic_load(&g->stop);
}

enum {
	steps_between_checks = 1000,
	limit_length = 0,

	enable_trigger = 1003,
	enable_fts3_tokenizer = 1004,
	enable_load_extension = 1005,
	defensive = 1010,
	writable_schema = 1011,
	trusted_schema = 1017,
};

// take is given the handle before the driver's first statement, which already
// reads the schema of a file that may be hostile.
static int take(sqlite3 *db, char **message, const void *api) {
	(void)message;
	(void)api;
	guard *g = expecting;
	if (!g) return 0;
	g->db = db;
	if (g->max_value) {
		sqlite3_limit(db, limit_length, g->max_value);
		sqlite3_progress_handler(db, steps_between_checks, stopped, g);
	}
	return 0;
}

int guard_arm(guard *g) {
	expecting = g;
	return sqlite3_auto_extension((void (*)(void))take);
}

void guard_disarm(void) { expecting = 0; }

// set turns an option of the connection on or off, and checks that it is.
static int set(sqlite3 *db, int option, int want) {
	int is = -1;
	return sqlite3_db_config(db, option, want, &is) == 0 && is == want;
}

// guard_harden turns off what a projection does not need. The functions that
// take JSON apart come back by themselves; FTS and R-tree do not.
int guard_harden(guard *g) {
	sqlite3 *db = g->db;
	int ok = db && !sqlite3_drop_modules(db, 0) && set(db, defensive, 1) && set(db, trusted_schema, 0) &&
	         set(db, writable_schema, 0) && set(db, enable_load_extension, 0) && set(db, enable_fts3_tokenizer, 0) &&
	         set(db, enable_trigger, 0);
	if (ok) atomic_store(&g->open, db);
	return ok;
}

// guard_stop interrupts, too, because counting the rows of a table is one step.
// The driver closes what it fails to open, so nothing is interrupted before.
void guard_stop(guard *g) {
	atomic_store(&g->stop, 1);
	sqlite3 *db = atomic_load(&g->open);
	if (db) sqlite3_interrupt(db);
}

void guard_resume(guard *g, long long more_memory) {
	g->full = 0;
	g->memory = sqlite3_memory_used() + more_memory;
	atomic_store(&g->stop, 0);
}

// guard_prepare compiles the first statement of sql and throws it away. It
// returns SQLite's code, where the next statement starts, whether this one
// only reads (-1 when there is none), and where an error is (-1 when unknown).
int guard_prepare(guard *g, const char *sql, int bytes, int *tail, int *readonly, int *offset) {
	sqlite3_stmt *stmt = 0;
	const char *rest = sql + bytes;
	int code = sqlite3_prepare_v2(g->db, sql, bytes, &stmt, &rest);
	*offset = code ? sqlite3_error_offset(g->db) : -1;
	*tail = code ? bytes : (int)(rest - sql);
	*readonly = stmt ? sqlite3_stmt_readonly(stmt) && sqlite3_column_count(stmt) > 0 : -1;
	sqlite3_finalize(stmt);
	return code;
}
