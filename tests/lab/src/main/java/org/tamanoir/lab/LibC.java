package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;

/** System calls that Java has no names for; an error is an exception with its errno. */
final class LibC {
    static final int AF_PACKET = 17;
    static final int AF_INET = 2;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;
    static final int IPPROTO_IPIP = 4;
    static final int O_RDWR = 2;
    /** In network order, as packet(7) wants it. */
    static final int ETH_P_ALL = 0x0300;
    static final int SOL_SOCKET = 1;
    static final int SOL_PACKET = 263;
    static final int PACKET_VNET_HDR = 15;
    static final int SO_RCVTIMEO = 20;
    static final int SO_RCVBUFFORCE = 33;
    static final int CLONE_NEWNET = 0x4000_0000;
    static final int EAGAIN = 11;
    static final int ESRCH = 3;
    static final int SIGKILL = 9;
    static final int EINTR = 4;

    static {
        Native.register("c");
    }

    private LibC() {
    }

    static native int open(String path, int flags) throws LastErrorException;

    static native int ioctl(int descriptor, long request, byte[] argument) throws LastErrorException;

    static native int write(int descriptor, byte[] from, long size) throws LastErrorException;

    static native int setns(int descriptor, int kind) throws LastErrorException;

    /** @param pid below 0: the process group of that number */
    static native int kill(int pid, int signal) throws LastErrorException;

    static native int socket(int family, int type, int protocol) throws LastErrorException;

    static native int setsockopt(int socket, int level, int option, byte[] value, int length) throws LastErrorException;

    static native int recvfrom(int socket, byte[] to, long size, int flags, byte[] address, int[] length) throws LastErrorException;

    static native int close(int descriptor) throws LastErrorException;
}
