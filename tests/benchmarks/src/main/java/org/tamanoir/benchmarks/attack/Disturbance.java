package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.tamanoir.benchmarks.attack.Attack.Run;
import org.tamanoir.benchmarks.load.Refusal;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.report.Measurements.Step;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.lab.LabException;

/**
 * Many who are not let in, and the delay of a stream that is open meanwhile. The attacker needs a processor too, so the node has one of its own,
 * and each round has the delay with and without the attack, of the stream through the node and of one that goes straight to who answers; what the
 * attack adds to the one in parts of what it adds to the other is the node's doing.
 */
final class Disturbance {
    /** Attacks before, which do not count: the node has compiled what it will. */
    private static final int WARM_UPS = 3;
    private static final long PHASE_MILLIS = 4000;
    private static final long PHASE = PHASE_MILLIS * 1_000_000;
    private static final int SOURCES = 4;
    private static final String ISSUER = "https://issuer.example.org/";
    private static final String AUDIENCE = "https://node.example.org";
    private static final String SCOPE = "storage.read:/";
    private static final String TOKENS = "tokens";
    /** What a node says of the tokens of {@link #policy}. */
    private static final List<String> EXPECTED = List.of("EE-217", "EE-218", "EE-219", "EE-220");

    private Disturbance() {
    }

    /** @param attack takes a phase @return how often it was made */
    private static int disturb(Run run, Step attack) throws Exception {
        ProcessTree self = new ProcessTree(ProcessHandle.current().pid());
        // Afterwards this process knows of no other.
        String all = ProcessTree.allCpus();
        self.pin("0");
        run.victim().node().tree().pin(all.equals("0") ? "0" : "1");
        try (SteadyStream through = SteadyStream.open(SteadyStream.ASKING, run.victim(), false);
                SteadyStream direct = SteadyStream.open(SteadyStream.ASKING, run.victim(), true)) {
            Thread.sleep(PHASE_MILLIS);
            for (int i = 0; i < WARM_UPS; i++) {
                attack.run();
            }
            for (int round = 0; round < run.length(); round++) {
                double[] quiet = phase(through, direct, () -> Thread.sleep(PHASE_MILLIS));
                double[] attacked = phase(through, direct, attack);
                double node = attacked[0] / quiet[0];
                double machine = attacked[1] / quiet[1];
                run.found("p99-quiet", "us", quiet[0] / 1e3);
                run.found("p99-attacked", "us", attacked[0] / 1e3);
                run.found("p99-growth", "ratio", node);
                run.found("p99-growth-of-direct", "ratio", machine);
                run.found("p99-growth-beyond-direct", "ratio", node / machine);
            }
            return WARM_UPS + run.length();
        } finally {
            self.pin(all);
        }
    }

    private static double[] phase(SteadyStream through, SteadyStream direct, Step phase) throws Exception {
        Thread.sleep(500);
        through.begin();
        direct.begin();
        phase.run();
        return new double[] {through.p99(), direct.p99()};
    }

    private static InetSocketAddress source(int number) {
        return new InetSocketAddress("127.0.3." + (number % SOURCES + 1), 0);
    }

    /** Connections that begin TLS and say no more: half of them in the middle of the first message, half when the node has answered it. */
    static void beginHandshakes(Run run) throws Exception {
        ByteBuffer hello = hello();
        AtomicInteger kept = new AtomicInteger();
        int attacks = disturb(run, () -> kept.addAndGet(beginHandshakes(run, hello)));
        int opened = attacks * run.streams();
        if (kept.get() < 0.9 * opened) {
            throw new LabException("of " + opened + " half-open handshakes the node has kept " + kept + ": that is no attack");
        }
        run.found("half-open", "1", kept.doubleValue() / attacks);
    }

    /** The first message of a client, as the JDK makes it. */
    private static ByteBuffer hello() throws GeneralSecurityException, IOException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return hello.flip();
    }

    /** Opens connections in half of a phase, and holds them in the other. @return how many the node has not closed */
    private static int beginHandshakes(Run run, ByteBuffer hello) throws IOException, InterruptedException {
        int count = run.streams();
        List<SocketChannel> all = new ArrayList<>();
        try {
            long began = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Attack.until(began + i * PHASE / 2 / count);
                SocketChannel connection = SocketChannel.open().bind(source(i));
                all.add(connection);
                connection.connect(run.victim().node().address());
                connection.write(hello.duplicate().limit(i % 2 == 0 ? hello.limit() : hello.limit() / 2));
            }
            Attack.until(began + PHASE);
            return (int) all.stream().filter(Disturbance::isKept).count();
        } finally {
            for (SocketChannel each : all) {
                each.close();
            }
        }
    }

    /** Whether the node has not closed it. */
    private static boolean isKept(SocketChannel connection) {
        try {
            connection.configureBlocking(false);
            ByteBuffer answer = ByteBuffer.allocate(16 * 1024);
            int read = connection.read(answer);
            while (read > 0) {
                read = connection.read(answer.clear());
            }
            return read == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** That a node takes tokens of one issuer. Makes some of a wrong signature, of yesterday, for another node, and of an issuer that nobody knows. */
    static String policy(Victim victim) throws IOException {
        Path folder = victim.folder;
        TokenIssuer good = new TokenIssuer(ISSUER, folder.resolve("issuer.jwks"));
        TokenIssuer other = new TokenIssuer(ISSUER, folder.resolve("other.jwks"));
        TokenIssuer unknown = new TokenIssuer("https://unknown.example.org/", folder.resolve("unknown.jwks"));
        Map<String, Object> old = good.claims("ada", AUDIENCE, SCOPE);
        old.put("exp", Instant.now().minusSeconds(86_400).getEpochSecond());
        Files.write(folder.resolve(TOKENS), List.of(other.token("ada", AUDIENCE, SCOPE), good.signed(old),
                good.token("ada", "https://another.example.org", SCOPE), unknown.token("ada", AUDIENCE, SCOPE)));
        return "access-policy: " + Files.writeString(folder.resolve("access.yaml"), """
                issuers:
                  - {issuer: '%s', keys: %s, audience: '%s'}
                rules:
                  - {allow: '%s', scope: '%s'}
                  - allow: 127.0.0.1
                """.formatted(ISSUER, good.keys(), AUDIENCE, ISSUER, SCOPE)) + "\n";
    }

    /** Shows a fifth of the tokens in each phase. */
    static void showTokens(Run run) throws Exception {
        List<String> tokens = Files.readAllLines(run.victim().folder.resolve(TOKENS));
        int each = run.streams() / 5;
        Map<String, Integer> refused = new TreeMap<>();
        int shown = each * disturb(run, () -> {
            long began = System.nanoTime();
            for (int i = 0; i < each; i++) {
                Attack.until(began + i * PHASE / each);
                refused.merge(answer(run.victim(), i, tokens.get(i % tokens.size())), 1, Integer::sum);
            }
            Attack.until(began + PHASE);
        });
        int counted = EXPECTED.stream().mapToInt(code -> refused.getOrDefault(code, 0)).sum();
        if (counted != shown || !refused.keySet().containsAll(EXPECTED)) {
            throw new LabException("of " + shown + " tokens the node has refused " + refused);
        }
        run.found("refused", "1", counted);
    }

    /** The code of what the node says. */
    private static String answer(Victim victim, int number, String token) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(source(number));
            socket.connect(victim.node().address());
            socket.setSoTimeout(5000);
            ByteBuffer opening = Packets.opening(Packets.MONITORING, new InetSocketAddress("127.0.0.1", 9), number + 1, token);
            socket.getOutputStream().write(opening.array(), opening.arrayOffset() + opening.position(), opening.remaining());
            return Refusal.text(ByteBuffer.wrap(socket.getInputStream().readNBytes(2048))).split(" ")[0];
        }
    }
}
