package org.tamanoir.services.qosinus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.service.Store;
import org.tamanoir.service.qos.Segment;

/** Sessions as they are kept over a restart: JSON by code. */
final class SessionStore {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Store store;
    private final Logger log;
    private Iterator<Map.Entry<String, byte[]>> unread = Collections.emptyIterator();

    SessionStore(Store store, Logger log) {
        this.store = store;
        this.log = log;
    }

    /** Completes when the session survives a restart. */
    CompletionStage<Void> keep(Session session) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("owner", session.owner.getHostAddress()).put("entry", session.entry)
                .put("opened", session.openedMillis);
        segment(session.segment, json);
        Session back = session.back;
        if (back != null) {
            segment(back.segment, json.putObject("back"));
        }
        TransferWatch transfer = session.transfer;
        if (transfer != null && transfer.begunMillis != 0) {
            ObjectNode kept = json.putObject("transfer").put("begun", transfer.begunMillis).put("carried", transfer.pace.carried());
            if (transfer.pace.state().isDone()) {
                kept.put("late", transfer.pace.lateNanos() / 1_000_000);
            }
        }
        json.set("session", Messages.json(new Request(Op.OPEN, session.request, session.code, session.level, 0, session.path)));
        return store.put(session.name(), json.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void segment(Segment segment, ObjectNode to) {
        if (segment != null) {
            to.put("egress", segment.egress()).put("reflector", Messages.text(segment.reflector()));
        }
    }

    private static Segment segment(JsonNode from) throws IOException {
        return from.has("reflector") ? new Segment(from.path("egress").asText(), address(from.path("reflector").asText())) : null;
    }

    /** Completes when the session does not come back after a restart. */
    CompletionStage<Void> forget(long code) {
        return store.remove(Messages.hex(code));
    }

    /** Begins to read what was kept; {@link #load} goes on. */
    void open() {
        unread = store.all().entrySet().iterator();
    }

    /**
     * Puts some of what was kept into a table, but for what is there already. What cannot be read is said, and left out.
     *
     * @return whether that was all
     */
    boolean load(SessionTable table, long nowNanos, int most) {
        for (int i = 0; i < most && unread.hasNext(); i++) {
            Map.Entry<String, byte[]> kept = unread.next();
            try {
                if (table.size() == 0 || table.find(Long.parseUnsignedLong(kept.getKey(), 16)) == null) {
                    table.put(read(JSON.readTree(kept.getValue()), nowNanos));
                }
            } catch (IOException | RuntimeException e) {
                log.warn("the session {} cannot be read and is forgotten: {}", kept.getKey(), e.getMessage());
                store.remove(kept.getKey());
            }
        }
        table.incomplete(unread.hasNext());
        return !unread.hasNext();
    }

    private static Session read(JsonNode json, long nowNanos) throws IOException {
        Request kept = Messages.request(json.path("session"));
        if (kept == null || kept.session() == 0) {
            throw new IOException("it has no code");
        }
        Session session = new Session(kept.session(), InetAddress.getByAddress(octets(json.path("owner").asText())), kept.number(),
                json.path("entry").asBoolean(), json.path("opened").asLong(), kept.level(), kept.path(), segment(json), nowNanos);
        session.directions(segment(json.path("back")), nowNanos);
        JsonNode begun = json.path("transfer");
        if (begun.isObject() && kept.level().objectives().transfer() != null) {
            session.transfer = TransferWatch.kept(kept.level().objectives().transfer(), begun.path("begun").asLong(), begun.path("carried").asLong(),
                    begun.has("late") ? begun.path("late").asLong() : null, nowNanos, System.currentTimeMillis());
        }
        return session;
    }

    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(InetAddress.getByAddress(octets(text.substring(0, colon))), Integer.parseInt(text.substring(colon + 1)));
    }

    private static byte[] octets(String address) throws IOException {
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(address.replace("[", "").replace("]", ""));
        if (octets == null) {
            throw new IOException("'" + address + "' is no address");
        }
        return octets;
    }
}
