package org.tamanoir.qos.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.qos.spec.LevelWriter;
import org.tamanoir.service.qos.ServiceLevel;

/** Messages as octets. */
public final class Messages {
    /** {@code QOSINUS} and the version of this form, 1. */
    public static final long MAGIC = 0x514F_5349_4E55_5301L;
    /** Octets of a message: a level with everything in it, and a path of 32. */
    public static final int MOST = 16_384;
    private static final int MAGIC_OCTETS = 8;
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final int LONGEST_TEXT = 1024;

    private Messages() {
    }

    /** Whether a payload is a message of this form; looks at its first octets alone. */
    public static boolean isMessage(ByteBuf payload) {
        return payload.readableBytes() > MAGIC_OCTETS && payload.getLong(payload.readerIndex()) == MAGIC;
    }

    /** The octets of a request, magic included. */
    public static ByteBuf write(Request request, ByteBufAllocator allocator) {
        return octets(json(request), allocator);
    }

    /** A request as an object of JSON. */
    public static ObjectNode json(Request request) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("op", request.op().word()).put("request", hex(request.number()))
                .put("patience", request.patienceMs());
        if (request.session() != 0) {
            json.put("session", hex(request.session()));
        }
        if (request.level() != null) {
            json.set("level", LevelWriter.write(request.level()));
        }
        json.set("path", stops(request.path()));
        return json;
    }

    /** The octets of an answer, magic included. */
    public static ByteBuf write(Answer answer, ByteBufAllocator allocator) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("op", "answer").put("request", hex(answer.number()));
        if (answer.session() != 0) {
            json.put("session", hex(answer.session()));
        }
        if (answer.code() != null) {
            json.put("code", answer.code().number()).put("text", shortened(answer.text()));
        }
        if (answer.warning() != null) {
            json.put("warning", shortened(answer.warning()));
        }
        json.set("path", stops(answer.path()));
        return octets(json, allocator);
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }

    private static ByteBuf octets(ObjectNode json, ByteBufAllocator allocator) {
        byte[] text = json.toString().getBytes(StandardCharsets.UTF_8);
        return allocator.buffer(MAGIC_OCTETS + text.length).writeLong(MAGIC).writeBytes(text);
    }

    private static ArrayNode stops(List<Stop> path) {
        ArrayNode stops = JsonNodeFactory.instance.arrayNode();
        for (Stop stop : path) {
            ObjectNode one = stops.addObject().put("node", stop.node()).put("address", text(stop.address())).put("hops", stop.hops());
            if (stop.probes() != null) {
                one.put("probes", text(stop.probes()));
            }
        }
        return stops;
    }

    /** A session code or a number of a request: 16 hexadecimal digits. */
    public static String hex(long number) {
        return String.format("%016x", number);
    }

    /** {@code 10.1.0.1:3322}. */
    public static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }

    /** A request from a payload for which {@link #isMessage} holds; null if it is an answer. EE-801 for anything that makes no sense. */
    public static Request request(ByteBuf payload) {
        return request(parse(payload));
    }

    /** A request from its object; null if it is an answer. EE-801 for anything that makes no sense. */
    public static Request request(JsonNode json) {
        String word = json.path("op").asText();
        if (word.equals("answer")) {
            return null;
        }
        Op op;
        try {
            op = Op.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad("op", "is '" + word + "'; it must be open, modify or release");
        }
        long number = code(json, "request");
        long session = json.has("session") ? code(json, "session") : 0;
        int patience = json.path("patience").asInt(0);
        if (number == 0 || op != Op.OPEN && session == 0) {
            throw bad(number == 0 ? "request" : "session", "is missing");
        }
        if (patience < 0 || patience > Request.MOST_PATIENCE_MS) {
            throw bad("patience", "is " + patience + " ms; it must be from 0 to " + Request.MOST_PATIENCE_MS);
        }
        if (op != Op.RELEASE && !json.has("level")) {
            throw bad("level", "is missing");
        }
        return new Request(op, number, session, op == Op.RELEASE ? null : LevelReader.read(json.get("level")), patience, path(json));
    }

    /** The number of the request that a payload says, or 0: for an answer to one that makes no sense. */
    public static long numberOf(ByteBuf payload) {
        try {
            return code(parse(payload), "request");
        } catch (AnepException e) {
            return 0;
        }
    }

    /** An answer from a payload for which {@link #isMessage} holds; EE-801 if it is none. */
    public static Answer answer(ByteBuf payload) {
        JsonNode json = parse(payload);
        if (!json.path("op").asText().equals("answer")) {
            throw bad("op", "is no answer");
        }
        int code = json.path("code").asInt(0);
        return new Answer(code(json, "request"), json.has("session") ? code(json, "session") : 0,
                code == 0 ? null : ErrorCode.of(code), json.path("text").asText(""), path(json),
                json.hasNonNull("warning") ? shortened(json.path("warning").asText()) : null);
    }

    private static JsonNode parse(ByteBuf payload) {
        if (payload.readableBytes() > MOST) {
            throw bad("the message", "has " + payload.readableBytes() + " octets; it may have " + MOST);
        }
        try {
            JsonNode json = JSON.readTree(ByteBufUtil.getBytes(payload, payload.readerIndex() + MAGIC_OCTETS,
                    payload.readableBytes() - MAGIC_OCTETS));
            if (json == null || !json.isObject()) {
                throw bad("the message", "is no object {...}");
            }
            return json;
        } catch (JsonProcessingException e) {
            throw bad("the message", "is no JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw bad("the message", "cannot be read: " + e.getMessage());
        }
    }

    /** The number that 1 to 16 hexadecimal digits are. @throws AnepException EE-801 */
    private static long code(JsonNode json, String name) {
        try {
            return Long.parseUnsignedLong(json.path(name).asText(), 16);
        } catch (NumberFormatException e) {
            throw bad(name, "is '" + json.path(name).asText() + "'; it must be 1 to 16 hexadecimal digits");
        }
    }

    private static List<Stop> path(JsonNode json) {
        JsonNode stops = json.path("path");
        if (!stops.isArray() || stops.size() > Request.MOST_STOPS) {
            throw bad("path", "must be a list of at most " + Request.MOST_STOPS + " nodes");
        }
        List<Stop> path = new ArrayList<>();
        for (JsonNode stop : stops) {
            String node = stop.path("node").asText();
            if (!node.matches("[0-9a-f]{16}")) {
                throw bad("path", "has a node that is not 16 hexadecimal digits");
            }
            path.add(new Stop(node, address(stop, "address"), stop.has("probes") ? address(stop, "probes") : null,
                    Math.max(0, Math.min(255, stop.path("hops").asInt(0)))));
        }
        return path;
    }

    private static InetSocketAddress address(JsonNode stop, String name) {
        String text = stop.path(name).asText();
        int colon = text.lastIndexOf(':');
        String host = colon < 1 ? "" : text.substring(0, colon);
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1) : host);
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (octets != null && port >= 0 && port <= 0xFFFF) {
                return new InetSocketAddress(InetAddress.getByAddress(octets), port);
            }
        } catch (NumberFormatException | IOException e) {
            // Said below.
        }
        throw bad("path", "has a node whose " + name + " is '" + text + "'; it must be ADDRESS:PORT");
    }

    private static AnepException bad(String field, String what) {
        return new AnepException(ErrorCode.BAD_SERVICE_LEVEL, field + " " + what);
    }

    /**
     * What comes back.
     *
     * @param number  of the request
     * @param session the code; 0 if there is none
     * @param code    what is wrong, or null: everything is done. {@link ErrorCode#PARTIAL_PATH} comes with a session: it is stored at the nodes
     *                of the path
     * @param text    for people; empty if nothing is wrong
     * @param path    the nodes that have stored the session, or forgotten it, the first one first
     * @param warning what was asked for and cannot be had as things are, for people; null for nothing
     */
    public record Answer(long number, long session, ErrorCode code, String text, List<Stop> path, String warning) {
        public Answer {
            path = List.copyOf(path);
        }

        /** Without a warning. */
        public Answer(long number, long session, ErrorCode code, String text, List<Stop> path) {
            this(number, session, code, text, path, null);
        }

        /** Whether nodes have done what was asked, all of them or some. */
        public boolean isDone() {
            return code == null || code == ErrorCode.PARTIAL_PATH;
        }
    }

    /**
     * What an application asks, and what every node passes on with itself added.
     *
     * @param op         what
     * @param number     of the request, not 0: the same in every copy of it
     * @param session    the code; 0 in an {@link Op#OPEN} that no node has seen yet
     * @param level      the service level; null for {@link Op#RELEASE}
     * @param patienceMs how long the sender waits for the answer; each node passes on less
     * @param path       the nodes that have seen it, the first one first
     */
    public record Request(Op op, long number, long session, ServiceLevel level, int patienceMs, List<Stop> path) {
        /** Nodes on a path. */
        public static final int MOST_STOPS = 32;
        /** The most that a node waits for those behind it. */
        public static final int MOST_PATIENCE_MS = 30_000;

        public Request {
            path = List.copyOf(path);
        }
    }

    /** What is asked for. */
    public enum Op {
        /** A session for a flow; its code comes back. */
        OPEN,
        /** Another service level for a session. */
        MODIFY,
        /** The end of a session. */
        RELEASE;

        /** {@code open}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A node on the path that has stored the session.
     *
     * @param node    its name: 16 hexadecimal digits
     * @param address where it takes streams; an unspecified host if it listens on all
     * @param probes  where it answers probes; null if it does not
     * @param hops    hops that the request had left when it came: nodes that follow each other differ by 1
     */
    public record Stop(String node, InetSocketAddress address, InetSocketAddress probes, int hops) {
    }
}
