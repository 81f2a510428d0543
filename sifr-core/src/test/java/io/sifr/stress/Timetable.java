package io.sifr.stress;

import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was done in each second, and what the store took for it. */
final class Timetable {
  private static final int SECONDS_A_LINE = 60;

  private final List<Actor> actors;
  private final List<Map<String, Long>> seconds = new ArrayList<>();
  private Map<String, Long> before = new LinkedHashMap<>();

  Timetable(List<Actor> actors) {
    this.actors = actors;
  }

  void secondPassed(Store store, int openFiles) {
    StoreStatistics statistics = store.statistics();
    Map<String, Long> sums = new LinkedHashMap<>();
    actors.forEach(actor -> sums.merge(actor.name(), actor.done(), Long::sum));
    Map<String, Long> second = new LinkedHashMap<>();
    sums.forEach((name, sum) -> second.put(name, sum - before.getOrDefault(name, 0L)));
    before = sums;
    second.put("SSTs", statistics.get(Metric.SSTS));
    second.put("trees in the fullest stage", fullestStage(store));
    second.put("running merges", statistics.get(Metric.RUNNING_COMPACTIONS));
    second.put("open files", (long) openFiles);
    if (seconds.size() % SECONDS_A_LINE == SECONDS_A_LINE - 1) {
      System.gc(); // the heap that is still in use is asked for
      Runtime runtime = Runtime.getRuntime();
      second.put("heap KiB", (runtime.totalMemory() - runtime.freeMemory()) / 1024);
    }
    seconds.add(second);
  }

  private static long fullestStage(Store store) {
    return StressModel.databases(store).stream()
        .flatMap(database -> database.forest().stages().stream())
        .mapToLong(stage -> stage.trees().size())
        .max()
        .orElse(0);
  }

  /** Seconds in which an actor of that name got nothing done. */
  long secondsWithout(String name) {
    return seconds.stream().filter(second -> second.getOrDefault(name, 0L) == 0).count();
  }

  /** The least that was done in a second. */
  long least(String name) {
    return seconds.stream().mapToLong(second -> second.getOrDefault(name, 0L)).min().orElse(0);
  }

  /** The heap in use at the end of each minute, in KiB. */
  List<Long> heap() {
    return seconds.stream()
        .filter(second -> second.containsKey("heap KiB"))
        .map(second -> second.getOrDefault("heap KiB", 0L))
        .toList();
  }

  /** One line for each minute: means of what was done, the last of what is. */
  String minutes() {
    StringBuilder text = new StringBuilder();
    for (int from = 0; from < seconds.size(); from += SECONDS_A_LINE) {
      List<Map<String, Long>> minute =
          seconds.subList(from, Math.min(seconds.size(), from + SECONDS_A_LINE));
      text.append(String.format("minute %2d:", from / SECONDS_A_LINE + 1));
      Map<String, Long> last = minute.get(minute.size() - 1);
      for (Map.Entry<String, Long> entry : last.entrySet()) {
        boolean isDone = before.containsKey(entry.getKey());
        long sum =
            minute.stream().mapToLong(second -> second.getOrDefault(entry.getKey(), 0L)).sum();
        long shown = isDone ? sum / minute.size() : entry.getValue();
        text.append(' ').append(shown).append(' ').append(entry.getKey());
        text.append(isDone ? "/s," : ",");
      }
      text.setCharAt(text.length() - 1, '\n');
    }
    return text.toString();
  }

  /** Writes all seconds as comma-separated values. */
  void writeTo(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("second," + String.join(",", seconds.get(0).keySet()));
    for (int i = 0; i < seconds.size(); i++) {
      Map<String, Long> second = seconds.get(i);
      List<String> cells = new ArrayList<>();
      cells.add(String.valueOf(i + 1));
      seconds.get(0).keySet().forEach(name -> cells.add(String.valueOf(second.get(name))));
      lines.add(String.join(",", cells));
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, lines);
  }
}
