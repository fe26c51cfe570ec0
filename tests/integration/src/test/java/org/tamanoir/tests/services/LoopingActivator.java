package org.tamanoir.tests.services;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle activator that never returns. */
public final class LoopingActivator implements BundleActivator {
    @Override
    public void start(BundleContext context) {
        Mischief.loop();
    }

    @Override
    public void stop(BundleContext context) {
        // Never started.
    }
}
