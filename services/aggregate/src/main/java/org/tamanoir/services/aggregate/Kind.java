package org.tamanoir.services.aggregate;

/** What the values of a reading are; each is kept in the 64 bits that it has on the wire. */
enum Kind {
    /** Signed whole numbers of 64 bits. Their sum has 128 bits and cannot overflow. */
    INTEGER(1) {
        @Override
        int compare(long a, long b) {
            return Long.compare(a, b);
        }

        @Override
        boolean isValue(long bits) {
            return true;
        }

        @Override
        long sumRest(long value) {
            return value;
        }

        @Override
        long sumFront(long value) {
            return value >> 63;
        }
    },
    /** IEEE 754 binary64, finite. Their sum is kept in two doubles, about 106 bits of mantissa. */
    DOUBLE(2) {
        @Override
        int compare(long a, long b) {
            return Double.compare(Double.longBitsToDouble(a), Double.longBitsToDouble(b));
        }

        @Override
        boolean isValue(long bits) {
            return Double.isFinite(Double.longBitsToDouble(bits));
        }

        @Override
        long sumRest(long value) {
            return 0;
        }

        @Override
        long sumFront(long value) {
            return value;
        }
    };

    private final int code;

    Kind(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    int code() {
        return code;
    }

    /** The kind with a number, or null. */
    static Kind of(int code) {
        return code == 1 ? INTEGER : code == 2 ? DOUBLE : null;
    }

    abstract int compare(long a, long b);

    /** Whether 64 bits are a value that a source may send. */
    abstract boolean isValue(long bits);

    /** The first 64 bits of the sum of one value. */
    abstract long sumFront(long value);

    /** The last 64 bits of the sum of one value. */
    abstract long sumRest(long value);
}
