package actions

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitledger/gitledger/ledger"
)

// Ledgers is the setting that has the ledgers of a run.
func Ledgers() Setting {
	return Setting{Variable: ledger.EnvConfig, Flag: "config", About: "the `ledgers`, in base64"}
}

// MaintainedLedgers is the setting that has the ledgers of a maintenance run.
func MaintainedLedgers() Setting {
	return Setting{Variable: ledger.EnvMaintenance, Flag: "config", About: "the `ledgers` with their compaction, in base64"}
}

// Configs reads the ledgers of a run, or with compaction of the maintenance run,
// from the environment as the runtime hands them over.
func (c *Call) Configs(variable string) (ledger.Configs, error) {
	encoded := c.Setting(variable, "")
	if encoded == "" {
		instead, how := "", "-base64 with the workflow file"
		if c.given[variable] != nil {
			instead = ", and -config is not given"
		}
		if variable == ledger.EnvMaintenance {
			how = "-maintenance -base64 with the workflow files"
		}
		return nil, Usage("the environment variable " + variable + " is not set" + instead + ": it has the ledgers in base64, as examples/jobs " + how + " prints them")
	}
	return ledger.ParseBase64(encoded)
}

// Config picks one of the ledgers.
func Config(configs ledger.Configs, name string) (ledger.Config, error) {
	if cfg, ok := configs.Lookup(name); ok {
		return cfg, nil
	}
	names := make([]string, len(configs))
	for i, cfg := range configs {
		names[i] = cfg.Name
	}
	return ledger.Config{}, Usage("the configuration has no ledger of that name; it has " + strings.Join(names, ", "))
}

// Remote returns the URL of the repository and the token for it: flag, else the
// repository that the workflow runs in.
func (c *Call) Remote(flag string) (url, token string, err error) {
	token = c.Getenv(ledger.EnvToken)
	if flag != "" {
		return flag, token, nil
	}
	server, repository := c.Getenv("GITHUB_SERVER_URL"), c.Getenv("GITHUB_REPOSITORY")
	if server == "" || repository == "" {
		return "", "", Usage("no repository: use -repo, or set GITHUB_SERVER_URL and GITHUB_REPOSITORY")
	}
	return strings.TrimSuffix(server, "/") + "/" + repository + ".git", token, nil
}

// Maintenance returns the ledger and the plan's file of a maintenance job: its
// arguments, else the one ledger that can be compacted and the file that the
// environment names.
func (c *Call) Maintenance() (cfg ledger.Config, path string, err error) {
	configs, err := c.Configs(ledger.EnvMaintenance)
	if err != nil {
		return cfg, "", err
	}
	args, err := c.Args("LEDGER", "PLAN")
	if err != nil {
		return cfg, "", err
	}
	if args != nil {
		cfg, err = Config(configs, args[0])
		return cfg, args[1], err
	}
	enabled := configs.Compacted()
	if len(enabled) != 1 {
		return cfg, "", Usage("several ledgers can be compacted, or none: give the arguments LEDGER PLAN")
	}
	return enabled[0], c.Setting(ledger.EnvPlanFile, ledger.PlanFile(0)), nil
}

// Declaration returns one ledger of a workflow file, or when there is none of the
// environment. Its name may be left out when only one is declared.
func (c *Call) Declaration(file, name string) (ledger.Config, error) {
	var configs ledger.Configs
	var err error
	if file == "" {
		configs, err = c.Configs(ledger.EnvConfig)
	} else {
		var text []byte
		if text, err = os.ReadFile(file); err != nil {
			return ledger.Config{}, Usage("the file of the declaration cannot be read")
		}
		configs, err = ledger.ParseYAML(text)
	}
	switch {
	case err != nil:
		return ledger.Config{}, err
	case name == "" && len(configs) == 1:
		return configs[0], nil
	case name == "":
		return ledger.Config{}, Usage("name a ledger with -ledger")
	}
	return Config(configs, name)
}

// Folder makes the folder of a file that is to be written.
func Folder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return errors.New("the folder of the file to write cannot be made")
	}
	return nil
}
