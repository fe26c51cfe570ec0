package org.tamanoir.cli.scaffold;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import javax.lang.model.SourceVersion;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The name of a service, and the names that its files need.
 *
 * @param text words of lower-case letters and digits with dashes between them, a letter first, at most 64 characters
 */
public record ServiceName(String text) {
    private static final Pattern WORDS = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
    private static final int LONGEST = 64;
    private static final Pattern PACKAGE = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*");
    /** Type IDs that are free for services which others write. */
    private static final int FIRST_TYPE_ID = 0x5500;
    private static final int TYPE_IDS = 0x300;
    /** What the templates import: a class of the service must not have such a name. */
    private static final Set<String> TAKEN = Set.of("ActiveService", "ByteBuf", "Component", "LongAdder", "Map", "Output", "Packet",
            "PacketBuilder", "PacketOptions", "Position", "ServiceContext", "ServiceHarness", "StreamContext", "StreamHandler",
            "StreamHarness", "Test", "Verdict");

    /** @throws AnepException EE-408 if it is no such name */
    public ServiceName {
        if (text.length() > LONGEST || !WORDS.matcher(text).matches()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no name for a service; it has lower-case letters and digits, dashes"
                    + " between words, a letter first, and at most " + LONGEST + " characters: packet-counter");
        }
    }

    /** {@code PacketCounter}; with {@code Service} behind it where that is the name of something else. */
    public String className() {
        String joined = Arrays.stream(text.split("-")).map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
        return TAKEN.contains(joined) || isOfJava(joined) ? joined + "Service" : joined;
    }

    private static boolean isOfJava(String name) {
        try {
            Class.forName("java.lang." + name, false, null);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /**
     * The package of its classes.
     *
     * @param wanted what somebody asked for, or null: then {@code org.example.packetcounter}
     * @throws AnepException EE-408 if it cannot be one
     */
    public String packageName(String wanted) {
        String word = text.replace("-", "");
        String name = wanted != null ? wanted : "org.example." + (SourceVersion.isKeyword(word) ? word + "service" : word);
        if (!PACKAGE.matcher(name).matches() || !SourceVersion.isName(name)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + name + "' is no name for a package; it is like org.example.counter");
        }
        return name;
    }

    /** A Type ID out of the name, so that two services that begin at the same time rarely get the same; the first that is free from there. */
    public int typeId(Set<Integer> taken) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < TYPE_IDS; i++) {
            int typeId = FIRST_TYPE_ID + (int) ((sum.getValue() + i) % TYPE_IDS);
            if (!taken.contains(typeId)) {
                return typeId;
            }
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, "every Type ID from 0x5500 to 0x57ff is taken in this folder; give one with --type-id");
    }

    /** @throws AnepException EE-408 if the number is not for services that others write */
    public static int checkTypeId(int typeId) {
        if (typeId < FIRST_TYPE_ID || typeId >= FIRST_TYPE_ID + TYPE_IDS) {
            throw new AnepException(ErrorCode.BAD_REQUEST, String.format("--type-id 0x%x: the Type IDs of services that you write are 0x5500 to 0x57ff",
                    typeId));
        }
        return typeId;
    }
}
