package org.tamanoir.benchmarks.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.logging.Level;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LoggingPreferences;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabException;

/** Debian's Chromium without a window, driven by its own chromedriver: both are of one source, and nothing is fetched from elsewhere. */
public final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LOOK_MILLIS = 50;

    private final ChromeDriver driver;
    private final List<JsonNode> network = new ArrayList<>();

    /** @throws LabException if Chromium is missing and cannot be installed */
    public Browser() {
        DebianPackages.require("chromium", "chromium");
        DebianPackages.require("chromedriver", "chromium-driver");
        ChromeOptions options = new ChromeOptions().setBinary("/usr/bin/chromium");
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-quic", "--no-first-run", "--disable-features=OptimizationHints,MediaRouter", "--force-color-profile=srgb");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable("browser", Level.ALL);
        logs.enable("performance", Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(new java.io.File("/usr/bin/chromedriver")).usingAnyFreePort().build();
        driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
    }

    public ChromeDriver driver() {
        return driver;
    }

    public Browser size(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
        return this;
    }

    /** Forgets what was asked for and complained of so far. */
    public void forget() {
        complaints();
        network();
        network.clear();
    }

    /** Shows another view of the page that is open. */
    public Browser view(String name) {
        run("location.hash = arguments[0]", name);
        return this;
    }

    /** Opens an address anew, also where only what stands behind its # is another. */
    public Browser open(String url) {
        driver.get("about:blank");
        driver.get(url);
        return this;
    }

    /** The value of a script. */
    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** A number that a script returns. */
    public double number(String script, Object... arguments) {
        return ((Number) run(script, arguments)).doubleValue();
    }

    /** All that can be read on the page. */
    public String text() {
        return (String) run("return document.body.innerText");
    }

    /** Waits until what can be read on the page is so. @throws LabException after a minute, with the page's text */
    public String awaitText(Predicate<String> so) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        String text = text();
        while (!so.test(text)) {
            if (System.nanoTime() > end) {
                throw new LabException("the page does not come to say what it should; it says: " + text);
            }
            sleep(LOOK_MILLIS);
            text = text();
        }
        return text;
    }

    public static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        }
    }

    /** What the browser's own log says of the network since it was started: messages of the DevTools protocol. */
    public List<JsonNode> network() {
        for (LogEntry entry : driver.manage().logs().get("performance")) {
            try {
                JsonNode message = JSON.readTree(entry.getMessage()).path("message");
                if (message.path("method").asText().startsWith("Network.")) {
                    network.add(message);
                }
            } catch (JsonProcessingException e) {
                throw new LabException("chromedriver's log is no JSON", e);
            }
        }
        return List.copyOf(network);
    }

    /** The addresses that were asked for. */
    public List<String> requests() {
        return network().stream().filter(message -> message.path("method").asText().equals("Network.requestWillBeSent")).map(message -> message.path("params").path("request").path("url").asText())
                .filter(url -> !url.startsWith("data:") && !url.startsWith("about:")).toList();
    }

    /** Octets that came over the network, headers included. */
    public long received() {
        return network().stream().filter(message -> message.path("method").asText().equals("Network.loadingFinished")).mapToLong(message -> message.path("params").path("encodedDataLength").asLong()).sum();
    }

    /** What the console of the browser has to say: violations of the policy, exceptions. */
    public List<String> complaints() {
        return driver.manage().logs().get("browser").getAll().stream().filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue()).map(LogEntry::getMessage).toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
