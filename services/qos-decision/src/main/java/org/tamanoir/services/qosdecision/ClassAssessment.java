package org.tamanoir.services.qosdecision;

import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Finding;
import org.tamanoir.services.qosdecision.FlowNeeds.Need;

/** How one class stands against the needs of a flow. */
final class ClassAssessment {
    private static final double ALL_LOST = 100;
    /** What a class through which nothing comes misses its limits by. */
    private static final double DEAD = 1e15;

    private final Candidate candidate;
    private final Transport transport;
    private final long rate;
    private final FlowNeeds needs;
    private final double fresh;
    private final boolean known;
    private boolean violated;
    private boolean missesRate;
    private boolean complete = true;
    private boolean unmeasured;
    private double excess;
    private double margin = Double.MAX_VALUE;
    private double weighted;
    private boolean feasible;
    private double worse;

    ClassAssessment(Candidate candidate, Transport transport, long rate, FlowNeeds needs, double fresh) {
        this.candidate = candidate;
        this.transport = transport;
        this.rate = Math.max(0, rate);
        this.needs = needs;
        this.fresh = fresh;
        ClassSample sample = candidate.sample();
        boolean dead = isFresh() && sample.lossPct() >= ALL_LOST;
        this.known = isFresh() && !dead;
        measure(needs.limits(), true);
        measure(needs.weights(), false);
        if (dead) {
            violated = true;
            excess = DEAD;
        }
    }

    private void measure(List<Need> some, boolean limits) {
        for (int i = 0; i < some.size(); i++) {
            Need need = some.get(i);
            double value = known ? need.metric().of(candidate.sample(), transport) : Double.NaN;
            if (Double.isNaN(value) && need.metric().isOfFlows()) {
                unmeasured = true;
            } else if (Double.isNaN(value)) {
                // As if it were missed by a factor of two: worse than a near miss, better than a disaster.
                complete = false;
                excess++;
            } else if (limits) {
                if (!need.metric().meets(value, need.value())) {
                    violated = true;
                    missesRate |= need.metric() == Metric.RATE;
                    excess += need.metric().worse(value, need.value()) - 1;
                }
                margin = Math.min(margin, need.metric().margin(value, need.value()));
            } else {
                weighted += need.value() * Math.log(need.metric().worse(value, 0));
            }
        }
    }

    private boolean isFresh() {
        ClassSample sample = candidate.sample();
        return sample != null && sample.ageSeconds() >= 0 && sample.ageSeconds() <= fresh;
    }

    QosClass qosClass() {
        return candidate.qosClass();
    }

    String name() {
        return qosClass().name();
    }

    ClassSample sample() {
        return candidate.sample();
    }

    /** Whether the flow can be in it at all: its transport, and room for its rate. */
    boolean isUsable() {
        return qosClass().takes(transport) && (!qosClass().isProvisioned() || candidate.available() >= rate);
    }

    /** Whether there is a fresh sample, and packets come through. */
    boolean isKnown() {
        return known;
    }

    /** Whether it is known to miss a limit; so does a class that loses every probe. */
    boolean isViolated() {
        return violated;
    }

    /** Whether a flow is known to get too little there. */
    boolean missesRate() {
        return missesRate;
    }

    /** Whether it is usable and known to keep every limit, and all that is weighed is known; nothing must be known where nothing is asked. */
    boolean meets() {
        return isUsable() && (needs.isEmpty() || known && complete && !violated);
    }

    /** Whether something is asked that only a flow could have shown, and none has: nothing against it, and nothing for it. */
    boolean isUnmeasured() {
        return unmeasured;
    }

    /** By how much it misses limits: the sum of relative violations; 0 for not at all. */
    double excess() {
        return excess;
    }

    /** How many times better than its limits it is: that of the limit which is nearest. */
    double margin() {
        return margin;
    }

    /** The weighted score, a logarithm: a class is as much worse than another as the difference says. */
    double weighted() {
        return weighted;
    }

    /** Whether it meets and is about as good as the best; {@link Ranking} says. */
    boolean isFeasible() {
        return feasible;
    }

    /** How many times worse than the best its weighted score is: 0 for the best. */
    double worse() {
        return worse;
    }

    void judge(double best, double tolerance) {
        worse = Math.max(0, Math.expm1(weighted - best));
        feasible = meets() && worse <= tolerance;
    }

    /** What people are told of it. */
    Finding finding() {
        return new Finding(name(), feasible, isUsable() && known ? excess + worse : Double.MAX_VALUE, text());
    }

    /** What was measured beside what is needed, with units. */
    String text() {
        if (!qosClass().takes(transport)) {
            return "takes " + qosClass().transport() + " only";
        }
        StringBuilder text = new StringBuilder(160);
        ClassSample sample = candidate.sample();
        if (sample == null) {
            text.append("not measured");
        } else if (!isFresh()) {
            Numbers.append(text.append("measured "), sample.ageSeconds()).append(" s ago, which is too long");
        } else if (!known) {
            text.append("every probe was lost");
        } else {
            for (int i = 0; i < needs.limits().size(); i++) {
                append(text, needs.limits().get(i), true);
            }
            for (int i = 0; i < needs.weights().size(); i++) {
                append(text, needs.weights().get(i), false);
            }
            if (!needs.weights().isEmpty()) {
                Numbers.append(text, worse * 100).append(" % worse than the best, ");
            }
            Numbers.append(text.append("measured "), sample.ageSeconds()).append(" s ago");
        }
        room(text);
        return text.toString();
    }

    private void append(StringBuilder text, Need need, boolean limit) {
        Metric metric = need.metric();
        double value = metric.of(candidate.sample(), transport);
        text.append(metric.word()).append(' ');
        if (Double.isNaN(value)) {
            text.append("not known");
        } else {
            Numbers.append(text, value).append(metric.unit());
            oneWay(text, metric);
        }
        if (limit && Double.isNaN(value) && metric.isOfFlows()) {
            text.append(", which does not count");
        } else if (limit) {
            boolean met = metric.meets(value, need.value());
            text.append(met ? " keeps " : " misses ").append(metric.isLess() ? "at most " : "at least ");
            Numbers.append(text, need.value()).append(metric.unit());
        } else {
            Numbers.append(text.append(" weighs "), need.value());
        }
        text.append(", ");
    }

    private void oneWay(StringBuilder text, Metric metric) {
        ClassSample sample = candidate.sample();
        if (metric == Metric.DELAY && sample.oneWayMs() >= 0 && sample.errorMs() <= sample.oneWayMs() / 4) {
            Numbers.append(text.append(" round trip ("), sample.oneWayMs()).append(" ms one way)");
        }
    }

    private void room(StringBuilder text) {
        if (qosClass().isProvisioned()) {
            Numbers.appendRate(text.append("; "), Math.max(0, candidate.available())).append(" left");
            if (rate > 0 || candidate.available() < 0) {
                Numbers.appendRate(text.append(candidate.available() >= rate ? " for " : ", too little for "), rate);
            }
        }
    }

    /** Numbers as people read them; a decision writes a few for each session, so without a formatter. */
    static final class Numbers {
        private static final double MOST_EXACT = 1e9;

        private Numbers() {
        }

        /** At most three digits after the point, none at the end that says nothing; {@code ?} for what is not known. */
        static StringBuilder append(StringBuilder text, double value) {
            if (Double.isNaN(value)) {
                return text.append('?');
            }
            if (Math.abs(value) >= MOST_EXACT) {
                return text.append(value);
            }
            long thousandths = Math.round(Math.abs(value) * 1000);
            if (value < 0 && thousandths > 0) {
                text.append('-');
            }
            text.append(thousandths / 1000);
            int rest = (int) (thousandths % 1000);
            if (rest > 0) {
                text.append('.').append((char) ('0' + rest / 100));
                if (rest % 100 > 0) {
                    text.append((char) ('0' + rest / 10 % 10));
                    if (rest % 10 > 0) {
                        text.append((char) ('0' + rest % 10));
                    }
                }
            }
            return text;
        }

        /** Octets a second in megabits a second. */
        static StringBuilder appendRate(StringBuilder text, long octets) {
            return append(text, octets * 8e-6).append(" Mb/s");
        }
    }
}
