package org.tamanoir.transfer.front;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.copy.Place;

/**
 * What a COPY asks for ("HTTP-TPC", WLCG data organisation, management and access group).
 *
 * @param pull whether the file comes here
 * @param other where it comes from, or goes to
 * @param fields what the other server is shown: {@code TransferHeaderX} as {@code X}
 * @param overwrite whether it may take the place of a file that is there
 * @param checksumNeeded whether it fails where no checksum can be compared
 * @param streams how many are asked for; 0 if it is not said
 */
record CopyRequest(boolean pull, Place other, Map<String, String> fields, boolean overwrite, boolean checksumNeeded, int streams) {
    private static final String PREFIX = "transferheader";
    private static final String BEARER = "bearer ";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    /** @param all the fields of the request @throws AnepException EE-408 if it makes no sense, or wants what is not done here */
    static CopyRequest of(Iterable<Map.Entry<String, String>> all) {
        Map<String, String> said = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        Map<String, String> shown = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Map.Entry<String, String> field : all) {
            said.put(field.getKey(), field.getValue());
            if (field.getKey().toLowerCase(Locale.ROOT).startsWith(PREFIX) && field.getKey().length() > PREFIX.length()) {
                shown.put(field.getKey().substring(PREFIX.length()), field.getValue());
            }
        }
        String source = said.get("Source");
        String destination = said.get("Destination");
        if ((source == null) == (destination == null)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "COPY needs a Source to pull from, or a Destination to push to, and not both");
        }
        String credential = said.getOrDefault("Credential", "none");
        if (!credential.equalsIgnoreCase("none")) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "credentials are not delegated here (Credential: " + credential + "): send Credential: none, and TransferHeaderAuthorization");
        }
        Place other = Place.parse((source == null ? destination : source).strip().replaceFirst("(?i)^dav(s?)://", "http$1://"));
        if (!other.isWeb() && other.mover() == null || other.path().isEmpty()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + other + "' is not https://HOST/PATH, http://HOST/PATH or tam://HOST:PORT/PATH");
        }
        String streams = said.getOrDefault("X-Number-Of-Streams", "0");
        return new CopyRequest(source != null, other, shown, !said.getOrDefault("Overwrite", "T").equalsIgnoreCase("F"),
                said.getOrDefault("RequireChecksumVerification", "false").equalsIgnoreCase("true"), NUMBER.matcher(streams).matches() ? Integer.parseInt(streams) : 0);
    }

    /** What a mover is shown: the token of {@code TransferHeaderAuthorization}; null for none. */
    String token() {
        String shown = fields.getOrDefault("Authorization", "");
        return shown.toLowerCase(Locale.ROOT).startsWith(BEARER) ? shown.substring(BEARER.length()).strip() : null;
    }
}
