package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.anep.ErrorCode;

/**
 * Everything that DyRAM says. <em>Down</em> is away from the source, <em>up</em> toward it. A message with a cookie is for the next hop
 * only; one with a tag comes from the source or a receiver and travels through nodes unchanged.
 *
 * <p>Times are microseconds.
 */
public sealed interface Message {
    /** The session; 0 if it is about none. */
    long session();

    /** A message that the session's key vouches for. */
    sealed interface Tagged extends Message {
        /** {@link SessionKey#TAG_LENGTH} octets. */
        byte[] tag();

        /** The same with another tag. */
        Tagged tagged(byte[] tag);
    }

    /** A message between neighbours: {@link Accept#cookie} shows that its sender is who was accepted. */
    sealed interface HopMessage extends Message {
        long cookie();
    }

    /**
     * Down, flooded among nodes: there is a session.
     *
     * @param number one more every time; a node hands each on once
     * @param hops    nodes that it may still pass; not under the tag
     * @param toGroup it was sent to the group: whoever reads it hears the group; not under the tag
     */
    record Announce(long session, int number, int hops, boolean toGroup, SessionTerms terms, byte[] tag) implements Tagged {
        @Override
        public Announce tagged(byte[] newTag) {
            return new Announce(session, number, hops, toGroup, terms, newTag);
        }

        public Announce hop(int left, boolean group) {
            return new Announce(session, number, left, group, terms, tag);
        }
    }

    /** Up: tell me of sessions. @param group of this group; null for every one */
    record Listen(InetSocketAddress group) implements Message {
        @Override
        public long session() {
            return 0;
        }
    }

    /**
     * Up, hop by hop to the source: a receiver wants to take part.
     *
     * @param name       of the receiver, 1 to 64 octets of UTF-8
     * @param instance   a random number that tells two receivers of one name apart; one that is started again keeps it
     * @param viaNode    the hop before is a node; not under the tag
     * @param hearsGroup the hop before hears the session's group; not under the tag
     */
    record Join(long session, String name, long instance, boolean viaNode, boolean hearsGroup, byte[] tag) implements Tagged {
        @Override
        public Join tagged(byte[] newTag) {
            return new Join(session, name, instance, viaNode, hearsGroup, newTag);
        }

        public Join hop(boolean node, boolean group) {
            return new Join(session, name, instance, node, group, tag);
        }
    }

    /**
     * Down, the way that the join came: the receiver takes part.
     *
     * @param member its number in the session
     * @param cookie what the next hop must show to the one that hands this on; not under the tag
     */
    record Accept(long session, String name, long instance, int member, long cookie, byte[] tag) implements Tagged {
        @Override
        public Accept tagged(byte[] newTag) {
            return new Accept(session, name, instance, member, cookie, newTag);
        }

        public Accept cookie(long hop) {
            return new Accept(session, name, instance, member, hop, tag);
        }
    }

    /** Down, the way that the join came: the receiver takes no part, or not any more. */
    record Refuse(long session, String name, long instance, ErrorCode code, byte[] tag) implements Tagged {
        @Override
        public Refuse tagged(byte[] newTag) {
            return new Refuse(session, name, instance, code, newTag);
        }
    }

    /**
     * A packet of content. Whoever hands one to an {@link Outlet} lends its buffers during the call.
     *
     * @param repair  it was sent before, or should have been
     * @param replier the member that repairs; 0 if it is the source
     * @param cookie  of the member that repairs, on its way up; 0 otherwise
     * @param body    the tag of {@link SessionKey#data} and the content
     * @param packet  the whole ANEP packet that it came in, to be handed on as it is; null if it was made here or had a cookie
     */
    record Data(long session, long sequence, boolean repair, int replier, long cookie, ByteBuf body, ByteBuf packet) implements Message {
        /** The same with another cookie; 0 for none. */
        public Data cookie(long next) {
            return new Data(session, sequence, repair, replier, next, body, cookie == next ? packet : null);
        }

        /** The content, without the tag. */
        public ByteBuf content() {
            return body.slice(body.readerIndex() + SessionKey.TAG_LENGTH, body.readableBytes() - SessionKey.TAG_LENGTH);
        }
    }

    /** Up: these packets are missing here. */
    record Nack(long session, long cookie, Losses losses) implements HopMessage {
    }

    /**
     * Up, one place: packets that are here without having been sent in this session, each at every receiver below.
     *
     * @param looking whether more of them may be found
     * @param held    what is known so far; what was said before stays so
     */
    record Have(long session, long cookie, boolean looking, Held held) implements HopMessage {
    }

    /** Down, to the one that was elected: send these packets. */
    record Request(long session, long cookie, Losses losses) implements HopMessage {
    }

    /** Down, to hosts: these packets were asked for upstream already; expect them within the time. */
    record Heard(long session, long cookie, Losses losses, int within) implements HopMessage {
    }

    /**
     * Up, regularly: how things are below.
     *
     * @param stamp   the sender's time, for {@link Echo}
     * @param rtt     round-trip time to the next hop up as last measured; 0 if not known
     * @param local   time in which a packet that somebody below has is repaired below; 0 from a host
     * @param ordered sequence number before which nothing is missing below
     * @param highest sequence number after the last one that was received below
     * @param delay   the worst queueing delay below
     * @param loss    the worst part of packets that did not come with their first transmission, in ten-thousandths
     * @param rate    the least rate of content received below, in bits a second
     * @param worst   the member that delay or rate are of; 0 if none
     * @param members states of members below, not more than {@link #MOST_MEMBERS}
     */
    record Report(long session, long cookie, int stamp, int rtt, int local, long ordered, long highest, int delay, int loss, long rate, int worst,
                  List<MemberState> members) implements HopMessage {
        /** States in one packet; more travel in several reports. */
        public static final int MOST_MEMBERS = 128;

        public Report {
            members = List.copyOf(members);
        }
    }

    /**
     * Down: the answer to a report.
     *
     * @param stamp  of the report
     * @param local  time in which a packet that a neighbour has is repaired
     * @param remote time in which a packet is repaired that has to come from above
     */
    record Echo(long session, long cookie, int stamp, int local, int remote) implements HopMessage {
    }

    /**
     * Down, regularly: how far the source is.
     *
     * @param number   one more every time
     * @param next     sequence number that will be sent next
     * @param stamp    the source's time
     * @param finished nothing follows but repairs
     * @param digest   SHA-256 of the whole content when finished; empty before
     */
    record Beat(long session, int number, long next, int stamp, boolean finished, byte[] digest, byte[] tag) implements Tagged {
        @Override
        public Beat tagged(byte[] newTag) {
            return new Beat(session, number, next, stamp, finished, digest, newTag);
        }
    }

    /** Up: a member leaves. */
    record Leave(long session, long cookie, int member) implements HopMessage {
    }

    /** Down: the session is over. */
    record Close(long session, ErrorCode code, byte[] tag) implements Tagged {
        @Override
        public Close tagged(byte[] newTag) {
            return new Close(session, code, newTag);
        }
    }

    /** Up: a member's repair of a packet was not what the source had sent. */
    record Wrong(long session, long cookie, long sequence, int replier) implements HopMessage {
    }

    /** Down: you are not known here; join. */
    record Rejoin(long session) implements Message {
    }

    /**
     * To whoever has said something that would make this place send to its address: say {@link Answer} with the same cookie first.
     *
     * @param session that it is about; 0 for none
     * @param cookie  which only the owner of the address can know
     */
    record Challenge(long session, long cookie) implements Message {
    }

    /** The cookie of a {@link Challenge}, back to whoever has sent it. */
    record Answer(long session, long cookie) implements Message {
    }
}
