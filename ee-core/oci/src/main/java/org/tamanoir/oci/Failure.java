package org.tamanoir.oci;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.fetch.PlainJson;
import org.tamanoir.http.fetch.RawHttp.Answer;

/** What a status other than the expected one means, with the registry's own words. */
final class Failure {
    private static final int MOST_ERRORS = 3;
    private static final int MOST_WORDS = 200;
    private static final int MOST_PATIENCE_SECONDS = 3600;

    private Failure() {
    }

    /**
     * @param who  begins the sentence
     * @param body may be empty, and no JSON at all
     */
    static AnepException of(String who, Answer answer, byte[] body) {
        String text = who + " answers " + answer.status() + words(body);
        return switch (answer.status()) {
            case 401, 403 -> new AnepException(ErrorCode.REGISTRY_DENIES, text);
            case 404, 410 -> new AnepException(ErrorCode.REGISTRY_LACKS, text);
            case 408, 425, 429 -> later(text, answer);
            default -> answer.status() >= 500 ? later(text, answer)
                    : new AnepException(answer.status() >= 400 ? ErrorCode.REGISTRY_REJECTS : ErrorCode.REGISTRY_ANSWER, text);
        };
    }

    /** By the registry's own Retry-After, if that is a number of seconds (RFC 9110 section 10.2.3; a date needs clocks that agree). */
    private static AnepException later(String text, Answer answer) {
        String after = answer.header("Retry-After");
        if (after == null || !after.strip().matches("\\d{1,9}")) {
            return new AnepException(ErrorCode.REGISTRY_AWAY, text);
        }
        int seconds = Math.max(1, Math.min(MOST_PATIENCE_SECONDS, Integer.parseInt(after.strip())));
        return HttpError.later(ErrorCode.REGISTRY_AWAY, text, seconds, null);
    }

    /** {@code {"errors":[{"code":"…","message":"…"}]}}, in one line. */
    private static String words(byte[] body) {
        try {
            JsonNode root = PlainJson.read(body);
            List<String> words = new ArrayList<>();
            for (JsonNode error : root.path("errors")) {
                if (words.size() < MOST_ERRORS) {
                    words.add((error.path("code").asText("") + " " + error.path("message").asText("")).strip());
                }
            }
            if (words.isEmpty() && root.path("details").isTextual()) {
                words.add(root.path("details").asText());
            }
            String all = String.join("; ", words);
            return all.isEmpty() ? "" : ": " + (all.length() > MOST_WORDS ? all.substring(0, MOST_WORDS) + "…" : all);
        } catch (IOException e) {
            // Pages of proxies say nothing that is of use here.
            return "";
        }
    }
}
