package org.tamanoir.transfer.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who takes which of the places that {@link Limits} gives. */
final class Slots {
    private final Limits limits;
    private final List<String> all = new ArrayList<>();
    private final Map<String, List<String>> sites = new HashMap<>();
    private final Map<String, List<String>> links = new HashMap<>();
    private final Map<String, String> places = new HashMap<>();
    /** Room that is kept, by site and link: for whom. */
    private final Map<String, List<String>> kept = new HashMap<>();

    Slots(Limits limits) {
        this.limits = limits;
    }

    private static Set<String> sites(Transfer transfer) {
        Set<String> both = new LinkedHashSet<>();
        both.add(transfer.from());
        both.add(transfer.to());
        return both;
    }

    void take(Transfer transfer) {
        all.add(transfer.id());
        sites(transfer).forEach(site -> sites.computeIfAbsent(site, key -> new ArrayList<>()).add(transfer.id()));
        links.computeIfAbsent(transfer.link(), key -> new ArrayList<>()).add(transfer.id());
        places.put(transfer.request().destination(), transfer.id());
    }

    /** Keeps room for one that cannot have all that it needs yet. */
    void keep(Transfer transfer) {
        sites(transfer).forEach(site -> kept.computeIfAbsent(site, key -> new ArrayList<>()).add(transfer.id()));
        kept.computeIfAbsent(transfer.link(), key -> new ArrayList<>()).add(transfer.id());
    }

    /** Why it cannot begin; null if it can. */
    Hold hold(Transfer transfer) {
        if (all.size() >= limits.all()) {
            return new Hold(Hold.Kind.ALL, "", List.copyOf(all));
        }
        if (places.containsKey(transfer.request().destination())) {
            return new Hold(Hold.Kind.PLACE, transfer.request().destination(), List.of(places.get(transfer.request().destination())));
        }
        Hold hold = hold(Hold.Kind.LINK, transfer.link(), links, limits.link());
        for (String site : sites(transfer)) {
            hold = hold != null ? hold : hold(Hold.Kind.SITE, site, sites, limits.site());
        }
        return hold;
    }

    private Hold hold(Hold.Kind kind, String what, Map<String, List<String>> taken, int most) {
        List<String> takers = taken.getOrDefault(what, List.of());
        List<String> keepers = kept.getOrDefault(what, List.of());
        return takers.size() >= most ? new Hold(kind, what, List.copyOf(takers))
                : takers.size() + keepers.size() >= most ? new Hold(Hold.Kind.TURN, what, List.copyOf(keepers)) : null;
    }
}
