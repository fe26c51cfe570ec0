package org.tamanoir.services.forward;

import java.util.List;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/**
 * Passes every packet on: active forwarding, the light service of section 3.2.1 of the active grid paper. A rule says it, so that the
 * kernel can do it; the handler is for streams that a rule cannot serve.
 */
@Component
public final class Forward implements ActiveService {
    static final int TYPE_ID = 0x5401;
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    @Override
    public void start(ServiceContext service) {
        service.rules().put(new LightRule("forward", Match.type(TYPE_ID), List.of(Action.count(), Action.forward())));
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return PASS;
    }
}
