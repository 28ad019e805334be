package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestCertificatesServeTheirPurposeAndNoOther(t *testing.T) {
	ca, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	server, err := ca.Issue(Request{CommonName: "server", Hosts: []string{"kubernetes", "10.96.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := ca.Issue(Request{CommonName: "system:node:a", Organization: "system:nodes", Key: RSA})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.Cert)
	for name, want := range map[string]bool{"kubernetes": true, "10.96.0.1": true, "other": false} {
		_, err := leaf(t, server).Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
		if (err == nil) != want {
			t.Errorf("as %s: %v", name, err)
		}
	}
	asClient := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := leaf(t, client).Verify(asClient); err != nil {
		t.Error(err)
	}
	if _, err := leaf(t, server).Verify(asClient); err == nil {
		t.Error("the server's certificate passes for a client's")
	}
	if subject := leaf(t, client).Subject; subject.CommonName != "system:node:a" || subject.Organization[0] != "system:nodes" {
		t.Errorf("Kubernetes reads user and group from the subject, which is %s", subject)
	}
	if !bytes.HasPrefix(client.Key, []byte("-----BEGIN RSA PRIVATE KEY-----")) {
		t.Error("Java clients cannot read this key")
	}
}

func leaf(t *testing.T, pair Pair) *x509.Certificate {
	t.Helper()
	loaded, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(loaded.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
