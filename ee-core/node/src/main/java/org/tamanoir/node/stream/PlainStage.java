package org.tamanoir.node.stream;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.node.transport.Stage;

/** In front of a destination that gets payloads alone: one that is still encoded would look like something else than the source has sent. */
final class PlainStage extends Stage {
    private final FlowControl flow;
    private boolean failed;

    PlainStage(Stage next, FlowControl flow) {
        super(next);
        this.flow = flow;
    }

    @Override
    public void packet(Packet packet) {
        if (failed) {
            return;
        }
        if (packet.has(OptionType.CONTENT_ENCODING)) {
            failed = true;
            flow.failed(new AnepException(ErrorCode.BAD_CONTENT, "a payload is encoded as " + packet.options().contentEncoding()
                    + ", and no service of this node restores it before it is delivered as it is"));
        } else {
            next().packet(packet);
        }
    }

    @Override
    public void packets(PacketRun run) {
        if (!failed) {
            next().packets(run);
        }
    }

    @Override
    public boolean takesRuns() {
        return next().takesRuns();
    }

    @Override
    public void end() {
        // Half a stream must not look like a whole one.
        if (!failed) {
            next().end();
        }
    }
}
