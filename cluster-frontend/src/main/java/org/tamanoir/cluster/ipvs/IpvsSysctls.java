package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Parameters of IPVS (Documentation/networking/ipvs-sysctl.rst of Linux) that the engine needs, and what they were before. */
final class IpvsSysctls {
    private static final Logger LOG = LoggerFactory.getLogger(IpvsSysctls.class);
    private final Path directory;

    IpvsSysctls() {
        this(Path.of("/proc/sys/net/ipv4/vs"));
    }

    IpvsSysctls(Path directory) {
        this.directory = directory;
    }

    /**
     * What the engine needs.
     *
     * @param synchronised whether another director is told of connections
     */
    static Map<String, String> wanted(boolean synchronised) {
        Map<String, String> wanted = new TreeMap<>();
        // Packets of a connection whose back end has been taken out are not swallowed: TCP's client hears at once, UDP moves.
        wanted.put("expire_nodest_conn", "1");
        // A source that sticks to a back end that drains goes to another with its next connection.
        wanted.put("expire_quiescent_template", "1");
        if (synchronised) {
            // After the first packet of a connection, and not after the third and every fiftieth.
            wanted.put("sync_threshold", "0 1");
        }
        return wanted;
    }

    /** Those of a set that are otherwise, with what they are. A kernel that has not one of them lets it be. */
    Map<String, String> before(Map<String, String> wanted) {
        Map<String, String> before = new LinkedHashMap<>();
        wanted.forEach((name, value) -> {
            try {
                String now = Files.readString(directory.resolve(name)).strip().replaceAll("\\s+", " ");
                if (!now.equals(value)) {
                    before.put(name, now);
                }
            } catch (IOException e) {
                LOG.debug("{} has no {}: {}", directory, name, AnepException.reason(e));
            }
        });
        return before;
    }

    /** @throws AnepException EE-907 */
    void set(Map<String, String> values) {
        values.forEach((name, value) -> {
            try {
                Files.writeString(directory.resolve(name), value + "\n");
            } catch (IOException e) {
                throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "cannot set net.ipv4.vs." + name + " to " + value + ": " + AnepException.reason(e), e);
            }
        });
    }
}
