// Package promql holds the chart's alerts and dashboards to Prometheus' own parser. That their metrics exist is the tests' of those who
// expose them: MetricsTest of the operator, ChaperoneTest of the chaperone.
package promql
