package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.scaffold.NewModule;
import org.tamanoir.cli.scaffold.NewService;
import org.tamanoir.cli.scaffold.ParentFolder;
import org.tamanoir.cli.scaffold.ServiceName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service new}. */
@Command(name = "new", mixinStandardHelpOptions = true,
        description = {"Create a service: a folder with pom.xml, one class, one test and README.md that builds and passes its test at once.", "",
            "Without --directory it is created in services/ of the checkout and becomes part of its build. In any other folder it stands alone: its "
                    + "build takes the API from a Maven repository that comes with the program.", "",
            "With --wasm it is a WebAssembly module in another language, which nodes run in a sandbox: source, the ABI, a build, and a test without "
                    + "a node. Its folder is created in the current one."},
        footer = {"", "Examples:", "  tamanoir service new shout", "  tamanoir service new shout --directory . --package org.example.shout",
            "  tamanoir service new shout --wasm c", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceNew implements Callable<Integer> {
    private enum Level { light, middle, heavy }

    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "NAME", description = "Name of the service: lower-case letters and digits, with dashes between words.")
    private String name;
    @Option(names = "--directory", paramLabel = "DIR", description = "Where to create its folder. Default: services/ of the checkout; with --wasm the current folder.")
    private Path directory;
    @Option(names = "--type-id", paramLabel = "N", description = "Its Type ID, 0x5500 to 0x57ff. Default: derived from the name.")
    private String typeId;
    @Option(names = "--level", paramLabel = "L", description = "light, middle or heavy; a module is always heavy. Default: middle.")
    private Level level;
    @Option(names = "--package", paramLabel = "PACKAGE", description = "The package of its classes. Default: org.example.NAME.")
    private String packageName;
    @Option(names = "--minimal", description = "Only a pom and a class that lets everything pass.")
    private boolean minimal;
    @Option(names = "--api", paramLabel = "URL", description = "Maven repository with the service API and the test kit. Default: the one that comes with this program.")
    private String api;
    @Option(names = "--wasm", paramLabel = "LANGUAGE", description = "A WebAssembly module: c, go or assemblyscript.")
    private NewModule.Language wasm;
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        ServiceName called = new ServiceName(name);
        if (wasm != null) {
            return module(called);
        }
        Path into = directory != null ? directory : servicesOfCheckout();
        try {
            ParentFolder parent = new ParentFolder(into);
            NewService service = new NewService(called, called.packageName(packageName), typeId(called, parent), (level == null ? Level.middle : level).name(), minimal,
                    api != null || parent.isOfCheckout() ? api : ownApi());
            print(service, into.resolve(name), service.writeInto(parent), parent.isOfCheckout());
            return ExitCode.DONE;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write into " + into + ": " + e, e);
        }
    }

    private int module(ServiceName called) {
        if (level != null && level != Level.heavy || packageName != null || api != null || minimal) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "--package, --api, --minimal and levels below heavy are for services in Java, and not for --wasm");
        }
        Path into = directory != null ? directory : Path.of("");
        try {
            ParentFolder parent = new ParentFolder(into);
            NewModule module = new NewModule(called, typeId(called, parent), wasm);
            print(module, into.resolve(name), module.writeInto(parent));
            return ExitCode.DONE;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write into " + into + ": " + e, e);
        }
    }

    private static Path servicesOfCheckout() {
        // What the launcher of a checkout says.
        String home = System.getenv("TAMANOIR_HOME");
        Path services = home == null ? null : Path.of(home, "services");
        if (services == null || !Files.isRegularFile(services.resolve("pom.xml"))) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "this is no checkout; say with --directory where the folder is to be made");
        }
        Path here = Path.of("").toAbsolutePath();
        return services.startsWith(here) ? here.relativize(services) : services;
    }

    /** Beside the libraries: made with the package, and by {@code ./tamanoir install-api} in a checkout. */
    private static String ownApi() {
        try {
            Path jar = Path.of(ServiceNew.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path repository = jar.resolveSibling("../maven").normalize();
            if (Files.isDirectory(repository)) {
                return repository.toUri().toString();
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        throw new AnepException(ErrorCode.NOT_FOUND, "the service API has not been made yet: run './tamanoir install-api' in the checkout once, or name its Maven repository with --api");
    }

    private int typeId(ServiceName called, ParentFolder parent) throws IOException {
        if (typeId == null) {
            return called.typeId(parent.typeIds());
        }
        try {
            return ServiceName.checkTypeId(Integer.decode(typeId));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "--type-id " + typeId + " is no number such as 0x5501", e);
        }
    }

    private void print(NewService service, Path folder, List<Path> files, boolean ofCheckout) {
        String className = service.name().className();
        String build = ofCheckout && minimal ? "mvn -q -pl services/" + name + " -am package -DskipTests" : ofCheckout
                ? "mvn -q -pl services/" + name + " -am verify -Dtest=" + className + "Test -Dsurefire.failIfNoSpecifiedTests=false"
                : "mvn -q -f " + folder.resolve("pom.xml") + " verify";
        print(service.typeId(), service.level(), files, build, folder.resolve("target").resolve(name + "-0.1.0.jar"));
    }

    private void print(NewModule module, Path folder, List<Path> files) {
        print(module.typeId(), Level.heavy.name(), files, "cd " + folder + " && " + module.test() + " && " + module.build(), folder.resolve(name + "-0.1.0.jar"));
    }

    private void print(int number, String itsLevel, List<Path> files, String build, Path bundle) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> made = new LinkedHashMap<>();
            made.put("name", name);
            made.put("typeId", number);
            made.put("level", itsLevel);
            made.put("files", files.stream().map(Path::toString).toList());
            made.put("build", build);
            made.put("bundle", bundle.toString());
            Json.print(out, made);
            return;
        }
        files.forEach(out::println);
        out.printf("%nThe service %s has the Type ID 0x%x and is of level %s. Build it:%n%n  %s%n", name, number, itsLevel, build);
        out.flush();
    }
}
