//go:build integration

package gateway

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"
)

const secureHost = "secure.example.com"

// keyPair is a Secret with a certificate of the host, told from others by its subject.
func keyPair(t *testing.T, subject string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: subject},
		DNSNames:     []string{secureHost},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(90 * 24 * time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, bytes []byte) string {
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: secure}\ntype: kubernetes.io/tls\ndata:\n  tls.crt: %s\n  tls.key: %s\n",
		text("CERTIFICATE", certificate), text("PRIVATE KEY", private))
}

// shown is the subject of the certificate that a new client sees; empty if it gets none.
func (s *site) shown() string {
	dialer := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: time.Second},
		Config:    &tls.Config{ServerName: secureHost, InsecureSkipVerify: true}, // it signs itself
	}
	connection, err := dialer.DialContext(s.Context(), "tcp", net.JoinHostPort(s.address, "443"))
	if err != nil {
		return ""
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
}

// A client that keeps its connection, and how it went.
type keeper struct {
	client      *http.Client
	mutex       sync.Mutex
	asked       int
	connections int
	failures    []string
}

func (s *site) keeper() *keeper {
	return &keeper{client: &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{
		MaxConnsPerHost: 1,
		TLSClientConfig: &tls.Config{ServerName: secureHost, InsecureSkipVerify: true},
	}}}
}

func (k *keeper) ask(url string) {
	request, _ := http.NewRequest(http.MethodGet, url, nil)
	request.Host = secureHost
	k.mutex.Lock()
	defer k.mutex.Unlock()
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if !info.Reused {
			k.connections++
		}
	}}
	response, err := k.client.Do(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	k.asked++
	if err != nil {
		k.failures = append(k.failures, err.Error())
		return
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		k.failures = append(k.failures, fmt.Sprint(response.StatusCode, err))
	}
}

func TestACertificateRotatesWithinSecondsAndNoRequestIsLost(t *testing.T) {
	s := newSite(t, nil, keyPair(t, "first"), "secure.yaml")
	s.eventually("the first certificate", 30*time.Second, func() (bool, string) { got := s.shown(); return got == "first", got })
	url := "https://" + net.JoinHostPort(s.address, "443") + "/"
	client := s.keeper()
	s.eventually("an answer over TLS", 10*time.Second, func() (bool, string) {
		client = s.keeper()
		client.ask(url)
		return len(client.failures) == 0, fmt.Sprint(client.failures)
	})
	stop := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				client.ask(url)
			}
		}
	})
	for _, next := range []string{"second", "third"} {
		s.apply(keyPair(t, next))
		changed := time.Now()
		s.eventually("the "+next+" certificate", 5*time.Second, func() (bool, string) { got := s.shown(); return got == next, got })
		t.Logf("measured: a changed Secret was shown to clients after %d ms", time.Since(changed).Milliseconds())
	}
	time.Sleep(time.Second)
	close(stop)
	asking.Wait()
	// A connection that is kept is told to end with an answer, once for each certificate.
	if len(client.failures) > 0 || client.connections > 3 {
		t.Errorf("of %d requests these failed, on %d connections: %v", client.asked, client.connections, client.failures)
	}
}
