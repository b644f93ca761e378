package ledger_test

// The declarations of real workflows, in each of their shapes.

const reviews = `---
on: workflow_dispatch
tools:
  ledger:
    awf-feature-reviews:
      schema:
        type: object
        required: [record_type, run_id, reviewed_sha, outcome]
        properties:
          record_type: { enum: [review] }
          run_id: { type: string }
          reviewed_sha: { type: string }
          open_feature_ids: { type: array, items: { type: string } }
          outcome: { enum: [issue_created, noop] }
        additionalProperties: false
      max-record-kb: 8
      max-patch-kb: 10
---

# Review features

---
A rule in the text does not matter.
`

const fiveTypes = `tools:
  ledger:
    log: { type: log, compaction: false, schema: { type: object, required: [workflow_run_id], properties: { workflow_run_id: { type: string } }, additionalProperties: false } }
    set: { type: set, compaction: false, schema: { type: string } }
    map: { type: map, compaction: { schedule: weekly, min-segments: 200 } }
    table: { type: table, key: id, schema: { type: object, required: [id, status], properties: { id: { type: string }, status: { enum: [inserted, updated, passed] } }, additionalProperties: false } }
    counter: { type: counter }
`

const singleTable = `tools:
  ledger:
    type: table
    key: run_id
    schema: .github/schemas/runs.json
    max-segment-kb: 256
    compaction: { schedule: manual }
`

const allTypes = `---
tools:
  ledger:
    history: { type: log, schema: { type: string } }
    processed: { type: set }
    repositories: { type: map, schema: { type: object } }
    findings:
      type: table
      key: id
      schema:
        type: object
        required: [id, severity]
        properties:
          id: { type: string }
          severity: { type: string }
    metrics: { type: counter }
    knowledge: { type: notes }
    raw: {}
---
`
