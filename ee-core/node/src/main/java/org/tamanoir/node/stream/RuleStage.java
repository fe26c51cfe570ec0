package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.kernel.Done;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Colour;

/**
 * The light rules in front of the services of a TCP stream. What its first packet says holds for all of them, so the rule is looked up
 * again only when rules change. Error packets pass unseen.
 */
final class RuleStage implements PacketSink {
    private final RuleTable rules;
    private final PacketFacts facts;
    private final PacketSink services;
    private final PacketSink past;
    private final Marking marks;
    private final Way way;
    private final Packet view = new Packet();
    private boolean failed;
    private long revision = -1;
    private LiveRule rule;

    /**
     * @param facts    of the first packet
     * @param services the first service and what comes after it
     * @param past     what comes after the first service
     * @param marks    the code points of this direction
     * @param way      told of a malformed packet that no service would see
     */
    RuleStage(RuleTable rules, PacketFacts facts, PacketSink services, PacketSink past, Marking marks, Way way) {
        this.rules = rules;
        this.facts = facts;
        this.services = services;
        this.past = past;
        this.marks = marks;
        this.way = way;
    }

    /** The rule of the stream's packets now, or null. */
    LiveRule rule() {
        long now = rules.revision();
        if (now != revision) {
            rule = rules.find(facts);
            revision = now;
        }
        return rule;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        LiveRule found = rule();
        marks.enter(0);
        if (found == null || buffer.getUnsignedShort(offset + 2) == Anep.TYPE_ERROR) {
            services.packet(buffer, offset, length, nanos);
            return;
        }
        if (!isGood(buffer, offset, length)) {
            return;
        }
        Done done = found.run(Transport.TCP, length, Colour.GREEN, nanos);
        if (done.kind() != Done.Kind.DROP) {
            marks.enter(Math.max(0, done.dscp()));
            (done.kind() == Done.Kind.FORWARD ? past : services).packet(buffer, offset, length, nanos);
        }
    }

    /** Whether the options are good. A packet that is not ends the stream: nobody after this stage may look at it. */
    private boolean isGood(ByteBuf buffer, int offset, int length) {
        if (!failed && view.wrap(buffer, offset, length).hasOptions()) {
            try {
                view.checkOptions();
            } catch (MalformedPacketException e) {
                failed = true;
                way.failed(e);
            }
        }
        return !failed;
    }

    @Override
    public void settle() {
        services.settle();
    }

    @Override
    public void flush() {
        services.flush();
    }

    @Override
    public boolean hasRoom() {
        return services.hasRoom();
    }

    @Override
    public void end() {
        services.end();
    }
}
