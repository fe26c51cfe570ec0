package org.tamanoir.node.cluster.virtual;

/**
 * One thing that is changed on the machine, and how it is changed back.
 *
 * @param kind   of thing
 * @param what   the address with its length, the path of a parameter, the name of a device
 * @param device that it is on, the number of the routing table of a way back; null where there is none
 * @param before the value of a parameter; null where there is none
 * @param after  the value of a parameter, the local end of a tunnel, the router of a way back; null where there is none
 */
record MachineChange(Kind kind, String what, String device, String before, String after) {
    /** What can be changed. In this order it is done: ARP is silent before there is something to be silent about. */
    enum Kind {
        PARAMETER, TUNNEL, ADDRESS, REPLY
    }

    static MachineChange parameter(String key, String before, String after) {
        return new MachineChange(Kind.PARAMETER, key, null, before, after);
    }

    /** A tunnel that takes what any director sends to an address. */
    static MachineChange tunnel(String device, String local) {
        return new MachineChange(Kind.TUNNEL, device, null, null, local);
    }

    /** @param host address and length */
    static MachineChange address(String host, String device) {
        return new MachineChange(Kind.ADDRESS, host, device, null, null);
    }

    /** Answers from an address leave by a router. */
    static MachineChange reply(String host, int table, String router) {
        return new MachineChange(Kind.REPLY, host, Integer.toString(table), null, router);
    }

    /** Does it. @throws org.tamanoir.anep.AnepException EE-908 */
    void make() {
        switch (kind) {
            case PARAMETER -> HostNetwork.sysctl(what, after);
            case ADDRESS -> {
                if (isSix()) {
                    // Nobody asks on lo whether it is taken, and no connection of the machine's own begins at it.
                    HostNetwork.ip("-6", "address", "add", what, "dev", device, "nodad", "preferred_lft", "0");
                } else {
                    HostNetwork.ip("-4", "address", "add", what, "dev", device);
                }
            }
            case TUNNEL -> {
                HostNetwork.ip("link", "add", "name", what, "type", "ipip", "local", after);
                // What comes out has a source from anywhere; strict filtering (RFC 3704) asks whether answers would go back into the tunnel. Loose
                // filtering is the larger number, so it holds whatever is set for all interfaces; it drops all that comes in by an interface without
                // an address, so the virtual one is put there.
                HostNetwork.sysctl("net/ipv4/conf/" + what + "/rp_filter", "2");
                HostNetwork.ip("link", "set", "dev", what, "up");
            }
            case REPLY -> {
                HostNetwork.ip(family(), "route", "add", "default", "via", after, "table", device);
                // What the machine has a route to other than the default one is reached by that.
                HostNetwork.ip(family(), "rule", "add", "preference", device, "from", what, "lookup", "main", "suppress_prefixlength", "0");
                HostNetwork.ip(family(), "rule", "add", "preference", device, "from", what, "lookup", device);
            }
        }
    }

    /** Takes it back as far as it is still there. @throws org.tamanoir.anep.AnepException EE-908 */
    void takeBack() {
        switch (kind) {
            case PARAMETER -> {
                // Somebody else's value is none of ours.
                if (after.equals(HostNetwork.sysctl(what))) {
                    HostNetwork.sysctl(what, before);
                }
            }
            case ADDRESS -> {
                // One line an address: its interface stands second.
                if (HostNetwork.ip("-oneline", "address", "show").lines().map(line -> line + " ").anyMatch(line -> line.contains(" " + what + " ")
                        && line.split("\\s+")[1].equals(device))) {
                    HostNetwork.ip("address", "delete", what, "dev", device);
                }
            }
            case TUNNEL -> {
                if (HostNetwork.ip("-details", "link", "show").contains(" " + what + "@")) {
                    HostNetwork.ip("link", "delete", "dev", what);
                }
            }
            case REPLY -> {
                while (HostNetwork.ip(family(), "rule", "show", "preference", device).contains("from")) {
                    HostNetwork.ip(family(), "rule", "delete", "preference", device);
                }
                if (hasTable(family(), device)) {
                    HostNetwork.ip(family(), "route", "flush", "table", device);
                }
            }
        }
    }

    /** Whether a routing table has a route. One that was never used is an error to ask for. */
    static boolean hasTable(String family, String table) {
        return HostNetwork.ip(family, "route", "show", "table", "all").lines().anyMatch(line -> (line + " ").contains(" table " + table + " "));
    }

    private boolean isSix() {
        return what.indexOf(':') >= 0;
    }

    private String family() {
        return isSix() ? "-6" : "-4";
    }

    /** For operators. */
    String text() {
        return switch (kind) {
            case PARAMETER -> HostNetwork.dotted(what) + " is " + after + " (was " + before + ")";
            case ADDRESS -> what + " is on " + device;
            case TUNNEL -> what + " takes IPIP to " + after;
            case REPLY -> "answers from " + what + " leave by " + after + " (routing table " + device + ")";
        };
    }
}
