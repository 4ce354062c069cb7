// Calls a runtime extension as Cluster API's client does, with Go's own HTTP/2: many callers, each call checked.
//
// Flags: -url, -ca (PEM), -cert and -key (PEM, optional), -body (a file with the request), -callers, -lasting (call again and again
// until stdin ends; without it, one call each).
// The answer to the first call must come back for every other one. Prints one JSON object: what was negotiated, and what failed.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type outcome struct {
	Protocol string   `json:"protocol"`
	Calls    int      `json:"calls"`
	Failures []string `json:"failures"`
	Answer   string   `json:"answer"`
}

func main() {
	url := flag.String("url", "", "")
	authority := flag.String("ca", "", "")
	certificate := flag.String("cert", "", "")
	key := flag.String("key", "", "")
	body := flag.String("body", "", "")
	callers := flag.Int("callers", 1, "")
	lasting := flag.Bool("lasting", false, "")
	flag.Parse()
	content, err := os.ReadFile(*body)
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(*authority)
	if err != nil {
		log.Fatal(err)
	}
	settings := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	settings.RootCAs.AppendCertsFromPEM(text)
	if *certificate != "" {
		pair, err := tls.LoadX509KeyPair(*certificate, *key)
		if err != nil {
			log.Fatal(err)
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: settings, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	found := outcome{Failures: []string{}}
	var lock sync.Mutex
	call := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		protocol, answer, failed := "", "", ""
		asked, err := http.NewRequestWithContext(ctx, http.MethodPost, *url+"?timeout=10s", bytes.NewReader(content))
		if err != nil {
			log.Fatal(err)
		}
		asked.Header.Set("Content-Type", "application/json")
		response, err := client.Do(asked)
		if err != nil {
			failed = err.Error()
		} else {
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			protocol, answer = response.Proto, string(text)
			if err != nil {
				failed = err.Error()
			} else if response.StatusCode != http.StatusOK {
				failed = fmt.Sprintf("status %d: %.200s", response.StatusCode, answer)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		found.Calls++
		if failed == "" && found.Answer == "" {
			found.Protocol, found.Answer = protocol, answer
		}
		if failed == "" && answer != found.Answer {
			failed = "another answer to the same request: " + answer
		}
		if failed != "" {
			found.Failures = append(found.Failures, failed)
		}
	}
	var ended atomic.Bool
	ended.Store(!*lasting)
	if *lasting {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			ended.Store(true)
		}()
	}
	var group sync.WaitGroup
	for number := 0; number < *callers; number++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for call(); !ended.Load(); {
				call()
			}
		}()
	}
	group.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}
