package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;
import org.tamanoir.node.Node;

/** The Python client of this checkout, installed from its wheel: its own tests, the golden vectors among them, and its streams through nodes. */
@Tag("long")
class APythonProgramTest {
    private static final Path CLIENT = Path.of("../../clients/python").toAbsolutePath().normalize();
    /** Debian's own: the packages below are for that. */
    private static final String PYTHON = "/usr/bin/python3";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String HERE = "https://a.example.org";
    private static final String ID = "spiffe://example.org/node/a";

    @TempDir
    private Path directory;

    @Test
    void sendsAndReceivesThroughNodes() throws Exception {
        Path site = install();
        Authority authority = new Authority(directory, "ca");
        TokenIssuer cms = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        try (Grid grid = Grid.withRepository();
                NodeProgram node = new NodeProgram(directory.resolve("node"), "--listen", "127.0.0.1:0", "--repository", grid.repository().url())) {
            String receiver = text(FreePort.onLoopback());
            Node other = grid.node();
            Node secure = byTls(grid, authority, cms, receiver);
            Identity.Files python = authority.certify("python", "URI:" + ID + "/python,IP:127.0.0.1", 20);
            Command.Result result = Command.tryRun(List.of("env", "PYTHONPATH=" + site, "PYTHONDONTWRITEBYTECODE=1", "TAMANOIR_NODE=" + text(node.address().getPort()),
                    "TAMANOIR_COMMAND=" + String.join(" ", CommandLineTool.command()),
                    "TAMANOIR_PID=" + node.pid(), "TAMANOIR_OTHER_NODE=" + text(other.address().getPort()),
                    "TAMANOIR_TLS_NODE=" + text(secure.address().getPort()), "TAMANOIR_TLS_ID=" + ID,
                    "TAMANOIR_AUTHORITIES=" + authority.certificate(), "TAMANOIR_TLS_RECEIVER=" + receiver,
                    "TAMANOIR_CERTIFICATE=" + python.certificate(), "TAMANOIR_KEY=" + python.key(), "TAMANOIR_TOKEN=" + cms.token("ada", HERE, "storage.read:/cms"),
                    PYTHON, "-m", "unittest", "discover", "-v", "-s", CLIENT.resolve("tests/streams").toString()), null, PATIENCE);
            assertThat(result.exit()).as("%s%n%s", failed(result.errors()), result.errors()).isZero();
            assertThat(result.errors()).containsPattern("Ran [4-7][0-9] tests").doesNotContain("skipped", "never awaited", "never retrieved");
            new NodeView(secure).awaitStreams(0);
        }
    }

    /** The headings of what failed: a summary shows the first line alone. */
    private static List<String> failed(String errors) {
        return errors.lines().filter(line -> line.startsWith("ERROR: ") || line.startsWith("FAIL: ")).toList();
    }

    private static String text(int port) {
        return "127.0.0.1:" + port;
    }

    /** A node that lets in who shows a token, and reaches a receiver by TLS as it would the next node. */
    private Node byTls(Grid grid, Authority authority, TokenIssuer cms, String receiver) throws IOException {
        Path users = Files.writeString(directory.resolve("users.yaml"), "issuers:\n  - {issuer: '" + cms.name() + "', keys: " + cms.keys() + ", audience: " + HERE
                + "}\nrules:\n  - {allow: '" + cms.name() + "', scope: 'storage.read:/cms'}\n");
        Identity.Files files = authority.certify("a", "URI:" + ID + ",IP:127.0.0.1", 20);
        return grid.node(configuration -> configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.clients", "optional").set("tls.plain", List.of())
                .set("routes", Map.of("127.0.0.0/8", "direct", "192.0.2.7/32", "tls://" + receiver)).set("access-policy", users.toString()));
    }

    /** Makes the wheel and installs it in a directory of its own, as {@code pip install} does, without asking the network. */
    private Path install() throws IOException {
        if (Command.tryRun(List.of(PYTHON, "-c", "import pip, wheel, setuptools, numpy, crc32c"), null, PATIENCE).exit() != 0) {
            DebianPackages.install(List.of("python3-pip", "python3-wheel", "python3-setuptools", "python3-numpy", "python3-crc32c"));
        }
        // A build leaves things beside the sources.
        Path copy = directory.resolve("python");
        Command.run(List.of("cp", "-r", CLIENT.toString(), copy.toString()));
        List<String> pip = List.of(PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir");
        Command.run(Command.append(pip, "wheel", "--no-build-isolation", "--no-index", "--no-deps", "--wheel-dir", directory.toString(), copy.toString()), null, PATIENCE);
        Path wheel = directory.resolve("tamanoir-0.1.0-py3-none-any.whl");
        Path site = directory.resolve("site");
        Command.run(Command.append(pip, "install", "--no-index", "--no-deps", "--no-compile", "--target", site.toString(), wheel.toString()), null, PATIENCE);
        assertThat(site.resolve("tamanoir/py.typed")).exists();
        assertThat(site.resolve("bin/tamanoir-observatory")).isExecutable();
        return site;
    }
}
