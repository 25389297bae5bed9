// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Target is one query of a panel, an annotation or a variable.
type Target struct {
	Page, Where string // uid of the dashboard; title of the panel, or name of the annotation or variable
	Kind        string // the panel's type; "annotation" or "variable"
	Plugin      string // type of the data source
	Ref         string
	Expr        string // PromQL, when it is one
	Legend      string
	Format      int
	SQL         string
	Raw         json.RawMessage
}

type source struct {
	Type string `json:"type"`
}

type query struct {
	RefID        string `json:"refId"`
	Datasource   source `json:"datasource"`
	RawSQL       string `json:"rawSql"`
	Expr         string `json:"expr"`
	LegendFormat string `json:"legendFormat"`
	Format       any    `json:"format"`
	Query        string `json:"query"` // of a variable of VictoriaMetrics
}

type panel struct {
	Title   string            `json:"title"`
	Type    string            `json:"type"`
	Targets []json.RawMessage `json:"targets"`
	Panels  []panel           `json:"panels"` // of a folded row
}

// unfolded are the panels, and after a folded row those in it.
func unfolded(panels []panel) []panel {
	all := make([]panel, 0, len(panels))
	for _, each := range panels {
		all = append(append(all, each), each.Panels...)
	}
	return all
}

type page struct {
	UID         string  `json:"uid"`
	Panels      []panel `json:"panels"`
	Annotations struct {
		List []struct {
			Name   string          `json:"name"`
			Target json.RawMessage `json:"target"`
		} `json:"list"`
	} `json:"annotations"`
	Templating struct {
		List []struct {
			Name       string          `json:"name"`
			Type       string          `json:"type"`
			Datasource source          `json:"datasource"`
			Query      json.RawMessage `json:"query"`
			Current    struct {
				Value any `json:"value"`
			} `json:"current"`
		} `json:"list"`
	} `json:"templating"`
}

// Page is one committed dashboard: everything it asks, and the values of its fixed choices.
type Page struct {
	UID     string
	Targets []Target
	Choices Variables
}

// Pages reads every dashboard below folder.
func Pages(folder string) ([]Page, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no dashboards in %s: %w", folder, err)
	}
	pages := make([]Page, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			return nil, err
		}
		read, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		pages = append(pages, read)
	}
	return pages, nil
}

func parse(text []byte) (Page, error) {
	var raw page
	if err := json.Unmarshal(text, &raw); err != nil {
		return Page{}, err
	}
	found := Page{UID: raw.UID, Choices: Variables{}}
	add := func(where, kind string, text json.RawMessage) error {
		target, err := target(text)
		target.Page, target.Where, target.Kind = raw.UID, where, kind
		found.Targets = append(found.Targets, target)
		return err
	}
	for _, each := range unfolded(raw.Panels) {
		for _, text := range each.Targets {
			if err := add(each.Title, each.Type, text); err != nil {
				return Page{}, fmt.Errorf("panel %s: %w", each.Title, err)
			}
		}
	}
	for _, annotation := range raw.Annotations.List {
		if len(annotation.Target) > 0 {
			if err := add(annotation.Name, "annotation", annotation.Target); err != nil {
				return Page{}, fmt.Errorf("annotation %s: %w", annotation.Name, err)
			}
		}
	}
	for _, variable := range raw.Templating.List {
		if value, ok := variable.Current.Value.(string); ok && variable.Type == "custom" {
			found.Choices[variable.Name] = []string{value}
		}
		if variable.Type == "query" {
			if err := add(variable.Name, "variable", variable.Query); err != nil {
				return Page{}, fmt.Errorf("variable %s: %w", variable.Name, err)
			}
			found.Targets[len(found.Targets)-1].Plugin = variable.Datasource.Type
		}
	}
	return found, nil
}

func target(text json.RawMessage) (Target, error) {
	var q query
	if err := json.Unmarshal(text, &q); err != nil {
		return Target{}, err
	}
	format, _ := q.Format.(float64)
	expr := q.Expr
	if expr == "" {
		expr = q.Query
	}
	return Target{
		Ref: q.RefID, Plugin: q.Datasource.Type, SQL: q.RawSQL, Expr: expr, Legend: q.LegendFormat,
		Format: int(format), Raw: text,
	}, nil
}
