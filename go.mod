module github.com/gitledger/gitledger

go 1.26.0

require (
	github.com/gofrs/uuid/v5 v5.5.1
	github.com/libgit2/git2go/v34 v34.0.0
	github.com/mattn/go-sqlite3 v1.14.53
	github.com/xeipuuv/gojsonschema v1.2.0
	golang.org/x/sys v0.50.0
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	golang.org/x/crypto v0.0.0-20201203163018-be400aefbc4c // indirect
)
