package io.sifr.internal.filter;

import io.sifr.internal.io.CrashPoint;

/** Steps of writing a filter. */
public enum FilterCrashPoint implements CrashPoint {
  /** The bits of a filter are in the filter file, the header that says so is not. */
  FILTER_BITS_WRITTEN,
  /** A filter is in the filter file, not durable; no forest holds its SST. */
  FILTER_WRITTEN
}
