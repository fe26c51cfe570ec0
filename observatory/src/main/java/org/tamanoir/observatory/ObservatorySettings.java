package org.tamanoir.observatory;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.identity.Identity;

/**
 * How an observatory runs.
 *
 * @param listen   port 0 takes any that is free
 * @param data     its directory; made if it is not there
 * @param database {@code jdbc:postgresql://…}; null for a file of SQLite in the directory
 * @param password of the database; null for none
 * @param access   who may do what
 * @param identity for https; null for http
 * @param sync     how long a theodolite goes on before it asks for its plan
 * @param keep     how long samples are kept
 * @param keepStreams how long it is kept what streams did, and between whom
 * @param publishFile where each sample is a line of JSON, too; null for nowhere
 * @param publishPscheduler who gets each sample as pScheduler's {@code http} archiver would post it; null for nobody
 */
public record ObservatorySettings(InetSocketAddress listen, Path data, String database, String password, Access access, Identity identity, Duration sync, Duration keep,
        Duration keepStreams, Path publishFile, String publishPscheduler) {
    public static final Duration SYNC = Duration.ofSeconds(30);
    public static final Duration KEEP = Duration.ofDays(30);
    public static final Duration KEEP_STREAMS = Duration.ofDays(7);

    /**
     * Who may do what besides those on this machine, who may do everything. Names are those of certificates; one that ends with {@code *} means all that begin so.
     *
     * @param token            of operators; null for none
     * @param theodoliteTokens each is an identity of its own
     * @param readerTokens     of those who ask what paths cost
     */
    public record Access(String token, List<String> operators, List<String> theodoliteTokens, List<String> theodolites, List<String> readerTokens, List<String> readers) {
        public static final Access LOCAL = new Access(null, List.of(), List.of(), List.of(), List.of(), List.of());

        public Access {
            operators = List.copyOf(operators);
            theodoliteTokens = List.copyOf(theodoliteTokens);
            theodolites = List.copyOf(theodolites);
            readerTokens = List.copyOf(readerTokens);
            readers = List.copyOf(readers);
        }
    }

    /** With SQLite, for this machine alone, over http. */
    public static ObservatorySettings of(InetSocketAddress listen, Path data) {
        return new ObservatorySettings(listen, data, null, null, Access.LOCAL, null, SYNC, KEEP, KEEP_STREAMS, null, null);
    }

    public ObservatorySettings withDatabase(String url, String newPassword) {
        return new ObservatorySettings(listen, data, url, newPassword, access, identity, sync, keep, keepStreams, publishFile, publishPscheduler);
    }

    public ObservatorySettings withAccess(Access newAccess) {
        return new ObservatorySettings(listen, data, database, password, newAccess, identity, sync, keep, keepStreams, publishFile, publishPscheduler);
    }

    public ObservatorySettings withIdentity(Identity newIdentity) {
        return new ObservatorySettings(listen, data, database, password, access, newIdentity, sync, keep, keepStreams, publishFile, publishPscheduler);
    }

    public ObservatorySettings withTimes(Duration newSync, Duration newKeep, Duration newKeepStreams) {
        return new ObservatorySettings(listen, data, database, password, access, identity, newSync, newKeep, newKeepStreams, publishFile, publishPscheduler);
    }

    public ObservatorySettings withPublications(Path file, String pscheduler) {
        return new ObservatorySettings(listen, data, database, password, access, identity, sync, keep, keepStreams, file, pscheduler);
    }
}
