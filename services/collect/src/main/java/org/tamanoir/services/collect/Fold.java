package org.tamanoir.services.collect;

import com.datadoghq.sketch.ddsketch.DDSketch;
import com.datadoghq.sketch.ddsketch.DDSketches;
import com.datadoghq.sketch.ddsketch.encoding.ByteArrayInput;
import com.datadoghq.sketch.ddsketch.encoding.GrowingByteArrayOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Signature;

/** Contributions become one as they come, in whatever order. What it holds does not grow with how many they are. */
interface Fold {
    /** @throws AnepException EE-109 for what cannot be combined */
    void add(Piece piece);

    /** What goes to the next node. */
    byte[] octets();

    /** Nothing, of which there is nothing to combine: a barrier. */
    Fold NOTHING = new Fold() {
        @Override
        public void add(Piece piece) {
        }

        @Override
        public byte[] octets() {
            return new byte[0];
        }
    };

    /** Of a piece of a vector, or of all that an operation brings. */
    static Fold of(Signature signature, int octets) {
        return switch (signature.operation()) {
            case REDUCE -> octets == 0 ? NOTHING : ElementFold.of(signature.element(), signature.reduction(), octets);
            case TOP -> new TopFold(signature.argument());
            case QUANTILES -> new QuantileFold();
            case BARRIER, BROADCAST, GATHER -> NOTHING;
        };
    }

    /** The largest scores, and what has them: (double, integer) pairs, the largest first, and of equal scores the smaller integer. */
    final class TopFold implements Fold {
        private final int most;
        private long[] tags = new long[0];
        private double[] scores = new double[0];

        TopFold(int most) {
            this.most = most;
        }

        /** Both are in order: they are merged. */
        @Override
        public void add(Piece piece) {
            int count = piece.data().length / Signature.TOP_ENTRY;
            if (piece.data().length % Signature.TOP_ENTRY != 0 || count > most) {
                throw bad(piece.data().length + " octets of scores; one has " + Signature.TOP_ENTRY + ", and " + most + " are wanted");
            }
            ByteBuffer in = ByteBuffer.wrap(piece.data());
            int size = Math.min(most, scores.length + count);
            double[] mergedScores = new double[size];
            long[] mergedTags = new long[size];
            double before = Double.POSITIVE_INFINITY;
            long tagBefore = Long.MIN_VALUE;
            for (int i = 0, at = 0, own = 0; i < size || at < count; i++) {
                double score = at < count ? in.getDouble(at * Signature.TOP_ENTRY) : 0;
                long tag = at < count ? in.getLong(at * Signature.TOP_ENTRY + Double.BYTES) : 0;
                if (at < count && (Double.isNaN(score) || isBefore(score, tag, before, tagBefore))) {
                    throw bad("scores are numbers, the largest first, and of equal ones that with the smaller integer");
                }
                if (at < count && (i >= size || own >= scores.length || isBefore(score, tag, scores[own], tags[own]))) {
                    before = score;
                    tagBefore = tag;
                    at++;
                    put(mergedScores, mergedTags, i, score, tag);
                } else {
                    put(mergedScores, mergedTags, i, scores[own], tags[own]);
                    own++;
                }
            }
            scores = mergedScores;
            tags = mergedTags;
        }

        private static void put(double[] scores, long[] tags, int at, double score, long tag) {
            if (at < scores.length) {
                scores[at] = score;
                tags[at] = tag;
            }
        }

        private static boolean isBefore(double score, long tag, double other, long otherTag) {
            return score > other || score == other && tag < otherTag;
        }

        @Override
        public byte[] octets() {
            ByteBuffer out = ByteBuffer.allocate(scores.length * Signature.TOP_ENTRY);
            for (int i = 0; i < scores.length; i++) {
                out.putDouble(scores[i]).putLong(tags[i]);
            }
            return out.array();
        }
    }

    /**
     * A sketch of doubles (DDSketch: Masson, Rim and Lee, 2019), at most 20 kB whatever it has seen: a quantile is within one per cent of the value that has its rank, for
     * values down to a billionth of the largest. What it says does not depend on the order, nor on the tree.
     */
    final class QuantileFold implements Fold {
        static final double ACCURACY = 0.01;
        /** Bins of each sign: so many times two per cent. */
        private static final int BINS = 1024;
        /** Quantiles of a result: 0, 1, …, 100 per cent. */
        static final int PERCENTS = 101;
        private final DDSketch sketch = DDSketches.logarithmicCollapsingLowestDense(ACCURACY, BINS);

        @Override
        public void add(Piece piece) {
            try {
                if (piece.has(Piece.SKETCH)) {
                    sketch.decodeAndMergeWith(ByteArrayInput.wrap(piece.data()));
                    return;
                }
                if (piece.data().length % Double.BYTES != 0) {
                    throw bad(piece.data().length + " octets of values; one has " + Double.BYTES);
                }
                ByteBuffer in = ByteBuffer.wrap(piece.data());
                while (in.hasRemaining()) {
                    sketch.accept(in.getDouble());
                }
            } catch (IOException | IllegalArgumentException e) {
                throw bad("a value is no finite number, or a node's sketch is none: " + e.getMessage());
            }
        }

        @Override
        public byte[] octets() {
            GrowingByteArrayOutput out = GrowingByteArrayOutput.withDefaultInitialCapacity();
            try {
                sketch.encode(out, false);
            } catch (IOException e) {
                throw new IllegalStateException("an array does not take octets", e);
            }
            return Arrays.copyOf(out.backingArray(), out.numWrittenBytes());
        }

        /** What members get: how many values there were, the accuracy, and the value at each per cent of the ranks; not a number if there were none. */
        byte[] result() {
            ByteBuffer out = ByteBuffer.allocate(Long.BYTES + Double.BYTES + PERCENTS * Double.BYTES);
            out.putLong((long) sketch.getCount()).putDouble(ACCURACY);
            for (int i = 0; i < PERCENTS; i++) {
                out.putDouble(sketch.isEmpty() ? Double.NaN : sketch.getValueAtQuantile(i / (PERCENTS - 1.0)));
            }
            return out.array();
        }
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, text);
    }
}
