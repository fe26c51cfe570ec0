package org.tamanoir.client.proxy;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.destination.Target;

/** What a program and a proxy say to each other before the first octet goes through. The program's first octet tells by which protocol. */
public abstract class ProxyDialogue {
    private final Map<String, String> users;

    ProxyDialogue(Map<String, String> users) {
        this.users = users;
    }

    /**
     * The dialogue that begins with an octet.
     *
     * @param users passwords by name; empty where nobody has to show one
     * @throws AnepException EE-231 if none does
     */
    public static ProxyDialogue beginningWith(int octet, Map<String, String> users) {
        if (octet == Socks5Dialogue.VERSION) {
            return new Socks5Dialogue(users);
        } else if (octet >= 'A' && octet <= 'Z') {
            return new ConnectDialogue(users);
        }
        throw new AnepException(ErrorCode.PROXY_REQUEST, octet == 4 ? "a program speaks SOCKS 4, which names no user that could be believed; SOCKS 5 is spoken here"
                : "a program speaks neither SOCKS 5 nor HTTP");
    }

    /**
     * Takes what has come, as far as it is needed.
     *
     * @param in  what has come and was not read before
     * @param out gets what is to be answered at once
     * @return where the program wants to go, when it has said so; null while more has to come
     * @throws AnepException EE-231 if the request is none, EE-215 if the program has not shown whose it is
     */
    public abstract Target read(ByteBuf in, ByteBuf out);

    /** Says that the destination has accepted. */
    public abstract void connected(ByteBuf out);

    /**
     * Says why nothing comes of it, as far as the protocol has words; the connection is to be closed after that.
     *
     * @param destination that the stream was opened to; null if it was not
     */
    public abstract void refused(AnepException why, InetSocketAddress destination, ByteBuf out);

    final boolean needsUser() {
        return !users.isEmpty();
    }

    final void checkUser(String name, String password) {
        String right = users.get(name);
        boolean same = MessageDigest.isEqual(password.getBytes(StandardCharsets.UTF_8), (right == null ? "" : right).getBytes(StandardCharsets.UTF_8));
        if (right == null || !same) {
            throw notIdentified("no user of this gateway has the name and the password that the program shows");
        }
    }

    static AnepException notIdentified(String text) {
        return new AnepException(ErrorCode.NOT_IDENTIFIED, text);
    }

    static AnepException bad(String text) {
        return new AnepException(ErrorCode.PROXY_REQUEST, text);
    }
}
