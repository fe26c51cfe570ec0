"""The dashboard of nodes as Grafana imports it, on standard output; ./generate runs this.

Each quantile is asked of classic and of native buckets: a Prometheus has the ones or the others.
"""

import itertools
import json

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement, VisibilityMode
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DataSourceRef, VariableRefresh, VariableSort

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
NODES = 'job=~"$job",instance=~"$instance"'
HEAP = 'area="heap"'
HEIGHT = 8


def of(metric, *more):
    """The series of a metric of the nodes that are chosen."""
    return metric + "{" + ",".join((NODES, *more)) + "}"


def rate(metric, *more):
    return f"rate({of(metric, *more)}[$__rate_interval])"


def quantile(part, metric, *by):
    """The time within which that part of the waits was over."""
    classic = f"histogram_quantile({part}, sum by ({', '.join(('le', *by))}) ({rate(metric + '_bucket')}))"
    native = f"histogram_quantile({part}, sum by ({', '.join(by)}) ({rate(metric)}))"
    return f"{classic} or {native}"


def queries(panel, targets):
    for i, (legend, expression) in enumerate(targets):
        panel.with_target(prometheus.Dataquery().expr(expression).legend_format(legend).ref_id(chr(ord("A") + i)))
    return panel


def lines(title, unit, description, targets, span=8):
    """A panel of lines over time. targets: pairs of a legend and an expression"""
    panel = timeseries.Panel().title(title).unit(unit).description(description).datasource(SOURCE).height(HEIGHT).span(span).min(0)
    panel.line_width(1).fill_opacity(8).show_points(VisibilityMode.NEVER)
    panel.legend(common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True))
    return queries(panel, targets)


def number(title, unit, description, expression, span=4):
    panel = stat.Panel().title(title).unit(unit).description(description).datasource(SOURCE).height(4).span(span)
    return queries(panel, [("", expression)])


def waits(title, metric, description):
    return lines(title, "s", description, [(f"{name} {{{{instance}}}}", quantile(part, metric, "instance")) for name, part in (("half", 0.5), ("95 %", 0.95), ("99 %", 0.99))])


ROWS = {
    "At a glance": [
        number("Nodes that answer", "short", "Of those that Prometheus scrapes.", f"sum({of('up')})"),
        number("Streams now", "short", "", f"sum({of('tamanoir_streams')})"),
        number("From sources", "bps", "", f"8 * sum({rate('tamanoir_bytes_in_total')})"),
        number("Back to sources", "bps", "", f"8 * sum({rate('tamanoir_bytes_returned_total')})"),
        number("Errors", "ops", "Packets and streams that met one.", f"sum({rate('tamanoir_errors_total')})"),
        number("Next certificate ends in", "s", "Of nodes that have one.", f"min({of('tamanoir_certificate_expires_seconds')})"),
    ],
    "Streams": [
        lines("Streams", "short", "Beyond the limit, which is for TCP and for UDP each, new ones are refused (EE-205).",
              [("{{instance}}", of("tamanoir_streams")), ("limit of {{instance}}", of("tamanoir_streams_limit"))]),
        lines("Toward destinations", "bps", "Octets of packets, in at a node and out to its next hops.",
              [("in {{instance}}", f"8 * {rate('tamanoir_bytes_in_total')}"), ("out {{instance}}", f"8 * {rate('tamanoir_bytes_out_total')}")]),
        lines("Toward sources", "bps", "Octets of packets, back from next hops and returned to sources.",
              [("back {{instance}}", f"8 * {rate('tamanoir_bytes_back_total')}"), ("returned {{instance}}", f"8 * {rate('tamanoir_bytes_returned_total')}")]),
        lines("Opened and completed", "ops", "Streams a second. Those that were opened and not completed have failed, or are still there.",
              [("opened {{instance}}", rate("tamanoir_streams_opened_total")), ("completed {{instance}}", rate("tamanoir_streams_completed_total"))]),
        lines("Errors by code", "ops", "docs/errors.md says what each code means and what to do.",
              [("{{code}}", f"sum by (code) ({rate('tamanoir_errors_total')}) > 0")]),
        lines("What holds TCP streams up", "short", "How many, by the cause: docs/operating.md, Why a stream is slow.",
              [("{{cause}}", f"sum by (cause) ({of('tamanoir_tcp_verdicts')})")]),
    ],
    "Waits": [
        waits("Opening of a stream", "tamanoir_stream_open_seconds", "From its first packet until the next hop is connected."),
        waits("First answer", "tamanoir_stream_first_octet_seconds", "From the connection to the next hop until the far end has sent something."),
        waits("Wait for a service", "tamanoir_service_wait_seconds", "Of streams whose service did not run: it is fetched and started."),
        waits("Lag of event loops", "tamanoir_loop_lag_seconds", "How late a loop runs what is due: above some milliseconds all of its streams wait."),
        lines("Call of a service", "s", "What a service takes for a packet on its thread, of a sample.",
              [(f"{name} {{{{service}}}}", quantile(part, "tamanoir_service_call_seconds", "service")) for name, part in (("half", 0.5), ("99 %", 0.99))]),
        waits("Keeping a bundle", "tamanoir_store_sync_seconds", "Until the disk has a bundle that was fetched."),
    ],
    "Resources": [
        lines("Memory of streams", "bytes", "Octets that streams retain. Near the limit sources are made to wait, and new streams are refused (EE-209).",
              [("{{instance}}", of("tamanoir_memory_bytes")), ("limit of {{instance}}", of("tamanoir_memory_limit_bytes"))]),
        lines("In use", "percentunit", "From 0.8 on streams of strangers are refused, from 0.9 on all.", [("{{resource}} {{instance}}", of("tamanoir_usage"))]),
        lines("Heap", "bytes", "", [("{{instance}}", f"sum by (instance) ({of('jvm_memory_used_bytes', HEAP)})")]),
    ],
    "Services": [
        lines("Streams of services", "short", "", [("{{service}} {{version}}", f"sum by (service, version) ({of('tamanoir_service_streams')})")]),
        lines("Packets of services", "pps", "", [("{{service}} {{version}}", f"sum by (service, version) ({rate('tamanoir_service_packets_total')})")]),
        lines("Streams that services failed", "ops", "", [("{{service}} {{version}}", f"sum by (service, version) ({rate('tamanoir_service_errors_total')})")]),
        lines("Octets that services keep", "bytes", "Held as packets, and queued for the threads of heavy services.",
              [("held {{service}}", f"sum by (service) ({of('tamanoir_service_held_bytes')})"), ("queued {{service}}", f"sum by (service) ({of('tamanoir_service_queued_bytes')})")]),
        lines("Versions by state", "short", "", [("{{state}}", f"sum by (state) ({of('tamanoir_service_state')})")]),
        lines("Changes of state", "ops", "", [("{{state}}", f"sum by (state) ({rate('tamanoir_service_changes_total')})")]),
    ],
    "Next hops": [
        lines("Takes streams", "short", "1 where a next hop is taken to take streams.", [("{{hop}} of {{instance}}", of("tamanoir_next_hop_takes_streams"))]),
        lines("Streams to next hops", "ops", "", [("{{hop}} of {{instance}}", rate("tamanoir_next_hop_streams_total"))]),
        lines("Streams that could not reach one", "ops", "", [("{{hop}} of {{instance}}", rate("tamanoir_next_hop_failures_total"))]),
    ],
}


def chosen(name, label, values):
    """A variable whose value is one, several or all of the values of a label."""
    variable = dashboard.QueryVariable(name).label(label).query(values).datasource(SOURCE).refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
    return variable.sort(VariableSort.ALPHABETICAL_ASC).multi(True).include_all(True).all_value(".+")


def nodes():
    board = dashboard.Dashboard("Tamanoir nodes").uid("tamanoir-nodes").tags(["tamanoir"]).refresh("30s").time("now-1h", "now").timezone("browser")
    board.description("Streams, waits, resources and services of active nodes.").tooltip(DashboardCursorSync.CROSSHAIR).readonly()
    board.with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    board.with_variable(chosen("job", "Job", "label_values(tamanoir_streams, job)"))
    board.with_variable(chosen("instance", "Node", 'label_values(tamanoir_streams{job=~"$job"}, instance)'))
    ids = itertools.count(1)
    for title, panels in ROWS.items():
        board.with_row(dashboard.Row(title).id(next(ids)))
        for panel in panels:
            board.with_panel(panel.id(next(ids)))
    return board.build()


if __name__ == "__main__":
    print(json.dumps(nodes(), cls=JSONEncoder, indent=1, sort_keys=True))
