package org.tamanoir.services.collect;

import java.nio.ByteBuffer;
import java.util.function.LongBinaryOperator;
import org.tamanoir.collective.Element;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Reduction;

/** Vectors become one, element by element. */
abstract class ElementFold implements Fold {
    private boolean begun;

    static ElementFold of(Element element, Reduction reduction, int octets) {
        int elements = octets / element.octets();
        if (element == Element.INT64) {
            return new Integers(reduction, elements);
        }
        return reduction == Reduction.SUM ? new Sums(element, elements) : new Doubles(element, reduction, elements);
    }

    @Override
    public final void add(Piece piece) {
        ByteBuffer in = ByteBuffer.wrap(piece.data());
        if (begun) {
            combine(in);
        } else {
            begun = true;
            begin(in);
        }
    }

    abstract void begin(ByteBuffer in);

    abstract void combine(ByteBuffer in);

    private static double next(ByteBuffer in, Element element) {
        return element == Element.FLOAT32 ? in.getFloat() : in.getDouble();
    }

    private static void put(ByteBuffer out, Element element, double value) {
        if (element == Element.FLOAT32) {
            out.putFloat((float) value);
        } else {
            out.putDouble(value);
        }
    }

    private static final class Integers extends ElementFold {
        private final long[] values;
        private final LongBinaryOperator operator;

        Integers(Reduction reduction, int elements) {
            values = new long[elements];
            operator = switch (reduction) {
                case SUM -> Long::sum;
                case MIN -> Math::min;
                case MAX -> Math::max;
                case PRODUCT -> (a, b) -> a * b;
                case AND -> (a, b) -> a & b;
                case OR -> (a, b) -> a | b;
            };
        }

        @Override
        void begin(ByteBuffer in) {
            in.asLongBuffer().get(values);
        }

        @Override
        void combine(ByteBuffer in) {
            for (int i = 0; i < values.length; i++) {
                values[i] = operator.applyAsLong(values[i], in.getLong());
            }
        }

        @Override
        public byte[] octets() {
            ByteBuffer out = ByteBuffer.allocate(values.length * Long.BYTES);
            out.asLongBuffer().put(values);
            return out.array();
        }
    }

    /** In two doubles each (Knuth, TAOCP 4.2.2, two-sum), so that the order of what comes hardly matters; rounded once, when it goes on. */
    private static final class Sums extends ElementFold {
        private final Element element;
        private final double[] high;
        private final double[] low;

        Sums(Element element, int elements) {
            this.element = element;
            high = new double[elements];
            low = new double[elements];
        }

        @Override
        void begin(ByteBuffer in) {
            for (int i = 0; i < high.length; i++) {
                high[i] = next(in, element);
            }
        }

        @Override
        void combine(ByteBuffer in) {
            for (int i = 0; i < high.length; i++) {
                double a = high[i];
                double b = next(in, element);
                double sum = a + b;
                double ofB = sum - a;
                high[i] = sum;
                low[i] += (a - (sum - ofB)) + (b - ofB);
            }
        }

        @Override
        public byte[] octets() {
            ByteBuffer out = ByteBuffer.allocate(high.length * element.octets());
            for (int i = 0; i < high.length; i++) {
                // Of a sum that is infinite or no number the rest says nothing.
                put(out, element, Double.isFinite(high[i]) ? high[i] + low[i] : high[i]);
            }
            return out.array();
        }
    }

    private static final class Doubles extends ElementFold {
        private final Element element;
        private final Reduction reduction;
        private final double[] values;

        Doubles(Element element, Reduction reduction, int elements) {
            this.element = element;
            this.reduction = reduction;
            values = new double[elements];
        }

        @Override
        void begin(ByteBuffer in) {
            for (int i = 0; i < values.length; i++) {
                values[i] = next(in, element);
            }
        }

        @Override
        void combine(ByteBuffer in) {
            for (int i = 0; i < values.length; i++) {
                double other = next(in, element);
                values[i] = switch (reduction) {
                    case MIN -> Math.min(values[i], other);
                    case MAX -> Math.max(values[i], other);
                    default -> values[i] * other;
                };
            }
        }

        @Override
        public byte[] octets() {
            ByteBuffer out = ByteBuffer.allocate(values.length * element.octets());
            for (double value : values) {
                put(out, element, value);
            }
            return out.array();
        }
    }
}
