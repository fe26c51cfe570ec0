package org.tamanoir.services.interest.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;

class ExpressionsTest {
    private static final Expressions EXPRESSIONS = new Expressions();
    private static final String DATA = "{\"t\":31,\"f\":30.5,\"name\":\"hall\",\"on\":true,\"none\":null,\"list\":[1,2,3],\"deep\":{\"er\":{\"v\":-2}},\"big\":123456789012345678901234}";
    private long number;

    private static Where where(String text) {
        return EXPRESSIONS.compile(new Predicate(text, null, null));
    }

    private boolean test(Where where, int content, double[] position, byte[] data) {
        ByteBuf frame = EventView.frame("sensors/hall/7", content, position, data);
        return where.test(++number, new EventData().of(new EventView().wrap(frame, Frames.HEADER, frame.writerIndex())));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"data.t > 30.0;true", "data.t > 31;false", "data.t == 31;true", "data.f < 31;true", "data.f > 30;true", "data.name == 'hall';true", "data.name.startsWith('h') && data.on;true",
        "data.list[1] == 2;true", "2 in data.list;true", "size(data.list) == 3;true", "data.deep.er.v == -2;true", "data.none == null;true", "has(data.t);true", "has(data.u);false", "data.u > 1;false", "data.name > 1;false",
        "data.big > 1.0e20;true", "topic == 'sensors/hall/7';true", "topic.endsWith('/8');false", "x > 1.0 && y < 3.0;true", "size > 10;true", "!(data.t < 3);true", "data.on ? data.t > 30 : false;true", "1/0 == 1;false"})
    void predicatesOverJson(String text, boolean is) {
        assertThat(test(where(text), EventView.JSON, new double[] {2, 2}, DATA.getBytes(UTF_8))).isEqualTo(is);
    }

    @Test
    void whatIsNotThereIsNotTrue() {
        assertThat(test(where("x > 1.0"), EventView.JSON, null, DATA.getBytes(UTF_8))).isFalse();
        assertThat(test(where("data.t > 1"), EventView.JSON, null, "{\"t\":".getBytes(UTF_8))).isFalse();
        assertThat(test(where("data.t > 1"), EventView.JSON, null, new byte[0])).isFalse();
        assertThat(test(where("size == 0"), EventView.JSON, null, new byte[0])).isTrue();
        assertThat(test(where("data == b'ab'"), EventView.OCTETS, null, "ab".getBytes(UTF_8))).isTrue();
        assertThat(test(where("data > 3"), EventView.JSON, null, "4".getBytes(UTF_8))).isTrue();
    }

    /** The examples are those of RFC 8949, appendix A, in a map under "v". */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"00;data.v == 0", "1903e8;data.v == 1000", "1b000000e8d4a51000;data.v == 1000000000000", "1bffffffffffffffff;data.v > 1.8e19", "29;data.v == -10", "3903e7;data.v == -1000",
        "3bffffffffffffffff;data.v < -1.8e19", "f93c00;data.v == 1.0", "f90001;data.v == 5.960464477539063e-8", "f9c400;data.v == -4.0", "fa47c35000;data.v == 100000.0", "fb3ff199999999999a;data.v == 1.1", "f97c00;data.v > 1.0e308",
        "f4;data.v == false", "f5;data.v", "f6;data.v == null", "6449455446;data.v == 'IETF'", "4401020304;data.v == b'\\x01\\x02\\x03\\x04'", "83010203;data.v[2] == 3", "c11a514b67b0;data.v == 1363896240",
        "a26161016162820203;data.v.b[1] == 3", "5f42010243030405ff;size(data.v) == 5", "7f657374726561646d696e67ff;data.v == 'streaming'", "9f018202039f0405ffff;data.v[2][1] == 5", "bf61610161629f0203ffff;data.v.b[0] == 2"})
    void predicatesOverCbor(String value, String text) {
        assertThat(test(where(text), EventView.CBOR, null, ByteBufUtil.decodeHexDump("a16176" + value))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a16176", "a161765f", "a161769bffffffffffffffff", "a161769b000000007fffffff", "a161761c", "a161765f6161ff", "ff", ""})
    void whatIsNoCborIsNotTrue(String octets) {
        assertThat(test(where("data.v == data.v"), EventView.CBOR, null, ByteBufUtil.decodeHexDump(octets))).isFalse();
        assertThat(test(where("true"), EventView.CBOR, null, ByteBufUtil.decodeHexDump("9f".repeat(10_000)))).isTrue();
        assertThat(test(where("data == 1"), EventView.CBOR, null, ByteBufUtil.decodeHexDump("9f".repeat(10_000)))).isFalse();
    }

    @Test
    void predicatesOverProtobuf() {
        DescriptorProto reading = DescriptorProto.newBuilder().setName("Reading")
                .addField(FieldDescriptorProto.newBuilder().setName("t").setNumber(1).setType(Type.TYPE_DOUBLE).setLabel(Label.LABEL_OPTIONAL))
                .addField(FieldDescriptorProto.newBuilder().setName("name").setNumber(2).setType(Type.TYPE_STRING).setLabel(Label.LABEL_OPTIONAL)).build();
        FileDescriptorSet files = FileDescriptorSet.newBuilder().addFile(FileDescriptorProto.newBuilder().setName("r.proto").setPackage("lab").setSyntax("proto3").addMessageType(reading)).build();
        String descriptors = Base64.getEncoder().encodeToString(files.toByteArray());
        // t = 31.5, name = "hall"
        byte[] data = ByteBufUtil.decodeHexDump("090000000000803f40" + "120468616c6c");
        Where warm = EXPRESSIONS.compile(new Predicate("data.t > 30 && data.name == 'hall'", "lab.Reading", descriptors));
        assertThat(test(warm, EventView.PROTOBUF, null, data)).isTrue();
        assertThat(test(EXPRESSIONS.compile(new Predicate("data.t > 32.0", "lab.Reading", descriptors)), EventView.PROTOBUF, null, data)).isFalse();
        assertThat(test(warm, EventView.JSON, null, "{\"t\":31,\"name\":\"hall\"}".getBytes(UTF_8))).as("it is no such message").isFalse();
        assertThat(test(warm, EventView.PROTOBUF, null, new byte[] {9, 1})).as("it ends too early").isFalse();
        assertThatThrownBy(() -> EXPRESSIONS.compile(new Predicate("data.u > 1.0", "lab.Reading", descriptors))).as("a field that there is not").hasMessageContaining("EE-109");
        assertThatThrownBy(() -> EXPRESSIONS.compile(new Predicate("data.t > 1.0", "lab.Writing", descriptors))).hasMessageContaining("EE-109").hasMessageContaining("lab.Writing");
        for (String wrong : new String[] {"", "!", "AAAA", "/////w=="}) {
            assertThatThrownBy(() -> EXPRESSIONS.compile(new Predicate("data.t > 1.0", "lab.Reading", wrong))).hasMessageContaining("EE-109");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "data.t >", "1 + 1", "'text'", "data.t > 'a' + 1", "unknown > 1", "topic > 1", "x.contains('a')", "data.t = 1", "[1,2].all(e, e > 1)", "data.list.exists(e, e == 1)",
        "data.list.map(e, e).size() > 1", "data.list.filter(e, true).size() > 1"})
    void whatIsNoPredicateIsRefused(String text) {
        assertThatThrownBy(() -> where(text)).isInstanceOf(AnepException.class).hasMessageContaining("EE-109");
    }

    /** Each with a code, and before it costs anything. */
    @ParameterizedTest
    @ValueSource(strings = {"nested", "long", "wide", "list", "ternary", "index"})
    void whatCouldCostMuchIsRefusedSoon(String kind) {
        String text = switch (kind) {
            case "nested" -> "(".repeat(500) + "true" + ")".repeat(500);
            case "long" -> "true" + " ".repeat(1024);
            case "wide" -> "true" + "&&true".repeat(150);
            case "list" -> "[" + "1,".repeat(400) + "1] == []";
            case "ternary" -> "true?".repeat(100) + "true" + ":true".repeat(100);
            default -> "data" + "[0]".repeat(300) + " == 1";
        };
        long begin = System.nanoTime();
        assertThatThrownBy(() -> where(text)).isInstanceOf(AnepException.class)
                .satisfies(e -> assertThat(((AnepException) e).code()).isIn(ErrorCode.BAD_CONTENT, ErrorCode.SERVICE_LIMIT));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"data.name.matches('(a*)*b')", "timestamp('2026-01-01T00:00:00Z') > timestamp(data.name)", "duration('1s') > duration('2s')"})
    void whatCostsMoreThanItsLengthIsRefused(String text) {
        assertThatThrownBy(() -> where(text)).isInstanceOf(AnepException.class).hasMessageContaining("EE-318");
    }

    @Test
    void anAnswerIsFoundOnceAnEvent() {
        Where where = where("data.t > 30");
        ByteBuf frame = EventView.frame("a", EventView.JSON, DATA.getBytes(UTF_8));
        EventData data = new EventData().of(new EventView().wrap(frame, Frames.HEADER, frame.writerIndex()));
        assertThat(where.isKnown(1)).isFalse();
        assertThat(where.test(1, data)).isTrue();
        assertThat(where.isKnown(1)).isTrue();
        assertThat(where.test(1, null)).as("nobody looks again").isTrue();
    }
}
