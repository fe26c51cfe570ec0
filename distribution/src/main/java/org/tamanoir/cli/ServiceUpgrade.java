package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir service upgrade}. */
@Command(name = "upgrade",
        description = {"Make a node fetch another version of a service and use it for new streams.",
            "The command returns when the new version is active; streams on the old one finish there. A version that does not start changes nothing.",
            "With --cluster the front-end of a cluster upgrades its back ends one after the other: each leaves, finishes its streams, upgrades and "
                    + "returns before the next one leaves. It stops at the first failure. Ask only one front-end."},
        footer = {"", "Examples:", "  tamanoir service upgrade compression --dry-run", "  tamanoir service upgrade compression --version 0.2.0",
            "  tamanoir service upgrade compression --cluster http://10.0.2.1:3327 --drain 1m --token-file cluster.token", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceUpgrade extends NodeQuery {
    @Parameters(paramLabel = "NAME", description = "The service.")
    private String name;
    // Not by mixinStandardHelpOptions: picocli leaves out all of it where a command has a --version of its own.
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean help;

    @Option(names = "--version", paramLabel = "VERSION", description = "The version, which may be older. Default: the newest.")
    private String version;
    @Option(names = "--dry-run", description = "Only show what would happen, and to which streams.")
    private boolean dryRun;

    @Option(names = "--cluster", paramLabel = "URL", description = "Upgrade all back ends of this front-end instead of one node.")
    private String cluster;
    @Option(names = "--drain", paramLabel = "TIME", converter = Time.class,
            description = "With --cluster: time for each back end to finish its streams; longer ones continue on the old version. Default: 30s.")
    private Duration drain;
    @Option(names = "--stop", description = "With --cluster: cancel the running upgrade after the back end that is being upgraded.")
    private boolean stop;

    @Override
    public Integer call() {
        if (cluster == null && (drain != null || stop)) {
            throw usage("--drain and --stop are for --cluster");
        }
        if (cluster == null) {
            return super.call();
        }
        ClusterUpgrade upgrade = new ClusterUpgrade(api(cluster), cluster, out(), err(), isJson());
        return stop ? upgrade.stop() : dryRun ? upgrade.plan(name, version, drain) : upgrade.run(name, version, drain);
    }

    @Override
    JsonNode ask() {
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("version", version);
        wanted.put("dryRun", dryRun);
        return patientApi().post("/services/" + HttpFetch.segment(ServiceName.segment(name)) + "/upgrade", wanted);
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        new UpgradePlan(answer).print(out, dryRun);
    }
}
