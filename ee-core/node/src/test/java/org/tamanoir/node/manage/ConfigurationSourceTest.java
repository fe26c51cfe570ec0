package org.tamanoir.node.manage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.fleet.state.NodePart;
import org.tamanoir.node.fleet.FleetPartFile;
import org.tamanoir.node.fleet.StoredPart;
import org.tamanoir.node.manage.configuration.EffectiveValue;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.Settings;

/** The file lies over what the fleet says; both are one configuration, in force and on the disk together or not at all. */
class ConfigurationSourceTest {
    @TempDir
    private Path directory;
    private Path file;
    private FleetPartFile kept;
    private ConfigurationSource source;
    private LiveConfiguration live;
    private final List<Integer> committed = new ArrayList<>();
    private boolean refuses;

    @BeforeEach
    void start() throws Exception {
        file = directory.resolve("node.yaml");
        kept = new FleetPartFile(directory);
        write("limits: {streams: 7}\n");
        begin();
    }

    private void begin() {
        source = new ConfigurationSource(file, () -> Settings.of(file));
        live = new LiveConfiguration(source.first());
        live.parts(List.of((before, now) -> {
            if (refuses) {
                throw new AnepException(ErrorCode.CANNOT_LISTEN, "the port is taken");
            }
            return () -> committed.add(now.limits().hops());
        }));
    }

    private void write(String text) throws Exception {
        Files.writeString(file, "data: " + directory + "\nfleet: {url: 'http://127.0.0.1:1', name: a}\n" + text);
    }

    private static StoredPart part(long generation, String values) throws Exception {
        JsonNode tree = new YAMLMapper().readTree("{" + values + "}");
        return new StoredPart(generation, new NodePart("a", tree));
    }

    private void take(StoredPart part) {
        source.take(part, live, kept);
    }

    @Test
    void theFileHasTheLastWordAndSaysWhere() throws Exception {
        take(part(1, "limits: {streams: 9, hops: 20}, drain: 3s, routes: {10.0.0.0/8: direct}"));
        assertThat(live.inForce().limits().streams()).isEqualTo(7);
        assertThat(live.inForce().limits().hops()).isEqualTo(20);
        assertThat(source.held()).containsExactly(new Drift("limits.streams", "9", "7", "file"));
        write("routes: {10.1.0.0/16: direct, 10.0.0.0/8: '127.0.0.1:9'}\ndrain:\n");
        source.reload(live);
        assertThat(live.inForce().limits().streams()).isEqualTo(9);
        assertThat(live.inForce().drain().toSeconds()).as("its default").isEqualTo(10);
        assertThat(live.inForce().routes()).hasSize(2);
        assertThat(source.held()).containsExactly(new Drift("drain", "3s", null, "file"), new Drift("routes[10.0.0.0/8]", "direct", "127.0.0.1:9", "file"));
    }

    @Test
    void whatAPartOfTheNodeRefusesIsNeitherInForceNorOnTheDisk() throws Exception {
        take(part(1, "limits: {hops: 20}"));
        refuses = true;
        assertThatThrownBy(() -> take(part(2, "limits: {hops: 21}"))).hasMessageStartingWith("EE-502");
        refuses = false;
        assertThatThrownBy(() -> take(part(3, "limits: {hops: 300}"))).hasMessageStartingWith("EE-501 with generation 3 of the fleet: limits.hops: it is 300");
        assertThat(source.inForce().generation()).isEqualTo(1);
        assertThat(live.inForce().limits().hops()).isEqualTo(20);
        assertThat(committed).containsExactly(20);
        assertThat(kept.read()).isEqualTo(part(1, "limits: {hops: 20}"));
        assertThat(directory.resolve("fleet.json.next")).doesNotExist();
        begin();
        assertThat(live.inForce().limits().hops()).as("after a restart").isEqualTo(20);
    }

    @Test
    void aNodeThatWasKilledBeforeItsPartTookItsNameHasTheOneBefore() throws Exception {
        take(part(1, "limits: {hops: 20}"));
        kept.prepare(part(2, "limits: {hops: 21}"));
        begin();
        assertThat(live.inForce().limits().hops()).isEqualTo(20);
        kept.commit();
        begin();
        assertThat(live.inForce().limits().hops()).isEqualTo(21);
    }

    @Test
    void aFileThatNamesNoFleetOrAnotherNameHasNothingOfIt() throws Exception {
        take(part(1, "limits: {hops: 20}"));
        Files.writeString(file, "data: " + directory + "\n");
        source.reload(live);
        assertThat(live.inForce().limits().hops()).isEqualTo(16);
        assertThat(source.inForce()).isNull();
        Files.writeString(file, "data: " + directory + "\nfleet: {url: 'http://127.0.0.1:1', name: b}\n");
        source.reload(live);
        begin();
        assertThat(live.inForce().limits().hops()).isEqualTo(16);
        write("");
        source.reload(live);
        assertThat(source.inForce()).as("nothing was read of it since").isNull();
        begin();
        assertThat(live.inForce().limits().hops()).isEqualTo(20);
    }

    @Test
    void aDiskThatIsFullRefusesThePart() throws Exception {
        Files.createDirectory(directory.resolve("fleet.json.next.part"));
        assertThatThrownBy(() -> take(part(1, "limits: {hops: 20}"))).hasMessageStartingWith("EE-409");
        assertThat(live.inForce().limits().hops()).isEqualTo(16);
        assertThat(committed).isEmpty();
    }

    @Test
    void whatIsShownOfAFileSaysWhoHasSaidWhat() throws Exception {
        take(part(4, "limits: {hops: 20, streams: 9}, routes: {10.0.0.0/8: direct}"));
        write("limits: {streams: 7}\nroutes: {10.1.0.0/16: direct}\n");
        List<EffectiveValue> values = EffectiveValue.all(file);
        assertThat(values).contains(new EffectiveValue("limits.hops", "20", null, 4L), new EffectiveValue("limits.streams", "7", 3, null), new EffectiveValue("drain", "10s", null, null));
        assertThat(values.stream().filter(each -> each.key().equals("routes"))).singleElement().satisfies(routes -> {
            assertThat(routes.value()).contains("10.0.0.0/8", "10.1.0.0/16");
            assertThat(routes.line()).isEqualTo(4);
            assertThat(routes.fleet()).isEqualTo(4);
        });
    }

    @Test
    void aFleetNeedsAUrlAndAName() {
        for (String bad : List.of("fleet: {name: a}", "fleet: {url: 'ftp://x', name: a}", "fleet: {url: 'http://x'}", "fleet: {url: 'http://x', name: 'a b'}", "fleet: {url: 'http://x', name: a, token-file: /nowhere}")) {
            assertThatThrownBy(() -> NodeConfiguration.of(Settings.ofText(file, bad))).hasMessageStartingWith("EE-501").hasMessageContaining("fleet.").hasMessageContaining("(line 1)");
        }
        assertThat(NodeConfiguration.of(Settings.ofText(file, "fleet: {url: 'x:1', name: a, token: secret}")).fleet().toString()).as("no secret").isEqualTo("a at http://x:1");
    }
}
