package io.sifr.web;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.web.Views.View;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The questions that can be asked about a store, by name; each answer is a JSON object.
 * Thread-safe.
 */
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
            (view, given) ->
                ofDatabase(view.store(), given, database -> ForestPicture.of(database.forest()))));
    questions.put(
        "entries",
        new Question(
            Entries.PARAMETERS,
            (view, given) ->
                ofDatabase(
                    view.store(), given, database -> Entries.page(view.store(), database, given))));
    questions.put(
        "value",
        new Question(
            Set.of(DATABASE, "key", "from", "length"),
            (view, given) ->
                ofDatabase(view.store(), given, database -> Entries.value(database, given))));
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
        checkOpen(view.store());
        throw e;
      }
    }
  }

  /** Also if the answer is known: nothing is told of a closed store. */
  static void checkOpen(Store store) {
    try {
      long unused = store.lastSequence();
    } catch (IllegalStateException e) {
      throw closed();
    }
  }

  private View acquired() {
    try {
      return views.acquire();
    } catch (IllegalStateException e) {
      throw closed();
    } catch (IllegalArgumentException e) { // it was deleted while nobody looked
      throw new RefusedException(RefusedException.UNAVAILABLE, String.valueOf(e.getMessage()));
    }
  }

  private static RefusedException closed() {
    return new RefusedException(RefusedException.UNAVAILABLE, "the store is closed");
  }

  /** Asks a question about the database that a request names. */
  static byte[] ofDatabase(
      Store store, Parameters given, Function<? super Database, byte[]> question) {
    Database database = database(store, given);
    try {
      return question.apply(database);
    } catch (IllegalStateException e) {
      checkOpen(store);
      if (isDropped(database)) {
        throw new RefusedException(RefusedException.NOT_FOUND, "the database was dropped");
      }
      if (given.has("key")) { // it has expired, or its database keeps only the newest
        throw new RefusedException(RefusedException.NOT_FOUND, "the value is gone");
      }
      throw e;
    }
  }

  /** Also if there is another one of its name by now. */
  private static boolean isDropped(Database database) {
    try {
      boolean unused = database.contains(new byte[0]);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
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
