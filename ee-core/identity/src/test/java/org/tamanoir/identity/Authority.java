package org.tamanoir.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A certificate authority for tests, by {@code openssl}: certificates with names, good and bad ones. */
public final class Authority {
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
        Path chain = directory.resolve(file + ".pem");
        Path secret = directory.resolve(file + ".key");
        Path work = directory.resolve(UUID.randomUUID().toString());
        try {
            Path extensions = Files.writeString(Path.of(work + ".ext"), "subjectAltName=" + names + "\n");
            openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", work + ".key", "-out", work + ".csr", "-subj", "/CN=" + file);
            openssl("x509", "-req", "-in", work + ".csr", "-CA", certificate.toString(), "-CAkey", key.toString(), "-CAcreateserial", "-days",
                    Integer.toString(days), "-extfile", extensions.toString(), "-out", work + ".pem");
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
