package org.tamanoir.paths.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpStateTest {
    private static final Path VECTORS = Path.of("src/test/recordings/linux-6.18/tcp_info.vectors");

    /** What a kernel gave, beside what a C compiler reads in it with the kernel's own description of the struct ({@code src/test/recordings/vectors}). */
    @Test
    void itReadsWhatTheKernelWrote() throws IOException {
        List<String> lines = Files.readAllLines(VECTORS).stream().filter(line -> !line.startsWith("#")).toList();
        assertThat(lines).hasSizeGreaterThanOrEqualTo(2);
        for (String line : lines) {
            String[] words = line.split(" ");
            TcpState state = TcpState.decode(HexFormat.of().parseHex(words[0]), ByteOrder.LITTLE_ENDIAN);
            Map<String, String> wanted = new TreeMap<>();
            Arrays.stream(words).skip(1).forEach(word -> wanted.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1)));
            Map<String, String> read = new TreeMap<>();
            for (TcpField field : TcpField.values()) {
                assertThat(state.has(field)).as("%s", field).isTrue();
                read.put(field.text(), Long.toUnsignedString(state.get(field)));
            }
            assertThat(read).isEqualTo(wanted);
        }
    }

    /** The structs of older kernels end earlier, at any field. */
    @ParameterizedTest
    @EnumSource(TcpField.class)
    void aShortStructIsReadAsFarAsItGoes(TcpField last) {
        States states = new States();
        Arrays.stream(TcpField.values()).filter(field -> field.octets() > 0).forEach(field -> states.with(field, 100 + field.ordinal()));
        byte[] whole = states.octets(ByteOrder.LITTLE_ENDIAN);
        int length = Math.max(TcpState.LEAST_OCTETS, last.offset() + last.octets());
        TcpState state = TcpState.decode(Arrays.copyOf(whole, length), ByteOrder.LITTLE_ENDIAN);
        for (TcpField field : TcpField.values()) {
            boolean known = field.offset() + Math.max(1, field.octets()) <= length;
            assertThat(state.has(field)).as("%s", field).isEqualTo(known);
            assertThat(state.get(field)).as("%s", field).isEqualTo(known && field.octets() > 0 ? 100 + field.ordinal() : 0);
        }
        // One octet of the next field is not the field.
        assertThat(TcpState.decode(Arrays.copyOf(whole, length + 1), ByteOrder.LITTLE_ENDIAN).has(TcpField.DELIVERED)).isEqualTo(state.has(TcpField.DELIVERED));
    }

    @Test
    void aLargerStructOfANewerKernelIsNoTrouble() {
        byte[] octets = new States().with(TcpField.RTT, 20_000).octets(ByteOrder.LITTLE_ENDIAN);
        assertThat(TcpState.decode(Arrays.copyOf(octets, 512), ByteOrder.LITTLE_ENDIAN).get(TcpField.RTT)).isEqualTo(20_000);
        assertThatThrownBy(() -> TcpState.decode(new byte[7], ByteOrder.LITTLE_ENDIAN)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theOtherOrderOfOctetsIsReadToo() {
        byte[] octets = new States().with(TcpField.RTT, 20_000).with(TcpField.DELIVERY_RATE, 1L << 40).octets(ByteOrder.BIG_ENDIAN);
        octets[6] = (byte) 0xA7;
        octets[7] = (byte) 0xA0;
        TcpState state = TcpState.decode(octets, ByteOrder.BIG_ENDIAN);
        assertThat(state.get(TcpField.RTT)).isEqualTo(20_000);
        assertThat(state.get(TcpField.DELIVERY_RATE)).isEqualTo(1L << 40);
        assertThat(List.of(state.get(TcpField.SND_WSCALE), state.get(TcpField.RCV_WSCALE), state.get(TcpField.DELIVERY_RATE_APP_LIMITED), state.get(TcpField.FASTOPEN_CLIENT_FAIL)))
                .containsExactly(10L, 7L, 1L, 1L);
        octets = new States().octets(ByteOrder.LITTLE_ENDIAN);
        octets[6] = (byte) 0xA7;
        octets[7] = (byte) 0x05;
        TcpState little = TcpState.decode(octets, ByteOrder.LITTLE_ENDIAN);
        assertThat(List.of(little.get(TcpField.SND_WSCALE), little.get(TcpField.RCV_WSCALE), little.get(TcpField.DELIVERY_RATE_APP_LIMITED), little.get(TcpField.FASTOPEN_CLIENT_FAIL)))
                .containsExactly(7L, 10L, 1L, 2L);
    }

    @Test
    void countersGoOnAfterTheirEnd() {
        TcpState before = new States().with(TcpField.DATA_SEGS_IN, 0xFFFF_FFF0L).with(TcpField.BYTES_ACKED, 500).state();
        TcpState now = new States().with(TcpField.DATA_SEGS_IN, 16).with(TcpField.BYTES_ACKED, 400).state();
        assertThat(now.since(before, TcpField.DATA_SEGS_IN)).isEqualTo(32);
        assertThat(now.since(before, TcpField.BYTES_ACKED)).as("64 bits have no end: it is another connection").isZero();
        assertThat(now).isEqualTo(new States().with(TcpField.DATA_SEGS_IN, 16).with(TcpField.BYTES_ACKED, 400).state()).isNotEqualTo(before).hasSameHashCodeAs(
                new States().with(TcpField.DATA_SEGS_IN, 16).with(TcpField.BYTES_ACKED, 400).state());
    }
}
