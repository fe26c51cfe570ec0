package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.within;

import java.net.URI;
import java.util.Arrays;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.trace.TraceSettings;
import org.tamanoir.node.trace.TraceSettings.Follow;
import org.tamanoir.settings.BadSetting;

/** {@code traces:} of the configuration: which streams are recorded, and who gets the spans; see {@link TraceSettings}. */
public record TracesSection(String endpoint, Double ratio, Integer perSecond, Follow follow, String name) {
    private static final int MOST_PER_SECOND = 10_000;

    public TracesSection {
        if (endpoint == null) {
            throw new BadSetting("endpoint", "it is missing; it must be http://HOST:PORT of a collector, whose port is 4318 as a rule");
        }
        endpoint = checked(endpoint);
        ratio = or(ratio, TraceSettings.RATIO);
        if (!(ratio >= 0 && ratio <= 1)) {
            throw new BadSetting("ratio", "it is " + ratio + "; it must be from 0 to 1");
        }
        perSecond = or(within("per-second", perSecond, 1, MOST_PER_SECOND), TraceSettings.PER_SECOND);
        follow = or(follow, Follow.ALL);
        name = or(name, TraceSettings.NAME);
    }

    private static String checked(String endpoint) {
        try {
            URI uri = URI.create(endpoint);
            boolean bare = uri.getPath() == null || uri.getPath().isEmpty() || uri.getPath().equals("/");
            if (uri.getHost() != null && bare && uri.getQuery() == null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint;
            }
        } catch (IllegalArgumentException e) {
            throw new BadSetting("endpoint", "it is '" + endpoint + "', which is no URL: " + e.getMessage());
        }
        throw new BadSetting("endpoint", "it is '" + endpoint + "'; it must be http://HOST:PORT or https://HOST:PORT, without a path");
    }

    static Follow follow(String word) {
        return Arrays.stream(Follow.values()).filter(each -> each.word().equals(word)).findFirst()
                .orElseThrow(() -> new AnepException(ErrorCode.BAD_CONFIGURATION, "it is '" + word + "'; it is one of " + Follow.words()));
    }

    TraceSettings settings() {
        return new TraceSettings(endpoint, ratio, perSecond, follow, name);
    }
}
