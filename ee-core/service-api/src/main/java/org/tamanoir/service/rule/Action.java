package org.tamanoir.service.rule;

import java.net.InetSocketAddress;

/** What a rule does to a packet. */
public sealed interface Action {
    /** The name of the kind in configurations and explanations. */
    String word();

    /** Counts packets and octets. An octet count is of the IP packet, on TCP of the ANEP packet. */
    record Count() implements Action {
        @Override
        public String word() {
            return "count";
        }
    }

    /**
     * Sets the differentiated services code point of the packet that leaves (RFC 2474).
     *
     * @param dscp 0 to 63
     */
    record SetDscp(int dscp) implements Action {
        /**
         * Checks the range.
         *
         * @throws IllegalArgumentException out of range
         */
        public SetDscp {
            checkDscp(dscp);
        }

        @Override
        public String word() {
            return "dscp";
        }
    }

    /**
     * Meters the packet and treats it by its colour. A rule has one meter for all its packets of one transport.
     *
     * @param meter       which, with its rates
     * @param colourAware whether a packet arrives with a colour: the drop precedence of its assured-forwarding code point (RFC 2597: 1
     *                    green, 2 yellow, 3 red; any other code point is green)
     */
    record Police(Meter meter, boolean colourAware, Treatment green, Treatment yellow, Treatment red) implements Action {
        @Override
        public String word() {
            return "police";
        }

        /** What happens to a packet of a colour. */
        public Treatment of(Colour colour) {
            return switch (colour) {
                case GREEN -> green;
                case YELLOW -> yellow;
                case RED -> red;
            };
        }
    }

    /** Ends the way of the packet; counted. */
    record Drop() implements Action {
        @Override
        public String word() {
            return "drop";
        }
    }

    /**
     * Sends the packet on, past its service.
     *
     * @param to the next hop, which speaks ANEP; null for the one that the route to the packet's destination names
     */
    record Forward(InetSocketAddress to) implements Action {
        /**
         * Checks the address.
         *
         * @throws IllegalArgumentException if it is unresolved or has no port
         */
        public Forward {
            if (to != null && (to.isUnresolved() || to.getPort() == 0)) {
                throw new IllegalArgumentException("'" + to + "' is no address and port to forward to");
            }
        }

        @Override
        public String word() {
            return "forward";
        }
    }

    /** {@link Count}. */
    static Action count() {
        return new Count();
    }

    /** {@link SetDscp}. */
    static Action dscp(int dscp) {
        return new SetDscp(dscp);
    }

    /** {@link Police}, colour-blind. */
    static Action police(Meter meter, Treatment green, Treatment yellow, Treatment red) {
        return new Police(meter, false, green, yellow, red);
    }

    /** {@link Drop}. */
    static Action drop() {
        return new Drop();
    }

    /** {@link Forward} to where the route leads. */
    static Action forward() {
        return new Forward(null);
    }

    /** {@link Forward} to one place. */
    static Action forward(InetSocketAddress to) {
        return new Forward(to);
    }

    /** A code point in range, or an exception. */
    static int checkDscp(int dscp) {
        if (dscp < 0 || dscp > 63) {
            throw new IllegalArgumentException("the code point " + dscp + " is not from 0 to 63");
        }
        return dscp;
    }
}
