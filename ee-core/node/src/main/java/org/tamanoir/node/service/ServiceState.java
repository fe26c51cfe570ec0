package org.tamanoir.node.service;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a version of a service is on its way, by the names that operators see. */
public enum ServiceState {
    /** Asking the sources who has it. */
    RESOLVING,
    /** The bundle is being transferred. */
    FETCHING,
    /** The bundle's hash, and its publisher's signature, are being checked. */
    VERIFYING,
    /** The bundle is being installed and the service started. */
    INSTALLING,
    /** Streams get it. */
    ACTIVE,
    /** New streams do not get it; the old ones finish. */
    DRAINING,
    /** It is gone. */
    REMOVED,
    /** It could not be got or started, or it failed its streams; the reason is beside it. */
    FAILED;

    /** Whether a version that is here may be there next. One that is on its way may turn to another source at any step. */
    public boolean mayBecome(ServiceState next) {
        return switch (this) {
            case RESOLVING -> EnumSet.of(FETCHING, VERIFYING, FAILED, REMOVED).contains(next);
            case FETCHING -> EnumSet.of(RESOLVING, FETCHING, VERIFYING, FAILED, REMOVED).contains(next);
            case VERIFYING -> EnumSet.of(RESOLVING, FETCHING, VERIFYING, INSTALLING, FAILED, REMOVED).contains(next);
            case INSTALLING -> EnumSet.of(RESOLVING, FETCHING, VERIFYING, ACTIVE, FAILED, REMOVED).contains(next);
            case ACTIVE -> EnumSet.of(DRAINING, FAILED, REMOVED).contains(next);
            case DRAINING -> EnumSet.of(ACTIVE, REMOVED).contains(next);
            case REMOVED, FAILED -> false;
        };
    }

    /** Whether nothing follows. */
    public boolean isEnd() {
        return this == REMOVED || this == FAILED;
    }

    /** Whether it is being got. */
    public boolean isUnderWay() {
        return ordinal() < ACTIVE.ordinal();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Every state, in the order in which a version meets them. */
    public static Set<ServiceState> all() {
        return EnumSet.allOf(ServiceState.class);
    }
}
