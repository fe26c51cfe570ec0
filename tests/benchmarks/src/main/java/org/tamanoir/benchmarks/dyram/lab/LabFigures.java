package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/**
 * What one transmission has given. Octets are of IP packets, of all that was sent from the start of the receivers to their end.
 *
 * @param seconds    from the start of the sending command until the last receiver had the whole file; NaN if one never had
 * @param complete   receivers that had the whole file within the limit
 * @param identical  those whose copy has the same SHA-256
 * @param sourceLink octets on the source's link from the source, in parts of the file
 * @param sitesDown  octets on the links from the core to the sites, in parts of the file and for each site
 * @param sitesUp    the same, from the sites to the core
 * @param control    packets that came to the source
 * @param cpu        seconds of all processes together, nodes included
 * @param overflows  datagrams that a receiver's socket had no room for: not a loss of the network
 * @param missing    what the receivers without the file said about it, a line each
 */
record LabFigures(double seconds, int complete, int identical, double sourceLink, double sitesDown, double sitesUp, long control, double cpu,
        long overflows, List<String> missing) {
    static Key seconds(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "complete-after", "s");
    }

    static Key complete(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "complete", "receivers");
    }

    static Key identical(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "identical", "receivers");
    }

    static Key sourceLink(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "source-link", "files");
    }

    static Key sitesDown(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "site-links-down", "files");
    }

    static Key sitesUp(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "site-links-up", "files");
    }

    static Key control(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "packets-to-source", "packets");
    }

    static Key cpu(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "cpu", "s");
    }

    static Key overflows(LossCase loss, SystemKind kind, int receivers) {
        return key(loss, kind, receivers, "socket-overflows", "packets");
    }

    private static Key key(LossCase loss, SystemKind kind, int receivers, String metric, String unit) {
        return new Key(loss.toString(), kind.toString(), 0, receivers, metric, unit);
    }

    void addTo(Samples samples, LossCase loss, SystemKind kind, int receivers) {
        if (!Double.isNaN(seconds)) {
            samples.add(seconds(loss, kind, receivers), seconds);
        }
        samples.add(complete(loss, kind, receivers), complete);
        samples.add(identical(loss, kind, receivers), identical);
        samples.add(sourceLink(loss, kind, receivers), sourceLink);
        samples.add(sitesDown(loss, kind, receivers), sitesDown);
        samples.add(sitesUp(loss, kind, receivers), sitesUp);
        samples.add(control(loss, kind, receivers), control);
        samples.add(cpu(loss, kind, receivers), cpu);
        samples.add(overflows(loss, kind, receivers), overflows);
    }
}
