package org.tamanoir.tuf.format;

import java.util.Map;

/**
 * Which snapshot is the newest.
 *
 * @param snapshot the file of it
 */
public record Timestamp(Common common, MetaFile snapshot) implements Signed {
    static Timestamp read(Fields signed) {
        Common common = Common.read(signed, RoleName.TIMESTAMP);
        Map<String, MetaFile> meta = MetaFile.readAll(signed.object("meta"), 1);
        if (!meta.containsKey(RoleName.SNAPSHOT)) {
            throw Fields.bad("timestamp names no snapshot");
        }
        return new Timestamp(common, meta.get(RoleName.SNAPSHOT));
    }
}
