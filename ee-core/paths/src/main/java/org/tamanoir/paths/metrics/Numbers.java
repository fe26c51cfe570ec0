package org.tamanoir.paths.metrics;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers in sentences for people. */
public final class Numbers {
    private Numbers() {
    }

    /** With so many digits that count, without zeros behind them or an exponent: {@code 80}, {@code 0.0123}. */
    public static String text(double value, int digits) {
        return value == 0 || !Double.isFinite(value) ? value == 0 ? "0" : Double.toString(value)
                : new BigDecimal(value).round(new MathContext(digits)).stripTrailingZeros().toPlainString();
    }
}
