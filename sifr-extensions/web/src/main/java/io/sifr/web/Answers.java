package io.sifr.web;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.web.Views.View;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What can be asked about a store, by name; each answer is a JSON object. Thread-safe. */
final class Answers {
  private static final String DATABASE = "database";

  /** One kind of question. */
  private record Question(Set<String> parameters, Answer answer) {}

  /** Finds an answer. */
  @FunctionalInterface
  private interface Answer {
    byte[] of(View view, Parameters parameters);
  }

  private final Views views;
  private final Map<String, Question> questions = new TreeMap<>();

  Answers(Views views, @Nullable StoreEvents events, @Nullable Backups backups) {
    this.views = views;
    Overview overview = new Overview(views.areRefreshed(), events, backups);
    questions.put("store", new Question(Set.of(), (view, none) -> overview.store(view)));
    questions.put("metrics", new Question(Set.of(), (view, none) -> Overview.metrics()));
    questions.put(
        "databases",
        new Question(
            Set.of("after", "limit"), (view, given) -> DatabaseList.of(view.store(), given)));
    questions.put(
        "forest",
        new Question(
            Set.of(DATABASE),
            (view, given) -> ForestPicture.of(database(view.store(), given).forest())));
    questions.put(
        "entries",
        new Question(
            Entries.PARAMETERS,
            (view, given) -> Entries.page(view.store(), database(view.store(), given), given)));
    questions.put(
        "value",
        new Question(
            Set.of(DATABASE, "key", "from", "length"),
            (view, given) -> Entries.value(database(view.store(), given), given)));
    if (events != null) {
      questions.put(
          "events",
          new Question(
              Set.of("after"),
              (view, given) -> events.json(given.number("after", 0, 0, Integer.MAX_VALUE))));
    }
    if (backups != null) {
      BackupList list = new BackupList(backups);
      questions.put("backups", new Question(Set.of(), (view, none) -> list.json()));
    }
  }

  /** The answer to a question, with the query of its URL. */
  byte[] answer(String name, @Nullable String query) {
    Question question = questions.get(name);
    if (question == null) {
      throw new RefusedException(
          RefusedException.NOT_FOUND,
          "there is no such question; allowed: " + String.join(", ", questions.keySet()));
    }
    Parameters parameters = new Parameters(query, question.parameters());
    try (View view = acquired()) {
      try {
        checkOpen(view.store());
        return question.answer().of(view, parameters);
      } catch (IllegalStateException e) {
        throw gone(view.store(), parameters, e);
      }
    }
  }

  /** Also if the answer is known. */
  static void checkOpen(Store store) {
    long unused = store.lastSequence();
  }

  private View acquired() {
    try {
      return views.acquire();
    } catch (IllegalStateException e) {
      throw closed();
    }
  }

  private static RefusedException closed() {
    return new RefusedException(RefusedException.UNAVAILABLE, "the store is closed");
  }

  /** A store was closed, a database dropped, or a value has expired, while it was read. */
  private static RuntimeException gone(
      Store store, Parameters parameters, IllegalStateException found) {
    List<String> names;
    try {
      names = store.databaseNames();
    } catch (IllegalStateException e) {
      return closed();
    }
    if (!names.contains(parameters.text(DATABASE, Store.DEFAULT_DATABASE))) {
      return new RefusedException(RefusedException.NOT_FOUND, "the database was dropped");
    }
    return parameters.has("key")
        ? new RefusedException(RefusedException.NOT_FOUND, "the value is gone")
        : found;
  }

  private static Database database(Store store, Parameters given) {
    String name = given.text(DATABASE, Store.DEFAULT_DATABASE);
    try {
      return store.database(name);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(RefusedException.NOT_FOUND, "there is no database " + name);
    }
  }
}
