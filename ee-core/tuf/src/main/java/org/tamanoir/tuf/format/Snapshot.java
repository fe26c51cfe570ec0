package org.tamanoir.tuf.format;

import java.util.Map;

/**
 * Which metadata of every role makes one state of the repository.
 *
 * @param roles the targets role and all that are delegated to, by their names
 */
public record Snapshot(Common common, Map<String, MetaFile> roles) implements Signed {
    /** Delegated roles of a repository, those that nobody delegates to any more among them. */
    public static final int MOST_ROLES = 4_096;

    static Snapshot read(Fields signed) {
        Common common = Common.read(signed, RoleName.SNAPSHOT);
        return new Snapshot(common, MetaFile.readAll(signed.object("meta"), MOST_ROLES));
    }
}
