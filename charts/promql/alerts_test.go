package promql

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Whether an alert fires after twenty minutes with a sample each minute, between two samples: increase() extrapolates.
func TestOneRestartOfVarnishdIsAnAlert(t *testing.T) {
	cases := map[string]struct {
		samples []float64
		fires   bool
	}{
		"started once, before the first sample": {times(21, 1), false},
		"started once, after the first sample":  {slices.Concat(times(10, 0), times(11, 1)), false},
		"restarted once":                        {slices.Concat(times(15, 1), times(6, 2)), true},
		"restarted twice":                       {slices.Concat(times(10, 1), times(6, 2), times(5, 3)), true},
		"restarted long ago":                    {slices.Concat(times(1, 1), times(20, 2)), false},
		"the container restarted":               {slices.Concat(times(1, 2), times(9, 2), times(11, 1)), false},
	}
	expr := expression(t, "ShellacVarnishdRestarted")
	for name, one := range cases {
		t.Run(name, func(t *testing.T) {
			if fires(t, expr, "chaperone_varnishd_starts_total", one.samples) != one.fires {
				t.Errorf("with %v it fires: %v", one.samples, !one.fires)
			}
		})
	}
}

func times(count int, value float64) []float64 {
	return slices.Repeat([]float64{value}, count)
}

func fires(t *testing.T, expr, metric string, values []float64) bool {
	var samples []chunks.Sample
	for i, value := range values {
		samples = append(samples, sample{at: int64(i) * time.Minute.Milliseconds(), value: value})
	}
	series := storage.NewListSeries(labels.FromStrings("__name__", metric, "pod", "web"), samples)
	querier := &storage.MockQuerier{SelectMockFunction: func(bool, *storage.SelectHints, ...*labels.Matcher) storage.SeriesSet {
		return &oneSeries{series: series}
	}}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{})})
	query, err := engine.NewInstantQuery(t.Context(), &storage.MockQueryable{MockQuerier: querier}, nil, expr, time.UnixMilli(samples[len(samples)-1].T()).Add(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	vector, err := query.Exec(context.WithoutCancel(t.Context())).Vector()
	if err != nil {
		t.Fatal(err)
	}
	return len(vector) > 0
}

type sample struct {
	at    int64
	value float64
}

func (s sample) ST() int64                     { return 0 }
func (s sample) T() int64                      { return s.at }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

type oneSeries struct {
	series storage.Series
	told   bool
}

func (s *oneSeries) Next() bool {
	next := !s.told
	s.told = true
	return next
}

func (s *oneSeries) At() storage.Series                { return s.series }
func (s *oneSeries) Err() error                        { return nil }
func (s *oneSeries) Warnings() annotations.Annotations { return nil }

func expression(t *testing.T, alert string) string {
	groups, errs := rulefmt.ParseFile(filepath.Join(chart, "alerts.yaml"), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Fatal(err)
	}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == alert {
				return rule.Expr
			}
		}
	}
	t.Fatalf("there is no alert %s", alert)
	return ""
}
