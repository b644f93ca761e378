#include <stdint.h>
#include <string.h>

#include "bulk.h"

enum { misuse = 21, done = 101 };

sqlite3_stmt *bulk_prepare(sqlite3 *db, const char *sql, int bytes, int *code) {
	sqlite3_stmt *stmt = 0;
	const char *rest;
	*code = sqlite3_prepare_v2(db, sql, bytes, &stmt, &rest);
	return stmt;
}

// value takes one value from a buffer and binds it. A value is a byte that says
// what it is, then 8 bytes for an integer or the length of a text, then the text.
static int value(sqlite3_stmt *stmt, int at, const unsigned char **from, const unsigned char *end) {
	const unsigned char *p = *from;
	int64_t n = 0;
	if (p == end) return misuse;
	int kind = *p++;
	if (kind != bulk_null) {
		if (end - p < (int64_t)sizeof n) return misuse;
		memcpy(&n, p, sizeof n);
		p += sizeof n;
	}
	*from = p;
	switch (kind) {
	case bulk_null:
		return sqlite3_bind_null(stmt, at);
	case bulk_integer:
		return sqlite3_bind_int64(stmt, at, n);
	case bulk_text:
		if (n < 0 || n > end - p || n > INT32_MAX) return misuse;
		*from = p + n;
		return sqlite3_bind_text(stmt, at, (const char *)p, (int)n, 0);
	}
	return misuse;
}

// bulk_run runs a statement once for each row, whose values lie one after
// another and fill the buffer. SQLite reads texts where they are, and only until
// the statement was stepped.
int bulk_run(sqlite3_stmt *stmt, int columns, int rows, const unsigned char *values, int64_t bytes) {
	const unsigned char *end = values + bytes;
	int code = 0;
	for (; rows > 0 && !code; rows--) {
		for (int at = 1; at <= columns && !code; at++) code = value(stmt, at, &values, end);
		if (!code && (code = sqlite3_step(stmt)) == done) code = 0;
		int reset = sqlite3_reset(stmt);
		if (!code) code = reset;
	}
	sqlite3_clear_bindings(stmt);
	return code || values == end ? code : misuse;
}
