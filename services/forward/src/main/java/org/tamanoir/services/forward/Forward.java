package org.tamanoir.services.forward;

import org.osgi.service.component.annotations.Component;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Passes every packet on: active forwarding, the light service of section 3.2.1 of the active grid paper. */
@Component
public final class Forward implements ActiveService {
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    @Override
    public StreamHandler open(StreamContext stream) {
        return PASS;
    }
}
