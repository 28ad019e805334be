package promql

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const chart = "../shellac"

func TestEveryAlertIsARuleThatTellsAPersonWhatToDo(t *testing.T) {
	groups, errs := rulefmt.ParseFile(filepath.Join(chart, "alerts.yaml"), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	alerts := 0
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			alerts++
			for _, word := range []string{"summary", "description"} {
				if rule.Annotations[word] == "" {
					t.Errorf("%s has no %s", rule.Alert, word)
				}
			}
			if rule.Labels["severity"] == "" {
				t.Errorf("%s has no severity", rule.Alert)
			}
		}
	}
	if alerts == 0 {
		t.Error("there is no alert")
	}
}

func TestEveryPanelAsksWhatPrometheusUnderstands(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(chart, "dashboards", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no dashboards", err)
	}
	// What Grafana puts in before it asks.
	filled := strings.NewReplacer("$__rate_interval", "5m", "$namespace", ".+", "$pod", ".+")
	expressions := parser.NewParser(parser.Options{})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dashboard any
		if err := json.Unmarshal(text, &dashboard); err != nil {
			t.Fatal(file, err)
		}
		found := queries(dashboard)
		if len(found) == 0 {
			t.Errorf("%s asks nothing", file)
		}
		for _, query := range found {
			if _, err := expressions.ParseExpr(filled.Replace(query)); err != nil {
				t.Errorf("%s: %s: %v", file, query, err)
			}
		}
	}
}

// queries finds the expressions of panels, however deep they are.
func queries(node any) []string {
	var found []string
	switch value := node.(type) {
	case map[string]any:
		if query, isText := value["expr"].(string); isText {
			found = append(found, query)
		}
		for _, child := range value {
			found = append(found, queries(child)...)
		}
	case []any:
		for _, child := range value {
			found = append(found, queries(child)...)
		}
	}
	return found
}
