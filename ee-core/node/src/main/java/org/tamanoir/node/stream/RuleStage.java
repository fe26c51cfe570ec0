package org.tamanoir.node.stream;

import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Colour;

/**
 * The light rules in front of the services of a TCP stream. What its first packet says holds for all of them, so the rule is looked up
 * again only when rules change. An error packet ends the stream: they travel the other way.
 */
final class RuleStage extends Stage {
    private final RuleTable rules;
    private final PacketFacts facts;
    private final Stage past;
    private final TcpDirection direction;
    private boolean failed;
    private long revision = -1;
    private LiveRule rule;

    /**
     * @param facts    of the first packet
     * @param services the first service and what comes after it
     * @param past     what comes after the first service
     */
    RuleStage(RuleTable rules, PacketFacts facts, Stage services, Stage past, TcpDirection direction) {
        super(services);
        this.rules = rules;
        this.facts = facts;
        this.past = past;
        this.direction = direction;
    }

    private LiveRule rule() {
        long now = rules.revision();
        if (now != revision) {
            rule = rules.find(facts);
            revision = now;
        }
        return rule;
    }

    @Override
    public void packet(Packet packet) {
        LiveRule found = rule();
        if (packet.typeId() == Anep.TYPE_ERROR) {
            fail(new AnepException(ErrorCode.MISPLACED_ERROR, "an error packet came from the side of the source"));
        } else if (found == null) {
            direction.codePoint(0);
            next().packet(packet);
        } else if (isGood(packet)) {
            RuleOutcome done = found.run(Transport.TCP, packet.length(), Colour.GREEN, packet.receivedNanos());
            if (done.kind() != RuleOutcome.Kind.DROP) {
                direction.codePoint(Math.max(0, done.dscp()));
                packet.codePoint(direction.codePoint());
                (done.kind() == RuleOutcome.Kind.FORWARD ? past : next()).packet(packet);
            }
        }
    }

    @Override
    public void packets(PacketRun run) {
        if (rule() != null) {
            super.packets(run);
            return;
        }
        direction.codePoint(0);
        next().packets(run);
    }

    @Override
    public boolean takesRuns() {
        return rule() == null && next().takesRuns();
    }

    private void fail(AnepException why) {
        if (!failed) {
            failed = true;
            direction.failed(why);
        }
    }

    /** Whether the options are good. A packet that is not ends the stream: nobody after this step may look at it. */
    private boolean isGood(Packet packet) {
        try {
            packet.checkOptions();
        } catch (MalformedPacketException e) {
            fail(e);
        }
        return !failed;
    }

    @Override
    public void end() {
        // Half a stream must not look like a whole one.
        if (!failed) {
            next().end();
        }
    }
}
