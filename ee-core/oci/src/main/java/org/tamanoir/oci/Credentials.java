package org.tamanoir.oci;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The {@code auths} of a file as {@code docker login} and {@code podman login} write it. It is read at each use, for it may change; programs that it names for keeping credentials
 * are not run.
 */
final class Credentials {
    private static final long MOST_OCTETS = 1 << 20;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * What is known for a registry.
     *
     * @param user          null if there is only a token
     * @param password      null as user
     * @param identityToken for a token service in place of a password; or null
     * @param registryToken for the registry itself; or null
     */
    record Login(String user, String password, String identityToken, String registryToken) {
        /** {@code Basic …}; null if there is no password. */
        String basic() {
            return password == null ? null : "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        }

        /** Secrets are for no log. */
        @Override
        public String toString() {
            return "Login of " + user;
        }
    }

    private final Path file;

    /** @param file null for none */
    Credentials(Path file) {
        this.file = file;
    }

    /**
     * The login of the longest entry that a place is in: {@code HOST/SPACE/NAME}, then {@code HOST/SPACE}, then {@code HOST}.
     *
     * @return null for nobody's
     * @throws AnepException EE-501 if the file cannot be read, or is none of these
     */
    Login find(Location location) {
        if (file == null) {
            return null;
        }
        JsonNode auths = read().path("auths");
        String key = location.host() + "/" + location.name();
        while (true) {
            Login login = login(auths, key);
            if (login != null || !key.contains("/")) {
                return login;
            }
            key = key.substring(0, key.lastIndexOf('/'));
        }
    }

    private JsonNode read() {
        try {
            if (Files.size(file) > MOST_OCTETS) {
                throw bad("it is longer than " + MOST_OCTETS + " octets", null);
            }
            JsonNode root = MAPPER.readTree(Files.readAllBytes(file));
            if (!root.isObject()) {
                throw bad("it is no JSON object", null);
            }
            return root;
        } catch (JsonProcessingException e) {
            // The parser's own words may repeat secrets.
            throw bad("it is no JSON", null);
        } catch (IOException e) {
            throw bad(AnepException.reason(e), e);
        }
    }

    private Login login(JsonNode auths, String key) {
        // docker writes URLs for some registries, with the version of their API behind.
        List<String> forms = key.contains("/") ? List.of(key) : Stream.of("", "https://", "http://").flatMap(scheme -> Stream.of("", "/", "/v1", "/v1/", "/v2", "/v2/").map(end -> scheme + key + end)).toList();
        for (Map.Entry<String, JsonNode> each : auths.properties()) {
            if (forms.contains(each.getKey())) {
                return login(each.getValue());
            }
        }
        return null;
    }

    private Login login(JsonNode entry) {
        String user = text(entry, "username");
        String password = text(entry, "password");
        String auth = text(entry, "auth");
        if (auth != null) {
            String[] both = decoded(auth).split(":", 2);
            if (both.length < 2) {
                throw bad("an auth in it is no user and password in Base64", null);
            }
            user = both[0];
            password = both[1];
        }
        Login login = new Login(user, password, text(entry, "identitytoken"), text(entry, "registrytoken"));
        return user == null && login.identityToken == null && login.registryToken == null ? null : login;
    }

    private String decoded(String auth) {
        try {
            return new String(Base64.getDecoder().decode(auth.strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw bad("an auth in it is no Base64", null);
        }
    }

    private static String text(JsonNode entry, String key) {
        String text = entry.path(key).asText("");
        return text.isEmpty() ? null : text;
    }

    private AnepException bad(String why, Exception cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "the registry's credentials in " + file + " cannot be used: " + why, cause);
    }
}
