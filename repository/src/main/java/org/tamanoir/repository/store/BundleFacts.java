package org.tamanoir.repository.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.tamanoir.trust.jar.SignedJar;

/**
 * What a repository needs to know of a bundle to offer it: with this it need not have the bundle at hand.
 *
 * @param manifest its main attributes, which the index is made of
 * @param signed   who signed it, which says whether it is revoked
 */
public record BundleFacts(Manifest manifest, SignedJar signed) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Of a bundle whose signatures have been checked. */
    public static BundleFacts of(Path bundle) throws IOException {
        try (JarFile jar = new JarFile(bundle.toFile(), false)) {
            Manifest headers = new Manifest();
            headers.getMainAttributes().putAll(jar.getManifest().getMainAttributes());
            return new BundleFacts(headers, SignedJar.read(bundle));
        }
    }

    /** @throws IOException if it is not what the other two have made */
    public static BundleFacts of(byte[] manifest, String signed) throws IOException {
        return new BundleFacts(new Manifest(new ByteArrayInputStream(manifest)), signed(signed));
    }

    /** The form of {@code META-INF/MANIFEST.MF}. */
    public byte[] manifestOctets() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        manifest.write(out);
        return out.toByteArray();
    }

    /** {@code {"content":SHA-256, "signers":[[certificate, …], …]}}, each certificate as DER in Base64. */
    public String signedText() throws IOException {
        ObjectNode root = MAPPER.createObjectNode();
        root.put("content", signed.content());
        ArrayNode signers = root.putArray("signers");
        for (List<X509Certificate> chain : signed.signers()) {
            ArrayNode certificates = signers.addArray();
            for (X509Certificate certificate : chain) {
                try {
                    certificates.add(certificate.getEncoded());
                } catch (CertificateException e) {
                    throw new IOException("a certificate cannot be written", e);
                }
            }
        }
        return MAPPER.writeValueAsString(root);
    }

    private static SignedJar signed(String text) throws IOException {
        JsonNode root = MAPPER.readTree(text);
        List<List<X509Certificate>> signers = new ArrayList<>();
        for (JsonNode each : root.path("signers")) {
            List<X509Certificate> chain = new ArrayList<>();
            for (JsonNode certificate : each) {
                try {
                    chain.add((X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate.binaryValue())));
                } catch (CertificateException e) {
                    throw new IOException("a certificate cannot be read", e);
                }
            }
            signers.add(chain);
        }
        return new SignedJar(signers, root.path("content").textValue());
    }
}
