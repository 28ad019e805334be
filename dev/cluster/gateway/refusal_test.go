//go:build integration

package gateway

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestABadRegexIsRefusedAlone(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	s.apply(route("bad", "bad.example.com", `{path: {type: RegularExpression, value: "/(a"}}`), route("good", "good.example.com", anyPath))
	s.answers("good.example.com", "/", http.StatusOK, 5*time.Second)
	if got := s.status(host, "/"); got != http.StatusOK {
		t.Errorf("%d from a route beside the bad one", got)
	}
	s.eventually("the bad route's status", 10*time.Second, func() (bool, string) {
		parents, _, _ := unstructured.NestedSlice(s.get("gateway.networking.k8s.io/v1", "HTTPRoute", "bad").Object, "status", "parents")
		if len(parents) != 1 {
			return false, fmt.Sprint(parents)
		}
		return condition(parents[0].(map[string]any), "Accepted", "conditions") == "False", fmt.Sprint(parents)
	})
}

// One that the operator sees through, and one that only HAProxy does: its signature is made with SHA-1.
func TestABadCertificateIsRefusedAlone(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"))
	s.apply(s.secured("steady"))
	s.greets(a, steady, 10*time.Second)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	plain, secure := s.startLoad(nil), s.startLoad(a.client(steady))

	torn := pair{a.good("torn.example.com").certificate, a.good("torn.example.com").key}
	s.apply(torn.secret("torn"), a.pair(x509.SHA1WithRSA, "weak.example.com").secret("weak"), a.good("late.example.com").secret("late"))
	s.apply(s.secured("steady", "torn", "weak", "late"))
	s.greets(a, "late.example.com", 10*time.Second)
	for name, want := range map[string]string{"torn": "not that of the certificate", "weak": "md too weak"} {
		s.eventually("the status of the listener "+name, 10*time.Second, func() (bool, string) {
			status, words := s.listener(name, "ResolvedRefs")
			return status == "False" && strings.HasPrefix(words, "InvalidCertificateRef: ") && strings.Contains(words, want), status + " " + words
		})
		if c, err := dial(s.address+":443", a.client(name+".example.com")); err == nil {
			_ = c.Close()
			t.Errorf("%s has a certificate all the same", name)
		}
	}
	for _, name := range []string{"steady", "late"} {
		if status, words := s.listener(name, "ResolvedRefs"); status != "True" {
			t.Errorf("the listener %s beside bad ones: %s %s", name, status, words)
		}
	}

	s.apply(a.good("torn.example.com").secret("torn"), a.good("weak.example.com").secret("weak"))
	for _, name := range []string{"torn", "weak"} {
		s.greets(a, name+".example.com", 5*time.Second)
		s.eventually("the mended status of the listener "+name, 10*time.Second, func() (bool, string) {
			status, words := s.listener(name, "ResolvedRefs")
			return status == "True", words
		})
	}
	plain.lostNothing("bad certificates, over HTTP")
	secure.lostNothing("bad certificates, over HTTPS")
}

// parametersWithVCL are of the user's VCL, which says a word in each answer.
const parametersWithVCL = `apiVersion: gateway.varnish-software.com/v1alpha1
kind: GatewayClassParameters
metadata: {name: MY-NAMESPACE}
spec:
  userVCLConfigMapRef: {name: user-vcl, namespace: MY-NAMESPACE}
`

func userVCL(text string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: user-vcl}\ndata: {user.vcl: %q}\n", text)
}

func saying(word string) string {
	return userVCL(`sub vcl_deliver { set resp.http.X-Word = "` + word + `"; }`)
}

// says waits for a word of the user's VCL.
func (s *site) says(word string, within time.Duration) {
	s.Helper()
	s.eventually("the word "+word, within, func() (bool, string) {
		c, err := dial(s.address+":80", nil)
		if err != nil {
			return false, err.Error()
		}
		defer c.Close()
		var got string
		_, err = c.exchange(steady, "/word", false, func(response *http.Response, _ []byte) error {
			got = response.Header.Get("X-Word")
			return nil
		})
		return got == word, fmt.Sprint(got, err)
	})
}

func (s *site) programmed() (status, words string) {
	s.Helper()
	return conditionOf(s.get("gateway.networking.k8s.io/v1", "Gateway", "edge").Object, "Programmed", "status", "conditions")
}

func TestABadUserVCLIsRefusedAlone(t *testing.T) {
	good := newSite(t, nil, parametersWithVCL, saying("good"), "steady.yaml")
	s := newSite(t, nil, parametersWithVCL, saying("first"), "steady.yaml")
	for _, one := range []*site{good, s} {
		one.apply(one.manifest("gateway.yaml") + parametersRef)
	}
	good.says("good", 10*time.Second)
	s.says("first", 10*time.Second)
	beside, own := good.startLoad(nil), s.startLoad(nil)

	for _, bad := range []struct{ text, words string }{
		{`sub vcl_deliver { set resp.http.X-Word = nonsense; }`, "nonsense"},
		{`sub vcl_deliver { set resp.http.X-Word = "no end";`, "line 1"},
	} {
		// As `git revert` does it: what is wanted again is what is live.
		s.apply(saying("first"))
		s.eventually("the status of what was taken back", 10*time.Second, func() (bool, string) {
			status, words := s.programmed()
			return status == "True", words
		})
		s.apply(userVCL(bad.text))
		s.eventually("the compiler's words", 10*time.Second, func() (bool, string) {
			status, words := s.programmed()
			place := strings.Contains(words, "/user-vcl, user.vcl, line 1")
			return status == "False" && strings.HasPrefix(words, "Invalid: ") && place && strings.Contains(words, bad.words), status + " " + words
		})
		s.says("first", time.Second)
	}
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 5*time.Second)
	good.apply(saying("better"))
	good.says("better", 5*time.Second)
	if status, words := good.programmed(); status != "True" {
		t.Errorf("the Gateway beside the one with the bad VCL: %s %s", status, words)
	}

	s.apply(saying("second"))
	s.says("second", 5*time.Second)
	s.eventually("the mended status", 10*time.Second, func() (bool, string) {
		status, words := s.programmed()
		return status == "True", words
	})
	own.lostNothing("bad VCL")
	beside.lostNothing("bad VCL in another Gateway")
}
