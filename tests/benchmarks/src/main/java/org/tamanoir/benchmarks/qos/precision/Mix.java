package org.tamanoir.benchmarks.qos.precision;

/** The tests of the report, section 3.5: how many flows of each class, each of the same load. */
enum Mix {
    TEST3(1, 1),
    TEST1(2, 1),
    TEST2(1, 2);

    final int be;
    final int lbe;

    Mix(int be, int lbe) {
        this.be = be;
        this.lbe = lbe;
    }

    int flows() {
        return be + lbe;
    }
}
