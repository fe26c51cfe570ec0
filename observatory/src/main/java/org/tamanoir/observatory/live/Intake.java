package org.tamanoir.observatory.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.observatory.store.Samples;
import org.tamanoir.observatory.store.SeriesStore;
import org.tamanoir.observatory.store.Streams;
import org.tamanoir.observatory.store.Theodolites;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.SampleAnswer;
import org.tamanoir.paths.wire.SampleAnswer.Acknowledged;
import org.tamanoir.paths.wire.SampleAnswer.Refused;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.SeriesLine;
import org.tamanoir.paths.wire.StreamLine;

/** Takes samples: each once, only those of who sends them, and says of each line that is wrong what is wrong with it. */
public final class Intake {
    private static final int MOST_REFUSED = 100;
    private static final int LONGEST_MESSAGE = 200;
    /** Clocks differ by so much. */
    private static final long CLOCKS = 10_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** It takes no streams of ours: the port is that of pScheduler. */
    private static final Registration FOREIGN = new Registration("pScheduler", "pscheduler:443", null, "pScheduler", null);

    private record Origin(String theodolite, long boot) {
    }

    private final Theodolites theodolites;
    private final Samples samples;
    private final Streams streams;
    private final SeriesStore series;
    private final Knowledge knowledge;
    private final long keep;
    private final LongAdder kept = new LongAdder();
    private final LongAdder known = new LongAdder();
    private final LongAdder refused = new LongAdder();

    Intake(Theodolites theodolites, Samples samples, Streams streams, SeriesStore series, Knowledge knowledge, long keep) {
        this.theodolites = theodolites;
        this.samples = samples;
        this.streams = streams;
        this.series = series;
        this.knowledge = knowledge;
        this.keep = keep;
    }

    /** The lines of one request, while they are looked at. */
    private final class Batch {
        private final String identity;
        private final long now;
        private final List<SampleLine> good = new ArrayList<>();
        private final List<StreamLine> streams = new ArrayList<>();
        private final List<SeriesLine> series = new ArrayList<>();
        private final Function<String, Line> parser;
        private final Map<Origin, Long> highest = new LinkedHashMap<>();
        private final List<Refused> wrong = new ArrayList<>();
        private int wrongCount;
        private AnepException foreign;

        Batch(String identity, long now, Function<String, Line> parser, String body) {
            this.identity = identity;
            this.now = now;
            this.parser = parser;
            int number = 0;
            for (String text : body.split("\n", -1)) {
                number++;
                if (!text.isBlank()) {
                    line(number, text);
                }
            }
            if (foreign != null && highest.isEmpty()) {
                throw foreign;
            }
        }

        private void line(int number, String text) {
            try {
                Line line = parser.apply(text);
                own(line.theodolite(), line.boot(), line.number());
                checkTime(line);
                if (line instanceof SampleLine sample) {
                    checkSession(sample);
                    good.add(sample);
                } else if (line instanceof StreamLine stream) {
                    streams.add(stream);
                } else {
                    series.add((SeriesLine) line);
                }
            } catch (AnepException e) {
                if (e.code() == ErrorCode.BAD_SAMPLE) {
                    acknowledgeWhatCanBeRead(text);
                } else if (foreign == null) {
                    foreign = e;
                }
                wrongCount++;
                if (wrong.size() < MOST_REFUSED) {
                    wrong.add(new Refused(number, e.code().toString(), e.text().length() > LONGEST_MESSAGE ? e.text().substring(0, LONGEST_MESSAGE) : e.text()));
                }
            }
        }

        private void own(String theodolite, long boot, long number) {
            theodolites.owned(theodolite, identity);
            highest.merge(new Origin(theodolite, boot), number, Math::max);
        }

        private void checkTime(Line line) {
            if (line.time() > now + CLOCKS) {
                throw new AnepException(ErrorCode.BAD_SAMPLE, "time: it is " + (line.time() - now) / 1000 + " s ahead of the observatory's clock");
            }
            if (line.time() < now - keep) {
                throw new AnepException(ErrorCode.BAD_SAMPLE, "time: it is older than samples are kept, " + keep / 86_400_000 + " days");
            }
        }

        private void checkSession(SampleLine line) {
            if (!samples.hasSession(line.session()) && samples.sessions() + good.size() >= Samples.MOST_SESSIONS) {
                throw new AnepException(ErrorCode.BAD_SAMPLE, "session: it is new, and there have been " + Samples.MOST_SESSIONS + " already");
            }
        }

        /** A line that will never be right must not come again and again. */
        private void acknowledgeWhatCanBeRead(String text) {
            try {
                JsonNode tree = text.length() > SeriesLine.LONGEST ? MAPPER.missingNode() : MAPPER.readTree(text);
                if (tree.path("theodolite").isTextual() && tree.path("boot").canConvertToLong() && tree.path("number").canConvertToLong() && tree.path("number").isIntegralNumber()) {
                    own(tree.path("theodolite").asText(), tree.path("boot").asLong(), tree.path("number").asLong());
                }
            } catch (JsonProcessingException | AnepException e) {
                // Its place in the request is all that can be said of it.
            }
        }
    }

    /**
     * Takes what one identity sends.
     *
     * @param body a line of JSON each
     * @throws AnepException EE-407 or EE-782 if no line is of a theodolite of this identity; EE-783 or EE-784 if nothing could be kept: then nothing is acknowledged
     */
    public SampleAnswer take(String body, String identity, long now) {
        Batch batch = new Batch(identity, now, Line::parse, body);
        int isNew = 0;
        if (!batch.good.isEmpty()) {
            boolean[] news = samples.keep(batch.good);
            for (int i = 0; i < news.length; i++) {
                if (news[i]) {
                    isNew++;
                    knowledge.add(batch.good.get(i), now);
                }
            }
        }
        if (!batch.streams.isEmpty()) {
            List<StreamLine> news = streams.keep(batch.streams);
            isNew += news.size();
            news.forEach(line -> knowledge.add(line, now));
        }
        return answer(batch, isNew, batch.good.size() + batch.streams.size() - isNew);
    }

    /** Takes series, which theodolites number apart from samples. @throws AnepException as the other one */
    public SampleAnswer takeSeries(String body, String identity, long now) {
        Batch batch = new Batch(identity, now, SeriesLine::parse, body);
        int isNew = batch.series.isEmpty() ? 0 : series.keep(batch.series);
        return answer(batch, isNew, batch.series.size() - isNew);
    }

    private SampleAnswer answer(Batch batch, int isNew, int isKnown) {
        kept.add(isNew);
        known.add(isKnown);
        refused.add(batch.wrongCount);
        List<Acknowledged> acknowledged = batch.highest.entrySet().stream().map(each -> new Acknowledged(each.getKey().theodolite(), each.getKey().boot(), each.getValue())).toList();
        return new SampleAnswer(acknowledged, isNew, isKnown, batch.wrong);
    }

    /**
     * Takes a result of a host that is no theodolite. Its name belongs to the identity that brings its first result.
     *
     * @return whether it is new
     * @throws AnepException as the other one, and EE-781 for a result from no time
     */
    public boolean takeForeign(SampleLine line, String identity, long now) {
        if (theodolites.find(line.theodolite()) == null) {
            theodolites.register(line.theodolite(), identity, FOREIGN, now);
        }
        String body = line.json();
        SampleAnswer answer = take(body, identity, now);
        if (!answer.refused().isEmpty()) {
            throw new AnepException(ErrorCode.BAD_SAMPLE, answer.refused().get(0).message());
        }
        return answer.kept() == 1;
    }

    public long kept() {
        return kept.sum();
    }

    /** That came again. */
    public long known() {
        return known.sum();
    }

    public long refused() {
        return refused.sum();
    }
}
