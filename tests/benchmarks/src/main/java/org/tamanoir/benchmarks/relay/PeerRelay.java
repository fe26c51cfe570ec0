package org.tamanoir.benchmarks.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tamanoir.benchmarks.relay.Station.Ways;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.LabProcess;

/**
 * HAProxy and nginx as relays of TCP, with the least configuration that does it: what is not written here is their default. Both use as many threads or worker
 * processes as there are CPUs, as Debian configures them.
 */
final class PeerRelay {
    static final Path NGINX_STREAM = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    private PeerRelay() {
    }

    /** @param buffer octets of a buffer, or 0 for the default of 16,384 */
    static LabProcess haproxy(Ways ways, Path folder, int buffer) {
        String bind = ways.station().accepts().map(files -> haproxyTls(files, folder)).orElse("");
        String server = ways.station().connects().map(files -> haproxyTls(files, folder)).orElse("");
        Path file = write(folder.resolve("haproxy.cfg"), """
                global
                  maxconn 2000
                  ssl-default-bind-options ssl-min-ver TLSv1.3
                  ssl-default-bind-ciphersuites %1$s
                  ssl-default-server-options ssl-min-ver TLSv1.3
                  ssl-default-server-ciphersuites %1$s
                %2$s
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                listen load
                  bind %3$s%7$s
                  server next %4$s%8$s
                listen echo
                  bind %5$s%7$s
                  server next %6$s%8$s
                """.formatted(Station.CIPHERS, buffer == 0 ? "" : "  tune.bufsize " + buffer, LowerMarks.text(ways.load()), LowerMarks.text(ways.toLoad()),
                LowerMarks.text(ways.echo()), LowerMarks.text(ways.toEcho()), bind, server));
        return ways.station().host().start("haproxy", "haproxy", "-db", "-f", file.toString());
    }

    /** It wants certificate and key in one file. */
    private static String haproxyTls(Identity.Files files, Path folder) {
        try {
            Path both = write(folder.resolve("identity.pem"), Files.readString(files.certificate()) + Files.readString(files.key()));
            return " ssl ca-file %s crt %s verify required".formatted(files.authorities(), both);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param buffer octets of a buffer, or 0 for the default of 16,384 */
    static LabProcess nginx(Ways ways, Path folder, int buffer) {
        String accepting = ways.station().accepts().map(files -> """
                ssl_protocols TLSv1.3;
                  ssl_conf_command Ciphersuites %s;
                  ssl_certificate %s;
                  ssl_certificate_key %s;
                  ssl_client_certificate %s;
                  ssl_verify_client on;""".formatted(Station.CIPHERS, files.certificate(), files.key(), files.authorities())).orElse("");
        String connecting = ways.station().connects().map(files -> """
                proxy_ssl on;
                  proxy_ssl_protocols TLSv1.3;
                  proxy_ssl_conf_command Ciphersuites %s;
                  proxy_ssl_certificate %s;
                  proxy_ssl_certificate_key %s;
                  proxy_ssl_trusted_certificate %s;
                  proxy_ssl_verify on;
                  proxy_ssl_name %s;""".formatted(Station.CIPHERS, files.certificate(), files.key(), files.authorities(), Station.FAR)).orElse("");
        String listen = accepting.isEmpty() ? "" : " ssl";
        Path file = write(folder.resolve("nginx.conf"), """
                load_module %1$s;
                daemon off;
                worker_processes auto;
                pid %2$s/pid;
                error_log stderr;
                events {
                  worker_connections 4096;
                }
                stream {
                  proxy_timeout 1h;
                  %3$s
                  %4$s
                  %5$s
                  server {
                    listen %6$s%10$s;
                    proxy_pass %7$s;
                  }
                  server {
                    listen %8$s%10$s;
                    proxy_pass %9$s;
                  }
                }
                """.formatted(NGINX_STREAM, folder, buffer == 0 ? "" : "proxy_buffer_size " + buffer + ";", accepting, connecting, LowerMarks.text(ways.load()),
                LowerMarks.text(ways.toLoad()), LowerMarks.text(ways.echo()), LowerMarks.text(ways.toEcho()), listen));
        return ways.station().host().start("nginx", "nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString());
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
