package io.sifr.cli.terminal;

import io.sifr.config.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads "4MiB" on the command line. */
public final class SizeConverter implements ITypeConverter<Long> {
  /** Created by picocli. */
  public SizeConverter() {}

  @Override
  public Long convert(String value) {
    try {
      return ByteSize.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
