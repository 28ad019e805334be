package layout

import "testing"

func TestNamesThatWouldBreakPathsOrHostNamesAreRefused(t *testing.T) {
	for _, name := range []string{"", "-a", "1a", "A", "a/b", "../a", "a.b", "a b", "abcdefghijklmnopqrstu"} {
		if _, err := Named(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	for _, name := range []string{"a", "dev", "ci-2", "abcdefghijklmnopqrst"} {
		if _, err := Named(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSocketPathsFitIntoAnAddress(t *testing.T) {
	longest, err := Named("abcdefghijklmnopqrst")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{longest.Node(MaxNodes).Control(), longest.Node(MaxNodes).Containerd()} {
		if len(path) > 107 {
			t.Errorf("%s is too long for a Unix socket", path)
		}
	}
}
