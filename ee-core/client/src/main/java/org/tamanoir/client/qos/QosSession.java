package org.tamanoir.client.qos;

import java.util.List;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Stop;

/**
 * A QoS session as it was programmed.
 *
 * @param code    64 bits, not 0: whoever has it can use, modify and release the session
 * @param path    the nodes that have stored it, the first one first
 * @param partial why not every node on the path has; null if all have
 * @param warning what was asked for and cannot be had as things are, such as a file in time; null for nothing
 */
public record QosSession(long code, List<Stop> path, String partial, String warning) {
    static QosSession of(Answer answer) {
        return new QosSession(answer.session(), answer.path(), answer.code() == null ? null : answer.text(), answer.warning());
    }

    /** The code as commands write it: 16 hexadecimal digits. */
    public String name() {
        return Messages.hex(code);
    }
}
