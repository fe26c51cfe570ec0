package org.tamanoir.node.stream;

import org.tamanoir.node.offload.LightPath;
import org.tamanoir.node.offload.LightPath.LightTarget;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpLeg;

/** What a light connection that the kernel has not taken is, and counts as, in the node. On the loop of its stream. */
final class LightCount {
    private final LightTarget light;
    private final LightPath path;
    private long in;
    private long back;

    LightCount(LightTarget light, LightPath path) {
        this.light = light;
        this.path = path;
    }

    LightTarget target() {
        return light;
    }

    /** It flows. @return what its packets go through first */
    Stage opened(Stage services) {
        path.inNode(light.name()).opened();
        int codePoint = light.dscp() == null ? 0 : light.dscp();
        return codePoint == 0 ? services : new CodePointStage(services, codePoint);
    }

    /** Counts what has passed since the last time. */
    void look(TcpLeg near) {
        path.inNode(light.name()).carried(near.received() - in, near.sent() - back);
        in = near.received();
        back = near.sent();
    }
}
