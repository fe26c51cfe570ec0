package org.tamanoir.dyram;

import java.net.InetSocketAddress;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.SessionTerms;

/** Forged messages of every kind from one who takes no part. */
record Flood(Scene scene, InetSocketAddress from, Place to) {
    private static final byte[] TAG = new byte[16];

    void one(int number) {
        long session = 1_000_000L + number;
        SessionTerms terms = new SessionTerms(Tree.GROUP, 0, 1_000, 1_000, 1_000_000, true, number);
        say(new Message.Announce(session, 1, 8, false, terms, TAG));
        say(new Message.Join(Scene.SESSION, "flood " + number, number, false, false, TAG));
        say(new Message.Join(session, "flood", number, false, false, TAG));
        say(new Message.Nack(Scene.SESSION, number, Losses.of(number, 0)));
        say(new Message.Beat(Scene.SESSION, number, 1, 0, false, new byte[0], TAG));
        say(new Message.Close(number % 2 == 0 ? session : Scene.SESSION, null, TAG));
        say(new Message.Refuse(Scene.SESSION, "host 0.0", number, org.tamanoir.anep.ErrorCode.TOO_LATE, TAG));
        say(new Message.Leave(Scene.SESSION, number, 1));
        say(new Message.Rejoin(Scene.SESSION));
        if (number % 100 == 0) {
            // Each is answered with every session that is known.
            say(new Message.Listen(Tree.GROUP));
        }
    }

    private void say(Message message) {
        scene.simulation.outlet(from).send(message, to.address());
    }
}
