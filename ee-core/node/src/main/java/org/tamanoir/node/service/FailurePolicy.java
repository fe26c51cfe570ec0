package org.tamanoir.node.service;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What becomes of streams when a service fails them. */
public enum FailurePolicy {
    /** The stream ends with an error; a service that fails often is started anew, with growing pauses, and nobody gets it meanwhile. */
    RESTART,
    /** The stream goes on without the service. For services that streams can do without, such as monitoring. */
    BYPASS,
    /** The stream goes on, and the packets that the service should have seen are dropped. For services that must not be passed by. */
    DROP;

    /** The word in configurations and manifests; empty for one that is none. */
    public static Optional<FailurePolicy> of(String word) {
        return Arrays.stream(values()).filter(policy -> policy.word().equals(word)).findFirst();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What the author of a service may say of it: to throw the packets of others away is the operator's to decide. Empty for anything else. */
    public static Optional<FailurePolicy> declared(String word) {
        return of(word).filter(policy -> policy != DROP);
    }

    /** {@code restart, bypass, drop}. */
    public static String words() {
        return Arrays.stream(values()).map(FailurePolicy::word).collect(Collectors.joining(", "));
    }
}
