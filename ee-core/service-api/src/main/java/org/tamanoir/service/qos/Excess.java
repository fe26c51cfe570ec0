package org.tamanoir.service.qos;

import java.time.Duration;

/** What happens to packets over the profile. Streams over TCP are always slowed down and never cut: their source is made to wait. */
public sealed interface Excess {
    /** They go no further. */
    record Drop() implements Excess {
    }

    /**
     * They go on in another class.
     *
     * @param className its name
     */
    record Remark(String className) implements Excess {
    }

    /**
     * They wait until they conform, and go no further if that would take longer.
     *
     * @param most how long a packet may wait
     */
    record Shape(Duration most) implements Excess {
    }
}
