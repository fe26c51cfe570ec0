package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import picocli.CommandLine;

class AnepDecodeTest {
    @TempDir
    private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(PrintWriter to, String... arguments) {
        CommandLine line = Tamanoir.commandLine();
        line.setOut(to);
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    private int decode(byte[] octets, String... options) throws IOException {
        Path file = Files.write(folder.resolve("stream.anep"), octets);
        String[] arguments = new String[options.length + 3];
        arguments[0] = "anep";
        arguments[1] = "decode";
        System.arraycopy(options, 0, arguments, 2, options.length);
        arguments[options.length + 2] = file.toString();
        return run(new PrintWriter(out), arguments);
    }

    private static byte[] packet(int typeId, PacketOptions options, byte[] payload) {
        ByteBuf packet = new PacketBuilder(typeId).options(options).payload(Unpooled.wrappedBuffer(payload))
                .build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = ByteBufUtil.getBytes(packet);
        packet.release();
        return octets;
    }

    private static byte[] opening() throws IOException {
        return packet(0x5402, new PacketOptions().destination(Identifier.of(InetAddress.getByName("192.0.2.9"))).checksum(true)
                .authentication(new Identifier(2, new byte[] {1, 2, 3, 4})).stream(-1, 3).delivery(7000, Delivery.RAW).chain(0x5403, 0x5404)
                .previousNode(new PreviousNode(9, 3324)).hops(7).qosSession(5).timestamp(1_700_000_000_000_000_000L)
                .contentEncoding(ContentEncoding.ZSTD, 1400), new byte[40]);
    }

    @Test
    void aPersonSeesEachOptionByNameAndTheFirstOctets() throws IOException {
        assertThat(decode(opening(), "--octets", "3")).isZero();
        assertThat(out.toString()).startsWith("offset 0: type 0x5402, 172 octets (header 132, payload 40), version 1, flags 0x00\n")
                .containsSubsequence("destination       192.0.2.9\n", "checksum          matches\n", "authentication    X.509 01020304\n",
                        "stream            18446744073709551615, sequence 3\n", "delivery          port 7000, RAW\n",
                        "chain             0x5403, 0x5404\n", "previous node     9, code port 3324\n", "hops              7\n",
                        "QoS session       5\n", "timestamp         2023-11-14T22:13:20Z\n", "content encoding  ZSTD, 1400 octets before\n",
                        "payload           000000 ...\n", "1 packet, 172 octets\n");
    }

    @Test
    void aProgramGetsOneObjectWithTheSame() throws IOException {
        assertThat(decode(opening(), "--json")).isZero();
        JsonNode all = new ObjectMapper().readTree(out.toString());
        assertThat(all.get("count").asInt()).isOne();
        JsonNode packet = all.get("packets").get(0);
        assertThat(packet.get("headerLength").asInt()).isEqualTo(132);
        assertThat(packet.get("typeId").asText()).isEqualTo("0x5402");
        JsonNode options = packet.get("options");
        assertThat(options.at("/destination/address").asText()).isEqualTo("192.0.2.9");
        assertThat(options.at("/stream/id").asText()).isEqualTo("18446744073709551615");
        assertThat(options.at("/chain/1").asText()).isEqualTo("0x5404");
        assertThat(options.at("/contentEncoding/originalLength").asInt()).isEqualTo(1400);
        assertThat(options.has("error")).isFalse();
    }

    @Test
    void aMalformedPacketEndsWithItsCodeAndOffsetAndTheObjectIsWholeAllTheSame() throws IOException {
        byte[] two = ByteBufUtil.decodeHexDump("0100540200020009aa" + "010054020000000800");
        assertThat(decode(two, "--json")).isEqualTo(ExitCode.FAILED);
        JsonNode all = new ObjectMapper().readTree(out.toString());
        assertThat(all.get("packets")).hasSize(1);
        assertThat(all.at("/error/code").asText()).isEqualTo("EE-102");
        assertThat(all.at("/error/offset").asInt()).isEqualTo(9);
        assertThat(err.toString()).startsWith("EE-102 at offset 9: ").hasLineCount(1);
    }

    @Test
    void aFileThatEndsInsideAPacketIsAnError() throws IOException {
        assertThat(decode(ByteBufUtil.decodeHexDump("0100540200020009"))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).startsWith("EE-105 at offset 0: ");
    }

    /** The text of an error packet comes from the network; it must not move a cursor or retitle a window. */
    @Test
    void nothingInAPacketCommandsTheTerminal() throws IOException {
        ByteBuf error = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.NO_ROUTE, "a\u001b]0;b\u0007\u009b2J\u202ec\n", 0);
        assertThat(decode(ByteBufUtil.getBytes(error))).isZero();
        assertThat(out.toString()).contains("EE-202 a\\u{1b}]0;b\\u{7}\\u{9b}2J\\u{202e}c\\u{a}\n");
        out.getBuffer().setLength(0);
        assertThat(decode(ByteBufUtil.getBytes(error), "--json")).isZero();
        assertThat(out.toString().chars().filter(c -> c != '\n').allMatch(c -> c >= ' ' && c < 127)).isTrue();
        error.release();
    }

    @Test
    void hexIsReadAsItIsWritten() throws IOException {
        byte[] text = "# bare\n01 00 5402\t0002:000D # header\r\n68656C6c6f\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(decode(text, "--hex")).isZero();
        assertThat(out.toString()).contains("payload           68656c6c6f\n");
        assertThat(decode("01 0".getBytes(StandardCharsets.US_ASCII), "--hex")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).startsWith("EE-408 ");
    }

    @Test
    void aFileThatIsNotThereIsNotFound() {
        assertThat(run(new PrintWriter(out), "anep", "decode", folder.resolve("nothing").toString())).isEqualTo(ExitCode.NOT_FOUND);
    }

    /** As behind {@code | head}: the input has no end, so only the output can end the command. */
    @Test
    @Timeout(20)
    void aReaderOfTheOutputThatGoesEndsTheCommandQuietly() {
        InputStream before = System.in;
        System.setIn(new InputStream() {
            private int at;

            @Override
            public int read() {
                return at++ % 8 == 0 ? 1 : at % 8 == 6 ? 2 : at % 8 == 0 ? 8 : 0;
            }
        });
        try {
            PrintWriter closed = new PrintWriter(new OutputStream() {
                @Override
                public void write(int octet) throws IOException {
                    throw new IOException("Broken pipe");
                }
            });
            assertThat(run(closed, "anep", "decode", "-")).isZero();
            assertThat(err.toString()).isEmpty();
        } finally {
            System.setIn(before);
        }
    }
}
