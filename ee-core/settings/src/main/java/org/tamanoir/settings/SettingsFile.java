package org.tamanoir.settings;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Reads a YAML file into a class whose public fields are its keys: {@code maxBundle} is {@code max-bundle}. What is not known is an error. */
public final class SettingsFile {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory())
            .setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private static final int MOST = 1 << 20;

    private SettingsFile() {
    }

    /**
     * Reads a file of at most 1 MiB.
     *
     * @param preset what an empty file says
     * @throws AnepException EE-501 that names the key and the line
     */
    public static <T> T read(Path file, Class<T> type, Supplier<T> preset) {
        try {
            if (Files.size(file) > MOST) {
                throw bad(file + " is larger than " + MOST + " octets", null);
            }
            String text = Files.readString(file);
            T read = text.isBlank() ? null : YAML.readValue(text, type);
            // A file of comments alone is as empty.
            return read == null ? preset.get() : read;
        } catch (JsonMappingException e) {
            throw bad(file + ": " + SettingsError.text(e), e);
        } catch (IOException e) {
            throw bad("cannot read " + file + ": " + AnepException.reason(e), e);
        }
    }

    /**
     * The socket address that a key names.
     *
     * @param text {@code HOST:PORT}, {@code [::1]:PORT}
     * @throws AnepException EE-501 that names the key
     */
    public static InetSocketAddress address(String key, String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, colon);
            InetSocketAddress address = new InetSocketAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                    Integer.parseInt(text.substring(colon + 1)));
            if (!address.isUnresolved()) {
                return address;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // said below
        }
        throw bad(key + " is '" + text + "'; it must be HOST:PORT of this machine", null);
    }

    private static AnepException bad(String what, Throwable cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what, cause);
    }
}
