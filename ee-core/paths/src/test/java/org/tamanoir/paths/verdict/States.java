package org.tamanoir.paths.verdict;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;

/** Makes states of connections field by field, in the octets of the kernel. */
final class States {
    static final int OCTETS = 280;

    private final Map<TcpField, Long> values = new EnumMap<>(TcpField.class);

    States with(TcpField field, long value) {
        values.put(field, value);
        return this;
    }

    States plus(TcpField field, long more) {
        values.merge(field, more, Long::sum);
        return this;
    }

    byte[] octets(ByteOrder order) {
        ByteBuffer buffer = ByteBuffer.allocate(OCTETS).order(order);
        values.forEach((field, value) -> {
            switch (field.octets()) {
                case 1 -> buffer.put(field.offset(), value.byteValue());
                case 2 -> buffer.putShort(field.offset(), value.shortValue());
                case 4 -> buffer.putInt(field.offset(), value.intValue());
                case 8 -> buffer.putLong(field.offset(), value);
                default -> throw new IllegalArgumentException(field.toString());
            }
        });
        return buffer.array();
    }

    TcpState state() {
        return TcpState.decode(octets(ByteOrder.LITTLE_ENDIAN), ByteOrder.LITTLE_ENDIAN);
    }
}
