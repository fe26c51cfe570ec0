package org.tamanoir.node.manage;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.fleet.tree.Differences;
import org.tamanoir.fleet.tree.Layers;
import org.tamanoir.node.fleet.FleetPartFile;
import org.tamanoir.node.fleet.StoredPart;
import org.tamanoir.node.manage.Configurable.Change;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.Settings;

/**
 * Where a node's configuration comes from: its file with the options of its command line, and below them what its fleet says. One change at a time, so that
 * neither the file nor the fleet is put in force with what the other said before.
 */
public final class ConfigurationSource {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationSource.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What is in force of the fleet, and where the node's own file has the last word. */
    private record InForce(StoredPart part, List<Drift> held) {
        static final InForce NOTHING = new InForce(null, List.of());
    }

    private final Path file;
    private final Supplier<Settings> settings;
    /** What the fleet has said last; it may be of another name than the file has now. */
    private StoredPart last;
    private volatile InForce inForce = InForce.NOTHING;
    private volatile String lost;

    /**
     * @param file     that is watched; null for none
     * @param settings reads it, with what goes before it each time: the options of a command line
     */
    public ConfigurationSource(Path file, Supplier<Settings> settings) {
        this.file = file;
        this.settings = settings;
    }

    Path file() {
        return file;
    }

    /** Why what the fleet had said before the start is not in force; null if it is, or if something newer is. */
    String lost() {
        return lost;
    }

    /** Null for nothing. */
    StoredPart inForce() {
        return inForce.part();
    }

    /** Keys of the fleet that the node's own file has otherwise. */
    List<Drift> held() {
        return inForce.held();
    }

    /**
     * What a node begins with: its own file, and what its fleet had said last. A node starts without the latter if that makes no sense any more.
     *
     * @throws AnepException EE-501 if the file makes no sense
     */
    public synchronized NodeConfiguration first() {
        Settings own = settings.get();
        NodeConfiguration alone = NodeConfiguration.of(own);
        if (alone.fleet() == null) {
            return alone;
        }
        try {
            StoredPart kept = new FleetPartFile(alone.dataDirectory()).read();
            if (kept == null || !kept.part().node().equals(alone.fleet().name())) {
                return alone;
            }
            NodeConfiguration whole = with(kept);
            last = kept;
            inForce = new InForce(kept, held(kept, own));
            return whole;
        } catch (AnepException e) {
            lost = (e.code() == ErrorCode.FLEET_PART_LOST ? e : new AnepException(ErrorCode.FLEET_PART_LOST, e.text(), e)).getMessage();
            LOG.error("the node starts with its own file alone: {}", lost);
            return alone;
        }
    }

    private NodeConfiguration with(StoredPart part) {
        try {
            return NodeConfiguration.of(settings.get().below(MAPPER.convertValue(part.part().values(), new TypeReference<Map<String, Object>>() { })));
        } catch (AnepException e) {
            throw new AnepException(e.code(), "with generation " + part.generation() + " of the fleet: " + e.text(), e);
        }
    }

    private static List<Drift> held(StoredPart part, Settings own) {
        JsonNode said = part.part().values();
        return Differences.between(said, Layers.over(said, own.tree())).stream().filter(each -> each.from() != null)
                .map(each -> new Drift(each.key(), text(each.from()), each.to() == null ? null : text(each.to()), "file")).toList();
    }

    private static String text(JsonNode value) {
        return value.isTextual() ? value.asText() : Canonical.text(value);
    }

    /** Puts in force what the file says now. @return what that has overridden of the admin API @throws AnepException why it is refused */
    synchronized List<String> reload(LiveConfiguration live) {
        Settings own = settings.get();
        NodeConfiguration alone = NodeConfiguration.of(own);
        StoredPart part = alone.fleet() != null && last != null && last.part().node().equals(alone.fleet().name()) ? last : null;
        List<String> overridden = live.reload(part == null ? alone : with(part));
        inForce = part == null ? InForce.NOTHING : new InForce(part, held(part, own));
        return overridden;
    }

    /** Puts a part of the fleet in force, and keeps it. @throws AnepException why not; nothing has changed then */
    synchronized void take(StoredPart next, LiveConfiguration live, FleetPartFile kept) {
        NodeConfiguration now = with(next);
        live.reload(now, "generation " + next.generation() + " of the fleet", (before, after) -> {
            kept.prepare(next);
            return Change.of(kept::commit, kept::discard);
        });
        last = next;
        inForce = new InForce(next, held(next, settings.get()));
        lost = null;
    }
}
