package arrival

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server answers with the statuses in turn, and with the last one from then on.
func server(t *testing.T, statuses ...int) *Poller {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "r1.example.com" {
			t.Errorf("asked for %s", r.Host)
		}
		w.WriteHeader(statuses[min(int(asked.Add(1))-1, len(statuses)-1)])
	}))
	t.Cleanup(s.Close)
	return NewPoller(strings.TrimPrefix(s.URL, "http://"))
}

func nothing(context.Context) error { return nil }

func TestAnAnswerThatIsNeither404Nor200IsCounted(t *testing.T) {
	others := map[string]int{}
	took, err := server(t, 404, 503, 500, 404, 503, 200).Arrive(t.Context(), "r1.example.com", others, nothing)
	if err != nil || took <= 0 {
		t.Errorf("%s, %v", took, err)
	}
	if others["503"] != 2 || others["500"] != 1 || len(others) != 2 {
		t.Errorf("%v", others)
	}
}

func TestARouteThatCannotBeCreatedOrNeverComesIsAFailure(t *testing.T) {
	refuse := func(context.Context) error { return errors.New("refused") }
	if _, err := server(t, 404).Arrive(t.Context(), "r1.example.com", map[string]int{}, refuse); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("want the refusal, got %v", err)
	}
	ctx, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if _, err := server(t, 404).Arrive(ctx, "r1.example.com", map[string]int{}, nothing); err == nil || !strings.Contains(err.Error(), "no 200") {
		t.Errorf("want a failure, got %v", err)
	}
}

func TestASummaryHasTheRankThatItNames(t *testing.T) {
	var took []time.Duration
	for i := 100; i >= 1; i-- {
		took = append(took, time.Duration(i)*time.Millisecond)
	}
	got := Summary(took, nil)
	if got.Routes != 100 || got.P50 != 50 || got.P99 != 99 || got.Most != 100 {
		t.Errorf("%+v", got)
	}
}
