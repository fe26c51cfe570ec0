package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** A web server and curl, neither of which knows of active nodes, with compression between them in both directions. */
@Tag("long")
class TheGatewayCarriesOrdinaryProgramsTest {
    private static final long DOWNLOAD = 100_000_000;
    private static final long UPLOAD = 30_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @BeforeEach
    void needsCurl() {
        if (!LabRequirements.has("curl") && LabRequirements.check().root()) {
            DebianPackages.install(List.of("curl", "ca-certificates"));
        }
        Assumptions.assumeTrue(LabRequirements.has("curl"), "curl is missing: apt-get install curl");
    }

    @Test
    void curlFetchesAndUploadsFilesByteForByteAndTheNodesCompressThem() throws Exception {
        try (TwoSites sites = new TwoSites()) {
            Path file = TestFile.halfCompressible(sites.directory().resolve("file"), DOWNLOAD);
            Path upload = TestFile.halfCompressible(sites.directory().resolve("upload"), UPLOAD);
            try (WebServer atSecond = new WebServer(TwoSites.SECOND_HOST, file); WebServer atFirst = new WebServer(TwoSites.FIRST_HOST, file)) {
                int toSecond = sites.gateway(sites.first(), atSecond.address(), "compression");
                int toFirst = sites.gateway(sites.second(), atFirst.address(), "compression");

                Path fetched = sites.directory().resolve("fetched");
                curl("--output", fetched.toString(), "http://127.0.0.1:" + toSecond + "/file");
                assertThat(Files.size(fetched)).isEqualTo(DOWNLOAD);
                assertThat(TestFile.sha256(fetched)).isEqualTo(TestFile.sha256(file));
                JsonNode down = ended(sites.first());
                assertThat(down.path("bytesBack").asLong()).as("octets between the nodes").isBetween(DOWNLOAD / 2, DOWNLOAD * 6 / 10);
                assertThat(down.path("bytesReturned").asLong()).as("octets to the gateway, packets' headers too").isGreaterThan(DOWNLOAD);

                assertThat(curl("--upload-file", upload.toString(), "http://127.0.0.1:" + toFirst + "/upload"))
                        .isEqualTo(TestFile.sha256(upload));
                JsonNode up = ended(sites.second());
                assertThat(up.path("bytesOut").asLong()).as("octets between the nodes").isBetween(UPLOAD / 2, UPLOAD * 6 / 10);
            }
        }
    }

    /** What the server answered; fails with curl's own words if curl does. */
    private static String curl(String... arguments) {
        List<String> command = new java.util.ArrayList<>(List.of("curl", "--silent", "--show-error", "--fail", "--noproxy", "*"));
        command.addAll(List.of(arguments));
        return Command.run(command, null, PATIENCE).output();
    }

    /** The stream that has entered at a site, once the node has seen its end. */
    private static JsonNode ended(TwoSites.Site site) {
        return Awaitility.await().until(() -> site.ended().stream()
                .filter(stream -> stream.path("position").asText().equals("ingress")).findFirst().orElse(null), stream -> stream != null);
    }
}
