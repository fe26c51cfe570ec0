package org.tamanoir.qos.domain;

import java.util.List;

/**
 * What an interface has, for people and programs.
 *
 * @param device  the interface
 * @param root    what stands at its root: {@code htb 5404:}
 * @param ours    whether that is a domain of ours
 * @param rate    bits a second of all classes together; 0 if it is not ours
 * @param classes the most expensive first; empty if it is not ours
 */
public record DomainStatus(String device, String root, boolean ours, long rate, List<Class> classes) {
    /**
     * A class and what it has done since it was made.
     *
     * @param codePoints   of the packets that belong to it
     * @param rate         bits a second for itself
     * @param ceiling      bits a second at most
     * @param isStrict     whether it is served before the others
     * @param queue        {@code bfifo 2500000B}
     * @param packets      that were sent
     * @param octets       of them, with their Ethernet headers
     * @param dropped      packets for which its queue had no room
     * @param waiting      packets in the queue now
     * @param waitingOctets of them
     * @param early        of each drop precedence, that which is dropped last first; empty without early detection
     */
    public record Class(String name, List<Integer> codePoints, long rate, long ceiling, boolean isStrict, String queue, long packets, long octets,
            long dropped, long waiting, long waitingOctets, List<Early> early) {
    }

    /**
     * What a queue with early detection did with the packets of one precedence.
     *
     * @param packets that came
     * @param marked  of them, which lives on with a mark (ECN)
     * @param dropped of them before the queue was full: by chance, and where there is one band alone also above it, since the kernel counts these together
     * @param forced  dropped because its band or, where there is one alone, the queue was full
     */
    public record Early(long packets, long marked, long dropped, long forced) {
    }

    static DomainStatus of(String device, KernelQueues kernel) {
        Queues queues = kernel.queues();
        List<Class> classes = queues.classes().entrySet().stream().map(each -> {
            Queues.Branch branch = each.getValue();
            KernelQueues.Count count = kernel.counts().getOrDefault(each.getKey(), new KernelQueues.Count(0, 0, 0, 0, 0, List.of()));
            return new Class(Queues.name(each.getKey()), queues.codePoints(each.getKey()), branch.rate(), branch.ceiling(),
                    branch.precedence() == 0, branch.queue() == null ? "-" : branch.queue().text(), count.packets(), count.octets(), count.dropped(),
                    count.waitingPackets(), count.waitingOctets(), count.early());
        }).toList();
        return new DomainStatus(device, kernel.root(), kernel.owner() == KernelQueues.Owner.OURS, queues.link(), classes);
    }
}
