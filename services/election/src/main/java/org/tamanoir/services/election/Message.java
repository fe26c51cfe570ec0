package org.tamanoir.services.election;

/** What nodes say to each other about one group. Ballots are larger the later they are, and no two nodes have the same. */
sealed interface Message {
    String group();

    long ballot();

    /** May this holder be proposed under this ballot? */
    record Prepare(String group, long ballot, String holder) implements Message {
    }

    /**
     * The answer.
     *
     * @param granted  whether no larger ballot has been promised, and nobody else has a lease that runs
     * @param promised the largest that has been promised
     * @param lease    that has been accepted here and has not run out here; null for none
     * @param latest   the largest number that has been accepted here, whether it has run out or not
     */
    record Promise(String group, long ballot, boolean granted, long promised, Lease lease, long latest) implements Message {
    }

    /** Accept this. */
    record Propose(String group, long ballot, Lease lease) implements Message {
    }

    /** The answer; as in {@link Promise}. */
    record Accepted(String group, long ballot, boolean granted, long promised) implements Message {
    }

    /** The holder has given it up. */
    record Release(String group, long ballot, String holder) implements Message {
    }

    /**
     * Who holds a group.
     *
     * @param number fences: whoever holds later has a larger one, and who renews in time keeps his
     * @param holder its name
     * @param millis how long, from when the proposer has sent it for him, and for an acceptor from when it came
     */
    record Lease(long number, String holder, long millis) {
    }
}
