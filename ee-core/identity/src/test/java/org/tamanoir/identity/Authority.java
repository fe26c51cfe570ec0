package org.tamanoir.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A certificate authority for tests, by {@code openssl}: certificates with names, good and bad ones. */
public final class Authority {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path directory;
    private final Path certificate;
    private final Path key;

    /** @param directory where all files are made */
    public Authority(Path directory, String name) {
        this.directory = directory;
        certificate = directory.resolve(name + ".pem");
        key = directory.resolve(name + ".key");
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key.toString(), "-out",
                certificate.toString(), "-subj", "/CN=" + name, "-days", "30");
    }

    /** Its certificate, for those who trust it. */
    public Path certificate() {
        return certificate;
    }

    /**
     * The files of somebody whom it certifies: {@code FILE.pem} and {@code FILE.key}; what is there is replaced, one file after the other.
     *
     * @param names as in {@code subjectAltName}: {@code URI:spiffe://…}, {@code IP:127.0.0.1}, {@code DNS:localhost}
     * @param days  from now; less than 0 for one that has expired
     */
    public Identity.Files certify(String file, String names, int days) {
        Instant until = Instant.now().plus(days, ChronoUnit.DAYS);
        Instant from = Instant.now().minusSeconds(60);
        return certify(file, names, from.isBefore(until) ? from : until.minus(1, ChronoUnit.DAYS), until);
    }

    /** As {@link #certify(String, String, int)}, for a time of which the seconds count. */
    public Identity.Files certify(String file, String names, Instant from, Instant until) {
        Path chain = directory.resolve(file + ".pem");
        Path secret = directory.resolve(file + ".key");
        Path work = directory.resolve(UUID.randomUUID().toString());
        try {
            Path settings = Files.writeString(Path.of(work + ".cnf"), """
                    [ca]
                    default_ca = this
                    [this]
                    database = %1$s.index
                    new_certs_dir = %2$s
                    rand_serial = yes
                    default_md = sha256
                    policy = any
                    x509_extensions = names
                    [any]
                    commonName = supplied
                    [names]
                    subjectAltName = %3$s
                    """.formatted(work, directory, names));
            Files.createFile(Path.of(work + ".index"));
            openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", work + ".key", "-out", work + ".csr", "-subj", "/CN=" + file);
            openssl("ca", "-batch", "-notext", "-config", settings.toString(), "-in", work + ".csr", "-cert", certificate.toString(), "-keyfile", key.toString(),
                    "-startdate", TIME.format(from), "-enddate", TIME.format(until), "-out", work + ".pem");
            Files.move(Path.of(work + ".pem"), chain, StandardCopyOption.ATOMIC_MOVE);
            Files.move(Path.of(work + ".key"), secret, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return new Identity.Files(chain, secret, certificate, null);
    }

    private static void openssl(String... arguments) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + ": " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
