package io.sifr.internal.state;

import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.sst.SstAccess;
import io.sifr.internal.util.ReadEpochs;

/**
 * What the SSTs of a store share.
 *
 * @param access how their blocks are read
 * @param filters their filters
 * @param epochs which point reads are in, so that no file goes under one
 */
public record SstParts(SstAccess access, SstFilters filters, ReadEpochs epochs) {}
