package org.tamanoir.services.cache.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in pieces, and messages that two readers could read in two ways. */
class HeadsAndBodiesTest {
    private static ByteBuf octets(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(ISO_8859_1));
    }

    /** Reads an answer to a GET and its body, piece by piece; what is behind it stays in {@code rest}. */
    private static String content(String text, int piece, StringBuilder rest) throws NotUnderstoodException {
        HeadReader reader = new HeadReader(true);
        StringBuilder content = new StringBuilder();
        Body body = null;
        for (int at = 0; at < text.length(); at += piece) {
            ByteBuf in = octets(text.substring(at, Math.min(text.length(), at + piece)));
            if (body == null) {
                Head head = reader.read(in);
                body = head == null ? null : Body.of(head, "GET");
            }
            if (body != null) {
                body.take(in, (from, index, length) -> content.append(from.toString(index, length, ISO_8859_1)));
                rest.append(in.toString(ISO_8859_1));
            }
        }
        assertThat(body.isDone() || body.isUntilEnd()).isTrue();
        return content.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n006 ;a=\"b\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"})
    void aBodyEndsWhereItSaysHoweverItComes(String text) throws Exception {
        for (int piece = 1; piece < text.length() + 4; piece++) {
            StringBuilder rest = new StringBuilder();
            assertThat(content(text + "HTTP", piece, rest)).isEqualTo("hello world");
            assertThat(rest).hasToString("HTTP");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\u0000: b\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n"})
    void whatTwoCouldReadInTwoWaysIsNotUnderstood(String text) {
        assertThatThrownBy(() -> content(text, 1, new StringBuilder())).isInstanceOf(NotUnderstoodException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\nhelloX\r\n", "\r\nhello", "g\r\n", "-1\r\n", "ffffffffffffffff\r\n", "5\nhello", "5\r\nhello\n"})
    void aChunkThatIsNotAsLongAsItSaysIsNotUnderstood(String chunk) {
        assertThatThrownBy(() -> content("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + "\r\n\r\n", 1, new StringBuilder()))
                .isInstanceOf(NotUnderstoodException.class);
    }

    @Test
    void aHeadOfMoreThanItsBoundIsNotUnderstoodAndNothingOfItIsLost() {
        HeadReader reader = new HeadReader(false);
        ByteBuf in = octets("GET / HTTP/1.1\r\nHost: " + "a".repeat(2 * HeadReader.MOST));
        assertThatThrownBy(() -> reader.read(in)).isInstanceOf(NotUnderstoodException.class);
        assertThat(new String(reader.partial(), ISO_8859_1) + in.toString(ISO_8859_1)).startsWith("GET").hasSize(22 + 2 * HeadReader.MOST);
    }
}
