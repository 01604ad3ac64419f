// Renders a Helm chart with values from standard input (YAML), decodes each document strictly as the Kubernetes type that it names, and prints
// the objects as JSON. Usage: chart-check FOLDER < values.yaml
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	objects, err := render(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(objects); err != nil {
		panic(err)
	}
}

func render(folder string) ([]runtime.Object, error) {
	chart, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	if err := chart.Validate(); err != nil {
		return nil, err
	}
	given, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	values, err := chartutil.ReadValues(given)
	if err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: "prod", Namespace: "agents", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	strict := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kjson.SerializerOptions{Yaml: true, Strict: true})
	var objects []runtime.Object
	for _, name := range names {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split(files[name], "\n---") {
			if strings.TrimSpace(strings.TrimPrefix(document, "---")) == "" {
				continue
			}
			object, _, err := strict.Decode([]byte(document), nil, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, document)
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
}
