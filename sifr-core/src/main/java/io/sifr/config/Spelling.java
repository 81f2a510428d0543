package io.sifr.config;

import java.util.ArrayList;
import java.util.List;

/** Suggests corrections for a misspelt name, for instance of a setting. */
public final class Spelling {
  /** One mistake in so many letters still leaves a word recognisable. */
  private static final int LETTERS_A_MISTAKE = 3;

  private Spelling() {}

  /** The known words closest to this one, if it is close to any. */
  public static List<String> nearest(String word, Iterable<String> known) {
    int least = Math.max(1, word.length() / LETTERS_A_MISTAKE);
    List<String> nearest = new ArrayList<>();
    for (String candidate : known) {
      int mistakes = mistakes(word, candidate);
      if (mistakes < least) {
        least = mistakes;
        nearest.clear();
      }
      if (mistakes == least) {
        nearest.add(candidate);
      }
    }
    return nearest;
  }

  /** Letters left out, added, mistaken for others, or swapped with the next (edit distance). */
  private static int mistakes(String a, String b) {
    int[][] distance = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          distance[i][j] = i + j;
          continue;
        }
        int replaced = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int fewest = distance[i - 1][j - 1] + replaced;
        fewest = Math.min(fewest, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          fewest = Math.min(fewest, distance[i - 2][j - 2] + 1);
        }
        distance[i][j] = fewest;
      }
    }
    return distance[a.length()][b.length()];
  }
}
