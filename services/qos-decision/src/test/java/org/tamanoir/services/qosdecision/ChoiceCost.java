package org.tamanoir.services.qosdecision;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.Question;

/** What the choices of a period cost for 100,000 sessions in five classes. A main program, not a test: figures of a busy machine prove nothing. */
public final class ChoiceCost {
    private static final int SESSIONS = 100_000;
    private static final int ROUNDS = 21;

    private ChoiceCost() {
    }

    public static void main(String[] args) {
        DecisionSettings settings = DecisionSettings.of(new MapConfiguration("options", Map.of()));
        Random random = new Random(1);
        List<Question> questions = new ArrayList<>();
        History[] histories = new History[SESSIONS];
        for (int i = 0; i < SESSIONS; i++) {
            Questions flow = new Questions(random.nextBoolean() ? Transport.TCP : Transport.UDP, Questions.rateAndLoss(50 * random.nextDouble(), 1));
            Questions.ALL.forEach(each -> flow.sample(each, Questions.sample(20 * random.nextDouble(), 100 * random.nextDouble(),
                    100 * random.nextDouble(), 2 * random.nextDouble())));
            questions.add(flow.question());
            histories[i] = History.NONE;
        }
        List<Double> millis = new ArrayList<>();
        long length = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < SESSIONS; i++) {
                Question question = questions.get(i);
                question = new Question(question.level(), question.transport(), question.rate(), question.segments(), question.candidates(), histories[i],
                        round * 1_000_000_000L);
                Choice choice = new Hysteresis(question, new Ranking(question, settings), settings).decide();
                histories[i] = choice.history();
                length += choice.reason().length();
            }
            millis.add((System.nanoTime() - start) / 1e6);
        }
        List<Double> warm = millis.subList(ROUNDS / 3, ROUNDS).stream().sorted().toList();
        System.out.printf(Locale.ROOT, "%,d choices: median %.0f ms, best %.0f ms, first %.0f ms; %.0f ns a choice; %d characters a reason%n", SESSIONS,
                warm.get(warm.size() / 2), warm.get(0), millis.get(0), warm.get(warm.size() / 2) * 1e6 / SESSIONS, length / ROUNDS / SESSIONS);
    }
}
