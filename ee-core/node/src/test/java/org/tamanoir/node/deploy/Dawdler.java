package org.tamanoir.node.deploy;

import org.tamanoir.service.ActiveService;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that is not impressed by an interrupt: its start returns just after the time for it is over. Its class is loaded by its bundle. */
public final class Dawdler implements ActiveService {
    /** A property of the system, which bundle and test share. */
    static final String DONE = "tamanoir.test.dawdler";

    @Override
    public void start(ServiceContext context) {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            System.setProperty(DONE, "started");
        }
    }

    @Override
    public void stop() {
        System.setProperty(DONE, System.getProperty(DONE) + ", stopped");
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> Verdict.PASS;
    }
}
