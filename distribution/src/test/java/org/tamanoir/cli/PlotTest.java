package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlotTest {
    private static String drawn(Duration last, double[] ago, double... values) {
        StringWriter text = new StringWriter();
        new Plot("rate", last).draw(ago, values, new PrintWriter(text, true));
        return text.toString();
    }

    @Test
    void whatIsHighStandsHighAndWhereNothingIsKnownIsAGap() {
        String text = drawn(Duration.ofMinutes(1), new double[] {60, 30, 0}, 10, 5, 0);
        assertThat(text.lines().toList()).containsExactly("", "rate",
                "      10.0 |#",
                "           |#",
                "           |#" + " ".repeat(29) + ":",
                "           |#" + " ".repeat(29) + "#",
                "         0 |#" + " ".repeat(29) + "#" + " ".repeat(28) + ".",
                "           +" + "-".repeat(60),
                "            60.0 s ago" + " ".repeat(47) + "now");
    }

    @Test
    void itGoesNoFurtherBackThanItIsTold() {
        assertThat(drawn(Duration.ofSeconds(10), new double[] {100, 5, 0}, 999, 1, 1)).contains("10.0 s ago").doesNotContain("999");
        assertThat(drawn(Duration.ofSeconds(10), new double[0])).isEmpty();
    }
}
