package ledger

// Job describes one of the six jobs over which the work is split by trust
// (S3-01 to S3-07). A compiler renders its workflows from these descriptions;
// examples/jobs shows how.
type Job struct {
	Name        string // prepare, agent, safe_outputs, persist, plan or apply
	Host        string // the workflow job that it runs in; prepare and agent share one, in this order
	Trust       Trust
	Purpose     string       // in one sentence
	Permissions []Permission // of the host's token; nothing that is not listed
	Credentials []Credential // that its steps are handed; none for the agent
	Needs       []string     // hosts that must have succeeded
	Condition   string       // a workflow expression; empty for always
	Environment []Variable   // of all its steps; nothing secret
	Consumes    []Artifact   // downloaded before its steps
	Produces    []Artifact   // uploaded after them
	Outputs     []Variable   // of the host, for the jobs that need it
	Calls       string       // the one function of this module that does the work
	Steps       []Step
	RunsAgent   bool // whether an agent, and what it writes, runs here
}

// Trust says whether what runs in a job is believed.
type Trust string

// The two sides of the boundary that the jobs lie on.
const (
	Trusted   Trust = "trusted"
	Untrusted Trust = "untrusted"
)

// Permission is one scope of a job's token.
type Permission struct {
	Scope  string // such as contents
	Access string // read or write
}

// Credential is something secret that a job's steps are handed, each by an
// environment variable of those steps and never of the job.
type Credential struct {
	Kind     CredentialKind
	Variable string
	Source   string // a workflow expression
}

// CredentialKind says what a credential allows.
type CredentialKind string

const (
	RepositoryRead CredentialKind = "repository-read"     // reads ledger branches
	SafeOutput     CredentialKind = "safe-output"         // dispatches maintenance; cannot write a branch
	LedgerWrite    CredentialKind = "ledger-branch-write" // pushes ledger branches
)

// Variable is a name and its value: literal text or a workflow expression.
type Variable struct{ Name, Value string }

// Artifact is a file or directory that travels from one job to another.
type Artifact struct{ Name, Path string }

// Step is one invocation of the program that embeds this module. Its arguments
// are the job's name and then, by job:
//
//	prepare       the ledger's name, the database to make
//	safe-outputs  the file of requests, the transaction artifact to make
//	persist       the transaction artifact
//	plan          the ledger's name, the plan to make
//	apply         the ledger's name, the plan
//
// A plan step that made a plan sets its output plan_created to true; without it
// apply has nothing to do. The agent has no such step.
type Step struct {
	ID              string
	Name            string
	Arguments       []string   // after the program's name: the job's name first
	Environment     []Variable // besides the job's
	Condition       string     // a workflow expression; empty for always
	ContinueOnError bool       // the job goes on when the step fails (S5.3-11)
}

// The environment of the jobs, by the names of the gh-aw runtime, and the files
// and artifacts between them.
const (
	EnvConfig        = "GH_AW_LEDGER_CONFIG_BASE64"        // [Configs.Base64]
	EnvMaintenance   = "GH_AW_LEDGER_COMPACTION_CONFIG"    // [Configs.MaintenanceBase64]
	EnvTransactions  = "GH_AW_LEDGER_TRANSACTIONS"         // the artifact's path, where it is not an argument
	EnvTransactionID = "GH_AW_LEDGER_TRANSACTION_ID"       // for txn.Normalize: the run and its attempt
	EnvTrigger       = "GH_AW_LEDGER_COMPACTION_TRIGGER"   // scheduled or requested
	EnvRequested     = "GH_AW_LEDGER_COMPACTION_REQUESTED" // the ledger that is asked for; empty for every one
	EnvPlanFile      = "GH_AW_LEDGER_COMPACTION_PLAN_FILE" // the plan's path, where it is not an argument
	EnvToken         = "GH_TOKEN"                          // of the credential

	OutputResult      = "ledger_result" // of the persist step: its result, as JSON
	OutputPlanCreated = "plan_created"  // of a plan step: true or false

	TransactionsArtifact = "gh-aw-ledger-transactions"
	TransactionsPath     = "/tmp/gh-aw/ledger-transactions.json"
	RequestsArtifact     = "gh-aw-ledger-requests"
	RequestsPath         = "/tmp/gh-aw/ledger-requests.jsonl"
	PlansArtifact        = "gh-aw-ledger-compaction-plans"
	PlansPath            = "/tmp/gh-aw/ledger-compaction"

	// CompactOperation is the maintenance operation that a request for
	// compaction dispatches, with the ledger's name or none for all.
	CompactOperation = "compact_ledger"
)

// Hosts: the workflow jobs that the six jobs run in.
const (
	AgentHost       = "agent"
	SafeOutputsHost = "safe_outputs"
	PersistHost     = "push_ledger_changes"
	PlanHost        = "ledger_compaction_plan"
	ApplyHost       = "ledger_compaction_apply"
)
