package org.tamanoir.client.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.StreamRefusedException;
import org.tamanoir.identity.destination.Target;

/** What programs ask, octet for octet, and what they are answered: the octets are those of the RFCs, by hand. */
class ProxyDialogueTest {
    private static final Map<String, String> NOBODY = Map.of();
    private static final Map<String, String> ADA = Map.of("ada", "l0velace");
    private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.2.9", 5000);
    private static final String OK = "05000001000000000000";

    /** What became of one dialogue. */
    private record Outcome(String target, ErrorCode refused, String answered, int left) {
    }

    /** Has a dialogue in pieces, as a gateway does. */
    private static Outcome talk(byte[] said, int piece, Map<String, String> users) {
        ByteBuf in = Unpooled.buffer();
        ByteBuf out = Unpooled.buffer();
        ProxyDialogue dialogue = null;
        Target target = null;
        ErrorCode refused = null;
        try {
            for (int at = 0; at < said.length && target == null; at += piece) {
                in.writeBytes(said, at, Math.min(piece, said.length - at));
                dialogue = dialogue != null ? dialogue : ProxyDialogue.beginningWith(in.getUnsignedByte(in.readerIndex()), users);
                target = dialogue.read(in, out);
            }
            if (target != null) {
                dialogue.connected(out);
            }
        } catch (AnepException e) {
            refused = e.code();
            assertThat(e.text()).as("says why").isNotBlank();
            if (dialogue != null) {
                dialogue.refused(e, null, out);
            }
        }
        return new Outcome(target == null ? null : target.toString(), refused, ByteBufUtil.hexDump(out), in.readableBytes());
    }

    private static byte[] hex(String octets) {
        return ByteBufUtil.decodeHexDump(octets.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "050100 05010001 0A000209 1388, 10.0.2.9:5000",
        "050100 05010004 20010DB8000000000000000000000001 01BB, [2001:db8::1]:443",
        "050100 05010003 0B 6578616D706C652E6F7267 0050, example.org:80",
        "05020102 00 05010003 08 31302E302E322E39 1388,",
        "050301FF00 05010003 08 31302E302E322E39 1388, 10.0.2.9:5000"})
    void socks5AsksForAnAddressOrAName(String said, String target) {
        for (int piece : new int[] {1, 3, 1000}) {
            Outcome outcome = talk(hex(said), piece, NOBODY);
            if (target == null) {
                assertThat(outcome.answered()).as("no method that this gateway has").isEqualTo("05ff");
            } else {
                assertThat(outcome).isEqualTo(new Outcome(target, null, "0500" + OK, 0));
            }
        }
    }

    /** RFC 1929. */
    @ParameterizedTest
    @CsvSource({
        "05020002 01 03616461 086C3076656C616365 05010001 0A000209 1388, 0502 0100 05000001000000000000,",
        "05020002 01 03616461 086C3076656C616366 05010001 0A000209 1388, 0502 0101, EE-215",
        "05020002 01 0141 00 05010001 0A000209 1388, 0502 0101, EE-215",
        "05020002 02 0141 00 05010001 0A000209 1388, 0502 0101, EE-231",
        "050100, 05FF, EE-215"})
    void socks5AsksUsersForTheirPassword(String said, String answered, String code) {
        for (int piece : new int[] {1, 1000}) {
            Outcome outcome = talk(hex(said), piece, ADA);
            assertThat(outcome.answered()).isEqualToIgnoringCase(answered.replace(" ", ""));
            assertThat(String.valueOf(outcome.refused())).isEqualTo(code == null ? "null" : code);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "BIND, 050100 05020001 0A000209 1388, 07", "UDP ASSOCIATE, 050100 05030001 00000000 0000, 07", "no command, 050100 05090001 00000000 0000, 07",
        "no type of address, 050100 05010002 00000000 0000, 08", "port 0, 050100 05010001 0A000209 0000, 01", "a name without a letter, 050100 05010003 00 0050, 01",
        "a name with a blank, 050100 05010003 03 612062 0050, 01", "an address by a form that resolvers know, 050100 05010003 05 3132372E31 0050, 01",
        "the same in hexadecimal, 050100 05010003 0A 30783766303030303031 0050, 01", "a label of 64, 050100 05010003 40 "
            + "61616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161 0050, 01",
        "another version, 050100 04010001 0A000209 1388, 01"})
    void socks5IsToldByTheCodeForItWhatItCannotHave(String what, String said, String reply) {
        for (int piece : new int[] {1, 1000}) {
            Outcome outcome = talk(hex(said), piece, NOBODY);
            assertThat(outcome.answered()).as(what).isEqualTo("0500" + "05" + reply + "0001000000000000");
            assertThat(outcome.refused()).as(what).isEqualTo(ErrorCode.PROXY_REQUEST);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "CONNECT 10.0.2.9:5000 HTTP/1.1~Host: 10.0.2.9:5000~~            | 10.0.2.9:5000 |",
        "CONNECT example.org:443 HTTP/1.0~~                              | example.org:443 |",
        "CONNECT [2001:db8::1]:443 HTTP/1.1~User-Agent: curl/7~Content-Length: 0~~ | [2001:db8::1]:443 |",
        "GET http://example.org/ HTTP/1.1~~                              | | 405 Method Not Allowed~Allow: CONNECT",
        "CONNECT example.org:443 HTTP/2.0~~                              | | 505 HTTP Version",
        "CONNECT example.org HTTP/1.1~~                                  | | 400 Bad Request",
        "CONNECT example.org:0 HTTP/1.1~~                                | | 400 Bad Request",
        "CONNECT 127.1:80 HTTP/1.1~~                                     | | 400 Bad Request",
        "CONNECT  example.org:443 HTTP/1.1~~                             | | 400 Bad Request",
        "CONNECT example.org:443 HTTP/1.1~Transfer-Encoding: chunked~~   | | 400 Bad Request",
        "CONNECT example.org:443 HTTP/1.1~Content-Length: 5~~            | | 400 Bad Request",
        "CONNECT example.org:443 HTTP/1.1~ folded~~                      | | 400 Bad Request",
        "CONNECT example.org:443 HTTP/1.1~Host : x~~                     | | 400 Bad Request"})
    void httpConnectAsksByItsAuthorityAndIsToldByItsStatus(String said, String target, String status) {
        for (int piece : new int[] {1, 7, 1000}) {
            Outcome outcome = talk(said.strip().replace("~", "\r\n").getBytes(ISO_8859_1), piece, NOBODY);
            String answered = new String(hex(outcome.answered()), ISO_8859_1);
            assertThat(outcome.target()).isEqualTo(target);
            if (status == null) {
                assertThat(answered).isEqualTo("HTTP/1.1 200 Connected\r\n\r\n");
            } else {
                assertThat(answered).startsWith("HTTP/1.1 " + status.replace("~", "\r\n")).contains("Proxy-Status: tamanoir; error=", "\r\n\r\nEE-231 ");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ada:l0velace, 200 Connected", "ada:guessed, 407 Proxy", "bob:l0velace, 407 Proxy", "ada, 407 Proxy", ", 407 Proxy"})
    void httpConnectAsksUsersForTheirPassword(String shown, String status) {
        String head = "CONNECT 10.0.2.9:5000 HTTP/1.1\r\n" + (shown == null ? "" : "proxy-AUTHORIZATION: basic " + Base64.getEncoder().encodeToString(shown.getBytes(ISO_8859_1)) + "\r\n") + "\r\n";
        String answered = new String(hex(talk(head.getBytes(ISO_8859_1), 1000, ADA).answered()), ISO_8859_1);
        assertThat(answered).startsWith("HTTP/1.1 " + status);
        assertThat(answered.contains("Proxy-Authenticate: Basic realm=")).isEqualTo(status.startsWith("407"));
    }

    static List<byte[]> endless() {
        byte[] head = new byte[9000];
        Arrays.fill(head, (byte) 'A');
        byte[] fields = ("CONNECT a:1 HTTP/1.1\r\n" + "a: b\r\n".repeat(2000)).getBytes(ISO_8859_1);
        return List.of(head, fields);
    }

    @ParameterizedTest
    @MethodSource("endless")
    void aHeadThatDoesNotEndIsRefusedWhenItIsTooLong(byte[] said) {
        assertThat(new String(hex(talk(said, 1000, NOBODY).answered()), ISO_8859_1)).startsWith("HTTP/1.1 431 ");
    }

    @ParameterizedTest
    @CsvSource({
        "EE-232 the rules do not allow it, 02, 403 Forbidden, http_request_denied", "EE-216 the policy does not allow it, 02, 403, http_request_denied",
        "EE-202 no route, 03, 502, destination_ip_unroutable", "EE-234 cannot reach 10.0.2.9:5000: Connection refused, 05, 502, connection_refused",
        "EE-204 cannot reach 10.0.2.9:5000: Connection refused, 04, 502, destination_unavailable", "EE-204 cannot reach 10.0.2.9:5000: No route to host, 04, 502, destination_unavailable",
        "EE-203 no hops, 06, 502, proxy_loop_detected", "EE-205 too many, 01, 503 Service Unavailable, connection_limit_reached", "EE-301 no service, 01, 502, proxy_internal_error",
        "EE-233 no answer, 04, 504 Gateway Timeout, connection_timeout"})
    void whatTheNodesSayHasAWordInEachProtocol(String said, String reply, String status, String error) {
        AnepException why = new StreamRefusedException(ErrorCode.of(Integer.parseInt(said.substring(3, 6))), said.substring(7));
        ByteBuf out = Unpooled.buffer();
        ProxyDialogue socks = ProxyDialogue.beginningWith(5, NOBODY);
        socks.read(Unpooled.wrappedBuffer(hex("050100 05010001 0A000209 1388")), Unpooled.buffer());
        socks.refused(why, SERVER, out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("05" + reply + "0001000000000000");
        ProxyDialogue http = ProxyDialogue.beginningWith('C', NOBODY);
        http.refused(why, SERVER, out.clear());
        assertThat(out.toString(ISO_8859_1)).startsWith("HTTP/1.1 " + status).contains("error=" + error + ";").endsWith("\r\n\r\n" + why.getMessage() + "\n");
    }

    @Property(tries = 5000, seed = "1928")
    void anyOctetsAreAskedForMoreOrRefusedAndInAnyPiecesTheSame(@ForAll("said") byte[] said) {
        for (Map<String, String> users : List.of(NOBODY, ADA)) {
            Outcome whole = talk(said, Math.max(1, said.length), users);
            assertThat(whole.answered().length()).isLessThan(2 * 2000);
            assertThat(whole.refused()).isIn(null, ErrorCode.PROXY_REQUEST, ErrorCode.NOT_IDENTIFIED);
            Outcome single = talk(said, 1, users);
            assertThat(single.answered()).isEqualTo(whole.answered());
            assertThat(single.target()).isEqualTo(whole.target());
        }
    }

    /** Requests that are good, a changed octet or a cut in them, and noise. */
    @Provide
    Arbitrary<byte[]> said() {
        Arbitrary<byte[]> good = Arbitraries.of("050100 05010001 0A000209 1388 00", "050100 05010003 0B 6578616D706C652E6F7267 0050", "05020002 01 03616461 086C3076656C616365 05010004 20010DB8000000000000000000000001 01BB",
                ByteBufUtil.hexDump("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\nProxy-Authorization: Basic YWRhOmwwdmVsYWNl\r\n\r\nmore".getBytes(ISO_8859_1))).map(ProxyDialogueTest::hex);
        Arbitrary<byte[]> damaged = Combinators.combine(good, Arbitraries.integers().between(0, 1000), Arbitraries.bytes(), Arbitraries.of(true, false)).as((octets, where, value, cut) -> {
            byte[] changed = Arrays.copyOf(octets, cut ? where % octets.length : octets.length);
            if (!cut) {
                changed[where % octets.length] = value;
            }
            return changed;
        });
        return Arbitraries.oneOf(damaged, Arbitraries.bytes().array(byte[].class).ofMaxSize(40), good);
    }
}
