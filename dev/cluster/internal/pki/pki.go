// Package pki makes the certificates of a cluster. They live as long as a test cluster may, a year.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

const validity = 365 * 24 * time.Hour

// Pair is a certificate and its key, both PEM.
type Pair struct {
	Cert []byte
	Key  []byte
}

// Authority signs the certificates of a cluster.
type Authority struct {
	Pair
	cert *x509.Certificate
	key  crypto.Signer
}

// KeyKind is the kind of a certificate's key.
type KeyKind int

const (
	// ECDSA keys are made in a millisecond.
	ECDSA KeyKind = iota
	// RSA keys in the traditional encoding are the only ones that Java clients read from a kubeconfig.
	RSA
)

// Request describes a certificate. One with Hosts is for a server, one without for a client.
type Request struct {
	CommonName   string
	Organization string
	Hosts        []string
	Key          KeyKind
}

// NewAuthority makes a self-signed authority.
func NewAuthority(commonName string) (*Authority, error) {
	key, keyPEM, err := newKey(ECDSA)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(commonName, "")
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{Pair: Pair{Cert: encode("CERTIFICATE", der), Key: keyPEM}, cert: cert, key: key}, nil
}

// Issue signs a certificate.
func (a *Authority) Issue(r Request) (Pair, error) {
	key, keyPEM, err := newKey(r.Key)
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(r.CommonName, r.Organization)
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if len(r.Hosts) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, host := range r.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate for %s: %w", r.CommonName, err)
	}
	return Pair{Cert: encode("CERTIFICATE", der), Key: keyPEM}, nil
}

// SigningKey makes the key pair that signs service account tokens: public part in Cert, private in Key.
func SigningKey() (Pair, error) {
	key, keyPEM, err := newKey(RSA)
	if err != nil {
		return Pair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: encode("PUBLIC KEY", public), Key: keyPEM}, nil
}

func newTemplate(commonName, organization string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	subject := pkix.Name{CommonName: commonName}
	if organization != "" {
		subject.Organization = []string{organization}
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		// Clocks of the past, as after a suspended machine, must not refuse a fresh certificate.
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(validity),
	}, nil
}

func newKey(kind KeyKind) (crypto.Signer, []byte, error) {
	if kind == RSA {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return nil, nil, err
		}
		return key, encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, encode("EC PRIVATE KEY", der), nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
