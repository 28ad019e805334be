package usage

import (
	"os"
	"testing"
	"time"
)

func TestAProcessHasComputedAndHoldsMemory(t *testing.T) {
	self := Process{PID: os.Getpid()}
	before, err := self.CPU()
	if err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
	}
	after, err := self.CPU()
	if err != nil || after <= before {
		t.Errorf("from %s to %s, %v", before, after, err)
	}
	if age, err := self.Age(); err != nil || age < 0 || age > time.Hour {
		t.Errorf("%s old, %v", age, err)
	}
	if pss, err := self.PSS(); err != nil || pss < 1<<20 || pss > 1<<30 {
		t.Errorf("%d bytes, %v", pss, err)
	}
}

func TestWhatIsNoContainerIsRefused(t *testing.T) {
	if _, err := Of("something"); err == nil {
		t.Error("taken")
	}
}
