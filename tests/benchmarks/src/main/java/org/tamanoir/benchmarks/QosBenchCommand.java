package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.dyram.lab.WireRate;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.Adaptation;
import org.tamanoir.benchmarks.qos.Cost;
import org.tamanoir.benchmarks.qos.Precision;
import org.tamanoir.benchmarks.qos.Qbss;
import org.tamanoir.benchmarks.qos.Table1;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench qos}. */
@Command(name = "qos", mixinStandardHelpOptions = true,
        description = {"Measures classes of service as the papers did, in network namespaces.",
            "table1: best effort and EF on an empty and a congested path, and flows for which QoSinus chooses (active grid paper, section 4.1). "
                + "adaptation: how soon a flow has another class. cost: what marking and policing cost a node, and how exact policing is.",
            "qbss: background traffic of the class LBE beside best effort (DataGRID, annex A). precision: what two classes get against what they "
                + "should get, for 18 couples of shares (DataTAG, section 3).",
            "Needs root, and a kernel with HTB; installs iproute2, nftables, ethtool, make and gcc where they are missing. All of precision takes "
                + "half an hour."},
        footer = {"", "Example:", "  tamanoir bench qos --part precision --csv figures --plots figures"})
final class QosBenchCommand extends MeasuringCommand {
    private static final Parts<QosPlan> PARTS = new Parts<>(List.of(new Part<>("table1", Table1::run), new Part<>("qbss", Qbss::run),
            new Part<>("precision", Precision::run), new Part<>("adaptation", Adaptation::run), new Part<>("cost", Cost::run)));

    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: table1, qbss, precision, adaptation, cost. Default: all.")
    private List<String> names;

    @Option(names = "--runs", paramLabel = "N", description = "How often everything is measured; the result is the median. Default: ${DEFAULT-VALUE}, "
            + "which is three runs of each point of precision, five rounds of adaptation and nine of cost.", defaultValue = "1")
    private int runs;

    @Option(names = "--rate", paramLabel = "RATE", converter = WireRate.class, description = "The bottleneck, 10mbit to 1000mbit. Default: 200mbit.")
    private WireRate rate = new WireRate(QosPlan.RATE);

    @Option(names = "--couple", paramLabel = "BE-LBE", split = ",", description = "Shares that precision measures, in percent, as 99-1. Default: all 18.")
    private List<String> couples = List.of();

    @Option(names = "--quick", description = "A few cases for a few seconds: to see that it works.")
    private boolean quick;

    @Option(names = "--csv", paramLabel = "DIR", description = "Write every number, as comma-separated values.")
    private Path csv;

    @Option(names = "--plots", paramLabel = "DIR", description = "Draw what was measured, as SVG.")
    private Path plots;

    @Override
    int measure(BenchOutput output) {
        QosPlan plan = new QosPlan(rate.bitsPerSecond(), runs, quick, couples);
        Findings found = measure(PARTS, names, plan, plan::check, output);
        found.writeCsv(csv);
        found.plot(plots);
        return output.print(found);
    }
}
