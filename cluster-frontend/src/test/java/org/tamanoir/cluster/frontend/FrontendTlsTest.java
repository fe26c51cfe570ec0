package org.tamanoir.cluster.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.membership.MessageWriter;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.WelcomeReader;

/** A back end with a certificate is nobody else, and a front-end is who its own says. */
@Timeout(60)
class FrontendTlsTest {
    private static final String TOKEN = "sesame";

    @TempDir
    private Path directory;
    private Authority authority;
    private Frontend frontend;

    @BeforeEach
    void starts() throws IOException {
        authority = new Authority(directory, "authority");
        Identity.Files own = authority.certify("frontend", "IP:127.0.0.1", 30);
        Path file = Files.writeString(directory.resolve("frontend.yaml"), "name: f1\nlisten: 127.0.0.1:0\ndata: " + directory.resolve("data")
                + "\npools: {default: {addresses: [192.0.2.100]}}\ntls: {certificate: " + own.certificate() + ", key: " + own.key() + ", authorities: "
                + own.authorities() + ", back-ends: {b1: 'spiffe://example.org/node/b1', b2: 'spiffe://example.org/node/b2'}}\n");
        frontend = Frontend.start(FrontendConfiguration.read(file), file, TOKEN, configuration -> new ScriptedEngine());
    }

    @AfterEach
    void ends() {
        frontend.close();
    }

    private HttpFetch as(String name) {
        Identity identity = new Identity(authority.certify(name, "URI:spiffe://example.org/node/" + name, 30));
        return HttpFetch.of(frontend.url(), ErrorCode.NO_FRONTEND).tls(identity.sslContext(expected -> false));
    }

    private static String tell(HttpFetch api, String name) {
        Report report = new Report(name, "00000000000000b1", System.nanoTime(), "10.0.0." + name.substring(1), 3322, 3326, "default", State.SERVING, List.of(),
                new Load(1, 0, 0, 1000, 0));
        return WelcomeReader.read(api.put("/members/" + name, MessageWriter.write(report), ReportReader.MOST_OCTETS)).frontend();
    }

    @Test
    @Tag("long")
    void aBackEndReportsUnderItsOwnNameAlone() {
        HttpFetch first = as("b1");
        assertThat(tell(first, "b1")).isEqualTo("f1");
        for (HttpFetch wrong : List.of(as("b2").token(TOKEN), as("b9").token(TOKEN))) {
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> tell(wrong, "b1")).withMessageStartingWith("EE-406 the back end b1 is spiffe:");
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> wrong.delete("/members/b1?instance=00000000000000b1"))
                    .withMessageStartingWith("EE-406");
        }
        // A name that has no certificate is known by the token, as before.
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> tell(first, "b3")).withMessageStartingWith("EE-406");
        assertThat(tell(first.token(TOKEN), "b3")).isEqualTo("f1");
    }

    @Test
    @Tag("long")
    void aFrontEndOfAnotherAuthorityHearsNoTokenAndNoReport() throws IOException {
        Identity elsewhere = new Identity(new Authority(Files.createDirectory(directory.resolve("other")), "other").certify("b1", "URI:spiffe://example.org/node/b1", 30));
        HttpFetch api = HttpFetch.of(frontend.url(), ErrorCode.NO_FRONTEND).token(TOKEN).tls(elsewhere.sslContext(expected -> false));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> tell(api, "b1")).withMessageStartingWith("EE-909");
    }
}
