package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.benchmarks.load.Refusal;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.lab.LabException;

/** 10,000 streams with tokens of a wrong signature, of yesterday, for another node, and of an issuer that nobody knows. */
final class RefusedTokens extends Disturbance {
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
        super(quick ? 2 : 5);
        each = TOKENS / 5;
    }

    @Override
    int streams() {
        return TOKENS;
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
            Pause.until(began + i * millis * 1_000_000 / each);
            refused.merge(answer(victim, i), 1, Integer::sum);
        }
        Pause.until(began + millis * 1_000_000);
    }

    /** The code of what the node says. */
    private String answer(Victim victim, int number) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress("127.0.3." + (number % SOURCES + 1), 0));
            socket.connect(victim.node().address());
            socket.setSoTimeout(PATIENCE_MILLIS);
            ByteBuffer opening = Packets.opening(Packets.MONITORING, new InetSocketAddress("127.0.0.1", 9), number + 1, tokens.get(number % tokens.size()));
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
