package org.tamanoir.http.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

@Timeout(60)
class SecureFetchTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir
    private Path directory;

    private KeyStore key(String name) throws Exception {
        Path file = directory.resolve(name);
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC", "-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1",
                "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", new String(PASSWORD)).redirectErrorStream(true).start();
        assertThat(keytool.waitFor()).as(new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static SSLContext context(KeyStore own, KeyStore trusted) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static HttpsServer server(SSLContext context) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            byte[] body = "content".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static HttpFetch fetch(HttpsServer server) {
        return HttpFetch.of("https://127.0.0.1:" + server.getAddress().getPort(), ErrorCode.REPOSITORY_UNREACHABLE);
    }

    @Test
    @Tag("long")
    void whoTheJdkTrustsIsFetchedFromAndNobodyElse() throws Exception {
        KeyStore known = key("known");
        KeyStore stranger = key("stranger");
        // Before the client for https is made, as the JDK's own certificates of authorities would be.
        SSLContext.setDefault(context(known, known));
        HttpsServer good = server(context(known, known));
        HttpsServer bad = server(context(stranger, stranger));
        try {
            assertThat(fetch(good).bytes("/", 100)).asString().isEqualTo("content");
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch(bad).bytes("/", 100))
                    .withMessageStartingWith("EE-302").withMessageContaining("PKIX");
        } finally {
            good.stop(0);
            bad.stop(0);
        }
    }
}
