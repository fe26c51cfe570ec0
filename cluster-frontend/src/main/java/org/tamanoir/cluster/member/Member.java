package org.tamanoir.cluster.member;

import java.net.InetAddress;
import java.util.List;
import org.tamanoir.cluster.plan.BackEnd;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Standing;

/**
 * A back end as a front-end sees it now.
 *
 * @param instance of the run that reports; null of one that was in the plan of the last run and has not reported yet
 * @param address  where directors send streams to
 * @param port     of ANEP streams
 * @param health   port of {@code GET /health}
 * @param services that it runs, in the order of their names
 * @param affinity that it needs beside what its services need
 * @param load     that it reported last; null if it has not
 * @param outcome  how far it is with the last order that it had; null if it had none
 * @param standing what becomes of it; of one that is out: {@code DOWN} if it is silent, {@code DRAINING} if it has left
 * @param out      whether it gets nothing at all: silent for a lease, gone, or drained to its deadline
 * @param why      of a standing other than {@code IN}; null otherwise
 * @param since    when the standing became what it is; nanoseconds
 * @param heard    when it reported last; nanoseconds
 */
public record Member(String name, String instance, String pool, InetAddress address, int port, int health, List<Service> services, Affinity affinity,
                     Load load, Outcome outcome, Standing standing, boolean out, String why, long since, long heard) {
    /** What the planner has to know of it. */
    public BackEnd backEnd() {
        return new BackEnd(name, pool, address, port, health, services, affinity, standing, out);
    }
}
