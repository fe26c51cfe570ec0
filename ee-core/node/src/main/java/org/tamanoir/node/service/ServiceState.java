package org.tamanoir.node.service;

/** Where a service is on its way, by the names that operators see. */
public enum ServiceState {
    /** Asking the sources who has it. */
    RESOLVING,
    /** The bundle is being transferred. */
    FETCHING,
    /** The bundle's hash is being compared with the one announced. */
    VERIFYING,
    /** The bundle is being installed and the service started. */
    INSTALLING,
    /** Streams get it. */
    ACTIVE,
    /** New streams do not get it; the old ones finish. */
    DRAINING,
    /** It is gone. */
    REMOVED,
    /** It could not be got, or could not be started; the reason is beside it. */
    FAILED
}
