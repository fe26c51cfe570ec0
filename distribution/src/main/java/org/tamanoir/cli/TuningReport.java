package org.tamanoir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.kernel.FlowTuning.Pass;
import org.tamanoir.kernel.TunedFlow;
import org.tamanoir.kernel.TuningRule;
import org.tamanoir.paths.hosttune.FlowRules;
import org.tamanoir.paths.hosttune.Treatment;
import org.tamanoir.paths.hosttune.Treatment.Marking;

/** What {@code host tune run} says of the flows that it tunes. Safe for all threads. */
final class TuningReport {
    /** Lines on a terminal. */
    private static final int MOST_LINES = 20;
    /** The kernel's word for no ssthresh yet: TCP_INFINITE_SSTHRESH. */
    private static final int NO_SSTHRESH = Integer.MAX_VALUE;

    private final FlowRules rules;
    private Pass last;

    TuningReport(FlowRules rules) {
        this.rules = rules;
    }

    synchronized void take(Pass pass) {
        last = pass;
    }

    /** An IPv6 address in brackets. */
    static String text(InetSocketAddress end) {
        String address = end.getAddress().getHostAddress();
        return (end.getAddress() instanceof Inet6Address ? "[" + address + "]" : address) + ":" + end.getPort();
    }

    private static String algorithm(String name) {
        return name.equals(TuningRule.WAD) ? Treatment.WAD : name;
    }

    private String rule(TunedFlow flow) {
        return rules.rules().get(flow.rule()).name();
    }

    private Marking marking(TunedFlow flow) {
        return rules.rules().get(flow.rule()).treatment().marking();
    }

    /** For a terminal. */
    synchronized List<String> lines() {
        if (last == null || last.flows().isEmpty()) {
            return List.of("no flow is tuned");
        }
        Table table = new Table("LOCAL", "REMOTE", "RULE", "HAS", "HAD", "CLASS", "WINDOW", "RTT", "SENT AGAIN", "ACKNOWLEDGED");
        last.flows().stream().limit(MOST_LINES).forEach(flow -> table.row(text(flow.local()), text(flow.remote()), rule(flow), algorithm(flow.congestion()) + (flow.own() ? " (its own choice)" : ""),
                flow.before(), marking(flow) == null ? "" : flow.marked() + 1, flow.window(), Units.millis(flow.roundTripMicros() / 1000), flow.retransmitted(), Units.bytes(flow.acknowledged())));
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text, true));
        List<String> lines = new ArrayList<>(text.toString().lines().toList());
        if (last.flows().size() > MOST_LINES) {
            lines.add("and " + (last.flows().size() - MOST_LINES) + " more");
        }
        return lines;
    }

    synchronized String summary() {
        return last.tuned() + " flows were tuned" + (last.refused() == 0 ? "" : ", " + last.refused() + " times the kernel would not")
                + (last.beyond() == 0 ? "" : ", some were left alone because there were too many ('flows' in the file)") + "; those that are open have again what they had";
    }

    synchronized Map<String, Object> answer() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        answer.put("flows", last.flows().stream().map(this::answer).toList());
        answer.put("tuned", last.tuned());
        answer.put("refused", last.refused());
        answer.put("beyond", last.beyond());
        return answer;
    }

    private Map<String, Object> answer(TunedFlow flow) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("local", text(flow.local()));
        answer.put("remote", text(flow.remote()));
        answer.put("rule", rule(flow));
        answer.put("congestion", algorithm(flow.congestion()));
        answer.put("before", flow.before());
        answer.put("ownChoice", flow.own());
        answer.put("class", marking(flow) == null ? null : flow.marked() + 1);
        answer.put("windowSegments", flow.window());
        answer.put("ssthreshSegments", flow.ssthresh() == NO_SSTHRESH ? null : flow.ssthresh());
        answer.put("roundTripMillis", flow.roundTripMicros() / 1000.0);
        answer.put("retransmittedSegments", flow.retransmitted());
        answer.put("acknowledgedOctets", flow.acknowledged());
        return answer;
    }
}
