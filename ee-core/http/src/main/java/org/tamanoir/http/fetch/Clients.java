package org.tamanoir.http.fetch;

import java.net.URI;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * The clients of the process: their connections are kept and used again. Each is made at first use. The one for {@code http} has a TLS
 * context that trusts nobody: the JDK's preset would read and parse all its certificates of authorities, which costs a command of the
 * command line a tenth of its time, to never use them. It never meets TLS, because redirects are not followed.
 */
final class Clients {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final class Plain {
        static final HttpClient CLIENT = builder().sslContext(trustingNobody()).build();
    }

    private static final class Secure {
        static final HttpClient CLIENT = builder().build();
    }

    private Clients() {
    }

    /** @param base of a server, http or https */
    static HttpClient of(URI base) {
        return "https".equalsIgnoreCase(base.getScheme()) ? Secure.CLIENT : Plain.CLIENT;
    }

    private static HttpClient.Builder builder() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIMEOUT);
    }

    private static SSLContext trustingNobody() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
