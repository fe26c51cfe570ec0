package org.tamanoir.client.proxy;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.identity.destination.Target;

/** SOCKS 5: a greeting with the methods of authentication, name and password where they are asked for, and one request. */
final class Socks5Dialogue extends ProxyDialogue {
    static final int VERSION = 5;
    private static final int NO_AUTHENTICATION = 0;
    private static final int NAME_AND_PASSWORD = 2;
    private static final int NO_METHOD = 0xFF;
    private static final int PASSWORD_VERSION = 1;
    private static final int CONNECT = 1;
    private static final int IPV4 = 1;
    private static final int NAME = 3;
    private static final int IPV6 = 4;
    private static final int COMMAND_NOT_SUPPORTED = 7;
    private static final int ADDRESS_NOT_SUPPORTED = 8;
    /** Version, command, a reserved octet, the type of the address, and its first octet, which is the length of a name. */
    private static final int UP_TO_LENGTH = 5;

    private enum State { GREETING, PASSWORD, REQUEST }

    private State state = State.GREETING;
    /** What the protocol says of the failure, where that is not in its code. */
    private int reply;

    Socks5Dialogue(Map<String, String> users) {
        super(users);
    }

    @Override
    public Target read(ByteBuf in, ByteBuf out) {
        if (state == State.GREETING && !greeting(in, out) || state == State.PASSWORD && !password(in, out)) {
            return null;
        }
        return request(in);
    }

    private boolean greeting(ByteBuf in, ByteBuf out) {
        if (in.readableBytes() < 2 || in.readableBytes() < 2 + in.getUnsignedByte(in.readerIndex() + 1)) {
            return false;
        }
        in.skipBytes(1);
        ByteBuf methods = in.readSlice(in.readUnsignedByte());
        int method = needsUser() ? NAME_AND_PASSWORD : NO_AUTHENTICATION;
        if (methods.indexOf(methods.readerIndex(), methods.writerIndex(), (byte) method) < 0) {
            throw needsUser() ? notIdentified("the program shows no name and password, and users of this gateway have to")
                    : bad("the program takes no connection without authentication, and this gateway has none");
        }
        out.writeByte(VERSION).writeByte(method);
        state = needsUser() ? State.PASSWORD : State.REQUEST;
        return true;
    }

    /** RFC 1929. */
    private boolean password(ByteBuf in, ByteBuf out) {
        int at = in.readerIndex();
        if (in.isReadable() && in.getByte(at) != PASSWORD_VERSION) {
            throw bad("name and password are not of version 1");
        }
        int name = in.readableBytes() < 2 ? 0 : in.getUnsignedByte(at + 1);
        if (in.readableBytes() < 3 + name || in.readableBytes() < 3 + name + in.getUnsignedByte(at + 2 + name)) {
            return false;
        }
        in.skipBytes(1);
        String user = in.readCharSequence(in.readUnsignedByte(), StandardCharsets.UTF_8).toString();
        checkUser(user, in.readCharSequence(in.readUnsignedByte(), StandardCharsets.UTF_8).toString());
        out.writeByte(PASSWORD_VERSION).writeByte(0);
        state = State.REQUEST;
        return true;
    }

    private Target request(ByteBuf in) {
        int at = in.readerIndex();
        if (in.isReadable() && in.getByte(at) != VERSION) {
            throw bad("the request is not of version 5");
        }
        if (in.readableBytes() < UP_TO_LENGTH) {
            return null;
        }
        int command = in.getUnsignedByte(at + 1);
        if (command != CONNECT) {
            reply = COMMAND_NOT_SUPPORTED;
            throw bad(command == 2 ? "a program asks for BIND: nobody can connect back through the nodes"
                    : command == 3 ? "a program asks for UDP ASSOCIATE: this gateway carries TCP" : "a program sends command " + command);
        }
        int type = in.getUnsignedByte(at + 3);
        int length = type == IPV4 ? 4 : type == IPV6 ? 16 : in.getUnsignedByte(at + 4);
        if (type != IPV4 && type != NAME && type != IPV6) {
            reply = ADDRESS_NOT_SUPPORTED;
            throw bad("a program names an address of type " + type);
        }
        int first = type == NAME ? UP_TO_LENGTH : UP_TO_LENGTH - 1;
        if (in.readableBytes() < first + length + 2) {
            return null;
        }
        in.skipBytes(first);
        byte[] host = new byte[length];
        in.readBytes(host);
        int port = in.readUnsignedShort();
        // ISO 8859-1 keeps octets apart that are no ASCII, so that no two names become one.
        return type == NAME ? Target.of(new String(host, StandardCharsets.ISO_8859_1), port) : Target.of(host, port);
    }

    @Override
    public void connected(ByteBuf out) {
        answer(0, out);
    }

    @Override
    public void refused(AnepException why, InetSocketAddress destination, ByteBuf out) {
        switch (state) {
            case GREETING -> out.writeByte(VERSION).writeByte(NO_METHOD);
            case PASSWORD -> out.writeByte(PASSWORD_VERSION).writeByte(1);
            case REQUEST -> answer(reply != 0 ? reply : ProxyFailure.of(why, destination).reply, out);
        }
    }

    /** The address from which the last node has connected is not known here: 0.0.0.0, as many servers say. */
    private static void answer(int code, ByteBuf out) {
        out.writeByte(VERSION).writeByte(code).writeByte(0).writeByte(IPV4).writeZero(4 + 2);
    }
}
