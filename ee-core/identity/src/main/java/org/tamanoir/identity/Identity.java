package org.tamanoir.identity;

import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;

/**
 * Who this program is, and whom it believes to be who they say: a certificate with its key, the authorities of the others, and what is revoked, each a file of
 * text. The files are read again when their content changes; connections that are open stay as they are, new ones use what the files say. A change that is no good, or half
 * made, changes nothing and is looked at again.
 *
 * <p>Names are SPIFFE IDs ({@code spiffe://example.org/node/a}, one URI in the certificate's alternative names), or hosts where a server is known by its host.
 */
public final class Identity implements AutoCloseable {
    /** So long before the certificate expires {@link #problem} says it. */
    public static final Duration WARNING = Duration.ofDays(14);
    private static final Logger LOG = LoggerFactory.getLogger(Identity.class);
    private static final String SPIFFE = "spiffe://";
    private static final int URI = 6;
    private static final long LOOK_SECONDS = 2;
    private static final String ALIAS = "self";

    private final Files files;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "tamanoir-identity");
        made.setDaemon(true);
        return made;
    });
    private volatile State state;
    private volatile String refused;

    /**
     * Where it stands.
     *
     * @param certificate this program's own, and those between it and the authority; null, with the key, for a program that shows none
     * @param key         its private key (PKCS #8, SEC 1 or PKCS #1), without a password
     * @param authorities who certifies the others; null for the JDK's
     * @param revoked     public keys that count no more; null for none
     */
    public record Files(Path certificate, Path key, Path authorities, Path revoked) {
    }

    private record State(List<byte[]> content, List<X509Certificate> chain, PrivateKey key, X509ExtendedTrustManager authorities, Set<String> revoked) {
        boolean isOf(List<byte[]> other) {
            for (int i = 0; i < content.size(); i++) {
                if (!Arrays.equals(content.get(i), other.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** @throws AnepException EE-501 with the file and what is wrong with it */
    public Identity(Files files) {
        this.files = files;
        state = read(content());
        thread.scheduleWithFixedDelay(this::reload, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    private List<byte[]> content() {
        return List.of(Pem.octets(files.certificate()), Pem.octets(files.key()), Pem.octets(files.authorities()), Pem.octets(files.revoked()));
    }

    private State read(List<byte[]> content) {
        List<X509Certificate> chain = files.certificate() == null ? List.of() : Pem.certificates(files.certificate(), content.get(0));
        PrivateKey key = files.certificate() == null ? null : Pem.key(files.key(), content.get(1), chain.get(0));
        List<X509Certificate> authorities = files.authorities() == null ? null : Pem.certificates(files.authorities(), content.get(2));
        return new State(content, chain, key, pkix(authorities), Pem.revoked(files.revoked(), content.get(3)));
    }

    /** @param authorities null for those of the JDK */
    private static X509ExtendedTrustManager pkix(Collection<X509Certificate> authorities) {
        try {
            KeyStore store = null;
            if (authorities != null) {
                store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                int number = 0;
                for (X509Certificate each : authorities) {
                    store.setCertificateEntry("authority" + number++, each);
                }
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException | java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads the files again if their content has changed; what is wrong is logged once and stands in {@link #problem}. */
    void reload() {
        try {
            List<byte[]> content = content();
            if (!state.isOf(content)) {
                state = read(content);
                if (files.certificate() != null) {
                    LOG.info("the certificate of {} is in force until {}", name(), until());
                }
            }
            refused = null;
        } catch (AnepException e) {
            if (!e.text().equals(refused)) {
                LOG.warn("certificates stay as they are: {}", e.getMessage());
            }
            refused = e.text();
        }
    }

    /** When the certificate of this program expires; {@link Instant#MAX} if it has none. */
    public Instant until() {
        return state.chain.isEmpty() ? Instant.MAX : state.chain.get(0).getNotAfter().toInstant();
    }

    /** Its first SPIFFE ID, or its subject; empty if it has no certificate. */
    public String name() {
        if (state.chain.isEmpty()) {
            return "";
        }
        X509Certificate own = state.chain.get(0);
        List<String> names = names(own);
        return names.isEmpty() ? own.getSubjectX500Principal().getName() : names.get(0);
    }

    /** What an operator has to know, or null: files that were refused, or a certificate that soon expires. */
    public String problem() {
        Instant until = until();
        return refused != null ? refused : Instant.now().plus(WARNING).isAfter(until) ? "the certificate of " + name() + " expires on " + until : null;
    }

    /** For status pages: {@code name}, {@code until}, and {@code problem} if there is one. */
    public Map<String, Object> describe() {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", name());
        described.put("until", until().toString());
        if (problem() != null) {
            described.put("problem", problem());
        }
        return described;
    }

    /** The SPIFFE IDs that a peer has proven; empty if it has shown no certificate. */
    public static List<String> names(SSLSession session) {
        try {
            Certificate[] shown = session.getPeerCertificates();
            return shown.length == 0 ? List.of() : names((X509Certificate) shown[0]);
        } catch (SSLPeerUnverifiedException e) {
            return List.of();
        }
    }

    private static List<String> names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                alternatives.stream().filter(each -> (Integer) each.get(0) == URI && each.get(1).toString().startsWith(SPIFFE))
                        .forEach(each -> names.add(each.get(1).toString()));
            }
        } catch (CertificateParsingException e) {
            return List.of();
        }
        return names;
    }

    /**
     * A context that always goes by the present files.
     *
     * @param expected SPIFFE IDs that a server may have in the place of its host's name or address
     */
    public SSLContext sslContext(Predicate<String> expected) {
        try {
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(new KeyManager[] {keyManager()}, new TrustManager[] {trustManager(expected)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The key of this program, as the files say when it is asked for. */
    public X509ExtendedKeyManager keyManager() {
        return new Keys();
    }

    /** See {@link #sslContext}. */
    public X509ExtendedTrustManager trustManager(Predicate<String> expected) {
        return new Trusted(expected);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private final class Keys extends X509ExtendedKeyManager {
        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return of(type);
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return of(type);
        }

        private String[] of(String type) {
            return isOf(type) ? new String[] {ALIAS} : null;
        }

        private boolean isOf(String type) {
            if (state.key == null) {
                return false;
            }
            String algorithm = state.key.getAlgorithm();
            return type.equals(algorithm) || type.startsWith("EC") && algorithm.equals("EC") || type.equals("EdDSA") && algorithm.startsWith("Ed")
                    || type.startsWith("RSA") && algorithm.equals("RSA");
        }

        private String first(String... types) {
            return Arrays.stream(types).anyMatch(this::isOf) ? ALIAS : null;
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return first(types);
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return first(type);
        }

        @Override
        public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
            return first(types);
        }

        @Override
        public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            return first(type);
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return state.chain.toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return state.key;
        }
    }

    /** The authorities of the present files, what is revoked, and for servers the name. */
    private final class Trusted extends X509ExtendedTrustManager {
        private final Predicate<String> expected;

        Trusted(Predicate<String> expected) {
            this.expected = expected;
        }

        private void checkRevoked(X509Certificate[] chain) throws CertificateException {
            for (X509Certificate each : chain) {
                if (state.revoked.contains(Pem.hash(each))) {
                    throw new CertificateException("the key of " + each.getSubjectX500Principal().getName() + " is revoked");
                }
            }
        }

        private boolean isExpected(X509Certificate[] chain) {
            return names(chain[0]).stream().anyMatch(expected);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            state.authorities.checkClientTrusted(chain, type);
            checkRevoked(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
            checkClientTrusted(chain, type);
        }

        /** Without a connection there is no host to compare: the name must be one that is expected. */
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            state.authorities.checkServerTrusted(chain, type);
            checkRevoked(chain);
            if (!isExpected(chain)) {
                throw new CertificateException("nobody expects the name " + names(chain[0]));
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            if (isExpected(chain)) {
                checkServerTrusted(chain, type);
            } else {
                state.authorities.checkServerTrusted(chain, type, socket);
                checkRevoked(chain);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
            if (isExpected(chain)) {
                checkServerTrusted(chain, type);
            } else if (!"HTTPS".equals(engine.getSSLParameters().getEndpointIdentificationAlgorithm())) {
                throw new CertificateException("nobody compares the certificate with a host");
            } else {
                state.authorities.checkServerTrusted(chain, type, engine);
                checkRevoked(chain);
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return state.authorities.getAcceptedIssuers();
        }
    }
}
