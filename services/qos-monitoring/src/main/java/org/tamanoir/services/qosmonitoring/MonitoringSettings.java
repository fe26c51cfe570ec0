package org.tamanoir.services.qosmonitoring;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.probe.Probes.Train;

/**
 * The options of the service.
 *
 * @param period          in which every class is measured once
 * @param throughputEvery periods from one throughput train of a class to the next
 * @param budget          octets of probes a second that may leave this node
 * @param segments        that are measured at the same time
 * @param probes          light probes of a class in a period, sent as four trains
 * @param octets          of a light probe
 * @param train           packets of a throughput train
 * @param trainOctets     of each of them
 * @param patience        after which a probe is lost
 */
record MonitoringSettings(Duration period, int throughputEvery, long budget, int segments, int probes, int octets, int train, int trainOctets,
        Duration patience) {
    /** Light trains in a period. */
    static final int TRAINS_A_PERIOD = LossWindow.NEWEST;
    private static final Pattern RATE = Pattern.compile("(\\d{1,9})\\s*(k|m|g)bit");
    private static final int BITS_PER_OCTET = 8;
    private static final long LEAST_BUDGET = 100_000 / BITS_PER_OCTET;
    private static final long MOST_BUDGET = 1_000_000_000 / BITS_PER_OCTET;
    /** What an IPv6 header has more than one of IPv4. */
    private static final int IPV6_OCTETS = 20;

    /** @throws AnepException EE-501 */
    static MonitoringSettings of(Configuration options) {
        MonitoringSettings settings = new MonitoringSettings(time(options, "period", Duration.ofSeconds(1), Duration.ofMillis(100),
                Duration.ofSeconds(30)),
                options.integer("throughput-every", 5, 1, 1000), budget(options.text("budget", "1mbit")),
                options.integer("segments", 256, 1, 4096), options.integer("probes", 20, 8, 100),
                options.integer("octets", 100, Train.LEAST_OCTETS, Train.MOST_OCTETS), options.integer("train", 40, 8, Train.MOST_PACKETS),
                options.integer("train-octets", Train.MOST_OCTETS, 200, Train.MOST_OCTETS),
                time(options, "patience", Duration.ofMillis(500), Duration.ofMillis(10), Duration.ofSeconds(10)));
        long light = (long) settings.lightPackets() * (Math.max(settings.octets, settings.trainOctets) + IPV6_OCTETS);
        if (light > settings.budget) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "budget: a light train has " + light + " octets, more than leave in a second ("
                    + settings.budget + "); raise the budget, or lower probes or train-octets");
        }
        return settings;
    }

    private static Duration time(Configuration options, String name, Duration preset, Duration least, Duration most) {
        Duration time = options.duration(name, preset);
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION,
                    name + " is " + time.toMillis() + " ms; it must be from " + least.toMillis() + " ms to " + most.toMillis() + " ms");
        }
        return time;
    }

    private static long budget(String text) {
        Matcher match = RATE.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (match.matches()) {
            long unit = switch (match.group(2)) {
                case "k" -> 1_000;
                case "m" -> 1_000_000;
                default -> 1_000_000_000;
            };
            long octets = Long.parseLong(match.group(1)) * unit / BITS_PER_OCTET;
            if (octets >= LEAST_BUDGET && octets <= MOST_BUDGET) {
                return octets;
            }
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, "budget is '" + text + "'; it must be from 100kbit to 1gbit (a second)");
    }

    /** Packets of a light train. */
    int lightPackets() {
        return probes / TRAINS_A_PERIOD;
    }

    /** From one packet of a light train to the next: they are spread over the period. */
    Duration gap() {
        return period.dividedBy((long) lightPackets() * TRAINS_A_PERIOD);
    }

    /** Packets of a throughput train: fewer than asked for if so many do not fit the budget of a second. */
    int throughputPackets() {
        return (int) Math.min(train, budget / (trainOctets + IPV6_OCTETS));
    }

    /** @param queue whether the class has one: a full queue has room for small packets when it has none for large ones */
    Train light(InetSocketAddress to, int dscp, boolean queue) {
        return new Train(to, dscp, lightPackets(), queue ? Math.max(octets, trainOctets) : octets, gap(), patience);
    }

    Train throughput(InetSocketAddress to, int dscp) {
        return new Train(to, dscp, throughputPackets(), trainOctets, Duration.ZERO, patience);
    }

    /** Octets of IP packets of a train. */
    static long octets(Train train) {
        return (long) train.packets() * (train.octets() + (train.to().getAddress() instanceof Inet6Address ? IPV6_OCTETS : 0));
    }
}
