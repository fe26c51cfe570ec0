package org.tamanoir.services.qosdecision;

/** Numbers as people read them; a decision writes a few for each session, so without a formatter. */
final class Numbers {
    private static final double MOST_EXACT = 1e9;

    private Numbers() {
    }

    /** At most three digits after the point, none at the end that says nothing; {@code ?} for what is not known. */
    static StringBuilder append(StringBuilder text, double value) {
        if (Double.isNaN(value)) {
            return text.append('?');
        }
        if (Math.abs(value) >= MOST_EXACT) {
            return text.append(value);
        }
        long thousandths = Math.round(Math.abs(value) * 1000);
        if (value < 0 && thousandths > 0) {
            text.append('-');
        }
        text.append(thousandths / 1000);
        int rest = (int) (thousandths % 1000);
        if (rest > 0) {
            text.append('.').append((char) ('0' + rest / 100));
            if (rest % 100 > 0) {
                text.append((char) ('0' + rest / 10 % 10));
                if (rest % 10 > 0) {
                    text.append((char) ('0' + rest % 10));
                }
            }
        }
        return text;
    }

    /** Octets a second in megabits a second. */
    static StringBuilder appendRate(StringBuilder text, long octets) {
        return append(text, octets * 8e-6).append(" Mb/s");
    }
}
