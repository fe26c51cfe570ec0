package org.tamanoir.http.fetch;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * The clients of the process: their connections are kept and used again. Each is made at first use. The one for {@code http} has a TLS
 * context that trusts nobody: the JDK's preset would read and parse all its certificates of authorities, which costs a command of the
 * command line a tenth of its time, to never use them. It never meets TLS, because redirects are not followed.
 */
final class HttpClients {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final class Plain {
        static final HttpClient CLIENT = builder().sslContext(trustingNobody()).build();
    }

    private static final class Secure {
        static final HttpClient CLIENT = builder().build();
    }

    private HttpClients() {
    }

    /** A client with certificates of its own; keep it, for each has threads. */
    static HttpClient of(SSLContext tls) {
        return builder().sslContext(tls).build();
    }

    /**
     * Sends a request.
     *
     * @param base  of a server: http, https or {@code unix:/PATH}
     * @param client for https in the place of the one that trusts the JDK's authorities; may be null
     */
    static <T> CompletableFuture<HttpResponse<T>> send(URI base, HttpClient client, HttpRequest request, BodyHandler<T> handler) {
        return switch (base.getScheme().toLowerCase(Locale.ROOT)) {
            case "unix" -> UnixExchange.send(Path.of(base.getPath()), request, handler);
            case "https" -> (client == null ? Secure.CLIENT : client).sendAsync(request, handler);
            default -> Plain.CLIENT.sendAsync(request, handler);
        };
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
