package org.tamanoir.dyram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.BitSet;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.wire.SessionKey;

/** A receiver that finds packets with itself once it has read the first ones, as one does that has some of the files already. */
final class Finding {
    private final Scene scene;
    private final Place host;
    private final BitSet held;
    private final long takes;
    private boolean begun;

    /** @param takes nanoseconds until everything is found, half of it in half of that time */
    Finding(Scene scene, Place host, BitSet held, long takes) {
        this.scene = scene;
        this.host = host;
        this.held = held;
        this.takes = takes;
        host.store().whenPut(index -> look());
    }

    private void look() {
        for (long index = 0; index < scene.content.head(); index++) {
            if (!host.store().has(index)) {
                return;
            }
        }
        if (!begun) {
            begun = true;
            long now = scene.simulation.now();
            int half = (int) scene.content.packets() / 2;
            scene.simulation.at(now, () -> host.receiver().looking(scene.simulation.now(), Scene.SESSION, !held.isEmpty()));
            scene.simulation.at(now + takes / 2, () -> find(held.get(0, half), 0));
            scene.simulation.at(now + takes, () -> {
                find(held.get(half, (int) scene.content.packets()), half);
                host.receiver().looking(scene.simulation.now(), Scene.SESSION, false);
                scene.simulation.touched(host.address());
            });
        }
    }

    private void find(BitSet packets, int from) {
        SessionKey key = SessionKey.of(Tree.secret(), Scene.SESSION, host.store().terms().salt());
        packets.stream().map(index -> from + index).forEach(index -> {
            ByteBuf body = Unpooled.buffer();
            key.data(Scene.SESSION, host.store().terms().sequence(index), scene.content.read(index), body);
            host.receiver().found(scene.simulation.now(), Scene.SESSION, index, body);
        });
        scene.simulation.touched(host.address());
    }
}
