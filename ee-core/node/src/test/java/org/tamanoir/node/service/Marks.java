package org.tamanoir.node.service;

import static org.assertj.core.api.Assertions.assertThat;

/** What tests of other packages may know of the marks of a {@link ServiceWatch}. */
public final class Marks {
    private Marks() {
    }

    /** As often as the calling thread has entered services it has left them. */
    public static void assertBalanced(ServiceWatch watch) {
        assertThat(watch.ofThisThread().isOutside()).as("the thread is outside of every service").isTrue();
    }
}
