package sqlite

import (
	"context"
	"encoding/json"

	"github.com/gitledger/gitledger/record"
)

// Bounds of a [RecordQuery].
const (
	MaxPage    = 500 // records of one page
	MaxFilters = 8
	MaxChoices = 32 // values of one "in"

	defaultPage     = 100
	maxPathParts    = 16
	maxPathBytes    = 256
	maxOperandBytes = 4096 // of one value, as JSON
)

// RecordQuery asks for records without SQL. All conditions must hold. It reads
// from JSON as it stands.
type RecordQuery struct {
	Type    string   `json:"type,omitempty"`    // of the record; empty is any
	Filters []Filter `json:"filters,omitempty"` // at most 8
	Cursor  string   `json:"cursor,omitempty"`  // NextCursor of the page before; its record is not repeated
	Limit   int      `json:"limit,omitempty"`   // records of the page, at most 500; 0 is 100
}

// Filter is a condition on one member of the payload.
//
//	eq                 the value is equal: a string, number, boolean or null
//	in                 it is equal to one of a list, at most 32
//	exists             the member is there, or with false it is not
//	prefix             it is a string that starts with one
//	gt gte lt lte      it is a number, or a string, above or below another
//
// Values of different JSON types are never equal, nor above or below one
// another. Strings compare by their UTF-8 bytes. Names in a path are of letters,
// digits, underscores and hyphens; any other is ErrRequest, and needs SQL.
type Filter struct {
	Path  string          `json:"path"` // member names, separated by dots: user.login
	Op    string          `json:"op"`
	Value json.RawMessage `json:"value,omitempty"`
}

// RecordPage is one page of records, ascending by SHA. Payloads are untrusted data.
type RecordPage struct {
	Records    []RecordRow `json:"records"`
	HasMore    bool        `json:"hasMore"`
	NextCursor string      `json:"nextCursor,omitempty"` // SHA of the last record, when there are more
}

// RecordRow is one row of the table records.
type RecordRow struct {
	Ordinal   int64           `json:"ordinal"` // place in replay order, from 0
	ID        string          `json:"id"`
	SHA       string          `json:"sha"`
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
	Shard     string          `json:"shard"`
	Offset    int64           `json:"offset"`
}

// Records returns a page of records. A page is cut short when its payloads
// would exceed [Limits.Bytes]; HasMore tells. The errors are those of
// [DB.Query], and [ErrRequest] for a query that is not valid.
func (db *DB) Records(ctx context.Context, q RecordQuery) (*RecordPage, error) {
	limit, err := q.validate()
	if err != nil {
		return nil, err
	}
	where := conditions{}
	if q.Type != "" {
		where.add("type = ?", q.Type)
	}
	if q.Cursor != "" {
		where.add("sha > ?", q.Cursor)
	}
	for _, f := range q.Filters {
		if !f.addTo(&where) {
			return nil, fail("records", ErrRequest)
		}
	}
	rows, err := db.stream(ctx, limit+1, "SELECT ordinal, id, sha, type, timestamp, payload, shard, offset FROM records"+
		where.sql()+" ORDER BY sha LIMIT ?", append(where.args, int64(limit)+1)...)
	if err != nil {
		return nil, err
	}
	page, after := &RecordPage{Records: []RecordRow{}}, q.Cursor
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		r, ok := recordRow(row)
		if !ok || r.SHA <= after {
			return nil, fail("records", ErrNotProjection)
		}
		after = r.SHA
		page.Records = append(page.Records, r)
	}
	page.HasMore = rows.Truncated() || len(page.Records) > limit
	page.Records = page.Records[:min(limit, len(page.Records))]
	if page.HasMore && len(page.Records) == 0 {
		return nil, fail("records", ErrTooLarge)
	}
	if page.HasMore {
		page.NextCursor = page.Records[len(page.Records)-1].SHA
	}
	return page, nil
}

func (q *RecordQuery) validate() (limit int, err error) {
	limit = q.Limit
	if limit == 0 {
		limit = defaultPage
	}
	valid := limit > 0 && limit <= MaxPage && len(q.Filters) <= MaxFilters && len(q.Type) <= maxOperandBytes
	if q.Cursor != "" {
		_, err := record.ParseHash(q.Cursor)
		valid = valid && err == nil
	}
	if !valid {
		return 0, fail("records", ErrRequest)
	}
	return limit, nil
}

// recordRow reads a row of the records table, and reports whether it is one:
// a damaged database may have anything instead of a value. Without this a
// cursor might lead nowhere, or back.
func recordRow(row []any) (r RecordRow, ok bool) {
	var payload string
	for i, into := range []any{&r.Ordinal, &r.ID, &r.SHA, &r.Type, &r.Timestamp, &payload, &r.Shard, &r.Offset} {
		switch into := into.(type) {
		case *int64:
			*into, ok = row[i].(int64)
		case *string:
			*into, ok = row[i].(string)
		}
		if !ok {
			return r, false
		}
	}
	r.Payload = json.RawMessage(payload)
	_, err := record.ParseHash(r.SHA)
	return r, err == nil && json.Valid(r.Payload)
}
