package org.tamanoir.node.manage.configuration;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.routing.ToldNeighbour;
import org.tamanoir.node.routing.told.ToldPolicy;
import org.tamanoir.node.routing.told.ToldRoutes;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.Settings;
import org.tamanoir.settings.BadSetting;

/** {@code told-routes:} of the configuration: who is told which destinations this node reaches, and who is believed which ones. */
public record ToldRoutesSection(List<Neighbour> neighbours) {
    private static final String TLS = "tls://";
    private static final int MOST_PREFIXES = 10_000;

    /**
     * One of them.
     *
     * @param at       {@code HOST:PORT}, or {@code tls://HOST:PORT} if streams go there by TLS
     * @param tell     prefixes that may be told, with all within them
     * @param believe  prefixes that are believed, with all within them
     * @param cost     of the link
     * @param prefixes that it may add to the table
     */
    public record Neighbour(String at, List<String> tell, List<String> believe, Integer cost, Integer prefixes) {
        public Neighbour {
            tell = ConfigurationValues.all("tell", tell);
            believe = ConfigurationValues.all("believe", believe);
            cost = ConfigurationValues.or(ConfigurationValues.within("cost", cost, 1, ToldPolicy.MOST_COST), 1);
            prefixes = ConfigurationValues.or(ConfigurationValues.within("prefixes", prefixes, 1, MOST_PREFIXES), ToldPolicy.USUAL_MOST);
        }
    }

    public ToldRoutesSection {
        neighbours = ConfigurationValues.all("neighbours", neighbours);
    }

    /** @throws BadSetting that names the key */
    List<ToldNeighbour> neighbours(InetSocketAddress listen) {
        if (neighbours.size() > ToldRoutes.MOST_NEIGHBOURS) {
            throw new BadSetting(List.of("told-routes", "neighbours"), "it has " + neighbours.size() + " entries; it may have " + ToldRoutes.MOST_NEIGHBOURS);
        }
        List<ToldNeighbour> all = new ArrayList<>();
        Set<InetSocketAddress> taken = new HashSet<>();
        for (int i = 0; i < neighbours.size(); i++) {
            Neighbour each = neighbours.get(i);
            InetSocketAddress at = address(i, each.at());
            if (at.getPort() == 0 || at.getAddress().isAnyLocalAddress() || at.getAddress().isMulticastAddress() || at.equals(listen)) {
                throw bad(i, "at", "it is '" + each.at() + "'; it must be HOST:PORT of another node");
            }
            if (!taken.add(at)) {
                throw bad(i, "at", "it has '" + each.at() + "', which stands there already");
            }
            all.add(new ToldNeighbour(at, each.at().startsWith(TLS), new ToldPolicy(prefixes(i, "tell", each.tell()), prefixes(i, "believe", each.believe()),
                    each.cost(), each.prefixes())));
        }
        return List.copyOf(all);
    }

    private static InetSocketAddress address(int index, String text) {
        if (text == null) {
            throw bad(index, "at", "it is missing; it must be HOST:PORT of another node");
        }
        try {
            return Settings.address("it", text.startsWith(TLS) ? text.substring(TLS.length()) : text);
        } catch (AnepException e) {
            throw bad(index, "at", e.text());
        }
    }

    private static List<Prefix> prefixes(int index, String key, List<String> texts) {
        List<Prefix> all = new ArrayList<>();
        for (String text : texts) {
            try {
                all.add(Prefix.parse(text));
            } catch (AnepException e) {
                throw bad(index, key, e.text());
            }
        }
        return all;
    }

    private static BadSetting bad(int index, String key, String what) {
        return new BadSetting(List.of("told-routes", "neighbours", index, key), what);
    }
}
