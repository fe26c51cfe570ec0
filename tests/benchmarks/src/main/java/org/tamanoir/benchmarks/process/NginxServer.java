package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;

/** nginx as a web server, with as many processes as there are CPUs and without a line per request. It is installed where it is missing. */
public final class NginxServer {
    private NginxServer() {
    }

    /**
     * Starts one that ends with the workbench. It may not listen yet when this returns.
     *
     * @param folder where its files are
     * @param http what the block {@code http} holds beside that
     */
    public static void start(Workbench workbench, Path folder, String http) throws IOException {
        start(workbench, folder, "auto", http);
    }

    /** The same with so many processes that serve. */
    public static LabProcess start(Workbench workbench, Path folder, int workers, String http) throws IOException {
        return start(workbench, folder, Integer.toString(workers), http);
    }

    private static LabProcess start(Workbench workbench, Path folder, String workers, String http) throws IOException {
        DebianPackages.require("nginx", "nginx-light", "nginx");
        Path file = Files.writeString(folder.resolve("nginx.conf"), """
                daemon off;
                worker_processes %4$s;
                %2$s
                pid %1$s/pid;
                error_log stderr;
                events {
                  worker_connections 4096;
                }
                http {
                  access_log off;
                  keepalive_requests 1000000;
                  client_body_temp_path %1$s/body;
                  proxy_temp_path %1$s/proxy;
                  fastcgi_temp_path %1$s/fastcgi;
                  uwsgi_temp_path %1$s/uwsgi;
                  scgi_temp_path %1$s/scgi;
                  %3$s
                }
                """.formatted(folder, "root".equals(System.getProperty("user.name")) ? "user root;" : "", http, workers));
        return workbench.start("nginx", List.of("nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString()));
    }
}
