package org.tamanoir.tests.services;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** What a hostile bundle would have a framework run that installs it. */
public final class Extension implements BundleActivator {
    /** What it writes to standard error if it runs. */
    public static final String SAYS = "code of a guest runs in the framework";

    @Override
    public void start(BundleContext context) {
        System.err.println(SAYS);
    }

    @Override
    public void stop(BundleContext context) {
    }
}
