// A filter on the Go SDK of proxy-wasm that tells what it is shown: what the filter of filters/c/tell.c does, word by word.
package main

import (
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"
)

func main() {}

func init() {
	proxywasm.SetVMContext(&vm{})
}

type vm struct {
	types.DefaultVMContext
}

func (*vm) NewPluginContext(uint32) types.PluginContext {
	return &plugin{connections: proxywasm.DefineCounterMetric("tell.connections"), open: proxywasm.DefineGaugeMetric("tell.open")}
}

type plugin struct {
	types.DefaultPluginContext
	connections proxywasm.MetricCounter
	open        proxywasm.MetricGauge
}

func (p *plugin) OnPluginStart(int) types.OnPluginStartStatus {
	configuration, err := proxywasm.GetPluginConfiguration()
	if err != nil && err != types.ErrorStatusNotFound {
		proxywasm.LogCriticalf("no configuration: %v", err)
		return types.OnPluginStartStatusFailed
	}
	proxywasm.LogInfo("configuration: " + string(configuration))
	return types.OnPluginStartStatusOK
}

func (p *plugin) NewTcpContext(uint32) types.TcpContext {
	return &connection{plugin: p}
}

type connection struct {
	types.DefaultTcpContext
	plugin *plugin
}

func (c *connection) OnNewConnection() types.Action {
	c.plugin.connections.Increment(1)
	c.plugin.open.Add(1)
	if err := proxywasm.SetProperty([]string{"tell", "last"}, []byte("nothing")); err != nil {
		proxywasm.LogErrorf("set: %v", err)
	}
	proxywasm.LogInfo("new connection")
	return types.ActionContinue
}

func (c *connection) OnDownstreamData(size int, _ bool) types.Action {
	if size == 0 {
		return types.ActionContinue
	}
	data, err := proxywasm.GetDownstreamData(0, size)
	if err != nil {
		proxywasm.LogErrorf("downstream: %v", err)
		return types.ActionContinue
	}
	last, err := proxywasm.GetProperty([]string{"tell", "last"})
	if err != nil {
		proxywasm.LogErrorf("get: %v", err)
	}
	proxywasm.LogInfo("downstream " + string(data) + " after " + string(last))
	if err := proxywasm.SetProperty([]string{"tell", "last"}, data); err != nil {
		proxywasm.LogErrorf("set: %v", err)
	}
	if err := keep(data); err != nil {
		proxywasm.LogErrorf("keep: %v", err)
	}
	if data[size-1] != '\n' {
		return types.ActionPause // until the line is whole
	}
	return types.ActionContinue
}

func keep(data []byte) error {
	_, cas, err := proxywasm.GetSharedData("tell")
	if err != nil && err != types.ErrorStatusNotFound {
		return err
	}
	return proxywasm.SetSharedData("tell", data, cas)
}

func (c *connection) OnUpstreamData(size int, _ bool) types.Action {
	if size == 0 {
		return types.ActionContinue
	}
	data, err := proxywasm.GetUpstreamData(0, size)
	if err != nil {
		proxywasm.LogErrorf("upstream: %v", err)
		return types.ActionContinue
	}
	kept, _, err := proxywasm.GetSharedData("tell")
	if err != nil {
		proxywasm.LogWarn("nothing kept")
	}
	proxywasm.LogInfo("upstream " + string(data) + " to " + string(kept))
	return types.ActionContinue
}

func (c *connection) OnDownstreamClose(types.PeerType) { proxywasm.LogInfo("downstream close") }

func (c *connection) OnUpstreamClose(types.PeerType) { proxywasm.LogInfo("upstream close") }

func (c *connection) OnStreamDone() {
	c.plugin.open.Add(-1)
	proxywasm.LogInfo("done")
}
