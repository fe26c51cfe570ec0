package org.tamanoir.node.stream;

import org.tamanoir.anep.Packet;
import org.tamanoir.node.transport.Stage;

/** Gives every packet one code point. */
final class CodePointStage extends Stage {
    private final int codePoint;

    CodePointStage(Stage next, int codePoint) {
        super(next);
        this.codePoint = codePoint;
    }

    @Override
    public void packet(Packet packet) {
        next().packet(packet.codePoint(codePoint));
    }
}
