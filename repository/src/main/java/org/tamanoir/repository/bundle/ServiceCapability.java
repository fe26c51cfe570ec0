package org.tamanoir.repository.bundle;

import aQute.bnd.header.Attrs;
import aQute.bnd.header.Parameters;
import aQute.bnd.osgi.Processor;
import aQute.bnd.version.Version;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The capability {@code tamanoir.service}, by which a bundle says which service it holds:
 * {@code tamanoir.service;name="…";type-id:Long=…;version:Version="…";level="light|middle|heavy"}, and if it wants to
 * {@code on-failure="restart|bypass"}, {@code affinity="none|source"} and {@code resume="none|stateless"}.
 *
 * @param onFailure null if it does not say
 * @param affinity which streams must come to the same back end of a cluster; null if it does not say
 * @param resume whether a stream through it can go on by other nodes; null if it does not say
 */
record ServiceCapability(String name, int typeId, Version version, String level, String onFailure, String affinity, String resume) {
    static final String NAMESPACE = "tamanoir.service";
    /** The last Type ID that a service may have; the first is the one after the control service. */
    private static final int LAST_TYPE_ID = 0x57FF;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
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
        if (!NAME.matcher(name).matches()) {
            throw refused("a service's name is made of at most 64 lower-case letters, digits, dots, dashes and underscores");
        }
        long typeId = typed(attributes, "type-id", Long.class);
        if (typeId <= Anep.TYPE_CONTROL || typeId > LAST_TYPE_ID) {
            throw refused("type-id is " + typeId + "; " + (Anep.TYPE_CONTROL + 1) + " to " + LAST_TYPE_ID + " ("
                    + Anep.typeName(Anep.TYPE_CONTROL + 1) + " to " + Anep.typeName(LAST_TYPE_ID) + ") are services");
        }
        String level = typed(attributes, "level", String.class);
        if (!LEVELS.contains(level)) {
            throw refused("level is '" + level + "'; it is one of " + String.join(", ", LEVELS));
        }
        return new ServiceCapability(name, (int) typeId, typed(attributes, "version", Version.class), level,
                oneOf(attributes, ON_FAILURE, POLICIES), oneOf(attributes, AFFINITY, AFFINITIES), oneOf(attributes, RESUME, RESUMES));
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
