package org.tamanoir.service;

import org.slf4j.Logger;

/** What a node gives a service for the whole of its life. */
public interface ServiceContext {
    /** The name in its capability. */
    String name();

    /** The version in its capability. */
    String version();

    /** The options that the operator has set for it, and nobody else's. */
    Configuration configuration();

    /** Where it registers what it counts. */
    Metrics metrics();

    /** Its log: {@code tamanoir.service.NAME}. */
    Logger logger();
}
