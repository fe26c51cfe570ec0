package org.tamanoir.tests.services;

import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/** A middle service that has seen enough of one QoS session after ten packets: from then on a rule forwards them. */
public final class HandsOver implements ActiveService {
    public static final int TYPE_ID = 0x5510;
    public static final int ENOUGH = 10;
    /** Of a session that it hands over. */
    public static final long LIGHT = 0xCAFE;
    private ServiceContext service;

    @Override
    public void start(ServiceContext context) {
        service = context;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Looking(service);
    }

    private static final class Looking implements StreamHandler {
        private final ServiceContext service;
        private int seen;

        Looking(ServiceContext service) {
            this.service = service;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (++seen == ENOUGH && packet.qosSession() == LIGHT) {
                service.rules().put(new LightRule("seen", Match.type(TYPE_ID).withSession(packet.qosSession()),
                        List.of(Action.count(), Action.dscp(10), Action.forward())));
            }
            return Verdict.PASS;
        }
    }
}
