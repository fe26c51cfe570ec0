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
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.tamanoir.benchmarks.load.Refusal;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.lab.LabException;

/**
 * Many who are not let in, and the delay of a stream that is open meanwhile. The attacker needs a processor too, so the node has one of its own,
 * and each round has the delay with and without the attack, of the stream through the node and of one that goes straight to who answers; what the
 * attack adds to the one in parts of what it adds to the other is the node's doing.
 */
abstract class Disturbance extends Attack {
    private static final long WARM_MILLIS = 4000;
    private static final long SETTLE_MILLIS = 500;
    /** Attacks before, which do not count: the node has compiled what it will. */
    private static final int WARM_UPS = 3;
    private static final long PHASE_MILLIS = 4000;

    private final int rounds;

    Disturbance(int streams, int rounds) {
        super(streams, 0);
        this.rounds = rounds;
    }

    /** How often {@link #attack} is called in all. */
    int attacks() {
        return WARM_UPS + rounds;
    }

    /** It has streams of its own kind. */
    @Override
    boolean hasBystander() {
        return false;
    }

    /** Attacks for about so long. */
    abstract void attack(Victim victim, long millis) throws Exception;

    /** Checks that it was an attack, and says how much of one. */
    abstract void judge(Found found);

    @Override
    final void run(Victim victim, Found found) throws Exception {
        ProcessTree self = new ProcessTree(ProcessHandle.current().pid());
        // Afterwards this process knows of no other.
        String all = ProcessTree.allCpus();
        self.pin("0");
        victim.node().tree().pin(all.equals("0") ? "0" : "1");
        try (SteadyStream through = SteadyStream.asking(victim, false); SteadyStream direct = SteadyStream.asking(victim, true)) {
            Thread.sleep(WARM_MILLIS);
            for (int i = 0; i < WARM_UPS; i++) {
                attack(victim, PHASE_MILLIS);
            }
            for (int round = 0; round < rounds; round++) {
                double[] quiet = phase(through, direct, () -> Thread.sleep(PHASE_MILLIS));
                double[] attacked = phase(through, direct, () -> attack(victim, PHASE_MILLIS));
                double node = attacked[0] / quiet[0];
                double machine = attacked[1] / quiet[1];
                found.add("p99-quiet", "us", quiet[0] / 1e3);
                found.add("p99-attacked", "us", attacked[0] / 1e3);
                found.add("p99-growth", "ratio", node);
                found.add("p99-growth-of-direct", "ratio", machine);
                found.add("p99-growth-beyond-direct", "ratio", node / machine);
            }
            judge(found);
        } finally {
            self.pin(all);
        }
    }

    /** Something that takes its time. */
    private interface Phase {
        void run() throws Exception;
    }

    private static double[] phase(SteadyStream through, SteadyStream direct, Phase phase) throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        through.begin();
        direct.begin();
        phase.run();
        return new double[] {through.p99(), direct.p99()};
    }

    /** 1,000 connections that begin TLS and say no more: half of them in the middle of the first message, half when the node has answered it. */
    static final class HalfOpenHandshakes extends Disturbance {
        private static final int CONNECTIONS = 1000;
        private static final int SOURCES = 4;
        /** Those of the phase before may not be forgotten yet. */
        private static final int LIMIT = 4 * CONNECTIONS;

        private long opened;
        private long kept;

        HalfOpenHandshakes(boolean quick) {
            super(CONNECTIONS, quick ? 2 : 5);
        }

        @Override
        Victim victim(Build build) {
            return Victim.byTls(build, LIMIT);
        }

        /** Opens them in half of the time, and holds them in the other. */
        @Override
        void attack(Victim victim, long millis) throws Exception {
            ByteBuffer hello = hello();
            ByteBuffer half = hello.duplicate().limit(hello.remaining() / 2);
            List<SocketChannel> all = new ArrayList<>();
            try {
                long began = System.nanoTime();
                for (int i = 0; i < CONNECTIONS; i++) {
                    Attack.until(began + i * millis * 500_000 / CONNECTIONS);
                    SocketChannel connection = SocketChannel.open().bind(new InetSocketAddress("127.0.3." + (i % SOURCES + 1), 0));
                    all.add(connection);
                    connection.connect(victim.node().address());
                    connection.write((i % 2 == 0 ? hello : half).duplicate());
                }
                Attack.until(began + millis * 1_000_000);
                opened += CONNECTIONS;
                for (SocketChannel each : all) {
                    kept += isKept(each) ? 1 : 0;
                }
            } finally {
                for (SocketChannel each : all) {
                    each.close();
                }
            }
        }

        /** The first message of a client, as the JDK makes it. */
        private static ByteBuffer hello() throws GeneralSecurityException, IOException {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), hello);
            return hello.flip();
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

        @Override
        void judge(Found found) {
            if (kept < 0.9 * opened) {
                throw new LabException("of " + opened + " half-open handshakes the node has kept " + kept + ": that is no attack");
            }
            found.add("half-open", "1", (double) kept / attacks());
        }
    }

    /** 10,000 streams with tokens of a wrong signature, of yesterday, for another node, and of an issuer that nobody knows. */
    static final class RefusedTokens extends Disturbance {
        private static final int TOKENS = 10_000;
        private static final int SOURCES = 4;
        private static final String ISSUER = "https://issuer.example.org/";
        private static final String AUDIENCE = "https://node.example.org";
        private static final String SCOPE = "storage.read:/";
        private static final int LONGEST = 2048;
        private static final int PATIENCE_MILLIS = 5000;
        private static final List<String> EXPECTED = List.of("EE-217", "EE-218", "EE-219", "EE-220");

        private final int each;
        private final List<String> tokens = new ArrayList<>();
        private final Map<String, Integer> refused = new TreeMap<>();

        RefusedTokens(boolean quick) {
            super(TOKENS, quick ? 2 : 5);
            each = TOKENS / 5;
        }

        @Override
        Victim victim(Build build) {
            return Victim.onLoopback(build, folder -> {
                TokenIssuer good = new TokenIssuer(ISSUER, folder.resolve("issuer.jwks"));
                TokenIssuer other = new TokenIssuer(ISSUER, folder.resolve("other.jwks"));
                TokenIssuer unknown = new TokenIssuer("https://unknown.example.org/", folder.resolve("unknown.jwks"));
                Map<String, Object> old = good.claims("ada", AUDIENCE, SCOPE);
                old.put("exp", Instant.now().minusSeconds(86_400).getEpochSecond());
                tokens.addAll(List.of(other.token("ada", AUDIENCE, SCOPE), good.signed(old), good.token("ada", "https://another.example.org", SCOPE),
                        unknown.token("ada", AUDIENCE, SCOPE)));
                Path policy = Files.writeString(folder.resolve("access.yaml"), """
                        issuers:
                          - {issuer: '%s', keys: %s, audience: '%s'}
                        rules:
                          - {allow: '%s', scope: '%s'}
                          - allow: 127.0.0.1
                        """.formatted(ISSUER, good.keys(), AUDIENCE, ISSUER, SCOPE));
                return "access-policy: " + policy + "\n";
            });
        }

        @Override
        void attack(Victim victim, long millis) throws Exception {
            long began = System.nanoTime();
            for (int i = 0; i < each; i++) {
                Attack.until(began + i * millis * 1_000_000 / each);
                refused.merge(answer(victim, i), 1, Integer::sum);
            }
            Attack.until(began + millis * 1_000_000);
        }

        /** The code of what the node says. */
        private String answer(Victim victim, int number) throws IOException {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress("127.0.3." + (number % SOURCES + 1), 0));
                socket.connect(victim.node().address());
                socket.setSoTimeout(PATIENCE_MILLIS);
                ByteBuffer opening = Packets.opening(Packets.MONITORING, new InetSocketAddress("127.0.0.1", 9), number + 1,
                        tokens.get(number % tokens.size()));
                socket.getOutputStream().write(opening.array(), opening.arrayOffset() + opening.position(), opening.remaining());
                byte[] said = socket.getInputStream().readNBytes(LONGEST);
                return Refusal.text(ByteBuffer.wrap(said)).split(" ")[0];
            }
        }

        @Override
        void judge(Found found) {
            int counted = EXPECTED.stream().mapToInt(code -> refused.getOrDefault(code, 0)).sum();
            if (counted != attacks() * each || !refused.keySet().containsAll(EXPECTED)) {
                throw new LabException("of " + attacks() * each + " tokens the node has refused " + refused);
            }
            found.add("refused", "1", counted);
        }
    }
}
