package org.tamanoir.cli.doctor;

import com.sun.jna.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What the kernel says of its clock: adjtimex(2) that changes nothing, which everybody may call. */
final class Clock {
    private static final int TIMEX_OCTETS = 208;
    /** Of struct timex on 64-bit Linux. */
    private static final int MAXERROR = 24;
    private static final int STATUS = 40;
    private static final int STA_UNSYNC = 0x40;
    private static final int TIME_ERROR = 5;
    /** One-way delays and the times of certificates and tokens need no more. */
    private static final long LARGEST_MICROS = 1_000_000;

    private Clock() {
    }

    static Finding look() {
        byte[] timex = new byte[TIMEX_OCTETS];
        int state;
        try {
            state = LibC.adjtimex(timex);
        } catch (UnsatisfiedLinkError e) {
            state = -1;
        }
        if (state < 0) {
            return Finding.warn("clock", "the kernel does not say whether its clock is synchronised", "see 'timedatectl' or 'chronyc tracking'");
        }
        ByteBuffer answer = ByteBuffer.wrap(timex).order(ByteOrder.nativeOrder());
        return judge(state, answer.getInt(STATUS), answer.getLong(MAXERROR));
    }

    /** @param maxError microseconds */
    static Finding judge(int state, int status, long maxError) {
        if (state == TIME_ERROR || (status & STA_UNSYNC) != 0) {
            return Finding.warn("clock", "nothing synchronises the clock: one-way delays of an observatory, tokens and certificates go by it",
                    "run chrony or systemd-timesyncd: apt-get install chrony");
        }
        String error = "synchronised, wrong by at most " + maxError / 1000 + " ms";
        return maxError > LARGEST_MICROS ? Finding.warn("clock", error, "the server of the time is far or silent: see 'chronyc sources' or 'timedatectl timesync-status'")
                : Finding.ok("clock", error);
    }

    private static final class LibC {
        static {
            Native.register("c");
        }

        static native int adjtimex(byte[] timex);
    }
}
