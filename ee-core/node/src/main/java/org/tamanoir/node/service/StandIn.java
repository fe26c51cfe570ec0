package org.tamanoir.node.service;

import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** What streams get in place of a service whose circuit is open: one that passes everything, or drops everything. */
public final class StandIn implements ActiveService {
    private static final Verdict SUSPENDED = Verdict.drop("suspended");

    private final boolean passes;

    private StandIn(boolean passes) {
        this.passes = passes;
    }

    /** A running service in the place of one that has failed too often; its policy is bypass or drop. */
    public static RunningService of(RunningService failed) {
        StandIn standIn = new StandIn(failed.policy().onFailure() == FailurePolicy.BYPASS);
        return new RunningService(failed.typeId(), org.tamanoir.service.Level.MIDDLE, standIn, failed.context(), 0, failed.policy(),
                failed.declared());
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new StreamHandler() {
            @Override
            public Verdict onPacket(org.tamanoir.anep.Packet packet, org.tamanoir.service.Output out) {
                return passes ? Verdict.PASS : SUSPENDED;
            }

            @Override
            public Verdict onReturn(org.tamanoir.anep.Packet packet, org.tamanoir.service.Output out) {
                return passes ? Verdict.PASS : SUSPENDED;
            }
        };
    }
}
