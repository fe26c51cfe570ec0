package org.tamanoir.service.testkit;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.Partner;

/** The services that a test gives the one under test to work with. */
final class GivenPartners {
    private record Given(Object object, String version) {
    }

    private final Map<Integer, Given> given = new HashMap<>();
    private final Set<Integer> wanted = new LinkedHashSet<>();
    private int changes;

    void give(int typeId, Object object) {
        if (object == null) {
            given.remove(typeId);
        } else {
            given.put(typeId, new Given(object, "1.0." + changes++));
        }
    }

    Set<Integer> wanted() {
        return Set.copyOf(wanted);
    }

    <T> Partner<T> partner(int typeId, Class<T> contract) {
        return new Partner<>() {
            @Override
            public T get() {
                Given now = now();
                if (now == null) {
                    wanted.add(typeId);
                }
                return now == null ? null : contract.cast(now.object);
            }

            @Override
            public String version() {
                return now() == null ? null : now().version;
            }

            private Given now() {
                Given now = given.get(typeId);
                return now != null && contract.isInstance(now.object) ? now : null;
            }
        };
    }
}
