package gitbranch

import (
	"context"
	"encoding/base64"
)

// A Credential gives the value of the Authorization header. It is called for
// each request, so that it can renew a token. It MUST honour its context. Its
// error is reported as shard.ErrUnauthorized, without its text.
type Credential func(ctx context.Context) (header string, err error)

// Token is the Credential for an access token as GitHub, and most servers,
// take it for Git over HTTP: basic authentication with the token as password.
func Token(token string) Credential {
	header := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	return func(context.Context) (string, error) { return header, nil }
}

// Bearer is the Credential for a server that takes bearer tokens.
func Bearer(token string) Credential {
	return func(context.Context) (string, error) { return "Bearer " + token, nil }
}
