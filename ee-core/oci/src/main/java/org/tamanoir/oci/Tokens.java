package org.tamanoir.oci;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.PlainJson;
import org.tamanoir.http.fetch.RawHttp;
import org.tamanoir.http.fetch.RawHttp.Answer;
import org.tamanoir.http.fetch.RawHttp.Body;

/**
 * What is shown to a registry: nothing until it asks, then a password, or a token that its token service gives for it ("Token Authentication" of the distribution project). A token
 * is used again until a while before it expires; that is counted from when it came, so clocks need not agree.
 */
final class Tokens {
    /** The presets of the protocol. */
    private static final long PRESET_SECONDS = 60;
    private static final long MARGIN_SECONDS = 5;
    /** Asked for again after so long, however long it would last. */
    private static final long MOST_SECONDS = 3600;
    private static final int MOST_KEPT = 256;
    private static final long MOST_ANSWER = 64 << 10;
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,16384}");

    private final RawHttp http;
    private final Credentials credentials;
    private final LongSupplier nanos;
    private final Map<String, Token> kept = BoundedMap.byUse(MOST_KEPT);

    private record Token(String header, long until) {
    }

    /** @param nanos as {@link System#nanoTime} */
    Tokens(RawHttp http, Credentials credentials, LongSupplier nanos) {
        this.http = http;
        this.credentials = credentials;
        this.nanos = nanos;
    }

    private static String key(Location location, String actions) {
        return location + " " + actions;
    }

    /** The header that was accepted before; null if there is none that still counts. */
    synchronized String known(Location location, String actions) {
        Token token = kept.get(key(location, actions));
        return token == null || token.until - nanos.getAsLong() < 0 ? null : token.header;
    }

    /**
     * The header that answers a challenge.
     *
     * @param challenge null if the registry has sent none
     * @param actions   {@code pull} or {@code pull,push}
     * @param refused   the header that it did not accept; null if none was sent
     * @throws AnepException EE-431 if there is nothing to show, or what there is was just refused; EE-430, EE-433 of the token service, EE-501 of the file
     */
    String answer(Location location, Challenge challenge, String actions, String refused, Duration time) {
        Credentials.Login login = credentials.find(location);
        if (challenge == null) {
            throw denied(location, "it answers 401 and does not say what it wants to see", null);
        }
        long seconds = MOST_SECONDS;
        String header;
        if (login != null && login.registryToken() != null) {
            header = "Bearer " + login.registryToken();
        } else if (challenge.scheme().equals("basic")) {
            header = login == null ? null : login.basic();
        } else {
            JsonNode token = token(location, challenge, actions, login, time);
            // Both names are in use.
            String text = token.path("token").isTextual() ? token.path("token").textValue() : token.path("access_token").textValue();
            if (text == null || !TOKEN.matcher(text).matches()) {
                throw new AnepException(ErrorCode.REGISTRY_ANSWER, "the token service of " + location.host() + " gives no token");
            }
            header = "Bearer " + text;
            seconds = Math.max(1, Math.min(MOST_SECONDS, token.path("expires_in").asLong(PRESET_SECONDS)) - MARGIN_SECONDS);
        }
        if (header == null || header.equals(refused)) {
            throw denied(location, header == null ? "it wants to see credentials, and there are none for it" : "it does not accept the credentials", null);
        }
        keep(key(location, actions), new Token(header, nanos.getAsLong() + TimeUnit.SECONDS.toNanos(seconds)));
        return header;
    }

    private synchronized void keep(String key, Token token) {
        kept.put(key, token);
    }

    /** One that was not accepted any more. */
    synchronized void forget(Location location, String actions) {
        kept.remove(key(location, actions));
    }

    private JsonNode token(Location location, Challenge challenge, String actions, Credentials.Login login, Duration time) {
        URI realm = realm(location, challenge);
        Map<String, String> query = new LinkedHashMap<>();
        String service = challenge.parameters().get("service");
        if (service != null) {
            query.put("service", service);
        }
        query.put("scope", challenge.parameters().getOrDefault("scope", "repository:" + location.name() + ":" + actions));
        HttpRequest.Builder request;
        String method = "GET";
        HttpRequest.BodyPublisher body = BodyPublishers.noBody();
        if (login != null && login.identityToken() != null) {
            query.put("grant_type", "refresh_token");
            query.put("client_id", "tamanoir");
            query.put("refresh_token", login.identityToken());
            request = HttpRequest.newBuilder(realm).header("Content-Type", "application/x-www-form-urlencoded");
            method = "POST";
            body = BodyPublishers.ofString(form(query));
        } else {
            request = HttpRequest.newBuilder(URI.create(realm + (realm.getRawQuery() == null ? "?" : "&") + form(query)));
            if (login != null && login.basic() != null) {
                request.header("Authorization", login.basic());
            }
        }
        return send(location, request, method, body, time);
    }

    private JsonNode send(Location location, HttpRequest.Builder request, String method, HttpRequest.BodyPublisher body, Duration time) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        String who = "the token service of " + location.host();
        try {
            Answer answer = http.send(request, method, body, time, (status, headers) -> new Body(octets, MOST_ANSWER));
            if (answer.status() != 200) {
                throw Failure.of(who, answer, octets.toByteArray());
            }
            return PlainJson.read(octets.toByteArray());
        } catch (AnepException e) {
            throw e.code() == ErrorCode.TOO_LARGE ? new AnepException(ErrorCode.REGISTRY_ANSWER, who + " answers without end", e) : e;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.REGISTRY_ANSWER, who + " answers, but not with JSON", e);
        }
    }

    /** Where the token service is: the registry says so, and nobody else. */
    private static URI realm(Location location, Challenge challenge) {
        try {
            URI realm = URI.create(challenge.parameters().get("realm"));
            if (realm.isAbsolute() && location.mayLeadTo(realm) && realm.getRawFragment() == null) {
                return realm;
            }
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.REGISTRY_ANSWER, location.host() + " names a token service that is no URL", e);
        }
        throw new AnepException(ErrorCode.REGISTRY_ANSWER, location.host() + " names a token service that must not be asked: it needs https");
    }

    private static String form(Map<String, String> query) {
        return query.entrySet().stream().map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8)).collect(Collectors.joining("&"));
    }

    private static AnepException denied(Location location, String why, Throwable cause) {
        return new AnepException(ErrorCode.REGISTRY_DENIES, "the registry " + location.host() + " lets nobody in: " + why, cause);
    }
}
