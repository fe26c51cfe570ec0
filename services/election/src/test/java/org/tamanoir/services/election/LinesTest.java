package org.tamanoir.services.election;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.services.election.Message.Accepted;
import org.tamanoir.services.election.Message.Lease;
import org.tamanoir.services.election.Message.Prepare;
import org.tamanoir.services.election.Message.Promise;
import org.tamanoir.services.election.Message.Propose;
import org.tamanoir.services.election.Message.Release;

class LinesTest {
    private static final List<Message> ALL = List.of(new Prepare("g", 1025, "h"), new Promise("g", 1025, true, 1025, null, 7), new Promise("g", 1025, false, 2049, new Lease(3, "h", 10), 3),
            new Propose("g", 1025, new Lease(1025, "h", 10_000)), new Accepted("g", 1025, false, 9), new Release("g", 4000, "h"));

    private static List<JsonNode> lines(String text) {
        List<JsonNode> all = new ArrayList<>();
        new Lines().take(Unpooled.copiedBuffer(text, UTF_8), all::add);
        return all;
    }

    @Test
    void eachMessageComesBackHoweverItIsCut() {
        ByteBuf stream = Unpooled.buffer();
        ALL.forEach(message -> stream.writeBytes(Lines.line(message)));
        assertThat(stream.toString(UTF_8)).startsWith("{\"prepare\":{\"group\":\"g\",\"ballot\":1025,\"holder\":\"h\"}}\n");
        for (int size : new int[] {1, 7, 10_000}) {
            List<Message> read = new ArrayList<>();
            Lines lines = new Lines();
            for (int at = 0; at < stream.writerIndex(); at += size) {
                lines.take(stream.slice(at, Math.min(size, stream.writerIndex() - at)), line -> read.add(Lines.message(line)));
            }
            assertThat(read).isEqualTo(ALL);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}\n", "{\"prepare\":7}\n", "{\"prepare\":null}\n", "{\"prepare\":{\"ballot\":\"x\"}}\n", "{\"prepare\":{\"ballot\":7}}\n", "{\"propose\":{\"group\":\"g\",\"ballot\":7}}\n", "{\"accepted\":{\"group\":\"g\",\"ballot\":1,\"more\":2}}\n"})
    void whatIsNoMessageIsSaid(String line) {
        assertThatThrownBy(() -> Lines.message(lines(line).get(0))).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-109");
    }

    @Test
    void whatIsNoLineIsSaid() {
        for (String text : List.of("nonsense\n", "[1]\n", "\n", "{\"a\":\n", "x".repeat(Lines.LONGEST + 1))) {
            assertThatThrownBy(() -> lines(text)).as(text).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-109");
        }
    }
}
