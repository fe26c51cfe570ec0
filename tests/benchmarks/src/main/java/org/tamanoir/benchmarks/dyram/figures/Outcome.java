package org.tamanoir.benchmarks.dyram.figures;

/**
 * What one simulated session gave.
 *
 * @param sourceLink packets of content, repairs too, that the source sent for each packet of the session
 * @param coreLinks  those that went from the source's node to sites
 * @param lanLinks   those on the links of hosts, in both directions, and those that went from sites to the source's node
 * @param time       until the last receiver had everything, in times of sending every packet once
 * @param meanDelay  mean recovery delay, in round trips, over every receiver and packet that did not come at first
 * @param p99Delay   99 of 100 recovery delays are not longer
 * @param lastDelay  mean over packets of the delay of the receiver that was repaired last
 */
record Outcome(double sourceLink, double coreLinks, double lanLinks, double time, double meanDelay, double p99Delay, double lastDelay) {
    /** The consumed bandwidth of the papers, as far as their figure lets one guess: source's link and links to sites. */
    double consumed() {
        return sourceLink + coreLinks;
    }

    /** On every link. */
    double everywhere() {
        return sourceLink + coreLinks + lanLinks;
    }
}
