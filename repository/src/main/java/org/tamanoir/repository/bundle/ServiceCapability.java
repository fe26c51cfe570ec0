package org.tamanoir.repository.bundle;

import aQute.bnd.header.Attrs;
import aQute.bnd.header.Parameters;
import aQute.bnd.osgi.Processor;
import aQute.bnd.version.Version;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.trust.guest.GuestRule;

/**
 * The capability {@code tamanoir.service}, by which a bundle says which service it holds:
 * {@code tamanoir.service;name="…";type-id:Long=…;version:Version="…";level="light|middle|heavy"}, and if it wants to
 * {@code on-failure="restart|bypass"}, {@code affinity="none|source"}, {@code resume="none|stateless"} and {@code runtime="wasm"}.
 *
 * @param onFailure null if it does not say
 * @param affinity which streams must come to the same back end of a cluster; null if it does not say
 * @param resume whether a stream through it can go on by other nodes; null if it does not say
 * @param runtime what runs it, {@code wasm}; null for Java
 */
record ServiceCapability(String name, int typeId, Version version, String level, String onFailure, String affinity, String resume, String runtime) {
    static final String NAMESPACE = "tamanoir.service";
    private static final String RUNTIME = "runtime";
    private static final List<String> RUNTIMES = List.of(GuestRule.WASM);
    private static final List<String> LEVELS = List.of("light", "middle", "heavy");
    private static final String ON_FAILURE = "on-failure";
    private static final String AFFINITY = "affinity";
    private static final List<String> AFFINITIES = List.of("none", "source");
    private static final String RESUME = "resume";
    private static final List<String> RESUMES = List.of("none", "stateless", "checkpoint");
    private static final List<String> POLICIES = List.of("restart", "bypass");

    /** @throws AnepException EE-402 if there is none, more than one, or one that is incomplete */
    static ServiceCapability of(Parameters provided) {
        Attrs found = null;
        for (Map.Entry<String, Attrs> clause : provided.entrySet()) {
            // bnd marks the second clause of one name with a tilde.
            if (Processor.removeDuplicateMarker(clause.getKey()).equals(NAMESPACE)) {
                if (found != null) {
                    throw refused("it has more than one capability " + NAMESPACE);
                }
                found = clause.getValue();
            }
        }
        if (found == null) {
            throw refused("its Provide-Capability has no " + NAMESPACE);
        }
        return of(found);
    }

    private static ServiceCapability of(Attrs attributes) {
        String name = typed(attributes, "name", String.class);
        if (!ServiceName.isName(name)) {
            throw refused("a service's name is made of at most 64 lower-case letters, digits, dots, dashes and underscores; a guest's is ~LABEL/NAME");
        }
        long typeId = typed(attributes, "type-id", Long.class);
        if (typeId <= Anep.TYPE_CONTROL || typeId > ServiceName.LAST_GUEST_TYPE) {
            throw refused("type-id is " + typeId + "; " + (Anep.TYPE_CONTROL + 1) + " to " + ServiceName.LAST_TYPE + " ("
                    + Anep.typeName(Anep.TYPE_CONTROL + 1) + " to " + Anep.typeName(ServiceName.LAST_TYPE) + ") are services, and those beyond to "
                    + ServiceName.LAST_GUEST_TYPE + " (" + Anep.typeName(ServiceName.LAST_GUEST_TYPE) + ") guests'");
        }
        String level = typed(attributes, "level", String.class);
        if (!LEVELS.contains(level)) {
            throw refused("level is '" + level + "'; it is one of " + String.join(", ", LEVELS));
        }
        return new ServiceCapability(name, (int) typeId, typed(attributes, "version", Version.class), level,
                oneOf(attributes, ON_FAILURE, POLICIES), oneOf(attributes, AFFINITY, AFFINITIES), oneOf(attributes, RESUME, RESUMES),
                oneOf(attributes, RUNTIME, RUNTIMES));
    }

    /** What need not be said; null if it is not. */
    private static String oneOf(Attrs attributes, String key, List<String> words) {
        String word = attributes.containsKey(key) ? typed(attributes, key, String.class) : null;
        if (word != null && !words.contains(word)) {
            throw refused(key + " is '" + word + "'; it is one of " + String.join(", ", words));
        }
        return word;
    }

    private static <T> T typed(Attrs attributes, String key, Class<T> type) {
        Object value;
        try {
            value = attributes.getTyped(key);
        } catch (IllegalArgumentException e) {
            throw refused(key + " is no " + type.getSimpleName());
        }
        if (value == null) {
            throw refused("its capability " + NAMESPACE + " has no " + key);
        }
        if (!type.isInstance(value)) {
            throw refused(key + " is not typed; write " + key + (type == String.class ? "" : ":" + type.getSimpleName()) + "=\"…\"");
        }
        return type.cast(value);
    }

    static AnepException refused(String why) {
        return new AnepException(ErrorCode.NO_CAPABILITY, "the bundle does not say which service it holds: " + why);
    }
}
