package org.tamanoir.cluster.ipvs;

import java.nio.file.Path;
import org.tamanoir.anep.AnepException;

/**
 * What the engine needs to know besides the plan.
 *
 * @param directory of its own, made if it is missing: keepalived's configuration and pid files, and what the next start has to know
 * @param checks    of health
 * @param vrrp      null for a director that stands alone; its virtual addresses are then the administrator's to set
 * @param firstMark firewall marks from this one on belong to this engine, 1 to 0x7fff0000
 * @param marks     how many they are, 256 to 65536
 */
public record IpvsSettings(Path directory, CheckerSettings checks, Vrrp vrrp, int firstMark, int marks) {
    /** "TA" in the upper half. */
    public static final int FIRST_MARK = 0x5441_0000;
    public static final int MARKS = 0x1_0000;

    /** @throws AnepException EE-905 */
    public IpvsSettings {
        directory = directory.toAbsolutePath().normalize();
        SafeWords.path(directory);
        SafeWords.number(firstMark, 1, 0x7fff_0000, "the first firewall mark");
        SafeWords.number(marks, 256, 0x1_0000, "the number of firewall marks");
    }

    /** A director that stands alone, with the usual checks and marks. */
    public static IpvsSettings alone(Path directory) {
        return new IpvsSettings(directory, CheckerSettings.DEFAULT, null, FIRST_MARK, MARKS);
    }
}
