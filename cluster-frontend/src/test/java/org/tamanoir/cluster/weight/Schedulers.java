package org.tamanoir.cluster.weight;

/** The schedulers of IPVS, as its sources have them (net/netfilter/ipvs/ip_vs_wlc.c, ip_vs_wrr.c). */
interface Schedulers {
    /** The back end of the next stream. */
    int pick(int[] open, int[] weights);

    /** The fewest connections for its weight; the first of equals. */
    static Schedulers wlc() {
        return (open, weights) -> {
            int least = 0;
            for (int i = 1; i < weights.length; i++) {
                if ((long) open[i] * weights[least] < (long) open[least] * weights[i]) {
                    least = i;
                }
            }
            return least;
        };
    }

    /** In turn: those whose weight is at least a mark that goes round from the largest weight down. */
    static Schedulers wrr() {
        return new Schedulers() {
            private int at = -1;
            private int mark;

            @Override
            public int pick(int[] open, int[] weights) {
                int most = 0;
                int divisor = 0;
                for (int weight : weights) {
                    most = Math.max(most, weight);
                    divisor = gcd(divisor, weight);
                }
                while (true) {
                    at = (at + 1) % weights.length;
                    if (at == 0) {
                        mark -= divisor;
                        if (mark <= 0 || mark > most) {
                            mark = most;
                        }
                    }
                    if (weights[at] >= mark) {
                        return at;
                    }
                }
            }
        };
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
