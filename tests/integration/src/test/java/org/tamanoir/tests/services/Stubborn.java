package org.tamanoir.tests.services;

import java.util.List;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.qos.QosDecision;

/** A decision that always says the same. */
public final class Stubborn implements ActiveService, QosDecision {
    @Override
    public StreamHandler open(StreamContext stream) {
        throw new IllegalStateException("it is a partner");
    }

    @Override
    public Choice choose(Question question) {
        return new Choice("EF", State.MET, "it is stubborn", List.of(), new History("EF", null, 0, question.nowNanos()));
    }
}
