package org.tamanoir.client.multicast;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.ServiceChoice;
import org.tamanoir.dyram.wire.SessionTerms;

/** What a {@link MulticastSender} sends, to whom and how fast. */
public final class MulticastSenderOptions {
    /** Octets of an IP packet that every Ethernet takes. */
    private static final int ETHERNET_MTU = 1500;
    private static final int IPV4_UDP_HEADERS = 28;
    private static final int IPV6_UDP_HEADERS = 48;
    /** Routers that multicast passes without a node: an administratively scoped group (RFC 2365) ends at its scope before. */
    private static final int HOPS = 16;
    /** As long as a name can be on the wire. */
    private static final int MOST_NAME = 64;

    private final InetSocketAddress group;
    private final List<Path> files;
    private InetSocketAddress via;
    private String networkInterface;
    private List<String> members = List.of();
    private int expect;
    private Late late = Late.REFUSE;
    private long rate;
    private long minRate;
    private boolean adapt;
    private byte[] secret = {};
    private Duration gathering = SourceSettings.GATHERING;
    private Duration patience = SourceSettings.PATIENCE;
    private int packetSize;
    private int port;
    private ServiceChoice services = ServiceChoice.ALL;

    /**
     * Options with presets.
     *
     * @param group a multicast address and a port, under which receivers look for the session
     * @param files files, and directories of which all files are sent
     */
    public MulticastSenderOptions(InetSocketAddress group, List<Path> files) {
        this.group = group;
        this.files = List.copyOf(files);
    }

    /** The node that carries the session on; preset none: packets are multicast to the group from here. */
    public MulticastSenderOptions via(InetSocketAddress node) {
        this.via = node;
        return this;
    }

    /** The interface that multicast leaves by; preset the one that the machine's routes choose. */
    public MulticastSenderOptions networkInterface(String name) {
        this.networkInterface = name;
        return this;
    }

    /** The names of the receivers; nobody else is let in. */
    public MulticastSenderOptions members(List<String> names) {
        this.members = List.copyOf(names);
        return this;
    }

    /** How many receivers there will be, whatever their names. */
    public MulticastSenderOptions expect(int receivers) {
        this.expect = receivers;
        return this;
    }

    /** What becomes of a receiver that comes after the first packet. Default: it is refused. */
    public MulticastSenderOptions late(Late late) {
        this.late = late;
        return this;
    }

    /** Bits a second on the wire. */
    public MulticastSenderOptions rate(long bits) {
        this.rate = bits;
        return this;
    }

    /** A receiver that gets less for long is taken out by name; preset 0, nobody. */
    public MulticastSenderOptions minRate(long bits) {
        this.minRate = bits;
        return this;
    }

    /** Whether the rate follows the slowest receiver. */
    public MulticastSenderOptions adapt(boolean adapt) {
        this.adapt = adapt;
        return this;
    }

    /** What source and receivers share; preset nothing, then packets are safe from damage but not from forgery. */
    public MulticastSenderOptions secret(byte[] secret) {
        this.secret = secret.clone();
        return this;
    }

    /** How long it waits for receivers before it begins with those that are there. Preset 60 s. */
    public MulticastSenderOptions gathering(Duration time) {
        this.gathering = time;
        return this;
    }

    /** How long it waits at the end for receivers that it has lost. Preset 10 s. */
    public MulticastSenderOptions patience(Duration time) {
        this.patience = time;
        return this;
    }

    /** Octets of content in a packet; preset what fits 1,500 octets: 1,424, over IPv6 1,404. */
    public MulticastSenderOptions packetSize(int octets) {
        this.packetSize = octets;
        return this;
    }

    /**
     * Which services nodes are to do for the session, as {@link ServiceChoice#parse} reads them; each node does those of them that its operator
     * allows. Preset all that they have.
     */
    public MulticastSenderOptions services(ServiceChoice choice) {
        this.services = choice;
        return this;
    }

    /** The UDP port that it sends from; preset any. */
    public MulticastSenderOptions port(int port) {
        this.port = port;
        return this;
    }

    InetSocketAddress group() {
        return group;
    }

    InetSocketAddress via() {
        return via;
    }

    List<Path> files() {
        return files;
    }

    String networkInterface() {
        return networkInterface;
    }

    int port() {
        return port;
    }

    int hops() {
        return HOPS;
    }

    int packetSize() {
        return packetSize != 0 ? packetSize : ETHERNET_MTU - Codec.DATA_OVERHEAD
                - (group.getAddress() instanceof Inet4Address ? IPV4_UDP_HEADERS : IPV6_UDP_HEADERS);
    }

    /** Fails for what makes no sense. @throws AnepException EE-408 */
    void check() {
        checkGroup(group);
        require(expect >= 1 || !members.isEmpty(), "say how many receivers there will be, or who");
        require(expect == 0 || members.isEmpty() || expect == members.size(), expect + " receivers are expected, and " + members.size()
                + " have names");
        require(members.stream().distinct().count() == members.size(), "a receiver's name stands twice");
        members.forEach(MulticastSenderOptions::checkName);
        require(rate >= 1, "say how many bits a second to send at");
        require(minRate >= 0 && minRate <= rate, "the least rate is larger than the rate");
        require(packetSize() >= 1 && packetSize() <= SessionTerms.MOST_PACKET, "a packet has 1 to " + SessionTerms.MOST_PACKET + " octets");
        require(!files.isEmpty(), "there are no files to send");
    }

    static void checkGroup(InetSocketAddress group) {
        require(!group.isUnresolved() && group.getAddress().isMulticastAddress() && group.getPort() != 0,
                "'" + group + "' is no group: a multicast address, as 239.1.2.3 or ff15::1, and a port");
    }

    static void checkName(String name) {
        require(!name.isBlank() && name.getBytes(StandardCharsets.UTF_8).length <= MOST_NAME
                && name.codePoints().noneMatch(Character::isISOControl), "'" + name.replaceAll("\\p{Cntrl}", "?")
                + "' cannot be a receiver's name: 1 to " + MOST_NAME + " octets of text");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AnepException(ErrorCode.BAD_REQUEST, otherwise);
        }
    }

    SourceSettings settings(long session, long first) {
        return new SourceSettings(session, group, via == null ? null : NetworkFailures.resolved(via), secret, first, packetSize(), members,
                members.isEmpty() ? expect : members.size(), late, new Rate(rate, minRate, adapt), gathering, patience, services);
    }
}
