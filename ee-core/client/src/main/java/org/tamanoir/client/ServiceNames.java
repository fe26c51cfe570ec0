package org.tamanoir.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;

/** The well-known names of the bundled services. Any other service goes by its Type ID: {@code 0x5501}. */
public final class ServiceNames {
    private static final Map<String, Integer> KNOWN = new LinkedHashMap<>();

    static {
        // Those that applications ask for; the others serve nodes.
        for (String name : List.of("forward", "monitoring", "compression", "qosinus", "aggregate", "cache", "interest", "collect", "transcode", "coalesce", "election")) {
            KNOWN.put(name, BundledServices.typeId(name));
        }
    }

    private ServiceNames() {
    }

    /**
     * The Type ID of a service.
     *
     * @param name a well-known name, or a number from 1 to 65,535, decimal or with {@code 0x}
     * @throws AnepException EE-408 if it is neither
     */
    public static int typeId(String name) {
        Integer known = KNOWN.get(name);
        if (known != null) {
            return known;
        }
        try {
            int number = Integer.decode(name);
            if (number > Anep.TYPE_ERROR && number <= 0xFFFF) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Neither a name nor a number: said below.
        }
        if (ServiceName.isGuest(name)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a guest's service goes by its Type ID, from " + Anep.typeName(ServiceName.FIRST_GUEST_TYPE) + " to "
                    + Anep.typeName(ServiceName.LAST_GUEST_TYPE) + ": 'tamanoir service show " + name + "' says which " + name + " has");
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, "there is no service '" + name + "'; known are " + String.join(", ", KNOWN.keySet())
                + ", any other goes by its Type ID: 0x5501");
    }
}
