package ledger

// Jobs describes all six jobs for a workflow's ledgers: the four of the
// workflow itself, then those of [MaintenanceJobs]. Without ledgers there are
// none. It fails when the configuration is larger than the environment may be
//
func Jobs(cs Configs) ([]Job, error) {
	if len(cs) == 0 {
		return nil, nil
	}
	encoded, err := cs.Base64()
	if err != nil {
		return nil, err
	}
	maintenance, err := MaintenanceJobs(cs)
	if err != nil {
		return nil, err
	}
	config := Variable{EnvConfig, encoded}
	transaction := Variable{EnvTransactionID, "${{ github.run_id }}:${{ github.run_attempt }}"}
	jobs := []Job{prepareJob(cs, config), agentJob(), safeOutputsJob(cs, config, transaction), persistJob(config)}
	return append(jobs, maintenance...), nil
}

func prepareJob(cs Configs, config Variable) Job {
	j := Job{
		Name: "prepare", Host: AgentHost, Trust: Trusted,
		Purpose:     "Fetch each ledger branch, validate its records and build its read-only database.",
		Permissions: []Permission{{"contents", "read"}},
		Credentials: []Credential{{RepositoryRead, EnvToken, "${{ github.token }}"}},
		Environment: []Variable{config},
		Calls:       "replay/sqlite.Prepare",
	}
	for _, c := range cs {
		j.Steps = append(j.Steps, Step{Name: "Prepare ledger " + c.Name, Arguments: []string{"prepare", c.Name, c.DatabasePath()}})
	}
	return j
}

func agentJob() Job {
	return Job{
		Name: "agent", Host: AgentHost, Trust: Untrusted, RunsAgent: true,
		Purpose:     "Run the agent: it queries the databases and queues requests.",
		Permissions: []Permission{{"contents", "read"}},
		Produces:    []Artifact{{RequestsArtifact, RequestsPath}},
		Calls:       "replay/sqlite.Open",
	}
}

func safeOutputsJob(cs Configs, config, transaction Variable) Job {
	j := Job{
		Name: "safe_outputs", Host: SafeOutputsHost, Trust: Trusted,
		Purpose:     "Validate the requests and emit the transaction artifact; touch no ledger.",
		Needs:       []string{AgentHost},
		Condition:   "!cancelled() && needs.agent.result != 'skipped'",
		Environment: []Variable{config, transaction},
		Consumes:    []Artifact{{RequestsArtifact, RequestsPath}},
		Produces:    []Artifact{{TransactionsArtifact, TransactionsPath}},
		Calls:       "txn.Normalize",
		Steps:       []Step{{Name: "Validate ledger requests", Arguments: []string{"safe-outputs", RequestsPath, TransactionsPath}}},
	}
	if len(cs.Compacted()) > 0 {
		j.Permissions = []Permission{{"actions", "write"}}
		j.Credentials = []Credential{{SafeOutput, EnvToken, "${{ github.token }}"}}
	}
	return j
}

// persistJob is not told the transaction: the artifact states it, also when the
// job is run again.
func persistJob(config Variable) Job {
	return Job{
		Name: "persist", Host: PersistHost, Trust: Trusted,
		Purpose:     "Validate the artifact again and push the accepted records; never compact.",
		Permissions: []Permission{{"contents", "write"}},
		Credentials: []Credential{{LedgerWrite, EnvToken, "${{ github.token }}"}},
		Needs:       []string{AgentHost, SafeOutputsHost},
		Condition:   "!cancelled() && needs.safe_outputs.result == 'success'",
		Environment: []Variable{config},
		Consumes:    []Artifact{{TransactionsArtifact, TransactionsPath}},
		Calls:       "txn.Persist",
		Steps:       []Step{{Name: "Push ledger changes", Arguments: []string{"persist", TransactionsPath}}},
	}
}
