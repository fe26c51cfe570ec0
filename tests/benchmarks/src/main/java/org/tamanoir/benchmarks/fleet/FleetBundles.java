package org.tamanoir.benchmarks.fleet;

import java.util.Random;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.ServiceBundle;

/** Bundles that a repository takes, of any size. */
final class FleetBundles {
    private FleetBundles() {
    }

    /** A version of a service that there is, with so many octets more that do not compress. */
    static byte[] of(String version, int octets, long seed) {
        byte[] payload = new byte[octets];
        new Random(seed).nextBytes(payload);
        return ServiceBundle.of(CommandLineTool.bundle("forward")).version(version).entry("payload", payload).octets();
    }
}
