package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class TokenCheckTest {
    /** The columns: peer, a header field, the token of the server or empty, whether the request passes. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
        "127.0.0.1, , , true",
        "::1, , secret, true",
        "127.0.0.1, Host: 127.0.0.1:3325, secret, true",
        "127.0.0.1, Host: [::1]:3325, secret, true",
        "127.0.0.1, Host: LOCALHOST, secret, true",
        "127.0.0.1, Host: evil.example:3325, secret, false",
        "127.0.0.1, Origin: http://evil.example, secret, false",
        "127.0.0.1, Origin: null, secret, false",
        "127.0.0.1, X-Forwarded-For: 203.0.113.9, secret, false",
        "127.0.0.1, Via: 1.1 proxy, secret, false",
        "192.0.2.1, , secret, false",
        "192.0.2.1, , , false",
        "192.0.2.1, Authorization: Bearer , , false",
        "192.0.2.1, Authorization: Bearer null, , false",
        "192.0.2.1, Authorization: Bearer secret, secret, true",
        "192.0.2.1, Authorization: bearer secret, secret, true",
        "192.0.2.1, Authorization: Bearer secre, secret, false",
        "192.0.2.1, Authorization: Bearer secretx, secret, false",
        "192.0.2.1, Authorization: Basic secret, secret, false",
        "192.0.2.1, Authorization: secret, secret, false"})
    void onlyALocalRequestOrTheTokenPasses(String peer, String field, String token, boolean passes) {
        HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.PUT, "/x");
        if (field != null) {
            head.headers().add(field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 1).strip());
        }
        Routes routes = new Routes(List.of(Route.of("PUT", "/x", r -> Response.empty())));
        Request request = Request.of(head, new Caller(new InetSocketAddress(peer, 40_000), null, List.of()), routes);
        ErrorCode refused = null;
        try {
            TokenCheck.unlessLocal(token).check(request);
        } catch (AnepException e) {
            refused = e.code();
        }
        assertThat(refused).isEqualTo(passes ? null : ErrorCode.NOT_AUTHORISED);
    }
}
