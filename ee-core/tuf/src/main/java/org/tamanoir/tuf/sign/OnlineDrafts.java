package org.tamanoir.tuf.sign;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Targets;

/** What a running repository writes itself: which metadata belongs together now. */
public final class OnlineDrafts {
    private OnlineDrafts() {
    }

    /**
     * A snapshot.
     *
     * @param roles the metadata of every role with targets, those to whom nobody delegates any more among them
     */
    public static Draft snapshot(long version, Instant expires, Map<String, Metadata<Targets>> roles) {
        Draft draft = new Draft(RoleName.SNAPSHOT, expires);
        Map<String, Object> meta = new LinkedHashMap<>();
        roles.forEach((role, metadata) -> meta.put(role + ".json", Draft.meta(metadata.signed().version(), metadata.octets())));
        draft.signed.put("meta", meta);
        return draft.version(version);
    }

    /** A timestamp. @param snapshot the file that it names, and its version */
    public static Draft timestamp(long version, Instant expires, long snapshotVersion, byte[] snapshot) {
        Draft draft = new Draft(RoleName.TIMESTAMP, expires);
        draft.signed.put("meta", new LinkedHashMap<>(Map.of(RoleName.SNAPSHOT + ".json", Draft.meta(snapshotVersion, snapshot))));
        return draft.version(version);
    }
}
