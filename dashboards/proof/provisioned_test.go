// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"go.yaml.in/yaml/v3"
)

type sources struct {
	Datasources []struct {
		UID            string            `yaml:"uid"`
		Name           string            `yaml:"name"`
		Type           string            `yaml:"type"`
		JSONData       map[string]any    `yaml:"jsonData"`
		SecureJSONData map[string]string `yaml:"secureJsonData"`
	} `yaml:"datasources"`
}

// Provisioned gives the settings of one data source of a provisioning file, its texts filled in from an environment
// as Grafana does: each text separately, after the file was read. Errors name what is missing in the environment.
func Provisioned(file, uid string, environment map[string]string) (backend.DataSourceInstanceSettings, error) {
	none := backend.DataSourceInstanceSettings{}
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return none, err
	}
	var read sources
	if err := yaml.Unmarshal(text, &read); err != nil {
		return none, fmt.Errorf("%s: %w", file, err)
	}
	var missing []string
	fill := func(text string) string {
		return os.Expand(text, func(name string) string {
			value, ok := environment[name]
			if !ok {
				missing = append(missing, name)
			}
			return value
		})
	}
	for _, source := range read.Datasources {
		if source.UID != uid {
			continue
		}
		secrets := map[string]string{}
		for name, value := range source.SecureJSONData {
			secrets[name] = fill(value)
		}
		for name, value := range source.JSONData {
			if text, ok := value.(string); ok {
				source.JSONData[name] = fill(text)
			}
		}
		if len(missing) > 0 {
			return none, fmt.Errorf("%s: missing in the environment: %s", file, strings.Join(missing, ", "))
		}
		settings, err := json.Marshal(source.JSONData)
		return backend.DataSourceInstanceSettings{
			UID: source.UID, Name: source.Name, Type: source.Type,
			JSONData: settings, DecryptedSecureJSONData: secrets,
		}, err
	}
	return none, fmt.Errorf("%s: no data source %s", file, uid)
}
