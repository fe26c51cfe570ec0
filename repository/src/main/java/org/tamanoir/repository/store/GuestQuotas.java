package org.tamanoir.repository.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;

/**
 * How much of a repository one guest may have. It is counted from the catalogue itself, inside the change that publishes: so a kill forgets nothing, and of two processes one
 * sees what the other has published.
 *
 * @param services names; a name is never given back
 * @param versions of one service that are not retired
 * @param octets   of all bundles, those of retired versions too, for they are kept for nodes that have their hash; of each bundle {@value #LEAST_OCTETS} at least
 * @param uploads  versions that are published for the first time within an hour
 */
public record GuestQuotas(int services, int versions, long octets, int uploads) {
    /** What a version costs however small its bundle is: its entry stays in memory. */
    public static final int LEAST_OCTETS = 64 << 10;
    /** 8 services of 16 versions each, 64 MiB, 60 uploads an hour. */
    public static final GuestQuotas PRESET = new GuestQuotas(8, 16, 64L << 20, 60);
    /** Those of a mirror, which has what its upstream has let in. */
    public static final GuestQuotas NONE = new GuestQuotas(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);
    private static final Duration HOUR = Duration.ofHours(1);

    /** @throws AnepException EE-501 if one of them is negative */
    public GuestQuotas {
        if (services < 0 || versions < 0 || octets < 0 || uploads < 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a quota of guests is 0 or more");
        }
    }

    /**
     * What a guest has.
     *
     * @param label     in the names of the guest's services
     * @param publisher null for what nobody has signed
     * @param services  names
     * @param versions  of the service that has most of them, retired ones not counted
     * @param octets    as {@link GuestQuotas#octets} counts them
     * @param uploads   within the last hour
     */
    public record Use(String label, String publisher, int services, int versions, long octets, int uploads) {
    }

    /**
     * Checks whether a catalogue may have one more version. What it has already is no more; what was retired is one version more.
     *
     * @param now by the clock that all who share the catalogue go by
     * @throws AnepException EE-657 if the version is a guest's and a quota is used up
     */
    public void check(Catalogue before, Entry entry, Instant now) {
        String label = ServiceName.label(entry.name());
        Entry same = label == null ? null : before.find(entry.name(), entry.version()).orElse(null);
        if (label == null || same != null && !same.retired()) {
            return;
        }
        List<Entry> all = before.guest(label);
        List<Entry> current = all.stream().filter(each -> each.name().equals(entry.name()) && !each.retired()).toList();
        if (current.size() >= versions) {
            throw full(label, current.size() + " versions of " + entry.name() + " that are not retired", versions, current.isEmpty() ? "the operator may allow more"
                    : "retire one, such as the oldest: tamanoir service retire '" + entry.name() + "' " + current.get(0).version());
        }
        if (same == null) {
            checkNew(label, all, entry, now);
        }
    }

    private void checkNew(String label, List<Entry> all, Entry entry, Instant now) {
        Use use = use(label, all, now);
        boolean isNamed = all.stream().anyMatch(each -> each.name().equals(entry.name()));
        if (!isNamed && use.services >= services) {
            throw full(label, use.services + " services", services, "names are never given back: publish under one of "
                    + all.stream().map(Entry::name).distinct().collect(Collectors.joining(", ")));
        }
        if (counted(entry) > octets - Math.min(octets, use.octets)) {
            throw full(label, use.octets + " octets of bundles, retired versions included, and this one counts " + counted(entry), octets,
                    "retired versions keep their octets, for nodes may have their hash: publish less, or ask whoever runs the repository for more");
        }
        if (use.uploads >= uploads) {
            throw full(label, use.uploads + " uploads within an hour", uploads, "try again later");
        }
    }

    private static AnepException full(String label, String has, long most, String todo) {
        return new AnepException(ErrorCode.GUEST_QUOTA, "the guest " + label + " has " + has + ", and " + most + " are allowed; " + todo);
    }

    /** What all guests have, by label. */
    public static List<Use> uses(Catalogue catalogue, Instant now) {
        SortedMap<String, List<Entry>> guests = new TreeMap<>();
        for (Entry entry : catalogue.entries()) {
            String label = ServiceName.label(entry.name());
            if (label != null) {
                guests.computeIfAbsent(label, unused -> new ArrayList<>()).add(entry);
            }
        }
        return guests.entrySet().stream().map(guest -> use(guest.getKey(), guest.getValue(), now)).toList();
    }

    private static Use use(String label, List<Entry> all, Instant now) {
        SortedMap<String, Integer> current = new TreeMap<>();
        long octets = 0;
        int uploads = 0;
        String publisher = null;
        for (Entry entry : all) {
            current.merge(entry.name(), entry.retired() ? 0 : 1, Integer::sum);
            octets += counted(entry);
            uploads += Instant.parse(entry.uploaded()).plus(HOUR).isAfter(now) ? 1 : 0;
            publisher = publisher == null ? entry.publisher() : publisher;
        }
        return new Use(label, publisher, current.size(), current.values().stream().max(Integer::compare).orElse(0), octets, uploads);
    }

    private static long counted(Entry entry) {
        return Math.max(entry.size(), LEAST_OCTETS);
    }
}
