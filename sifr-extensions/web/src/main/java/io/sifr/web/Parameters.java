package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters of a request. What is wrong with one its sender is told, with what is allowed. */
final class Parameters {
  private final Map<String, String> values = new TreeMap<>();

  /**
   * Reads what follows the question mark of a URL.
   *
   * @param query null if there is none
   * @param allowed names that there may be
   */
  Parameters(@Nullable String query, Set<String> allowed) {
    if (query == null || query.isEmpty()) {
      return;
    }
    for (String parameter : query.split("&", -1)) {
      int sign = parameter.indexOf('=');
      String name = decoded(sign < 0 ? parameter : parameter.substring(0, sign));
      if (!allowed.contains(name)) {
        throw bad("unknown parameter " + name + "; allowed: " + list(allowed));
      }
      if (values.put(name, sign < 0 ? "" : decoded(parameter.substring(sign + 1))) != null) {
        throw bad("parameter " + name + " is given twice; allowed: once");
      }
    }
  }

  private static String list(Set<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", new TreeSet<>(names));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad("a parameter is no text: " + e.getMessage() + "; allowed: UTF-8, percent-encoded");
    }
  }

  static RefusedException bad(String message) {
    return new RefusedException(RefusedException.BAD_REQUEST, message);
  }

  /** The text of a parameter, or another if there is none. */
  String text(String name, String ifMissing) {
    return values.getOrDefault(name, ifMissing);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  /** One of some words; the first if it is missing. */
  String choice(String name, String... allowed) {
    String text = values.getOrDefault(name, allowed[0]);
    for (String choice : allowed) {
      if (choice.equals(text)) {
        return text;
      }
    }
    throw bad("parameter " + name + " is " + text + "; allowed: " + String.join(", ", allowed));
  }

  /** A whole number within bounds. */
  int number(String name, int ifMissing, int least, int most) {
    String text = values.get(name);
    if (text == null) {
      return ifMissing;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw bad("parameter " + name + " is " + text + "; allowed: " + least + " to " + most);
  }

  /** Bytes as hexadecimal digits, null if the parameter is missing. */
  byte @Nullable [] bytes(String name, int most) {
    String digits = values.get(name);
    if (digits == null) {
      return null;
    }
    if (digits.length() <= 2 * most) {
      try {
        return HexFormat.of().parseHex(digits);
      } catch (IllegalArgumentException e) {
        // told below
      }
    }
    throw bad(
        "parameter "
            + name
            + " is wrong; allowed: an even number of hexadecimal digits, at most "
            + 2 * most);
  }
}
