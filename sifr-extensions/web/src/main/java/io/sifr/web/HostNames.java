package io.sifr.web;

import com.sun.net.httpserver.HttpExchange;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that requests may name. A page from elsewhere can make a browser send requests here, by
 * a name of its own that it lets lead to this machine; the browser then lets it read the answers.
 * But that name stands in the request. Immutable.
 */
final class HostNames {
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");
  private static final Pattern PORT = Pattern.compile(":\\d{0,5}$");

  private final Set<String> names = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

  /**
   * The names of this machine, and others.
   *
   * @param address that was to be listened at, null for that of the loopback
   */
  HostNames(@Nullable String address, List<String> others) {
    if (address != null) {
      names.add(address.toLowerCase(Locale.ROOT));
    }
    others.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Whether an address is no name. */
  static boolean isNumber(String address) {
    return address.contains(":") || IPV4.matcher(address).matches();
  }

  /** An address as it stands in a URL. */
  static String number(InetAddress address) {
    String text = address.getHostAddress();
    int scope = text.indexOf('%');
    String number = scope < 0 ? text : text.substring(0, scope);
    return address instanceof Inet6Address ? "[" + number + "]" : number;
  }

  /** Whether a request names one of the hosts, or the address at which it has arrived. */
  boolean allow(HttpExchange exchange) {
    List<String> given = exchange.getRequestHeaders().get("Host");
    if (given == null || given.size() != 1) {
      return false;
    }
    String host = PORT.matcher(given.get(0).toLowerCase(Locale.ROOT)).replaceFirst("");
    return names.contains(host) || isAddress(host, exchange.getLocalAddress().getAddress());
  }

  private static boolean isAddress(String host, InetAddress address) {
    if (!IPV4.matcher(host).matches() && !IPV6.matcher(host).matches()) {
      return false;
    }
    try {
      // A number: nobody is asked.
      return number(InetAddress.getByName(host)).equals(number(address));
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
