package org.tamanoir.qos.domain;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.domain.KernelQueues.Owner;

/** Sets up, shows and removes the classes of an interface. */
public final class DomainSetup {
    /** The kernel takes no longer name, and no octet that would end a word of a line for {@code tc}. */
    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_.@:-]{1,15}");
    private static final Pattern ROOT_LINE = Pattern.compile("qdisc (\\S+) (\\S+) root (?:refcnt \\d+ ?)?(.*)");

    private final TrafficControl tc;
    private final String device;

    /** @throws AnepException (EE-810) if no interface can have this name */
    public DomainSetup(TrafficControl tc, String device) {
        if (!DEVICE.matcher(device).matches()) {
            throw new AnepException(ErrorCode.DOMAIN_FAILED, "'" + device + "' is no name of an interface: 'ip link' lists them");
        }
        this.tc = tc;
        this.device = device;
    }

    /**
     * The commands that {@link #apply} would give now.
     *
     * @param force also where somebody else has set up queues
     * @return lines of {@code tc -batch}; empty if everything is there
     * @throws AnepException (EE-811) if the queues are somebody else's; (EE-810) if they cannot be read
     */
    public List<String> plan(Domain domain, boolean force) {
        return plan(allowed(force), Queues.of(domain));
    }

    /**
     * Makes the interface what the domain asks for, or leaves it as it was. A class that stays the same keeps its packets and its counters.
     *
     * @return the commands that were given; empty if everything was there
     * @throws AnepException (EE-811) if the queues are somebody else's; (EE-810) if it failed: the interface has then what it had before
     */
    public List<String> apply(Domain domain, boolean force) {
        KernelQueues before = allowed(force);
        List<String> plan = plan(before, Queues.of(domain));
        try {
            tc.batch(plan);
        } catch (AnepException e) {
            throw rolledBack(before, e);
        }
        return plan;
    }

    private List<String> plan(KernelQueues now, Queues wanted) {
        List<String> plan = Plan.between(device, now.queues(), wanted);
        if (now.owner() != Owner.SOMEBODY) {
            return plan;
        }
        return plan.stream().map(line -> line.replaceFirst("^qdisc add (dev \\S+ root)", "qdisc replace $1")).toList();
    }

    private KernelQueues allowed(boolean force) {
        KernelQueues now = KernelQueues.read(tc, device);
        if (now.owner() == Owner.SOMEBODY && !force) {
            throw new AnepException(ErrorCode.DOMAIN_FOREIGN, device + " has queues that somebody else has set up (" + now.text()
                    + "): remove them ('tc qdisc del dev " + device + " root'), or say --force");
        }
        return now;
    }

    private AnepException rolledBack(KernelQueues before, AnepException cause) {
        try {
            restore(before);
        } catch (AnepException e) {
            AnepException failure = new AnepException(cause.code(), cause.text() + "; and the interface is not as it was: " + e.text(), cause);
            failure.addSuppressed(e);
            return failure;
        }
        return new AnepException(cause.code(), cause.text() + "; the interface is as it was", cause);
    }

    private void restore(KernelQueues before) {
        KernelQueues now = KernelQueues.read(tc, device);
        if (before.owner() != Owner.SOMEBODY) {
            tc.batch(Plan.between(device, now.queues(), before.queues()));
        } else if (!now.root().equals(before.root())) {
            // Of foreign queues the root is known by what tc prints of it; classes below it cannot be brought back.
            Matcher root = ROOT_LINE.matcher(before.text());
            if (!root.matches()) {
                throw new AnepException(ErrorCode.DOMAIN_FAILED, "it had '" + before.text() + "'");
            }
            tc.batch(List.of("qdisc replace dev " + device + " root handle " + root.group(2) + " " + root.group(1) + " " + root.group(3).strip()));
        }
    }

    /** What the interface has. @throws AnepException (EE-810) if it cannot be read */
    public DomainStatus show() {
        return DomainStatus.of(device, KernelQueues.read(tc, device));
    }

    /**
     * Takes our queues away; the kernel puts its own back.
     *
     * @return whether there were any
     * @throws AnepException (EE-811) if the queues are somebody else's
     */
    public boolean remove() {
        KernelQueues now = KernelQueues.read(tc, device);
        if (now.owner() == Owner.SOMEBODY) {
            throw new AnepException(ErrorCode.DOMAIN_FOREIGN, device + " has queues that somebody else has set up (" + now.text()
                    + "): remove them by 'tc qdisc del dev " + device + " root'");
        }
        tc.batch(Plan.between(device, now.queues(), Queues.none()));
        return now.owner() == Owner.OURS;
    }
}
