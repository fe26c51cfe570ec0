package org.tamanoir.cluster.upgrade;

import org.tamanoir.cluster.member.Member;
import org.tamanoir.membership.Report.Service;

/** What a rolling upgrade knows of one back end. */
final class BackEndRow {
    final String name;
    final String pool;
    /** As it is now; of one that is forgotten as it was last. */
    Member member;
    Step step;
    /** The version that it had; null for none. */
    String from;
    /** The version that it has got; null while it has none. */
    String to;
    /** Of {@link Step#PENDING} what it waits for, of a failure what went wrong; null for nothing. */
    String why;
    /** Open ones: while it drains now, later those that were left. */
    long streams;
    boolean inPlace;
    /** The run that was given the order. */
    String instance;
    /** When it was given, or, of one that returns, when it had the version; nanoseconds. */
    long since;
    /** Since when it is the next and cannot begin; nanoseconds. */
    long waitsSince;
    boolean waits;

    BackEndRow(Member member, Step step, String service) {
        this.name = member.name();
        this.pool = member.pool();
        this.member = member;
        this.step = step;
        this.from = version(service);
    }

    /** Whether it reports. One that the last run of this front-end knew has a lease to do so. */
    boolean isHeard(long now, long leaseNanos) {
        return now - member.heard() <= leaseNanos;
    }

    /** The version of a service that is active in it; null if none is, or nothing is known. */
    String version(String service) {
        return member.services().stream().filter(each -> each.name().equals(service)).map(Service::version).findFirst().orElse(null);
    }

    Progress.Row shown() {
        return new Progress.Row(name, pool, from, to, step, why, streams, inPlace);
    }
}
