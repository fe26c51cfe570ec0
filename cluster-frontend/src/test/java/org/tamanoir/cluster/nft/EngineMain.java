package org.tamanoir.cluster.nft;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.plan.Plan.RealServer;

/** An engine in a process that can be killed. Reads lines {@code apply VIRTUAL NAME=ADDRESS=WEIGHT …}, and answers each with a line. */
final class EngineMain {
    private EngineMain() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        try (NftEngine engine = NftEngine.open("the test wants it", () -> "alone", CheckSettings.DEFAULT)) {
            // A program that it has started lives on when it is killed, and must not hold the table.
            new ProcessBuilder("sleep", "20").start();
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                RealServer[] servers = Arrays.stream(words).skip(2).map(EngineMain::server).toArray(RealServer[]::new);
                engine.apply(Plans.plan(words[1], 0, servers));
                System.out.println("done");
            }
        } catch (RuntimeException e) {
            System.out.println("error " + e.getMessage());
        }
    }

    private static RealServer server(String text) {
        String[] fields = text.split("=");
        return Plans.server(fields[0], fields[1], Integer.parseInt(fields[2]));
    }
}
