//go:build integration || faults || hostile

package gateway

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// authority signs certificates.
type authority struct {
	*testing.T
	certificate *x509.Certificate
	key         *rsa.PrivateKey
	serial      int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// pair is a certificate and a key, as a Secret holds them.
type pair struct{ certificate, key []byte }

func (a *authority) pair(algorithm x509.SignatureAlgorithm, host string) pair {
	a.Helper()
	a.serial++
	key := newKey(a.T)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), SignatureAlgorithm: algorithm,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, crypto.PublicKey(&key.PublicKey), a.key)
	if err != nil {
		a.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}
}

func (a *authority) good(host string) pair { return a.pair(x509.SHA256WithRSA, host) }

func (p pair) secret(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: %s}\ndata: {tls.crt: %s, tls.key: %s}\n",
		name, base64.StdEncoding.EncodeToString(p.certificate), base64.StdEncoding.EncodeToString(p.key))
}

// client is what a client of a host trusts and asks for.
func (a *authority) client(host string) *tls.Config {
	trusted := x509.NewCertPool()
	trusted.AddCert(a.certificate)
	return &tls.Config{RootCAs: trusted, ServerName: host}
}

// secured is the Gateway of gateway.yaml with a listener of HTTPS for each name; its host is NAME.example.com, its certificate the
// Secret of that name.
func (s *site) secured(names ...string) string {
	text := strings.TrimSuffix(s.manifest("gateway.yaml"), "\n") + "\n"
	for _, name := range names {
		text += fmt.Sprintf("  - {name: %s, hostname: %s.example.com, protocol: HTTPS, port: 443, tls: {certificateRefs: [{name: %s}]}}\n", name, name, name)
	}
	return text
}

// greets waits until a host is served over TLS with the certificate of the authority.
func (s *site) greets(a *authority, host string, within time.Duration) {
	s.Helper()
	s.eventually("TLS for "+host, within, func() (bool, string) {
		c, err := dial(s.address+":443", a.client(host))
		if err != nil {
			return false, err.Error()
		}
		return c.Close() == nil, ""
	})
}

// listener is a condition of a listener of the Gateway: its status and its words.
func (s *site) listener(name, kind string) (status, words string) {
	s.Helper()
	listeners, _, _ := unstructured.NestedSlice(s.get("gateway.networking.k8s.io/v1", "Gateway", "edge").Object, "status", "listeners")
	for _, entry := range listeners {
		if found, ok := entry.(map[string]any); ok && found["name"] == name {
			return conditionOf(found, kind, "conditions")
		}
	}
	return "", "no such listener"
}
