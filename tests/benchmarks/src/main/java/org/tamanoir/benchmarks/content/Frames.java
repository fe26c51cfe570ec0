package org.tamanoir.benchmarks.content;

import java.util.TreeMap;

/** When the pictures of a transport stream (ISO/IEC 13818-1) have come, by the time that stands in each (PTS); however its octets are cut. */
final class Frames {
    private static final int PACKET = 188;
    private static final int CLOCK = 90_000;
    private static final int VIDEO = 0xE0;
    private static final int VIDEOS = 0xF0;

    private final byte[] packet = new byte[PACKET];
    private int length;
    private final TreeMap<Long, Long> came = new TreeMap<>();

    /** @param now when they came, in nanoseconds */
    synchronized void take(byte[] octets, int count, long now) {
        for (int i = 0; i < count; i++) {
            if (length > 0 || octets[i] == 0x47) {
                packet[length++] = octets[i];
            }
            if (length == PACKET) {
                length = 0;
                look(now);
            }
        }
    }

    private void look(long now) {
        boolean starts = (packet[1] & 0x40) != 0;
        int payload = 4 + ((packet[3] & 0x20) != 0 ? 1 + (packet[4] & 0xFF) : 0);
        if (!starts || payload + 14 > PACKET || packet[payload] != 0 || packet[payload + 1] != 0 || packet[payload + 2] != 1 || (packet[payload + 3] & VIDEOS) != VIDEO
                || (packet[payload + 7] & 0x80) == 0) {
            return;
        }
        int at = payload + 9;
        long time = (packet[at] & 0x0EL) << 29 | (packet[at + 1] & 0xFFL) << 22 | (packet[at + 2] & 0xFEL) << 14 | (packet[at + 3] & 0xFFL) << 7 | (packet[at + 4] & 0xFEL) >> 1;
        came.putIfAbsent(time, now);
    }

    synchronized int count() {
        return came.size();
    }

    /** When the first and the last came, in nanoseconds; some have come. */
    synchronized long first() {
        return came.values().stream().min(Long::compare).orElseThrow();
    }

    synchronized long last() {
        return came.values().stream().max(Long::compare).orElseThrow();
    }

    /** When each picture came, by its number from the first one on. */
    synchronized TreeMap<Long, Long> byNumber(int framesASecond) {
        TreeMap<Long, Long> numbered = new TreeMap<>();
        came.forEach((time, when) -> numbered.put(Math.round((time - came.firstKey()) * (double) framesASecond / CLOCK), when));
        return numbered;
    }
}
