package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.UnexpectedAlertBehaviour;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The page in Chromium. Without a browser it is skipped, unless the system property {@code
 * sifr.web.browser} is {@code required}. With {@code sifr.web.shots} it writes pictures of the page
 * into that directory, and with {@code sifr.web.shots.store} also of the store in that directory.
 */
@Tag("host")
class BrowserTest {
  private static final Duration MOST_WAIT = Duration.ofSeconds(30);
  private static final String HOSTILE_NAME = "<img src=x onerror=\"document.title='broken'\">";
  private static final String HOSTILE_VALUE =
      "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">";

  private static ChromeDriver browser;
  private static Path profile;

  private Store store;
  private StoreEvents events;
  private StoreWindow window;

  private static Optional<Path> installed(String... names) {
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      for (String name : names) {
        Path file = Path.of(directory, name);
        if (Files.isExecutable(file)) {
          return Optional.of(file);
        }
      }
    }
    return Optional.empty();
  }

  @BeforeAll
  static void startBrowser() throws IOException {
    Optional<Path> chromium = installed("chromium", "chromium-browser", "google-chrome");
    Optional<Path> driver = installed("chromedriver");
    boolean isThere = chromium.isPresent() && driver.isPresent();
    if ("required".equals(System.getProperty("sifr.web.browser"))) {
      assertThat(isThere).as("chromium and chromedriver are on the PATH").isTrue();
    }
    assumeTrue(isThere, "there are no chromium and chromedriver on the PATH");

    profile = Files.createTempDirectory("chromium");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.orElseThrow().toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--user-data-dir=" + profile);
    options.setUnhandledPromptBehaviour(UnexpectedAlertBehaviour.IGNORE);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    System.setProperty("webdriver.chrome.driver", driver.orElseThrow().toString());
    browser = new ChromeDriver(options);
  }

  @AfterAll
  static void stopBrowser() {
    if (browser != null) {
      browser.quit();
    }
  }

  @BeforeEach
  void open() {
    events = new StoreEvents();
    store = Store.inMemory().listener(events).open();
    window = StoreWindow.builder(store).events(events).open();
    size(1400, 1000);
    // What belongs to the page before is not asked about.
    browser.get("about:blank");
    var unused = List.of(log(), asked());
  }

  @AfterEach
  void close() {
    window.close();
    store.close();
  }

  private static void size(int width, int height) {
    browser.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  private static void colours(String scheme) {
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Opens a part of the window, and waits until it is filled. */
  private static void show(StoreWindow of, String part) {
    browser.get("about:blank");
    browser.get(of.address() + "#" + part);
    await(() -> part.equals(script("return document.body && document.body.dataset.shown")));
  }

  private static @Nullable Object script(String text) {
    return browser.executeScript(text);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + MOST_WAIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it takes too long: %s", log()).isLessThan(end);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static WebElement byId(String id) {
    return browser.findElement(By.id(id));
  }

  private static void select(String id, String value) {
    for (WebElement option : byId(id).findElements(By.tagName("option"))) {
      if (value.equals(option.getDomProperty("value"))) {
        option.click();
      }
    }
  }

  private static List<String> keys() {
    return texts("#entries-rows th");
  }

  /** Read at one moment: the page may be replaced meanwhile. */
  private static List<String> texts(String selector) {
    List<String> texts = new ArrayList<>();
    Object found =
        browser.executeScript(
            "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)",
            selector);
    ((List<?>) Objects.requireNonNull(found)).forEach(each -> texts.add((String) each));
    return texts;
  }

  private static List<String> log() {
    return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .toList();
  }

  /** The hosts that were asked for anything since the last call. */
  private static List<String> asked() {
    List<String> urls = new ArrayList<>();
    for (LogEntry entry : browser.manage().logs().get(LogType.PERFORMANCE)) {
      if (entry.getMessage().contains("\"Network.requestWillBeSent\"")) {
        String after = entry.getMessage().split("\"url\":\"", 2)[1];
        urls.add(after.substring(0, after.indexOf('"')));
      }
    }
    return urls;
  }

  private void fill() {
    Database database = store.database();
    for (int i = 0; i < 120; i++) {
      database.put("key %03d".formatted(i).getBytes(UTF_8), ("value " + i).getBytes(UTF_8));
    }
    database.put("other".getBytes(UTF_8), new byte[10_000]);
    store.flush();
  }

  @Test
  void databasesAreListed() {
    fill();
    store.openOrCreateDatabase("fruit").put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
    show(window, "overview");
    assertThat(texts("#databases th")).containsExactly("default", "fruit");
    assertThat(texts("#databases tr:first-child td")).contains("121");
    assertThat(byId("state").getText()).isEqualTo("live");
    // What is written is seen without a reload.
    var unused = store.openOrCreateDatabase("vegetables");
    await(() -> texts("#databases th").contains("vegetables"));
    browser.findElement(By.linkText("fruit")).click();
    await(() -> keys().equals(List.of("apple")));
    assertNothingElse();
  }

  @Test
  void entriesArePagedAndSearched() {
    fill();
    show(window, "entries");
    await(() -> keys().size() == 50);
    assertThat(keys()).startsWith("key 000").endsWith("key 049");
    assertThat(byId("previous").isEnabled()).isFalse();
    byId("next").click();
    await(() -> keys().contains("key 099"));
    byId("next").click();
    await(() -> keys().contains("other"));
    assertThat(byId("next").isEnabled()).isFalse();
    byId("previous").click();
    await(() -> keys().contains("key 050") && keys().size() == 50);
    byId("last").click();
    await(() -> keys().contains("other") && keys().size() == 50);
    byId("first").click();
    await(() -> keys().contains("key 000"));

    byId("key").sendKeys("key 01");
    byId("key").submit();
    await(() -> keys().size() == 10);
    assertThat(keys()).allMatch(key -> key.startsWith("key 01"));
    byId("key").clear();
    byId("key").sendKeys("6b657920313139");
    select("key-as", "hex");
    select("find", "from");
    byId("key").submit();
    await(() -> keys().equals(List.of("key 119", "other")));
    byId("key").clear();
    byId("key").sendKeys("no digits");
    byId("key").submit();
    await(() -> byId("entries-problem").getText().startsWith("Hexadecimal digits"));
    assertNothingElse();
  }

  @Test
  void aValueIsShownInParts() {
    byte[] value = new byte[10_000];
    value[9_999] = 7;
    store.database().put(new byte[] {0, 0, 0, 0, 0, 0, 1, 2}, value);
    show(window, "entries");
    await(() -> keys().equals(List.of("0000000000000102")));
    select("show-key", "long");
    await(() -> keys().equals(List.of("258")));
    browser.findElement(By.cssSelector("#entries-rows button")).click();
    await(() -> byId("part-place").getText().equals("bytes 1 to 4,096 of 10,000"));
    byId("part-next").click();
    byId("part-last").click();
    await(() -> byId("part-place").getText().equals("bytes 8,193 to 10,000 of 10,000"));
    assertThat(byId("entry-value").getText()).contains("00002700").contains(" 07 ");
    assertThat(byId("part-next").isEnabled()).isFalse();
    byId("entry-close").click();
    await(() -> !byId("entry").isDisplayed());
    assertNothingElse();
  }

  /** In keys, values and names of databases. */
  @Test
  void hostileTextIsText() {
    Database database = store.createDatabase(HOSTILE_NAME, DatabaseOptions.DEFAULT);
    database.put(HOSTILE_NAME.getBytes(UTF_8), HOSTILE_VALUE.getBytes(UTF_8));
    database.put("\u202egnirts".getBytes(UTF_8), "\u0000".getBytes(UTF_8));
    store.flush();
    show(window, "overview");
    assertThat(texts("#databases th")).contains(HOSTILE_NAME);
    browser.findElement(By.linkText(HOSTILE_NAME)).click();
    await(() -> keys().contains(HOSTILE_NAME));
    select("show-key", "text");
    await(() -> keys().contains("\\u202egnirts"));
    assertThat(texts("#entries-rows td")).contains(HOSTILE_VALUE);
    browser.findElement(By.cssSelector("#entries-rows button")).click();
    await(() -> byId("entry-value").getText().equals(HOSTILE_VALUE));
    show(window, "forest");
    select("forest-database", HOSTILE_NAME);
    await(() -> texts("#forest-drawing title").stream().anyMatch(t -> t.contains(HOSTILE_NAME)));
    show(window, "activity");
    await(() -> texts("#events .text").stream().anyMatch(t -> t.contains(HOSTILE_NAME)));
    assertThat(browser.findElements(By.cssSelector("img, main script, iframe"))).isEmpty();
    assertThat(browser.getTitle()).doesNotContain("broken");
    assertNothingElse();
  }

  @Test
  void theForestIsDrawnAndFollowsTheStore() {
    fill();
    show(window, "forest");
    await(() -> texts("#forest-drawing rect").size() == 1);
    assertThat(texts("#forest-drawing title").get(0)).contains("from key 000").contains("to other");
    assertThat(texts("#forest-rows tr")).hasSize(1);
    store.database().put("key 200".getBytes(UTF_8), new byte[] {1});
    store.flush();
    await(() -> texts("#forest-drawing rect").size() == 2);
    store.database().compact();
    await(() -> texts("#forest-drawing rect").size() == 1);
    show(window, "activity");
    await(() -> texts("#events .kind").containsAll(List.of("flush", "compaction")));
    assertThat(texts("#plots figcaption")).contains("Changes per second", "Trees");
    assertNothingElse();
  }

  @Test
  void aStoreThatIsClosedIsSaidToBe() {
    show(window, "overview");
    store.close();
    await(() -> byId("state").getText().equals("the store is closed"));
    assertThat(byId("notice").isDisplayed()).isTrue();
    assertThat(asked()).allMatch(url -> url.startsWith(window.address().toString()));
  }

  /** At the width of a telephone nothing reaches beyond the page. */
  @Test
  void itFitsIntoANarrowWindow() {
    fill();
    size(400, 800);
    for (String part : List.of("overview", "entries", "forest", "activity")) {
      show(window, part);
      assertThat((Long) script("return document.documentElement.scrollWidth"))
          .as(part)
          .isLessThanOrEqualTo(400);
    }
    assertNothingElse();
  }

  /** Each field has a name, and each part can be reached by the keyboard. */
  @Test
  void itCanBeUsedWithoutAMouse() {
    fill();
    show(window, "entries");
    await(() -> keys().size() == 50);
    assertThat(
            (Long)
                script(
                    "return [...document.querySelectorAll('input, select')]"
                        + ".filter(each => each.labels.length === 0).length"))
        .isZero();
    script("document.querySelector('#entries-rows button').focus()");
    browser.switchTo().activeElement().sendKeys(Keys.ENTER);
    await(() -> byId("entry").isDisplayed());
    browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
    await(() -> !byId("entry").isDisplayed());
    assertNothingElse();
  }

  /** No errors, and no request to another host than the window's. */
  private void assertNothingElse() {
    assertThat(log()).isEmpty();
    assertThat(asked())
        .isNotEmpty()
        .allMatch(
            url ->
                url.startsWith(window.address().toString())
                    || url.startsWith("data:")
                    || url.equals("about:blank"));
  }

  @Test
  @EnabledIfSystemProperty(named = "sifr.web.shots", matches = ".+")
  void picturesAreTaken(@TempDir Path damaged) throws IOException {
    Path shots = Files.createDirectories(Path.of(System.getProperty("sifr.web.shots")));
    pictures(shots, "empty", window, List.of("overview", "entries", "forest", "activity"));

    Random random = new Random(7);
    for (int i = 0; i < 30_000; i++) {
      store
          .database()
          .put("user%08d".formatted(random.nextInt(100_000_000)).getBytes(UTF_8), new byte[100]);
      if (i % 7_000 == 0) {
        store.flush();
      }
    }
    pictures(shots, "small", window, List.of("overview", "entries", "forest", "activity"));

    try (Store writer = Store.open(damaged)) {
      for (int i = 0; i < 2000; i++) {
        writer.database().put("key %04d".formatted(i).getBytes(UTF_8), new byte[100]);
      }
      writer.flush();
    }
    StoreWindowTest.damage(damaged);
    StoreEvents failures = new StoreEvents();
    try (Store open = Store.builder(damaged).listener(failures).open();
        StoreWindow into = StoreWindow.builder(open).events(failures).open()) {
      pictures(shots, "damaged", into, List.of("overview", "entries", "activity"));
    }

    String large = System.getProperty("sifr.web.shots.store");
    if (large != null) {
      try (StoreWindow into = StoreWindow.readOnlyBuilder(Store.builder(Path.of(large))).open()) {
        pictures(shots, "large", into, List.of("overview", "entries", "forest", "activity"));
      }
    }
  }

  private static void pictures(Path directory, String name, StoreWindow of, List<String> parts)
      throws IOException {
    for (String scheme : List.of("light", "dark")) {
      colours(scheme);
      for (int width : new int[] {400, 1400}) {
        size(width, width == 400 ? 900 : 1000);
        for (String part : parts) {
          show(of, part);
          pause(part.equals("activity") ? 7000 : 500);
          Files.write(
              directory.resolve(
                  String.join("-", name, part, Integer.toString(width), scheme) + ".png"),
              browser.getScreenshotAs(OutputType.BYTES));
        }
      }
    }
    colours("light");
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
