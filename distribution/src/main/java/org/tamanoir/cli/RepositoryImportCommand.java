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
        description = {"Copies the repository of a directory into a database, all of it or nothing, and the fleet that it leads. Stop whoever serves the directory first.",
            "Every bundle is hashed. What the database has already with the same content stays as it is; a name, a Type ID or a version that it has otherwise is refused, and nothing is "
                    + "copied then. A second time it changes nothing."},
        footer = {"", "Example:", "  tamanoir repository import --from /var/lib/tamanoir/repository \\",
            "      --database 'jdbc:postgresql://db/repository?user=ada' --database-password-file db.password", "", "Exit codes: " + ExitCode.EXPLAINED})
final class RepositoryImportCommand implements Runnable {
    @Spec
    private CommandSpec spec;
    @Option(names = "--from", paramLabel = "DIRECTORY", required = true, description = "What 'repository run --data' has served without a database.")
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
