package org.tamanoir.cli;

import java.nio.file.Path;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.postgresql.RepositoryImport;
import org.tamanoir.repository.store.postgresql.RepositoryImport.Imported;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir repository import}. */
@Command(name = "import", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Copy the repository in a directory, and the fleet that it manages, into a database: all of it or nothing. First stop the process that "
                + "serves the directory.",
            "Every bundle is hashed. Identical bundles in the database are left alone; if a name, a Type ID or a version in it differs, the import "
                    + "is refused and nothing is copied. Running it again changes nothing."},
        footer = {"", "Example:", "  tamanoir repository import --from /var/lib/tamanoir/repository \\",
            "      --database 'jdbc:postgresql://db/repository?user=ada' --database-password-file db.password", "", "Exit codes: " + ExitCode.EXPLAINED})
final class RepositoryImportCommand implements Runnable {
    @Spec
    private CommandSpec spec;
    @Option(names = "--from", paramLabel = "DIRECTORY", required = true, description = "The directory that 'repository run --data' served without a database.")
    private Path from;
    @Mixin
    private DatabaseOptions database;
    @Option(names = "--json", description = "Print one JSON object: versions, known, octets.")
    private boolean json;

    @Override
    public void run() {
        if (database.url() == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--database=URL'");
        }
        Imported done = RepositoryImport.run(from, PostgresStore.Settings.of(database.url(), database.password(), 0));
        if (json) {
            Json.print(spec.commandLine().getOut(), done);
            return;
        }
        spec.commandLine().getOut().printf("Copied %d versions, %.1f MB; %d were there already.%n", done.versions(), done.octets() / 1e6, done.known());
        spec.commandLine().getOut().flush();
    }
}
