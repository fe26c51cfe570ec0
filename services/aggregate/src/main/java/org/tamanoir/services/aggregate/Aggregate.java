package org.tamanoir.services.aggregate;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;

/**
 * Minimum, maximum, sum and count of what many sources send, combined in the nodes on the way: each sends one packet up for each round.
 * Type ID 0x5406.
 */
@Component
public final class Aggregate implements ActiveService {
    private static final Duration LONGEST = Duration.ofHours(1);

    private Settings settings;
    private ServiceCounters totals;
    private GroupTable groups;

    @Override
    public void start(ServiceContext service) {
        Configuration options = service.configuration();
        settings = new Settings(options.integer("children", 0, 0, 1_000_000), time(options, "wait", Duration.ofSeconds(1)).toNanos(),
                options.integer("rounds", 64, 1, 4096), ThreadLocalRandom.current().nextLong(), false);
        totals = new ServiceCounters(options.integer("readings", 262_144, 1, 100_000_000));
        groups = new GroupTable(options.integer("groups", 1024, 1, 100_000), time(options, "forget", Duration.ofMinutes(1)).toNanos(),
                (group, last) -> new Rounds(settings.last(last), totals, group));
        totals.register(service.metrics());
        service.metrics().gauge("groups", "Groups that are known.", groups::size);
    }

    private static Duration time(Configuration options, String name, Duration preset) {
        Duration time = options.duration(name, preset);
        if (time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 1ms to 1h");
        }
        return time;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new SourceStream(stream, groups, totals);
    }

    /**
     * How a group counts its rounds.
     *
     * @param children  how many contribute to a round; 0 where the readings or the time say so
     * @param waitNanos how long a round of sources waits; above nodes it is longer by as much for each level
     * @param window    rounds that may be open, and results that may wait
     * @param self      the id by which this node contributes to the rounds of the next
     * @param last      whether this is the last node of the path
     */
    record Settings(int children, long waitNanos, int window, long self, boolean last) {
        Settings last(boolean isLast) {
            return new Settings(children, waitNanos, window, self, isLast);
        }
    }
}
