package org.tamanoir.paths.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The theodolite at the other end of a session.
 *
 * @param name      in the plan
 * @param host      name or address, as the plan has it
 * @param anep      {@code HOST:PORT} where its node takes streams, for {@link org.tamanoir.paths.plan.Measurement.Kind#THROUGHPUT}
 * @param reflector {@code HOST:PORT} of its STAMP reflector, for the others
 */
public record Peer(String name, String host, String anep, String reflector) {
    /** Where a node takes streams, and answers probes, if it has not said. */
    public static final int ANEP_PORT = 3322;
    public static final int REFLECTOR_PORT = 862;

    static Peer of(Keys keys) {
        return new Peer(keys.text("name"), keys.text("host"), keys.text("anep"), keys.text("reflector"));
    }

    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("host", host);
        map.put("anep", anep);
        map.put("reflector", reflector);
        return map;
    }
}
