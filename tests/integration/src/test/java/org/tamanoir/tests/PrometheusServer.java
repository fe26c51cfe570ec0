package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/** A Prometheus of Debian's package with a folder and a port of its own, which scrapes pages of others every second; as the package's user where this process is root. */
final class PrometheusServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String USER = "prometheus";

    private final Workbench workbench = new Workbench();
    private final HttpFetch http;

    /** @param pages URLs of what it scrapes, by the name of the job */
    PrometheusServer(Map<String, String> pages) throws IOException {
        this(pages, null);
    }

    /**
     * @param token   that it shows to pages by https, whose certificates it does not check; null for none
     * @param options further ones of its command line
     */
    PrometheusServer(Map<String, String> pages, String token, String... options) throws IOException {
        try {
            Path directory = workbench.folder("");
            String jobs = pages.entrySet().stream().map(page -> {
                URI uri = URI.create(page.getValue());
                String secure = uri.getScheme().equals("https") ? "  scheme: https\n  tls_config: {insecure_skip_verify: true}\n  authorization: {credentials: " + token + "}\n" : "";
                return "- job_name: " + page.getKey() + "\n  metrics_path: " + uri.getPath() + "\n" + secure + "  static_configs: [{targets: ['" + uri.getAuthority() + "']}]\n";
            }).collect(Collectors.joining());
            Path file = Files.writeString(directory.resolve("prometheus.yml"), "global: {scrape_interval: 1s}\nscrape_configs:\n" + jobs);
            Command.run(List.of("promtool", "check", "config", file.toString()));
            boolean root = LabRequirements.check().root();
            if (root) {
                Files.setOwner(directory, directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
            }
            int port = FreePort.onLoopback();
            LabProcess server = workbench.start("prometheus", Command.append(Command.append(root ? List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups") : List.of(), "sh", "-c", "exec \"$@\" 2>&1", "sh",
                    "prometheus", "--config.file=" + file, "--storage.tsdb.path=" + directory.resolve("data"), "--web.listen-address=127.0.0.1:" + port), options));
            while (!server.nextLine(PATIENCE).contains("Server is ready to receive web requests")) {
                continue;
            }
            http = HttpFetch.of("http://127.0.0.1:" + port, ErrorCode.UNREACHABLE);
        } catch (IOException | RuntimeException e) {
            workbench.close();
            throw e;
        }
    }

    /** The values that an expression has now, by their labels. */
    JsonNode query(String expression) {
        return http.json("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)).path("data").path("result");
    }

    /** What to do so that it can run; empty if nothing is missing. Root installs it. */
    static String missing() {
        if (!LabRequirements.has("promtool") && LabRequirements.check().root()) {
            DebianPackages.install(List.of("prometheus"), "prometheus", "prometheus-node-exporter");
        }
        return LabRequirements.has("promtool") ? "" : "Prometheus is missing: apt-get install prometheus";
    }

    /** Fails if promtool has anything to say of a page of metrics. Where it is missing the test that starts a Prometheus is skipped, and says so. */
    static void check(String page) {
        if (missing().isEmpty()) {
            Command.Result result = Command.tryRun(List.of("promtool", "check", "metrics"), page, PATIENCE);
            assertThat(result.exit()).as(() -> result.output() + result.errors() + page).isZero();
            assertThat(result.output() + result.errors()).isEmpty();
        }
    }

    @Override
    public void close() {
        workbench.close();
    }
}
