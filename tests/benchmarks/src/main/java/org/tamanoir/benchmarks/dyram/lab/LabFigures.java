package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/**
 * What one transmission has given. Octets are of IP packets, of all that was sent from the start of the receivers to their end.
 *
 * @param seconds    from the command to send until the last receiver had the whole file; NaN if one never had
 * @param complete   receivers that had the whole file within the limit
 * @param identical  those whose copy has the same SHA-256
 * @param sourceLink octets on the source's link from the source, in parts of the file
 * @param sitesDown  octets on the links from the core to the sites, in parts of the file and for each site
 * @param sitesUp    the same, from the sites to the core
 * @param control    packets that came to the source
 * @param cpu        seconds of all processes together, nodes included
 * @param starting   of these, what processes that outlive the transmission took before it began: the start of JVMs where they are cold
 * @param compilers  of these, what their JVMs took for themselves meanwhile; see {@link JvmTime}
 * @param overflows  datagrams that a receiver's socket had no room for: not a loss of the network
 * @param missing    what the receivers without the file said about it, a line each
 */
record LabFigures(double seconds, int complete, int identical, double sourceLink, double sitesDown, double sitesUp, long control, double cpu,
        double starting, double compilers, long overflows, List<String> missing) {
    /** One of the keys below. */
    interface Measured {
        Key key(LabCase which, SystemKind kind, int receivers);
    }

    static Key seconds(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "complete-after", "s");
    }

    static Key complete(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "complete", "receivers");
    }

    static Key identical(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "identical", "receivers");
    }

    static Key sourceLink(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "source-link", "files");
    }

    static Key sitesDown(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "site-links-down", "files");
    }

    static Key sitesUp(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "site-links-up", "files");
    }

    static Key control(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "packets-to-source", "packets");
    }

    static Key cpu(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "cpu", "s");
    }

    static Key overflows(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "socket-overflows", "packets");
    }

    static Key starting(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "cpu-start", "s");
    }

    static Key compilers(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "cpu-compilers", "s");
    }

    static Key protocol(LabCase which, SystemKind kind, int receivers) {
        return key(which, kind, receivers, "cpu-protocol", "s");
    }

    private static Key key(LabCase which, SystemKind kind, int receivers, String metric, String unit) {
        return new Key(which.toString(), kind.toString(), 0, receivers, metric, unit);
    }

    void addTo(Samples samples, LabCase which, SystemKind kind, int receivers) {
        if (!Double.isNaN(seconds)) {
            samples.add(seconds(which, kind, receivers), seconds);
        }
        samples.add(complete(which, kind, receivers), complete);
        samples.add(identical(which, kind, receivers), identical);
        samples.add(sourceLink(which, kind, receivers), sourceLink);
        samples.add(sitesDown(which, kind, receivers), sitesDown);
        samples.add(sitesUp(which, kind, receivers), sitesUp);
        samples.add(control(which, kind, receivers), control);
        samples.add(cpu(which, kind, receivers), cpu);
        samples.add(starting(which, kind, receivers), starting);
        samples.add(compilers(which, kind, receivers), compilers);
        samples.add(protocol(which, kind, receivers), cpu - starting - compilers);
        samples.add(overflows(which, kind, receivers), overflows);
    }
}
