#include <stdint.h>
#include <string.h>

#include "bulk.h"

enum { done = 101 };

sqlite3_stmt *bulk_prepare(sqlite3 *db, const char *sql, int bytes, int *code) {
	sqlite3_stmt *stmt = 0;
	const char *rest;
	*code = sqlite3_prepare_v2(db, sql, bytes, &stmt, &rest);
	return stmt;
}

// bulk_run runs a statement once for each row. A value is a byte that says what
// it is, then 8 bytes for an integer or the length of a text, then the text.
// SQLite reads texts where they are, and only until the statement was stepped.
int bulk_run(sqlite3_stmt *stmt, int columns, int rows, const unsigned char *values) {
	int code = 0;
	for (; rows > 0 && !code; rows--) {
		for (int at = 1; at <= columns && !code; at++) {
			int kind = *values++;
			int64_t n = 0;
			if (kind != bulk_null) {
				memcpy(&n, values, sizeof n);
				values += sizeof n;
			}
			if (kind == bulk_null) {
				code = sqlite3_bind_null(stmt, at);
			} else if (kind == bulk_integer) {
				code = sqlite3_bind_int64(stmt, at, n);
			} else {
				code = sqlite3_bind_text(stmt, at, (const char *)values, (int)n, 0);
				values += n;
			}
		}
		if (!code && (code = sqlite3_step(stmt)) == done) code = 0;
		int reset = sqlite3_reset(stmt);
		if (!code) code = reset;
	}
	sqlite3_clear_bindings(stmt);
	return code;
}
