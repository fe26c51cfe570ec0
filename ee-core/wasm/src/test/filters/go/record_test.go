package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"
)

const resources = "../../resources/org/tamanoir/wasm/proxy/"

// TestRecord runs the filter natively in the emulator of a host that comes with the SDK, and writes down what each callback returned and what
// the filter said in it. The script is script.txt of the test's resources, one step a line: a direction and what comes there. RECORD=1 in the environment writes the
// recording anew.
func TestRecord(t *testing.T) {
	script, err := os.ReadFile(resources + "script.txt")
	if err != nil {
		t.Fatal(err)
	}
	host, reset := proxytest.NewHostEmulator(proxytest.NewEmulatorOption().WithVMContext(&vm{}).WithPluginConfiguration([]byte("loud")))
	defer reset()
	var record strings.Builder
	said := 0
	told := func(step string, result any) {
		fmt.Fprintf(&record, "%s -> %v\n", step, result)
		for _, line := range host.GetInfoLogs()[said:] {
			fmt.Fprintf(&record, "  %q\n", line)
		}
		said = len(host.GetInfoLogs())
	}
	told("vm_start", host.StartVM())
	told("configure", host.StartPlugin())
	var connection uint32
	for _, line := range strings.Split(strings.TrimSpace(string(script)), "\n") {
		step, text, _ := strings.Cut(line, " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		switch step {
		case "open":
			id, action := host.InitializeConnection()
			connection = id
			told(line, number(action))
		case "downstream":
			told(line, number(host.CallOnDownstreamData(connection, []byte(text))))
		case "upstream":
			told(line, number(host.CallOnUpstreamData(connection, []byte(text))))
		case "close":
			host.CloseDownstreamConnection(connection)
			host.CloseUpstreamConnection(connection)
			host.CompleteConnection(connection)
			told(line, 0)
		}
	}
	connections, err := host.GetCounterMetric("tell.connections")
	if err != nil {
		t.Fatal(err)
	}
	open, err := host.GetGaugeMetric("tell.open")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&record, "tell.connections %d\ntell.open %d\n", connections, open)
	if len(host.GetErrorLogs()) > 0 {
		t.Fatal(host.GetErrorLogs())
	}
	if os.Getenv("RECORD") != "" {
		if err := os.WriteFile(resources+"recording.txt", []byte(record.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := os.ReadFile(resources + "recording.txt")
	if err != nil || string(before) != record.String() {
		t.Fatalf("the emulator says something else than the recording: %v\n%s", err, record.String())
	}
}

func number(action types.Action) int { return int(action) }
