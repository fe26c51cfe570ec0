package org.tamanoir.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.identity.token.Token;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.node.access.AccessPolicy.Decision;
import org.tamanoir.node.access.AccessRule.Request;

class AccessFileTest {
    private static final int MONITORING = 0x5402;
    private static final int COMPRESSION = 0x5403;
    private static final String CMS = "https://cms.example.org/";

    @TempDir
    Path directory;
    private Path file;
    private String issuers;

    @BeforeEach
    void anIssuer() {
        file = directory.resolve("access.yaml");
        TokenIssuer issuer = new TokenIssuer(CMS, directory.resolve("cms.jwks"));
        issuers = "issuers:\n  - issuer: " + CMS + "\n    keys: " + issuer.keys() + "\n    audience: https://node.example.org\n";
    }

    private AccessPolicy policy(String text) throws IOException {
        return AccessFile.read(Files.writeString(file, text));
    }

    private static Request from(String address, String to, int... services) {
        int colon = to.lastIndexOf(':');
        try {
            return new Request(InetAddress.getByName(address), List.of(), null, new InetSocketAddress(to.substring(0, colon), Integer.parseInt(to.substring(colon + 1))),
                    Arrays.stream(services).boxed().toList());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Request named(Request request, String... names) {
        return new Request(request.address(), List.of(names), null, request.destination(), request.services());
    }

    private static Token token(String subject, String scope, String... groups) {
        return new Token(CMS, subject, null, List.of(scope), List.of(groups), Instant.MAX);
    }

    @Test
    void theFirstRuleThatMatchesDecides() throws IOException {
        AccessPolicy policy = policy(issuers + """
                rules:
                  - deny: 192.0.2.66
                  - allow: https://cms.example.org/
                    scope: storage.read:/cms
                    to: [10.2.0.0/16 5000-5999, 10.3.0.7]
                    services: [monitoring, 0x5403]
                    classes: [AF11, EF, 12]
                    streams: 20
                    rate: 200M
                  - allow: spiffe://b.example.org/node/*
                  - allow: 192.0.2.0/24
                    to: 10.2.0.0/16 5000
                """);
        Request ada = from("198.51.100.1", "10.2.1.1:5001", MONITORING).with(token("ada", "storage.read:/"));

        Decision decision = policy.decide(ada);
        assertThat(decision.isAllowed()).isTrue();
        assertThat(decision.identity()).isEqualTo("https://cms.example.org/#ada");
        assertThat(decision.rule()).hasToString("line 7: allow https://cms.example.org/, scope storage.read:/cms, to 10.2.0.0/16 5000-5999 10.3.0.7, "
                + "services monitoring 0x5403, classes AF11 EF 12, streams 20, rate 200M");
        assertThat(decision.rule().classes()).containsExactlyInAnyOrder(10, 46, 12);
        assertThat(decision.rule().rate()).isEqualTo(200_000_000);
        assertThat(decision.rule().streams()).isEqualTo(20);

        assertThat(lines(policy, ada.with(token("ada", "storage.read:/atlas")), from("198.51.100.1", "10.2.1.1:6000", MONITORING).with(token("ada", "storage.read:/cms")),
                from("198.51.100.1", "10.2.1.1:5001", MONITORING, 0x5501).with(token("ada", "storage.read:/cms")),
                named(from("198.51.100.1", "10.9.1.1:80", 0x5501), "spiffe://b.example.org/node/7"),
                named(from("198.51.100.1", "10.9.1.1:80", 0x5501), "spiffe://b.example.org/user/7"),
                from("192.0.2.1", "10.2.0.1:5000", COMPRESSION), from("192.0.2.66", "10.2.0.1:5000", COMPRESSION), from("192.0.2.1", "10.2.0.1:5001", COMPRESSION)))
                .containsExactly(0, 0, 0, 14, 0, 15, 6, 0);
    }

    private static List<Integer> lines(AccessPolicy policy, Request... requests) {
        return Arrays.stream(requests).map(policy::decide).map(decision -> decision.rule() == null ? 0 : decision.rule().line()).toList();
    }

    @Test
    void oneServiceIsEnoughToBeDenied() throws IOException {
        AccessPolicy policy = policy("rules:\n  - deny: anybody\n    services: compression\n  - allow: anybody\n");
        assertThat(lines(policy, from("192.0.2.1", "10.0.0.1:1", MONITORING), from("192.0.2.1", "10.0.0.1:1", MONITORING, COMPRESSION))).containsExactly(4, 2);
    }

    @Test
    void groupsAndSubjectsTellTokensApart() throws IOException {
        AccessPolicy policy = policy(issuers + "rules:\n  - allow: https://cms.example.org/\n    group: /cms/production\n  - allow: https://cms.example.org/\n    subject: eve\n");
        Request request = from("192.0.2.1", "10.0.0.1:1", MONITORING);
        assertThat(lines(policy, request.with(token("ada", "x", "/cms", "/cms/production")), request.with(token("eve", "x", "/cms")), request.with(token("bob", "x")), request))
                .containsExactly(6, 8, 0, 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rules: []                                                               | it has no rules, or",
        "rules: [{allow: anybody, deny: anybody}]                                | rules[0].rules: a rule says either allow or deny",
        "rules: [{to: 10.0.0.0/8}]                                               | either allow or deny",
        "rules: [{allow: somebody}]                                              | rules[0].allow: 'somebody' is not a prefix",
        "rules: [{allow: anybody, to: '10.0.0.0/8:443'}]                         | rules[0].to: '10.0.0.0/8:443' needs a length",
        "rules: [{allow: anybody, to: 10.0.0.0/8 0}]                             | '0' is not a list of ports",
        "rules: [{allow: anybody, services: monitorin}]                          | rules[0].services: 'monitorin' is no Type ID",
        "rules: [{allow: anybody, classes: gold}]                                | rules[0].classes: 'gold' is neither a code point",
        "rules: [{allow: anybody, rate: fast}]                                   | rules[0].rate: 'fast' is no rate",
        "rules: [{allow: anybody, streams: 0}]                                   | rules[0].streams: it is 0",
        "rules: [{deny: anybody, streams: 5}]                                    | what is refused needs no",
        "rules: [{allow: 10.0.0.0/8, scope: x}]                                  | are for tokens",
        "rules: [{allow: 'https://x.example.org/'}]                              | which is not among the issuers",
        "rules: [{alow: anybody}]                                                | there is no such key",
        "rules: [{allow: anybody}, {allow: 10.0.0.0/8}]                          | line 1 decides all of its streams before it",
        "rules: [{deny: 10.0.0.0/8}, {allow: 10.1.0.0/16, to: 10.9.9.9}]         | before it, the other way round",
        "rules: [{allow: 'spiffe://a/n/*'}, {deny: 'spiffe://a/n/b'}]            | before it, the other way round",
        "issuers: [{issuer: 'https://x/'}]                                       | an issuer needs issuer",
        "issuers: [{issuer: 'https://x/', keys: /none, audience: y}]             | cannot read /none",
        "[                                                                       | (line 1)"})
    void aFileThatIsWrongSaysWhere(String text, String said) {
        assertThatThrownBy(() -> policy(text.strip())).hasMessageStartingWith("EE-501").hasMessageContaining(said.strip()).hasMessageContaining(file.toString());
    }

    /** Whatever stands in the file, it is read or refused. */
    @Test
    @Tag("long")
    void anythingIsReadOrRefused() throws IOException {
        String good = issuers + "rules:\n  - allow: https://cms.example.org/\n    scope: storage.read:/cms\n    to: 10.2.0.0/16 5000-5999\n    services: monitoring\n    classes: EF\n"
                + "    streams: 20\n    rate: 200M\n  - deny: anybody\n";
        Random random = new Random(15);
        for (int i = 0; i < 2000; i++) {
            StringBuilder changed = new StringBuilder(good);
            for (int change = random.nextInt(4); change >= 0; change--) {
                int at = random.nextInt(changed.length());
                switch (random.nextInt(3)) {
                    case 0 -> changed.setCharAt(at, "\0 :-[]{}#&*!|>'\"%@`\n\tA9é".charAt(random.nextInt(24)));
                    case 1 -> changed.deleteCharAt(at);
                    default -> changed.insert(at, changed.substring(at, Math.min(changed.length(), at + random.nextInt(40))));
                }
            }
            try {
                policy(changed.toString());
            } catch (AnepException e) {
                assertThat(e.code().number()).as(changed.toString()).isEqualTo(501);
            }
        }
    }
}
