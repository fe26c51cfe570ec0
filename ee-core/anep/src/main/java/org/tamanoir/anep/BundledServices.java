package org.tamanoir.anep;

import java.util.Map;

/** The Type IDs of the services that come with Tamanoir, as {@code docs/anep.md} has them. */
public final class BundledServices {
    private static final Map<String, Integer> BY_NAME = Map.ofEntries(Map.entry("forward", 0x5401), Map.entry("monitoring", 0x5402), Map.entry("compression", 0x5403),
            Map.entry("qosinus", 0x5404), Map.entry("dyram", 0x5405), Map.entry("aggregate", 0x5406),
            Map.entry("qos-monitoring", 0x5407), Map.entry("qos-decision", 0x5408), Map.entry("qos-enforcement", 0x5409),
            Map.entry("theodolite", 0x540A), Map.entry("cache", 0x540C), Map.entry("interest", 0x540D), Map.entry("collect", 0x540E), Map.entry("transcode", 0x540F), Map.entry("coalesce", 0x5410), Map.entry("election", 0x5411));

    private BundledServices() {
    }

    /** The Type ID of a name; null for another service, whose repository knows it. */
    public static Integer typeId(String name) {
        return BY_NAME.get(name);
    }

    /**
     * The Type ID that an operator has written.
     *
     * @param text one of the names, or a number from 1 to 65,535, decimal or with {@code 0x}
     * @throws IllegalArgumentException if it is neither
     */
    public static int parse(String text) {
        Integer known = BY_NAME.get(text);
        int number;
        try {
            number = known != null ? known : Integer.decode(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no Type ID such as 0x5500, and no service that comes with Tamanoir", e);
        }
        if (number <= Anep.TYPE_ERROR || number > 0xFFFF) {
            throw new IllegalArgumentException("the Type ID " + text + " is not from 1 to 0xffff");
        }
        return number;
    }
}
