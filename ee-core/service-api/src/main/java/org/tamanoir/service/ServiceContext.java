package org.tamanoir.service;

import java.util.Map;
import org.slf4j.Logger;
import org.tamanoir.service.rule.LightRules;

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

    /** What the version before has handed over ({@link ActiveService#handOver}); empty if there was none, or it handed nothing over. */
    default Map<String, Object> inherited() {
        return Map.of();
    }

    /** Its rules for packets that no handler needs to see; where they run is the node's choice. */
    LightRules rules();

    /** Its log: {@code tamanoir.service.NAME}. */
    Logger logger();
}
