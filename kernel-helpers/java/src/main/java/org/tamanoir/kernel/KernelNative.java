package org.tamanoir.kernel;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * The functions of {@code tamanoir_kernel.h} and {@code tamanoir_tune.h}, bound by {@link KernelLibrary}; the headers say what each does. Structures are octets in
 * their layout, see {@link Structures}; {@code long} is {@code size_t} or {@code uint64_t} on the 64-bit machines that there are.
 */
final class KernelNative {
    private KernelNative() {
    }

    static native int tam_abi();

    static native int tam_probe(byte[] probe);

    static native Pointer tam_open(byte[] options, int[] error, byte[] message, long size);

    static native void tam_close(Pointer tam);

    static native int tam_attach(Pointer tam, int ifindex, int xdp, byte[] message, long size);

    static native int tam_detach(Pointer tam, int ifindex);

    static native int tam_attached(Pointer tam, int ifindex);

    static native int tam_attach_passing(Pointer tam, byte[] message, long size);

    static native int tam_address_add(Pointer tam, byte[] address);

    static native int tam_address_remove(Pointer tam, byte[] address);

    static native int tam_rule_put(Pointer tam, int slot, byte[] rule);

    static native int tam_rule_remove(Pointer tam, int slot);

    static native int tam_rule_read(Pointer tam, int slot, byte[] counters);

    static native int tam_rule_apply(Pointer tam, int slot, int octets, int colour);

    static native int tam_flow_put(Pointer tam, int slot, byte[] flow);

    static native int tam_flow_remove(Pointer tam, int slot);

    static native int tam_flow_read(Pointer tam, int slot, byte[] counters);

    static native int tam_flow_up(Pointer tam, int slot, int direction);

    static native int tam_flow_gate(Pointer tam, int slot, int direction, int up);

    static native int tam_refuse(Pointer tam, short typeId, int refuse);

    static native int tam_refused(Pointer tam, short typeId, long[] packets);

    static native int tam_statistics(Pointer tam, byte[] statistics);

    static native int tam_event(Pointer tam, byte[] event, int timeout);

    static native void tam_wake(Pointer tam);

    static native int tam_nft(Pointer tam, byte[] commands, byte[] output, long outputSize, byte[] message, long size);

    static native int tam_datagram_open(byte[] address, int networkInterface, short[] port);

    static native int tam_datagram_receive(int socket, ByteBuffer datagrams, ByteBuffer octets, int stride, int most);

    static native int tam_datagram_send(int socket, ByteBuffer datagrams, ByteBuffer octets, int stride, int count, int stamp);

    static native int tam_datagram_close(int descriptor);

    static native int tam_datagram_waker();

    static native int tam_datagram_wake(int waker);

    static native int tam_datagram_wait(int waker, int[] sockets, int count, long nanoseconds);

    static native Pointer tam_tune_open(byte[] rules, int count, int most, int[] newFlows, int[] part, int[] error, byte[] message, long size);

    static native int tam_tune_pass(Pointer tune, ByteBuffer flows, int room, long[] counts);

    static native void tam_tune_close(Pointer tune);

    static native int tam_clock_quality(long[] nanoseconds);

    static native int tam_clock(Pointer tam, long nanoseconds);

    static native int tam_run(Pointer tam, int ifindex, byte[] in, int inLength, byte[] out, int[] length);
}
