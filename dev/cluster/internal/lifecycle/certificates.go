package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/pki"
)

// writeCertificates makes the cluster's certificates, and a kubeconfig for each who talks to the API server.
func writeCertificates(c layout.Cluster, nodes int) error {
	ca, err := pki.NewAuthority("shellac-" + c.Name)
	if err != nil {
		return err
	}
	frontProxyCA, err := pki.NewAuthority("shellac-" + c.Name + "-front-proxy")
	if err != nil {
		return err
	}
	serviceAccount, err := pki.SigningKey()
	if err != nil {
		return err
	}
	pairs := map[string]pki.Pair{"ca": ca.Pair, "front-proxy-ca": frontProxyCA.Pair, "service-account": serviceAccount}
	for _, want := range []struct {
		name      string
		authority *pki.Authority
		request   pki.Request
	}{
		{"apiserver", ca, pki.Request{CommonName: "kube-apiserver", Hosts: []string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + layout.Domain,
			"localhost", "127.0.0.1", layout.APIServiceIP, c.Node(1).IP(),
		}}},
		{"apiserver-kubelet", ca, pki.Request{CommonName: "kube-apiserver", Organization: "system:masters"}},
		{"front-proxy", frontProxyCA, pki.Request{CommonName: "front-proxy"}},
	} {
		if pairs[want.name], err = want.authority.Issue(want.request); err != nil {
			return err
		}
	}
	for name, pair := range pairs {
		if err := writePair(filepath.Join(c.PKI(), name), pair); err != nil {
			return err
		}
	}
	return writeKubeconfigs(c, nodes, ca)
}

func writePair(path string, pair pki.Pair) error {
	if err := writeFile(path+".crt", pair.Cert, 0o644); err != nil {
		return err
	}
	return writeFile(path+".key", pair.Key, 0o600)
}

func writeKubeconfigs(c layout.Cluster, nodes int, ca *pki.Authority) error {
	// Pods that ask for the node's own name servers get none: there is no network beyond the cluster.
	if err := writeFile(filepath.Join(c.Config(), "resolv.conf"), nil, 0o644); err != nil {
		return err
	}
	users := map[string]pki.Request{
		"admin":                   {CommonName: "admin", Organization: "system:masters", Key: pki.RSA},
		"kube-controller-manager": {CommonName: "system:kube-controller-manager"},
		"kube-scheduler":          {CommonName: "system:kube-scheduler"},
		"kube-proxy":              {CommonName: "system:kube-proxy"},
		"loadbalancer":            {CommonName: "shellac-loadbalancer"},
	}
	for i := 1; i <= nodes; i++ {
		name := c.Node(i).Name()
		users["kubelet-"+name] = pki.Request{CommonName: "system:node:" + name, Organization: "system:nodes"}
	}
	server := fmt.Sprintf("https://%s:6443", c.Node(1).IP())
	for user, request := range users {
		pair, err := ca.Issue(request)
		if err != nil {
			return err
		}
		text, err := kubeconfig(c.Name, user, server, ca.Cert, pair)
		if err != nil {
			return err
		}
		if err := writeFile(c.Kubeconfig(user), text, os.FileMode(0o600)); err != nil {
			return err
		}
	}
	return nil
}

// kubeconfig is the file format of clients, with the certificates in it.
func kubeconfig(cluster, user, server string, ca []byte, pair pki.Pair) ([]byte, error) {
	type object = map[string]any
	return yaml.Marshal(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": cluster,
		"clusters":        []object{{"name": cluster, "cluster": object{"server": server, "certificate-authority-data": ca}}},
		"users":           []object{{"name": user, "user": object{"client-certificate-data": pair.Cert, "client-key-data": pair.Key}}},
		"contexts":        []object{{"name": cluster, "context": object{"cluster": cluster, "user": user}}},
	})
}
