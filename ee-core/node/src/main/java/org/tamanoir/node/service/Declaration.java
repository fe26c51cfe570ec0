package org.tamanoir.node.service;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;

/**
 * What the capability of a bundle says of the service beside its name; {@code docs/writing-a-service.md} has the words.
 *
 * @param onFailure what becomes of a stream in which it fails
 * @param affinity  which streams must come to the same node where there are several behind one address
 * @param resume    whether a stream through it can go on by other nodes
 */
public record Declaration(FailurePolicy onFailure, Affinity affinity, Resume resume) {
    /** That of a bundle that says nothing. */
    public static final Declaration PRESET = new Declaration(FailurePolicy.RESTART, Affinity.NONE, Resume.NONE);

    /** What a service knows of a stream that others would not know. */
    public enum Resume {
        /** Something; a stream that shall outlive its nodes is refused. */
        NONE,
        /** Nothing that matters between two packets. */
        STATELESS,
        /** Something that travels with the stream; its handlers are {@link org.tamanoir.service.CheckpointedHandler}s. */
        CHECKPOINT
    }

    /** Reads a capability. @throws AnepException EE-304 for a word that is none */
    public static Declaration of(Map<String, Object> capability) {
        Object word = capability.getOrDefault("on-failure", PRESET.onFailure.word());
        FailurePolicy policy = FailurePolicy.declared(String.valueOf(word)).orElseThrow(() -> new AnepException(ErrorCode.BAD_BUNDLE, "on-failure is '" + word
                + "'; a service may say restart or bypass"));
        return new Declaration(policy, read(capability, "affinity", PRESET.affinity), read(capability, "resume", PRESET.resume));
    }

    private static <E extends Enum<E>> E read(Map<String, Object> capability, String key, E otherwise) {
        String word = String.valueOf(capability.getOrDefault(key, word(otherwise)));
        E[] all = otherwise.getDeclaringClass().getEnumConstants();
        return Arrays.stream(all).filter(one -> word(one).equals(word)).findFirst().orElseThrow(() -> new AnepException(ErrorCode.BAD_BUNDLE,
                key + " is '" + word + "'; it is " + Arrays.stream(all).map(Declaration::word).collect(Collectors.joining(" or "))));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
