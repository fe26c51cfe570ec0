package org.tamanoir.qos.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.domain.Domain.Queue;
import org.tamanoir.qos.domain.Queues.Branch;

/**
 * The commands that make one set of queues of another, as lines for {@code tc -batch}. What is the same in both is not touched: its counters
 * go on and its packets stay.
 */
final class Plan {
    /** Octets of a frame with a margin, which is what {@code tc} takes where nobody says. */
    private static final long LEAST_BURST = 1_600;
    private static final long BURST_MICROS = 1000;
    /** Octets of a packet in the mean, by which RED ages its mean length. */
    private static final long MEAN_PACKET = 1000;

    private final String device;
    private final List<String> lines = new ArrayList<>();

    private Plan(String device) {
        this.device = device;
    }

    /**
     * @param device the interface
     * @param from   what the kernel has
     * @param to     what it shall have
     * @return the commands without the name of the program, in the order in which they must be given; empty if there is nothing to do
     */
    static List<String> between(String device, Queues from, Queues to) {
        Plan plan = new Plan(device);
        if (to.isNone()) {
            return from.isNone() ? List.of() : List.of("qdisc del dev " + device + " root");
        }
        plan.trunk(from, to);
        plan.dropFilters(from, to);
        from.classes().keySet().stream().filter(number -> !to.classes().containsKey(number))
                .forEach(number -> plan.add("class del dev %s classid %s", device, id(number)));
        to.classes().forEach((number, branch) -> plan.branch(number, from.classes().get(number), branch));
        to.filters().stream().filter(each -> !from.filters().contains(each)).forEach(plan::filter);
        return plan.lines;
    }

    private void trunk(Queues from, Queues to) {
        if (from.isNone()) {
            add("qdisc add dev %s root handle %x: htb default 0x%x", device, Queues.HANDLE, Queues.number(StandardClass.BE));
        }
        if (from.link() != to.link()) {
            add("class %s dev %s parent %x: classid %s htb %s quantum %d", from.isNone() ? "add" : "change", device, Queues.HANDLE,
                    id(Queues.TRUNK), rates(to.link(), to.link()), Queues.MOST_QUANTUM);
        }
    }

    /** What changes its class goes before it comes. */
    private void dropFilters(Queues from, Queues to) {
        from.filters().stream().filter(each -> !to.filters().contains(each)).forEach(each -> add("filter del dev %s parent %x: protocol %s prio %d %s",
                device, Queues.HANDLE, each.protocol(), each.precedence(), each.kind()));
    }

    private void branch(int number, Branch before, Branch after) {
        boolean isNew = before == null;
        if (isNew || !same(before, after)) {
            add("class %s dev %s parent %s classid %s htb %s prio %d quantum %d", isNew ? "add" : "change", device,
                    id(Queues.TRUNK), id(number), rates(after.rate(), after.ceiling()), after.precedence(), after.quantum());
        }
        if (isNew || !after.queue().equals(before.queue())) {
            boolean changes = !isNew && before.queue() != null && before.queue().kind() == after.queue().kind();
            queue(String.format(Locale.ROOT, "dev %s parent %s handle %x: %s", device, id(number), leaf(number, after.queue().kind()),
                    after.queue().kind().text()), changes, after);
        }
    }

    private void queue(String which, boolean changes, Branch branch) {
        Queue queue = branch.queue();
        String verb = changes ? "change" : "replace";
        switch (queue.kind()) {
            case RED -> add("qdisc %s %s %s", verb, which, early(queue, 0, branch.ceiling()));
            case GRED -> {
                int count = queue.early().bands().size();
                // RIO (grio): what is dropped first counts what is dropped later as well.
                add("qdisc %s %s setup vqs %d default 0 grio limit %d", verb, which, count, queue.limit());
                for (int i = 0; i < count; i++) {
                    add("qdisc change %s %s vq %d prio %d", which, early(queue, i, branch.ceiling()), i, i + 1);
                }
            }
            default -> add("qdisc %s %s limit %d", verb, which, queue.limit());
        }
    }

    /** What RED is told of a band; the burst is the least that it takes, by its own documents (tc-red(8)). */
    private static String early(Queue queue, int band, long rate) {
        long least = queue.early().bands().get(band).least();
        long most = queue.early().bands().get(band).most();
        return String.format(Locale.ROOT, "limit %d min %d max %d avpkt %d burst %d bandwidth %s probability %s%s", queue.limit(), least, most, MEAN_PACKET,
                (2 * least + most) / (3 * MEAN_PACKET) + 1, BitRates.text(rate), queue.early().percent() / 100.0,
                queue.early().marks() ? " ecn" : "");
    }

    /**
     * A rate with what may be sent at once when the kernel wakes up late. What it chooses by itself is one frame, and at 1 Gbit/s each late timer
     * would cost as much as it sends.
     */
    private static String rates(long rate, long ceiling) {
        return String.format(Locale.ROOT, "rate %s ceil %s burst %db cburst %db", BitRates.text(rate), BitRates.text(ceiling), burst(rate), burst(ceiling));
    }

    private static long burst(long rate) {
        return Math.max(LEAST_BURST, rate / 8 * BURST_MICROS / 1_000_000);
    }

    private static boolean same(Branch one, Branch other) {
        return one.rate() == other.rate() && one.ceiling() == other.ceiling() && one.precedence() == other.precedence()
                && one.quantum() == other.quantum();
    }

    private void filter(Filter filter) {
        add("filter add dev %s parent %x: protocol %s prio %d %s %s", device, Queues.HANDLE, filter.protocol(),
                filter.precedence(), filter.match(), id(filter.number()));
    }

    private void add(String format, Object... arguments) {
        lines.add(String.format(Locale.ROOT, format, arguments));
    }

    /** A handle of its own for each kind of queue of each class: the kernel replaces no queue by one of another kind under the same handle. */
    private static int leaf(int number, Queue.Kind kind) {
        return Queues.HANDLE & 0xff00 | number + kind.ordinal() + 1;
    }

    private static String id(int number) {
        return String.format(Locale.ROOT, "%x:%x", Queues.HANDLE, number);
    }
}
