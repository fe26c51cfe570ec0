package org.tamanoir.node.manage;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.node.manage.configuration.NodeConfiguration;

/** A part of the configuration that the admin API can change, with an entity tag of its own (RFC 9110, section 8.8.3). */
enum ChangeableResource {
    ROUTES("routes", now -> entries(now.routes(), route -> "route " + route.prefix(), route -> route.target())),
    RULES("rules", now -> entries(now.rules(), rule -> "rule " + rule.name(), rule -> rule.match() + " " + rule.actions())),
    PINS("pins", now -> entries(now.pins(), pin -> "pin of " + pin.service() + " for " + pin.prefix(), pin -> pin.version()));

    /** Octets of a digest that make a tag: two configurations of one node do not meet by chance. */
    private static final int TAG_OCTETS = 8;

    private final String plural;
    private final Function<NodeConfiguration, Map<String, String>> entries;

    ChangeableResource(String plural, Function<NodeConfiguration, Map<String, String>> entries) {
        this.plural = plural;
        this.entries = entries;
    }

    private static <T> Map<String, String> entries(List<T> all, Function<T, String> name, Function<T, String> value) {
        Map<String, String> entries = new LinkedHashMap<>();
        all.forEach(each -> entries.put(name.apply(each), value.apply(each)));
        return entries;
    }

    /** The tag of what a configuration says, with its quotes. Counters that are shown beside it are no part of it. */
    String etag(NodeConfiguration configuration) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(entries.apply(configuration).toString().getBytes(StandardCharsets.UTF_8));
            return '"' + HexFormat.of().formatHex(digest, 0, TAG_OCTETS) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Checks a field {@code If-Match} (RFC 9110, section 13.1.1: tags, or {@code *} for any).
     *
     * @param ifMatch null for none: then nothing is asked
     * @throws AnepException EE-413 if none of its tags is that of the configuration
     */
    void requireMatch(String ifMatch, NodeConfiguration inForce) {
        String tag = etag(inForce);
        if (ifMatch != null && Arrays.stream(ifMatch.split(",")).map(String::strip).noneMatch(each -> each.equals("*") || each.equals(tag))) {
            throw new AnepException(ErrorCode.CHANGED_MEANWHILE, "the " + plural + " are not those that " + ifMatch + " names: somebody has "
                    + "changed them; nothing was changed. Read them again (their tag is " + tag + " now) and decide anew");
        }
    }

    /**
     * What the admin API has changed since the file was read and another configuration does not keep, in sentences.
     *
     * @param file  what the file said last
     * @param next  what is to be in force
     */
    static List<String> lost(NodeConfiguration file, NodeConfiguration inForce, NodeConfiguration next) {
        List<String> lost = new ArrayList<>();
        for (ChangeableResource resource : values()) {
            Map<String, String> said = resource.entries.apply(file);
            Map<String, String> is = resource.entries.apply(inForce);
            Map<String, String> willBe = resource.entries.apply(next);
            Set<String> names = new LinkedHashSet<>(is.keySet());
            names.addAll(said.keySet());
            for (String name : names) {
                String now = is.get(name);
                if (!Objects.equals(said.get(name), now) && !Objects.equals(now, willBe.get(name))) {
                    lost.add(name + (now == null ? ", removed by the API, is back"
                            : (said.containsKey(name) ? ", changed by the API, " : ", added by the API, ")
                                    + (willBe.containsKey(name) ? "is as in the file" : "is gone")));
                }
            }
            boolean moved = said.keySet().equals(is.keySet()) && !order(said).equals(order(is)) && !order(is).equals(order(willBe));
            if (moved) {
                lost.add("the order of the " + resource.plural + ", changed by the API, is as in the file");
            }
        }
        return lost;
    }

    private static List<String> order(Map<String, String> entries) {
        return List.copyOf(entries.keySet());
    }

    /** What the admin API has changed since the file was read: what that said, and what holds. */
    static List<Drift> drift(NodeConfiguration file, NodeConfiguration inForce) {
        List<Drift> drift = new ArrayList<>();
        for (ChangeableResource resource : values()) {
            Map<String, String> said = resource.entries.apply(file);
            Map<String, String> is = resource.entries.apply(inForce);
            Set<String> names = new LinkedHashSet<>(said.keySet());
            names.addAll(is.keySet());
            names.stream().filter(name -> !Objects.equals(said.get(name), is.get(name))).forEach(name -> drift.add(new Drift(name, said.get(name), is.get(name), "api")));
            if (said.keySet().equals(is.keySet()) && !order(said).equals(order(is))) {
                drift.add(new Drift("order of the " + resource.plural, String.join(", ", order(said)), String.join(", ", order(is)), "api"));
            }
        }
        return drift;
    }

    /** What the admin API has changed since the file was read, in sentences. */
    static List<String> changed(NodeConfiguration file, NodeConfiguration inForce) {
        List<String> changed = new ArrayList<>();
        for (ChangeableResource resource : values()) {
            Map<String, String> said = resource.entries.apply(file);
            Map<String, String> is = resource.entries.apply(inForce);
            is.forEach((name, value) -> {
                if (!value.equals(said.get(name))) {
                    changed.add(name + (said.containsKey(name) ? " changed" : " added"));
                }
            });
            said.keySet().stream().filter(name -> !is.containsKey(name)).forEach(name -> changed.add(name + " removed"));
            if (said.keySet().equals(is.keySet()) && !order(said).equals(order(is))) {
                changed.add("order of the " + resource.plural + " changed");
            }
        }
        return changed;
    }
}
