package org.tamanoir.cli.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Locale;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions.Unknown;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.Welcome;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.anep.StreamParameter;

/**
 * Packets as one JSON object, written while they are read: {@code packets}, an array with one object a line, then {@code count},
 * {@code octets} and, where a packet is malformed, {@code error} with {@code code}, {@code offset} and {@code text}.
 *
 * <p>Ids and sequence numbers are unsigned 64-bit numbers; Type IDs are text as everywhere; octets are hexadecimal text.
 */
public final class JsonPrinter implements PacketPrinter {
    private final JsonGenerator json;
    private final int octets;
    private long count;

    /** @param octets of each payload that are printed */
    public JsonPrinter(PrintWriter out, int octets) throws IOException {
        JsonFactory factory = JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM).enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        this.json = factory.createGenerator(out);
        this.octets = octets;
    }

    @Override
    public void begin() throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("packets");
    }

    @Override
    public void packet(long offset, Packet packet) throws IOException {
        count++;
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeNumberField("offset", offset);
        json.writeNumberField("version", Anep.VERSION);
        json.writeNumberField("flags", packet.flags());
        json.writeBooleanField("discardIfUnknown", packet.discardIfUnknown());
        json.writeStringField("typeId", Anep.typeName(packet.typeId()));
        json.writeNumberField("headerLength", packet.headerLength());
        json.writeNumberField("packetLength", packet.length());
        json.writeNumberField("payloadLength", packet.payloadLength());
        json.writeObjectFieldStart("options");
        if (packet.hasOptions()) {
            options(packet.options());
        }
        json.writeEndObject();
        json.writeStringField("payload", ByteBufUtil.hexDump(packet.buffer(), packet.payloadOffset(),
                Math.min(octets, packet.payloadLength())));
        json.writeEndObject();
    }

    private void options(PacketOptions options) throws IOException {
        identifier("source", options.source(), true);
        identifier("destination", options.destination(), true);
        if (options.checksum()) {
            json.writeBooleanField("checksum", true);
        }
        identifier("authentication", options.authentication(), false);
        if (options.hasStream()) {
            json.writeObjectFieldStart("stream");
            unsigned("id", options.streamId());
            unsigned("sequence", options.sequence());
            json.writeEndObject();
        }
        if (options.port() >= 0) {
            json.writeObjectFieldStart("delivery");
            json.writeNumberField("port", options.port());
            json.writeStringField("form", options.delivery().name().toLowerCase(Locale.ROOT));
            json.writeEndObject();
        }
        if (options.chain().length > 0) {
            json.writeArrayFieldStart("chain");
            for (String typeId : TypeNames.of(options.chain())) {
                json.writeString(typeId);
            }
            json.writeEndArray();
        }
        if (options.previousNode() != null) {
            json.writeObjectFieldStart("previousNode");
            unsigned("id", options.previousNode().id());
            json.writeNumberField("codePort", options.previousNode().codePort());
            json.writeEndObject();
        }
        rest(options);
    }

    private void session(SessionMessage message) throws IOException {
        if (message instanceof Resume resume) {
            json.writeObjectFieldStart("resume");
            json.writeStringField("session", "%016x".formatted(resume.session()));
            json.writeNumberField("epoch", resume.epoch());
            json.writeBooleanField("fresh", resume.fresh());
            json.writeNumberField("received", resume.received());
            json.writeStringField("checksum", "%08x".formatted(resume.checksum()));
        } else if (message instanceof Welcome welcome) {
            json.writeObjectFieldStart("welcome");
            json.writeNumberField("received", welcome.received());
            json.writeStringField("checksum", "%08x".formatted(welcome.checksum()));
        } else if (message instanceof Mark mark) {
            json.writeObjectFieldStart("mark");
            json.writeNumberField("offset", mark.offset());
            json.writeStringField("checksum", "%08x".formatted(mark.checksum()));
            json.writeBooleanField("last", mark.last());
            json.writeNumberField("kept", mark.kept());
            json.writeBooleanField("keptLast", mark.keptLast());
            json.writeBooleanField("done", mark.done());
            json.writeStringField("over", mark.over() == null ? null : mark.over().toString());
        }
        json.writeEndObject();
    }

    private void rest(PacketOptions options) throws IOException {
        if (options.hops() >= 0) {
            json.writeNumberField("hops", options.hops());
        }
        if (options.handedOver()) {
            json.writeBooleanField("handedOver", true);
        }
        if (options.qosSession() != 0) {
            unsigned("qosSession", options.qosSession());
        }
        if (options.cookie() != 0) {
            json.writeStringField("cookie", "%016x".formatted(options.cookie()));
        }
        if (options.hopCheck() != null) {
            json.writeObjectFieldStart("hopCheck");
            json.writeStringField("says", options.hopCheck().name().toLowerCase(Locale.ROOT));
            json.writeStringField("number", "%016x".formatted(options.hopCheckNumber()));
            json.writeEndObject();
        }
        if (options.reach()) {
            json.writeBooleanField("reach", true);
        }
        if (options.connected()) {
            json.writeBooleanField("connected", true);
        }
        if (options.trace() != null) {
            json.writeStringField("traceparent", options.trace().toString());
        }
        if (!options.parameters().isEmpty()) {
            json.writeArrayFieldStart("parameters");
            for (StreamParameter each : options.parameters()) {
                json.writeStartObject();
                json.writeStringField("service", Anep.typeName(each.typeId()));
                json.writeStringField("name", each.name());
                json.writeStringField("value", each.value());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        if (options.session() != null) {
            session(options.session());
        }
        if (options.timestamp() != 0) {
            json.writeNumberField("timestamp", options.timestamp());
        }
        if (options.contentEncoding() != null) {
            json.writeObjectFieldStart("contentEncoding");
            json.writeStringField("encoding", options.contentEncoding().name().toLowerCase(Locale.ROOT));
            json.writeNumberField("originalLength", options.originalLength());
            json.writeEndObject();
        }
        if (options.error() != null) {
            json.writeObjectFieldStart("error");
            json.writeStringField("code", options.error().code().toString());
            json.writeStringField("message", options.error().text());
            json.writeEndObject();
        }
        if (!options.unknown().isEmpty()) {
            json.writeArrayFieldStart("unknown");
            for (Unknown option : options.unknown()) {
                json.writeStartObject();
                json.writeBooleanField("private", option.isPrivate());
                json.writeNumberField("number", option.number());
                json.writeStringField("octets", HexFormat.of().formatHex(option.value()));
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    private void identifier(String name, Identifier identifier, boolean address) throws IOException {
        if (identifier == null) {
            return;
        }
        json.writeObjectFieldStart(name);
        json.writeNumberField("scheme", Integer.toUnsignedLong(identifier.scheme()));
        if (address && identifier.inetAddress() != null) {
            json.writeStringField("address", identifier.inetAddress().getHostAddress());
        }
        json.writeStringField("octets", HexFormat.of().formatHex(identifier.address()));
        json.writeEndObject();
    }

    private void unsigned(String name, long value) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(Long.toUnsignedString(value));
    }

    @Override
    public void end(long offset, AnepException error) throws IOException {
        json.writeRaw('\n');
        json.writeEndArray();
        json.writeNumberField("count", count);
        json.writeNumberField("octets", offset);
        if (error != null) {
            json.writeObjectFieldStart("error");
            json.writeStringField("code", error.code().toString());
            json.writeNumberField("offset", offset);
            json.writeStringField("message", error.text());
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeRaw('\n');
    }

    @Override
    public void flush() {
        try {
            json.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
