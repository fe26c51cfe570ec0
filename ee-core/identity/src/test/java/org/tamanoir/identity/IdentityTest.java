package org.tamanoir.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who believes whom, by handshakes in memory between two programs. */
class IdentityTest {
    private static final String A = "spiffe://example.org/node/a";
    private static final String B = "spiffe://example.org/node/b";

    @TempDir
    Path directory;
    private final List<Identity> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Identity::close);
    }

    private Identity identity(Identity.Files files) {
        Identity made = new Identity(files);
        open.add(made);
        return made;
    }

    /** Shakes hands; the names that each side has proven to the other, the client's first. */
    private static List<String> meet(Identity client, Identity server, Predicate<String> expected) throws SSLException {
        SSLEngine one = client.sslContext(expected).createSSLEngine("127.0.0.1", 3322);
        one.setUseClientMode(true);
        SSLParameters checks = one.getSSLParameters();
        checks.setEndpointIdentificationAlgorithm("HTTPS");
        one.setSSLParameters(checks);
        SSLEngine other = server.sslContext(any -> false).createSSLEngine();
        other.setUseClientMode(false);
        other.setNeedClientAuth(true);
        ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
        ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
        for (int i = 0; i < 40; i++) {
            step(one, toClient, toServer);
            step(other, toServer, toClient);
        }
        assertThat(one.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        List<String> names = new ArrayList<>(Identity.names(other.getSession()));
        names.addAll(Identity.names(one.getSession()));
        return names;
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        ByteBuffer nothing = ByteBuffer.allocate(1 << 16);
        engine.wrap(ByteBuffer.allocate(0), out);
        in.flip();
        while (in.hasRemaining() && engine.unwrap(in, nothing).bytesConsumed() > 0) {
            run(engine);
        }
        in.compact();
        run(engine);
    }

    private static void run(SSLEngine engine) {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    @Test
    void bothSidesProveTheirNames() throws Exception {
        Authority authority = new Authority(directory, "ca");
        Identity a = identity(authority.certify("a", "URI:" + A, 10));
        Identity b = identity(authority.certify("b", "URI:" + B, 10));
        assertThat(meet(a, b, B::equals)).containsExactly(A, B);
        assertThat(a.problem()).as("less than 14 days left").contains("expires");
        Identity host = identity(authority.certify("h", "IP:127.0.0.1", 20));
        assertThat(meet(a, host, any -> false)).as("a server may be known by its host").containsExactly(A);
        assertThat(host.problem()).isNull();
    }

    @Test
    void whoeverIsNotWhoItShouldBeIsRefused() throws Exception {
        Authority authority = new Authority(directory, "ca");
        Authority strangers = new Authority(directory, "strangers");
        Identity a = identity(authority.certify("a", "URI:" + A, 10));
        Identity b = identity(authority.certify("b", "URI:" + B, 10));
        assertThatThrownBy(() -> meet(a, b, A::equals)).as("another node").isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> meet(identity(strangers.certify("s", "URI:" + A, 10)), b, B::equals)).as("unknown authority").isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> meet(identity(authority.certify("old", "URI:" + A, -1)), b, B::equals)).as("expired").isInstanceOf(SSLException.class);
        Path revoked = Files.writeString(directory.resolve("revoked"), "# stolen\nkey " + Pem.hash(first(directory.resolve("a.pem"))) + "\n");
        Identity careful = identity(new Identity.Files(directory.resolve("b.pem"), directory.resolve("b.key"), authority.certificate(), revoked));
        assertThatThrownBy(() -> meet(a, careful, B::equals)).as("revoked").isInstanceOf(SSLException.class);
    }

    /** A key store that keytool has made, as PEM by openssl: an RSA key, and text between the parts. */
    @Test
    @Tag("long")
    void whatKeytoolMakesServesToo() throws Exception {
        String store = directory.resolve("k.p12").toString();
        run("keytool", "-genkeypair", "-alias", "k", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=k", "-ext", "san=uri:" + A, "-ext", "bc=ca:true", "-validity", "30",
                "-storetype", "PKCS12", "-keystore", store, "-storepass", "changeit");
        run("openssl", "pkcs12", "-in", store, "-passin", "pass:changeit", "-nokeys", "-out", directory.resolve("k.pem").toString());
        run("openssl", "pkcs12", "-in", store, "-passin", "pass:changeit", "-nocerts", "-nodes", "-out", directory.resolve("k.key").toString());
        assertThat(Files.readString(directory.resolve("k.pem"))).contains("Bag Attributes");
        Identity k = identity(new Identity.Files(directory.resolve("k.pem"), directory.resolve("k.key"), directory.resolve("k.pem"), null));
        assertThat(meet(k, k, A::equals)).containsExactly(A, A);
    }

    /** BEGIN EC PRIVATE KEY, with the curve before it, and BEGIN RSA PRIVATE KEY. */
    @ParameterizedTest
    @ValueSource(strings = {"ecparam -name secp384r1 -genkey -out", "genrsa -traditional -out"})
    void keysAsAcmeClientsWriteThemServeToo(String command) throws Exception {
        Path key = directory.resolve("k.key");
        Path certificate = directory.resolve("k.pem");
        run(("openssl " + command + " " + key).split(" "));
        run("openssl", "req", "-x509", "-key", key.toString(), "-subj", "/CN=k", "-addext", "subjectAltName=URI:" + A, "-days", "9", "-out", certificate.toString());
        assertThat(Files.readString(key)).containsPattern("BEGIN (EC|RSA) PRIVATE KEY");
        Identity k = identity(new Identity.Files(certificate, key, certificate, null));
        assertThat(meet(k, k, A::equals)).containsExactly(A, A);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static X509Certificate first(Path file) throws Exception {
        try (var in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    @Test
    void changedFilesAreInForceForNewConnectionsAndHalfAChangeChangesNothing() throws Exception {
        Authority authority = new Authority(directory, "ca");
        Identity a = identity(authority.certify("a", "URI:" + A, 10));
        Identity b = identity(authority.certify("b", "URI:" + B, 10));
        Identity.Files next = authority.certify("next", "URI:" + B + "2", 20);
        Files.copy(next.certificate(), directory.resolve("b.pem"), StandardCopyOption.REPLACE_EXISTING);
        b.reload();
        assertThat(b.problem()).contains("b.key").contains("key of the certificate");
        assertThat(meet(a, b, B::equals)).as("as before").containsExactly(A, B);
        Files.copy(next.key(), directory.resolve("b.key"), StandardCopyOption.REPLACE_EXISTING);
        b.reload();
        assertThat(b.problem()).isNull();
        assertThat(meet(a, b, (B + "2")::equals)).containsExactly(A, B + "2");
        Files.delete(directory.resolve("b.key"));
        b.reload();
        assertThat(b.problem()).contains("b.key").contains("cannot be read");
        assertThat(meet(a, b, (B + "2")::equals)).containsExactly(A, B + "2");
    }

    @Test
    void aFileThatIsNoGoodIsNamed() throws IOException {
        Authority authority = new Authority(directory, "ca");
        Identity.Files good = authority.certify("a", "URI:" + A, 10);
        Path text = Files.writeString(directory.resolve("text"), "hello");
        List<Identity.Files> wrong = List.of(new Identity.Files(text, good.key(), good.authorities(), null),
                new Identity.Files(good.certificate(), text, good.authorities(), null), new Identity.Files(good.certificate(), good.key(), text, null),
                new Identity.Files(good.certificate(), good.key(), good.authorities(), text));
        for (Identity.Files files : wrong) {
            assertThatThrownBy(() -> new Identity(files)).hasMessageStartingWith("EE-501").hasMessageContaining(text.toString());
        }
    }
}
