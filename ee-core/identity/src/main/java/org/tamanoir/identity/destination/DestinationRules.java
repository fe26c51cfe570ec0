package org.tamanoir.identity.destination;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Which destinations programs may have. What is denied is refused whatever else allows it, and so is what nothing allows. A name that is
 * allowed leads to every address that it resolves to but those that are denied.
 */
public final class DestinationRules {
    private final List<Rule> allow;
    private final List<Rule> deny;

    private DestinationRules(List<Rule> allow, List<Rule> deny) {
        this.allow = allow;
        this.deny = deny;
    }

    /**
     * Rules as they are written: {@code HOST[:PORT[-PORT]]}, where the host is an address, a prefix ({@code 10.0.2.0/24}, {@code [2001:db8::/32]}),
     * a name, all names below one ({@code *.example.org}), or {@code *}.
     *
     * @throws AnepException EE-408 if one cannot be read
     */
    public static DestinationRules of(List<String> allow, List<String> deny) {
        return new DestinationRules(allow.stream().map(Rule::parse).toList(), deny.stream().map(Rule::parse).toList());
    }

    /**
     * What is allowed, for a kernel that is to hand it over; what is denied is not taken off.
     *
     * @throws AnepException EE-408 for a rule that is no address and no prefix
     */
    public List<Range> ranges() {
        return allow.stream().map(Rule::range).toList();
    }

    /** Addresses of a prefix, as {@code 10.0.2.0/24} or {@code 2001:db8::/32}, and ports of them. */
    public record Range(String prefix, int firstPort, int lastPort) {
        public boolean isIp6() {
            return prefix.indexOf(':') >= 0;
        }
    }

    /** Whether the target may be allowed: a name that no address can help is not even looked up. */
    public boolean mayAllow(Target target) {
        return target.name() == null ? allows(null, target.address(), target.port())
                : deny.stream().noneMatch(rule -> rule.matchesName(target.name(), target.port()))
                        && allow.stream().anyMatch(rule -> rule.matchesName(target.name(), target.port()) || rule.isPrefix() && rule.hasPort(target.port()));
    }

    /** @param name that resolved to the address; null if the program named the address */
    public boolean allows(String name, InetAddress address, int port) {
        return deny.stream().noneMatch(rule -> rule.matches(name, address, port)) && allow.stream().anyMatch(rule -> rule.matches(name, address, port));
    }

    /**
     * One destination, or many.
     *
     * @param name   null for a prefix; begins with a dot if it stands for all names below; empty for any host
     * @param prefix null for a name
     */
    private record Rule(String text, String name, IpSubnetFilterRule prefix, int firstPort, int lastPort) {
        static Rule parse(String text) {
            boolean bracketed = text.startsWith("[");
            int colon = bracketed ? text.indexOf("]:") + 1 : text.lastIndexOf(':');
            boolean ported = colon > 0 && (bracketed || text.indexOf(':') == colon);
            String host = ported ? text.substring(0, colon) : text;
            if (bracketed && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int[] ports = ported ? ports(text, text.substring(colon + 1)) : new int[] {1, 0xFFFF};
            if (host.equals("*")) {
                return new Rule(host, "", null, ports[0], ports[1]);
            }
            IpSubnetFilterRule prefix = prefix(host);
            String name = prefix != null ? null : Target.name(host.startsWith("*.") ? host.substring(2) : host);
            if (prefix == null && name == null) {
                throw wrong(text);
            }
            return new Rule(host, host.startsWith("*.") ? "." + name : name, prefix, ports[0], ports[1]);
        }

        private static int[] ports(String rule, String text) {
            String[] ends = text.split("-", -1);
            try {
                int first = Integer.parseInt(ends[0]);
                int last = Integer.parseInt(ends[ends.length - 1]);
                if (ends.length <= 2 && first >= 1 && last <= 0xFFFF && first <= last) {
                    return new int[] {first, last};
                }
            } catch (NumberFormatException e) {
                // As any other text that is no port.
            }
            throw wrong(rule);
        }

        private static IpSubnetFilterRule prefix(String host) {
            int slash = host.indexOf('/');
            byte[] address = NetUtil.createByteArrayFromIpAddressString(slash < 0 ? host : host.substring(0, slash));
            if (address == null) {
                return null;
            }
            try {
                return new IpSubnetFilterRule(slash < 0 ? host : host.substring(0, slash), slash < 0 ? address.length * 8 : Integer.parseInt(host.substring(slash + 1)),
                        IpFilterRuleType.ACCEPT);
            } catch (IllegalArgumentException e) {
                throw wrong(host);
            }
        }

        private static AnepException wrong(String text) {
            return new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no destination: write HOST[:PORT[-PORT]], where HOST is an address, a prefix, a name, *.NAME, or *");
        }

        Range range() {
            if (!isPrefix() || text.indexOf('%') >= 0) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no address and no prefix, and the kernel hands over nothing else");
            }
            return new Range(text, firstPort, lastPort);
        }

        boolean isPrefix() {
            return prefix != null;
        }

        boolean hasPort(int port) {
            return port >= firstPort && port <= lastPort;
        }

        boolean matchesName(String host, int port) {
            return hasPort(port) && name != null && (name.isEmpty() || host != null && (name.startsWith(".") ? host.endsWith(name) : host.equals(name)));
        }

        boolean matches(String host, InetAddress address, int port) {
            return isPrefix() ? hasPort(port) && prefix.matches(new InetSocketAddress(address, port)) : matchesName(host, port);
        }
    }
}
