// A runtime extension of Cluster API with nothing but Go's standard library: what krmkit calls that krmkit did not write.
//
// It sets spec.template.spec.mirror of the development provider's cluster template to the variable registryMirror.
// Flags: -cert and -key (PEM) to serve HTTPS with, -client-ca for clients that it lets in. The first line on stdout is the port.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

const (
	api   = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
	base  = "/" + api + "/"
	limit = 20 << 20
	name  = "registryMirror"
)

type object = map[string]any

type variable struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

type item struct {
	UID    string `json:"uid"`
	Object object `json:"object"`
}

type request struct {
	Variables []variable `json:"variables"`
	Items     []item     `json:"items"`
}

type patch struct {
	UID       string `json:"uid"`
	PatchType string `json:"patchType"`
	Patch     []byte `json:"patch"` // base64 on the wire
}

func response(hook string, fields object) object {
	found := object{"apiVersion": api, "kind": hook + "Response", "status": "Success"}
	for key, value := range fields {
		found[key] = value
	}
	return found
}

func failure(hook, message string) object {
	return response(hook, object{"status": "Failure", "message": message})
}

// mirror is the variable's value, "" where it is not set.
func mirror(asked request) (string, error) {
	for _, one := range asked.Variables {
		if one.Name == name {
			var value string
			if err := json.Unmarshal(one.Value, &value); err != nil {
				return "", fmt.Errorf("variable %s must be a string", name)
			}
			return value, nil
		}
	}
	return "", nil
}

// spec is spec.template.spec of the templates that the extension knows, nil for all others.
func spec(template object) object {
	if template["apiVersion"] != "infrastructure.cluster.x-k8s.io/v1beta2" || template["kind"] != "HouseClusterTemplate" {
		return nil
	}
	inner := template
	for _, key := range []string{"spec", "template", "spec"} {
		next, isMap := inner[key].(object)
		if !isMap {
			return nil
		}
		inner = next
	}
	return inner
}

func generate(asked request) object {
	value, err := mirror(asked)
	if err != nil {
		return failure("GeneratePatches", err.Error())
	}
	items := []patch{}
	for _, one := range asked.Items {
		found := spec(one.Object)
		if value == "" || found == nil || found["mirror"] == value {
			continue
		}
		text, _ := json.Marshal([]object{{"op": "add", "path": "/spec/template/spec/mirror", "value": value}})
		items = append(items, patch{one.UID, "JSONPatch", text})
	}
	return response("GeneratePatches", object{"items": items})
}

func validate(asked request) object {
	value, err := mirror(asked)
	if err != nil {
		return failure("ValidateTopology", err.Error())
	}
	if strings.Contains(value, "://") {
		return failure("ValidateTopology", name+" must be a host without a scheme")
	}
	return response("ValidateTopology", nil)
}

func discover(request) object {
	schema := object{"openAPIV3Schema": object{"type": "string", "description": "The registry that machines pull from."}}
	return response("DiscoverVariables", object{"variables": []object{{"name": name, "schema": schema}}})
}

func discovery(request) object {
	handlers := []object{}
	for _, one := range [][2]string{
		{"generate-patches-go-mirror", "GeneratePatches"},
		{"validate-topology-go-mirror", "ValidateTopology"},
		{"discover-variables-go-mirror", "DiscoverVariables"},
	} {
		hook := object{"apiVersion": api, "hook": one[1]}
		handlers = append(handlers, object{"name": one[0], "requestHook": hook, "timeoutSeconds": 10, "failurePolicy": "Fail"})
	}
	return response("Discovery", object{"handlers": handlers})
}

func serve(hook string, answer func(request) object) http.HandlerFunc {
	return func(writer http.ResponseWriter, called *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(writer, called.Body, limit))
		var asked request
		if err == nil {
			err = json.Unmarshal(body, &asked)
		}
		found := object{}
		if err != nil {
			found = failure(hook, "error unmarshalling request: "+err.Error())
		} else {
			found = answer(asked)
		}
		writer.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(writer).Encode(found); err != nil {
			log.Print(err)
		}
	}
}

func main() {
	certificate := flag.String("cert", "", "")
	key := flag.String("key", "", "")
	authority := flag.String("client-ca", "", "")
	flag.Parse()
	mux := http.NewServeMux()
	mux.HandleFunc(base+"discovery", serve("Discovery", discovery))
	mux.HandleFunc(base+"generatepatches/generate-patches-go-mirror", serve("GeneratePatches", generate))
	mux.HandleFunc(base+"validatetopology/validate-topology-go-mirror", serve("ValidateTopology", validate))
	mux.HandleFunc(base+"discovervariables/discover-variables-go-mirror", serve("DiscoverVariables", discover))
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if *authority != "" {
		text, err := os.ReadFile(*authority)
		if err != nil {
			log.Fatal(err)
		}
		settings.ClientCAs = x509.NewCertPool()
		settings.ClientCAs.AppendCertsFromPEM(text)
		settings.ClientAuth = tls.RequireAndVerifyClientCert
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: mux, TLSConfig: settings}
	log.Fatal(server.ServeTLS(listener, *certificate, *key))
}
