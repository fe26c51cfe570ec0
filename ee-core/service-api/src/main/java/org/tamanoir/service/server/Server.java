package org.tamanoir.service.server;

import java.time.Duration;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.ServiceContext;

/**
 * A server that the operator has named in the service's options; from {@link ServiceContext#server}. The node speaks HTTP with it, as
 * itself: with its certificate, and the token that the options name. While the server is away it is asked again after 1, 2, 4 … 30 s, a
 * quarter more or less. Everything ends when the service stops. Safe for all threads; whoever is told is told on the thread of the
 * service's own tasks.
 *
 * <pre>{@code
 * server = service.server("collector");                             // services: NAME: {collector: https://…, collector-token-file: …}
 * server.follow("/v1/plan?wait=30", Duration.ofSeconds(30), this::changed);
 * server.send(Message.post("/v1/samples", "application/x-ndjson", lines), answer -> forget(answer.body()));
 * }</pre>
 *
 * <p>Paths are escaped, begin with a slash, and stand below the URL of the options; redirects are not followed.
 */
public interface Server {
    /** Documents that are followed, and messages that are not answered, of one service. */
    int MOST_UNDER_WAY = 8;
    /** Octets of a document, and of an answer. */
    int MOST_DOCUMENT = 16 << 20;
    /** Octets of a message. */
    int MOST_MESSAGE = 4 << 20;

    /** Why it does not answer, or refuses what it is asked; null while it does as it is asked, and before it was asked. */
    String problem();

    /**
     * Keeps a document up to date: fetches it, and again when it may have changed, with the tag that came with it (RFC 9110 section 8.8.3).
     *
     * @param wait    how long the server may keep the question until there is something new, if {@code path} asks it to; one that answers
     *                sooner that nothing has changed is asked again when this is over. 1 s to 5 min
     * @param changed told of the document, and of each that takes its place
     * @throws AnepException EE-309 beyond {@link #MOST_UNDER_WAY}
     */
    void follow(String path, Duration wait, Consumer<byte[]> changed);

    /**
     * Sends a message until the server has answered it: once or, if an answer is lost, more than once.
     *
     * @param answered told once
     * @throws AnepException EE-309 beyond {@link #MOST_UNDER_WAY}
     */
    void send(Message message, Consumer<Answer> answered);

    /**
     * What is sent; the octets must not change any more.
     *
     * @param method {@code PUT} or {@code POST}
     * @param type   of the body, such as {@code application/json}
     * @param body   at most {@link #MOST_MESSAGE} octets
     */
    record Message(String method, String path, String type, byte[] body) {
        /** @throws IllegalArgumentException for another method, or too long a body */
        public Message {
            if (!method.equals("PUT") && !method.equals("POST") || body.length > MOST_MESSAGE) {
                throw new IllegalArgumentException(method + " of " + body.length + " octets; a message is a PUT or POST of at most " + MOST_MESSAGE);
            }
        }

        public static Message put(String path, String type, byte[] body) {
            return new Message("PUT", path, type, body);
        }

        public static Message post(String path, String type, byte[] body) {
            return new Message("POST", path, type, body);
        }
    }

    /**
     * What the server says to a message.
     *
     * @param body    of a good answer; null if it refuses
     * @param refusal why it does not take the message, now or later; null if it does
     */
    record Answer(byte[] body, AnepException refusal) {
        public boolean isGood() {
            return refusal == null;
        }
    }
}
