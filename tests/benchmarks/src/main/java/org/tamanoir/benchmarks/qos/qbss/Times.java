package org.tamanoir.benchmarks.qos.qbss;

/**
 * When what happens, in seconds from the first octet of LBE.
 *
 * @param begin  the first flow of best effort begins
 * @param apart  and each other so much later, and ends so much later
 * @param length of each flow of best effort
 * @param after  how long LBE goes on alone
 */
record Times(double begin, double apart, double length, double after) {
    static final Times WHOLE = new Times(6, 2, 8, 6);
    static final Times QUICK = new Times(2, 0.5, 3, 3);

    double begin(int flow) {
        return begin + apart * flow;
    }

    double end(int flow) {
        return begin(flow) + length;
    }

    double end(Experiment experiment) {
        return end(experiment.flows() - 1) + after;
    }
}
