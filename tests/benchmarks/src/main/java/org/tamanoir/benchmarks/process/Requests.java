package org.tamanoir.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** What a process of a bench is asked on its standard input, one request a line, and answers with one line each. */
public final class Requests {
    /** What a process does of what it is asked. */
    public interface Role {
        /**
         * Does it.
         *
         * @param words of the request
         * @return a word and figures
         * @throws IOException if it cannot be done; the answer is then {@code FAILED reason}
         */
        String answer(String[] words) throws IOException, InterruptedException;
    }

    private Requests() {
    }

    /** Answers until standard input ends, and then ends this process, which so never outlives its bench. */
    public static void serve(Role role) throws IOException, InterruptedException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            try {
                System.out.println(role.answer(request.split(" ")));
            } catch (IOException e) {
                System.out.println("FAILED " + e);
            }
        }
        System.exit(0);
    }
}
