package org.tamanoir.tuf.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** python-tuf, the reference implementation: a process that is asked. The first one of a checkout makes its environment. */
public final class Oracle implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path SCRIPTS = scripts();

    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;

    /** @param directory where its clients keep what they know */
    public Oracle(Path directory) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(python(), SCRIPTS.resolve("oracle.py").toString()).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("ORACLE_DIRECTORY", directory.toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        process = builder.start();
        questions = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Modules are tested in their own directories. */
    private static Path scripts() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path scripts = at.resolve("ee-core/tuf/src/test/python");
            if (Files.isDirectory(scripts)) {
                return scripts;
            }
        }
        throw new IllegalStateException("no checkout");
    }

    /** The Python that has python-tuf. */
    public static String python() throws IOException {
        Path log = Files.createTempFile("tamanoir-test", ".log");
        Process made = new ProcessBuilder(SCRIPTS.resolve("environment").toString()).redirectError(log.toFile()).start();
        String path = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (!made.waitFor(5, TimeUnit.MINUTES) || made.exitValue() != 0) {
                throw new IOException("there is no python-tuf: " + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            Files.delete(log);
        }
        return path;
    }

    private JsonNode ask(String what, ObjectNode question) throws IOException {
        questions.write(JSON.writeValueAsString(question.put("ask", what)));
        questions.newLine();
        questions.flush();
        JsonNode answer = JSON.readTree(answers.readLine());
        if (answer.has("failure")) {
            throw new IOException(answer.path("failure").asText());
        }
        return answer.path("answer");
    }

    /** The canonical form of JSON texts, in hexadecimal digits. */
    public List<String> canonical(List<String> texts) throws IOException {
        return texts(ask("canonical", JSON.createObjectNode().set("values", JSON.valueToTree(texts))));
    }

    /** Whether paths match patterns; of each pair the pattern is first. */
    public List<String> matches(List<List<String>> pairs) throws IOException {
        return texts(ask("matches", JSON.createObjectNode().set("pairs", JSON.valueToTree(pairs))));
    }

    /** The ids of public keys in PEM. */
    public List<String> keyIds(List<String> keys) throws IOException {
        return texts(ask("key_ids", JSON.createObjectNode().set("keys", JSON.valueToTree(keys))));
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }

    /**
     * What a client of python-tuf makes of a repository; it remembers what it knew before.
     *
     * @param client its name
     * @param root   the first root that it trusts
     * @param files  what the repository serves, by the name
     * @param paths  of targets that it looks for
     * @return {@code error} (a class and a message) or nothing; {@code versions} by role; {@code found}: a SHA-256, null, or {@code error …}, by path
     */
    public JsonNode update(String client, byte[] root, Map<String, byte[]> files, List<String> paths, Instant now) throws IOException {
        ObjectNode question = JSON.createObjectNode().put("client", client).put("root", base64(root)).put("now", now.toString());
        files.forEach((name, octets) -> question.withObject("/files").put(name, base64(octets)));
        question.withObject("/files");
        paths.forEach(question.withArray("/paths")::add);
        question.withArray("/paths");
        return ask("update", question);
    }

    /**
     * What a client of python-tuf gets from a server, by its own HTTP.
     *
     * @param client its name
     * @param root   the first root that it trusts
     * @param url    of the server
     * @return {@code error}; or {@code found}: the SHA-256 of the content that it has downloaded, null, or {@code error …}, by path
     */
    public JsonNode download(String client, byte[] root, String url, List<String> paths) throws IOException {
        ObjectNode question = JSON.createObjectNode().put("client", client).put("root", base64(root)).put("url", url);
        paths.forEach(question.withArray("/paths")::add);
        return ask("download", question);
    }

    private static String base64(byte[] octets) {
        return Base64.getEncoder().encodeToString(octets);
    }

    @Override
    public void close() throws IOException {
        questions.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
