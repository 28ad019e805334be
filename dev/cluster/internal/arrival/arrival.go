// Package arrival measures how long a route takes from its creation to its first answer.
package arrival

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// Pace is how often is asked.
const Pace = time.Millisecond

// Report is what was seen.
type Report struct {
	Routes int            `json:"routes"`
	P50    float64        `json:"p50_ms"`
	P99    float64        `json:"p99_ms"`
	Most   float64        `json:"most_ms"`
	Others map[string]int `json:"others"`
}

// Poller asks one address on one kept connection.
type Poller struct {
	client *http.Client
	target string
}

// NewPoller asks at an address, as 172.30.1.1:80.
func NewPoller(target string) *Poller {
	return &Poller{
		target: target,
		client: &http.Client{
			Timeout: 5 * time.Second,
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
				MaxIdleConnsPerHost: 1,
				DisableCompression:  true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Ask is the status that a host answers with.
func (p *Poller) Ask(ctx context.Context, host string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.target+"/", nil)
	if err != nil {
		return 0, err
	}
	request.Host = host
	response, err := p.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// Arrive creates something and asks each millisecond until its host answers 200. Answers other than 404 before that, and failures, are
// counted in others.
func (p *Poller) Arrive(ctx context.Context, host string, others map[string]int, create func(context.Context) error) (time.Duration, error) {
	start := time.Now()
	created := make(chan error, 1)
	go func() { created <- create(ctx) }()
	next := start
	for {
		status, err := p.Ask(ctx, host)
		switch {
		case ctx.Err() != nil:
			return 0, fmt.Errorf("%s: no 200 within %s", host, time.Since(start).Round(time.Millisecond))
		case err != nil:
			others["failed"]++
		case status == http.StatusOK:
			took := time.Since(start)
			return took, <-created
		case status != http.StatusNotFound:
			others[fmt.Sprint(status)]++
		}
		select {
		case err := <-created:
			if err != nil {
				return 0, fmt.Errorf("%s: %w", host, err)
			}
			created <- nil
		default:
		}
		next = next.Add(Pace)
		if now := time.Now(); next.Before(now) {
			next = now
		}
		time.Sleep(time.Until(next))
	}
}

// Summary sums durations up.
func Summary(took []time.Duration, others map[string]int) Report {
	sorted := slices.Sorted(slices.Values(took))
	at := func(share float64) float64 {
		if len(sorted) == 0 {
			return 0
		}
		index := int(share*float64(len(sorted))+0.999999) - 1
		return float64(sorted[max(0, min(index, len(sorted)-1))].Microseconds()) / 1000
	}
	return Report{Routes: len(sorted), P50: at(0.5), P99: at(0.99), Most: at(1), Others: others}
}
