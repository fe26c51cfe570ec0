package org.tamanoir.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Installs Debian's packages for their programs alone: no service of theirs is started, now or at the next boot. */
public final class DebianPackages {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** Debian Policy 9.3.3 and invoke-rc.d(8): the answer 101 forbids a package's scripts to start its service. */
    private static final Path POLICY = Path.of("/usr/sbin/policy-rc.d");
    /** Held while packages are installed: whoever is done first would take the other's policy away. Left behind, it is empty. */
    private static final Path LOCK = Path.of("/run/tamanoir-packages.lock");

    private DebianPackages() {
    }

    /**
     * Sees to it that a program is there: where it is missing its package is installed.
     *
     * @throws LabException if it is missing and this process is not root, or apt-get fails
     */
    public static void require(String program, String itsPackage, String... servicesToLeaveOff) {
        if (LabRequirements.has(program)) {
            return;
        }
        if (!LabRequirements.isRoot()) {
            throw new LabException("the program " + program + " is missing: apt-get install " + itsPackage);
        }
        install(List.of(itsPackage), servicesToLeaveOff);
    }

    /**
     * Installs packages. Root only. One after the other, also where several processes do it.
     *
     * @throws LabException if apt-get fails; the message holds its last lines
     */
    public static synchronized void install(List<String> packages, String... servicesToLeaveOff) {
        try (FileChannel channel = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();
            installAlone(packages, servicesToLeaveOff);
        } catch (IOException e) {
            throw new LabException("cannot lock " + LOCK, e);
        }
    }

    private static void installAlone(List<String> packages, String... servicesToLeaveOff) {
        boolean forbidden = forbidStarts();
        try {
            List<String> command = Command.append(List.of("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes",
                    "--option", "DPkg::Lock::Timeout=300", "--quiet", "--no-install-recommends"), packages);
            if (Command.tryRun(command, null, PATIENCE).exit() != 0) {
                // On a new machine apt-get knows no packages yet, or versions that are not to be had any more.
                Command.run(List.of("apt-get", "update", "--quiet"), null, PATIENCE);
                Command.run(command, null, PATIENCE);
            }
            if (LabRequirements.has("systemctl")) {
                Stream.of(servicesToLeaveOff).forEach(service -> Command.run(List.of("systemctl", "disable", service)));
            }
        } finally {
            if (forbidden) {
                allowStarts();
            }
        }
    }

    /** Forbids starts while apt-get runs. A policy that is there already is the administrator's and stays as it is. */
    private static boolean forbidStarts() {
        try {
            Files.createFile(POLICY, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Files.writeString(POLICY, "#!/bin/sh\nexit 101\n");
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (IOException e) {
            throw new LabException("cannot write " + POLICY + ": without it a package would start its service", e);
        }
    }

    private static void allowStarts() {
        try {
            Files.deleteIfExists(POLICY);
        } catch (IOException e) {
            throw new LabException("cannot remove " + POLICY + ": remove it, or no package can start its service", e);
        }
    }
}
