package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;

class R5IndexTest {
    private static final String HASH = "0123456789abcdef".repeat(4);
    private static final URI BASE = URI.create("http://127.0.0.1:3325/index.xml");

    private static List<FoundBundle> read(String resources) {
        String xml = "<?xml version='1.0'?><repository xmlns='http://www.osgi.org/xmlns/repository/v1.0.0' name='r'>" + resources + "</repository>";
        return R5Index.read(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)), BASE);
    }

    private static String resource(String service, String content) {
        return "<resource><capability namespace='osgi.identity'><attribute name='osgi.identity' value='x'/></capability>"
                + "<capability namespace='tamanoir.service'>" + service + "</capability>"
                + "<capability namespace='osgi.content'>" + content + "</capability>"
                + "<requirement namespace='osgi.ee'><directive name='filter' value='(version=17)'/></requirement></resource>";
    }

    private static String attribute(String name, String value) {
        return "<attribute name='" + name + "' value='" + value + "'/>";
    }

    private static String service(String typeId, String version) {
        return attribute("name", "monitoring") + attribute("type-id", typeId) + attribute("version", version) + attribute("level", "middle");
    }

    private static String content(String hash) {
        return attribute("osgi.content", hash) + attribute("url", "bundles/" + hash + ".jar") + attribute("size", "4711");
    }

    @Test
    void aResourceWithBothCapabilitiesIsAService() {
        assertThat(read(resource(service("21506", "1.2.0"), content(HASH)))).containsExactly(new FoundBundle(21506, "monitoring", "1.2.0",
                "middle", HASH, 4711, URI.create("http://127.0.0.1:3325/bundles/" + HASH + ".jar")));
    }

    @Test
    void otherResourcesArePassedOver() {
        assertThat(read("<resource><capability namespace='osgi.identity'/></resource>")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"<resource>", "<<", "<resource></other>", "&undefined;"})
    void whatIsNoXmlIsAnErrorOfTheRepository(String resources) {
        assertThatThrownBy(() -> read(resources)).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-304");
    }

    @Test
    void valuesThatMakeNoSenseAreAnErrorOfTheRepository() {
        for (String bad : List.of(resource(service("0", "1.0"), content(HASH)), resource(service("65536", "1.0"), content(HASH)),
                resource(service("x", "1.0"), content(HASH)), resource(service("21506", "one"), content(HASH)),
                resource(service("21506", "1.0"), content("beef")), resource("", content(HASH)), resource(service("21506", "1.0"), ""))) {
            assertThatThrownBy(() -> read(bad)).as(bad).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-304");
        }
    }

    @Test
    void entitiesAreNotExpandedAndNothingElseIsRead() {
        String bomb = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
                + "<repository><resource><capability namespace='tamanoir.service'><attribute name='name' value='&b;'/>&f;</capability>"
                + "</resource></repository>";
        assertThatThrownBy(() -> R5Index.read(new ByteArrayInputStream(bomb.getBytes(StandardCharsets.UTF_8)), BASE))
                .isInstanceOf(AnepException.class).hasMessageStartingWith("EE-304");
    }
}
