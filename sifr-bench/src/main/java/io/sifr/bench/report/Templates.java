package io.sifr.bench.report;

import freemarker.template.Configuration;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;

/** The templates of reports: FreeMarker's, which escapes text for HTML and XML. */
public final class Templates {
  // Not allowed in XML and HTML: control characters and halves of surrogate pairs.
  private static final String FORBIDDEN =
      "[^\\t\\n\\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]";

  private static final Configuration CONFIGURATION = configuration();

  private Templates() {}

  private static Configuration configuration() {
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
    configuration.setClassForTemplateLoading(Templates.class, "");
    configuration.setDefaultEncoding("UTF-8");
    configuration.setLocale(Locale.US); // "1,000"
    configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
    configuration.setLogTemplateExceptions(false);
    return configuration;
  }

  /** Fills a template; characters that are not allowed in any form are replaced. */
  static String fill(String name, Map<String, ?> content) {
    try {
      return allowed(fill(CONFIGURATION.getTemplate(name), content));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fills in the names in a plain text. */
  public static String fillText(String text, Map<String, ?> content) {
    try {
      return fill(new Template("text", text, CONFIGURATION), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String fill(Template template, Map<String, ?> content) throws IOException {
    StringWriter filled = new StringWriter();
    try {
      template.process(content, filled);
    } catch (TemplateException e) {
      throw new IllegalStateException("the template " + template.getName() + " does not work", e);
    }
    return filled.toString();
  }

  /** Text without those characters. */
  static String allowed(String text) {
    return text.replaceAll(FORBIDDEN, "\uFFFD");
  }
}
