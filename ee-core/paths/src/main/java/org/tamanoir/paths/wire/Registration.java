package org.tamanoir.paths.wire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.topology.Place;

/**
 * The body of {@code PUT /v1/theodolites/NAME}: what a theodolite says of itself. Its host is what the plan says; of the addresses the ports count.
 *
 * @param node      identifies the node that it runs in
 * @param anep      {@code HOST:PORT} where the node takes streams
 * @param reflector {@code HOST:PORT} of the node's STAMP reflector; null if it answers no probes
 * @param software  name and version
 * @param place     null if it does not say
 */
public record Registration(String node, String anep, String reflector, String software, Place place) {
    /** @throws AnepException EE-408 that names the key */
    public static Registration parse(String json) {
        Keys keys = Keys.parse(json, ErrorCode.BAD_REQUEST, "the registration of a theodolite");
        try {
            Place place = keys.has("lat") || keys.has("lon") ? new Place(keys.number("lat"), keys.number("lon")) : null;
            Registration made = new Registration(keys.text("node"), keys.text("anep"), keys.text("reflector", null), keys.text("software"), place);
            for (String address : made.reflector == null ? List.of(made.anep) : List.of(made.anep, made.reflector)) {
                port(address);
            }
            return made;
        } catch (AnepException e) {
            throw e.code() == ErrorCode.BAD_REQUEST ? e : keys.bad("lat", e.text());
        }
    }

    /** The port of {@code HOST:PORT}. @throws AnepException EE-408 if it has none */
    public static int port(String address) {
        String digits = address.substring(address.lastIndexOf(':') + 1);
        if (!address.contains(":") || !digits.matches("[0-9]{1,5}") || Integer.parseInt(digits) < 1 || Integer.parseInt(digits) > 65_535) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + address + "' is not HOST:PORT");
        }
        return Integer.parseInt(digits);
    }

    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("node", node);
        map.put("anep", anep);
        map.put("reflector", reflector);
        map.put("software", software);
        map.put("lat", place == null ? null : place.latitude());
        map.put("lon", place == null ? null : place.longitude());
        return Json.write(map);
    }
}
