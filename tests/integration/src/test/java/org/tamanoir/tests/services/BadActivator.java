package org.tamanoir.tests.services;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle activator that does one thing wrong: the one that the name of its bundle ends with. */
public final class BadActivator implements BundleActivator {
    @Override
    public void start(BundleContext context) {
        String bundle = context.getBundle().getSymbolicName();
        switch (bundle.substring(bundle.lastIndexOf('.') + 1)) {
            case "activator-loops" -> Mischief.loop();
            case "activator-throws" -> throw new IllegalStateException("on purpose");
            case "activator-exits" -> System.exit(77);
            default -> throw new AssertionError(bundle);
        }
    }

    @Override
    public void stop(BundleContext context) {
        // Never started.
    }
}
