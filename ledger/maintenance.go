package ledger

import "strconv"

// MaintenanceJobs describes the pair of jobs that compacts ledgers: one plan
// job and one apply job for all of them, with a step and a plan file for each
// ledger (S5.3-01). Ledgers whose compaction is disabled have neither; without
// any other there are no jobs. The pair has no concurrency group: apply guards
// each ledger by its branch's head.
//
// Steps and files are numbered by the ledger's place in the configuration, so
// that names which differ only in case do not collide on a file system that
// folds case. The conditions of the steps are coarse for the same reason: the
// expressions of a workflow compare without regard to case. The step decides,
// by [Config.Requested], with the exact name.
func MaintenanceJobs(cs Configs) ([]Job, error) {
	compacted := cs.Compacted()
	if len(compacted) == 0 {
		return nil, nil
	}
	encoded, err := compacted.MaintenanceBase64()
	if err != nil {
		return nil, err
	}
	environment := []Variable{
		{EnvMaintenance, encoded},
		{EnvTrigger, "${{ github.event_name == 'schedule' && 'scheduled' || 'requested' }}"},
		{EnvRequested, "${{ inputs.ledger }}"},
	}
	plan := Job{
		Name: "plan", Host: PlanHost, Trust: Untrusted,
		Purpose:     "Read each ledger branch and propose which segments to merge.",
		Permissions: []Permission{{"contents", "read"}},
		Credentials: []Credential{{RepositoryRead, EnvToken, "${{ github.token }}"}},
		Condition:   "github.event_name == 'schedule' || inputs.operation == '" + CompactOperation + "'",
		Environment: environment,
		Produces:    []Artifact{{PlansArtifact, PlansPath}},
		Calls:       "compact.Propose",
	}
	apply := Job{
		Name: "apply", Host: ApplyHost, Trust: Trusted,
		Purpose:     "Validate each plan as hostile input against the latest branch and apply it; run nobody's code.",
		Permissions: []Permission{{"contents", "write"}},
		Credentials: []Credential{{LedgerWrite, EnvToken, "${{ github.token }}"}},
		Needs:       []string{PlanHost},
		Condition:   "!cancelled() && contains(toJSON(needs." + PlanHost + ".outputs), 'true')",
		Environment: environment,
		Consumes:    []Artifact{{PlansArtifact, PlansPath}},
		Calls:       "compact.Apply",
	}
	for i, c := range compacted {
		n := strconv.Itoa(i)
		id, output := "plan_"+n, "planned_"+n
		plan.Steps = append(plan.Steps, Step{
			ID: id, Name: "Plan compaction of ledger " + c.Name, ContinueOnError: true,
			Arguments: []string{"plan", c.Name, PlanFile(i)},
			Condition: c.planCondition(),
		})
		plan.Outputs = append(plan.Outputs, Variable{output, "${{ steps." + id + ".outputs." + OutputPlanCreated + " }}"})
		apply.Steps = append(apply.Steps, Step{
			ID: "apply_" + n, Name: "Apply compaction of ledger " + c.Name,
			Arguments: []string{"apply", c.Name, PlanFile(i)},
			Condition: "!cancelled() && needs." + PlanHost + ".outputs." + output + " == 'true'",
		})
	}
	return []Job{plan, apply}, nil
}

// PlanFile is the plan file of the i-th ledger of the maintenance configuration.
func PlanFile(i int) string { return PlansPath + "/plan-" + strconv.Itoa(i) + ".json" }

// planCondition lets a scheduled run through unless the schedule is manual, and
// a requested one when it names this ledger or none.
func (c Config) planCondition() string {
	requested := "inputs.operation == '" + CompactOperation + "' && (inputs.ledger == '' || inputs.ledger == '" + c.Name + "')"
	if c.Compaction.Schedule == Manual {
		return requested
	}
	return "github.event_name == 'schedule' || (" + requested + ")"
}

// Requested reports whether a maintenance run that was started for the ledger
// named requested, or for all when it is empty, concerns this ledger. Names are
// compared exactly.
func (c Config) Requested(requested string) bool {
	return !c.Compaction.Disabled && (requested == "" || requested == c.Name)
}

// MaintenanceBase64 is [Configs.MaintenanceJSON] in the environment form, at
// most [MaxEncodedBytes] of it.
func (cs Configs) MaintenanceBase64() (string, error) {
	data, err := cs.MaintenanceJSON()
	if err != nil {
		return "", err
	}
	return encodeBase64(data)
}
