package org.tamanoir.services.qosinus;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.rule.Action;

/** Partners that do the least that their contracts allow, and tell what they were asked. */
final class FakePartners {
    private FakePartners() {
    }

    static final class Monitoring implements QosMonitoring {
        final Set<Segment> watched = new HashSet<>();
        final List<Carried> carried = new ArrayList<>();
        Map<String, ClassSample> samples = Map.of();

        /** What it was told of a flow. */
        record Carried(long flow, long octets, HeldBack by) {
        }

        @Override
        public void watch(Segment segment, Collection<QosClass> classes) {
            watched.add(segment);
        }

        @Override
        public Map<String, ClassSample> samples(Segment segment) {
            return samples;
        }

        @Override
        public void carried(Segment segment, String className, long octets, long nanos, boolean limited) {
            // Nothing is made of it.
        }

        @Override
        public void carried(Segment segment, String className, long flow, long octets, long nanos, HeldBack by) {
            carried.add(new Carried(flow, octets, by));
        }
    }

    /** Says what the test wants. */
    static final class Decision implements QosDecision {
        String className;
        State state = State.MET;
        Question asked;

        Decision(String className) {
            this.className = className;
        }

        @Override
        public Choice choose(Question question) {
            asked = question;
            return new Choice(className, state, "the test wants it", List.of(), new History(className, null, 0, question.nowNanos()));
        }
    }

    /** Gives shares, lets a fixed number of octets pass for each session, and then does what the excess says. */
    static final class Enforcement implements QosEnforcement {
        final Map<Long, Map.Entry<QosClass, Long>> shares = new HashMap<>();
        long profile = Long.MAX_VALUE;
        boolean rules = true;
        long waitNanos = 1_000_000;

        @Override
        public boolean allocate(long session, QosClass qosClass, long rate) {
            long taken = shares.entrySet().stream().filter(each -> each.getKey() != session && each.getValue().getKey().equals(qosClass))
                    .mapToLong(each -> each.getValue().getValue()).sum();
            if (qosClass.isProvisioned() && taken + rate > qosClass.capacity()) {
                return false;
            }
            shares.put(session, Map.entry(qosClass, rate));
            return true;
        }

        @Override
        public void release(long session) {
            shares.remove(session);
        }

        @Override
        public Map<String, Long> allocated() {
            Map<String, Long> sums = new HashMap<>();
            shares.values().forEach(each -> sums.merge(each.getKey().name(), each.getValue(), Long::sum));
            return sums;
        }

        @Override
        public List<Action> rule(Order order) {
            return rules && order.level().excess() instanceof Excess.Drop ? List.of(Action.count(), Action.dscp(order.qosClass().green()))
                    : List.of();
        }

        @Override
        public Conditioner conditioner(Order order) {
            return new Conditioner() {
                private Order now = order;
                private long ready;

                @Override
                public int admit(int octets, long nanos) {
                    if (octets <= profile) {
                        profile -= octets;
                        return now.qosClass().green();
                    }
                    ready = nanos + waitNanos;
                    return now.transport() == Transport.TCP || now.level().excess() instanceof Excess.Shape ? WAIT : DROP;
                }

                @Override
                public long readyNanos() {
                    return ready;
                }

                @Override
                public void change(Order order) {
                    now = order;
                }
            };
        }
    }
}
