package org.tamanoir.trust;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Certificates in a text file, one after another, as {@code keytool -exportcert -rfc} prints them (RFC 7468 section 5). */
final class PemFile {
    private static final int MAX_OCTETS = 4 << 20;
    private static final int MAX_CERTIFICATES = 1_000;
    private static final Pattern BEGIN = Pattern.compile("-----BEGIN ([^-\r\n]{1,64})-----");
    private static final String END = "-----END CERTIFICATE-----";

    private PemFile() {
    }

    /** @throws AnepException EE-501 if the file cannot be read, or holds no certificate, a broken one or something else beside them */
    static List<X509Certificate> read(Path file) {
        String text;
        try {
            text = new String(WatchedFile.read(file, MAX_OCTETS), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw refused(file, "cannot be read: " + e, e);
        }
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher begin = BEGIN.matcher(text);
        for (int at = 0; begin.find(at);) {
            int number = certificates.size() + 1;
            if (!begin.group(1).equals("CERTIFICATE")) {
                throw refused(file, "holds a " + begin.group(1) + " where certificate " + number + " should be", null);
            }
            at = text.indexOf(END, begin.end()) + END.length();
            if (at < END.length() || number > MAX_CERTIFICATES) {
                throw refused(file, at < END.length() ? "ends inside certificate " + number : "holds more than " + MAX_CERTIFICATES
                        + " certificates", null);
            }
            certificates.add(parse(file, number, text.substring(begin.start(), at)));
        }
        if (certificates.isEmpty()) {
            throw refused(file, "holds no certificate; keytool -exportcert -rfc prints one", null);
        }
        return certificates;
    }

    private static X509Certificate parse(Path file, int number, String pem) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (CertificateException | RuntimeException e) {
            throw refused(file, "holds a broken certificate, the " + number + ". in it: " + e.getMessage(), e);
        }
    }

    private static AnepException refused(Path file, String why, Exception cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "the file of publishers " + file + " " + why, cause);
    }
}
