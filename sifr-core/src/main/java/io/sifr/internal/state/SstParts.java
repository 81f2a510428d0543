package io.sifr.internal.state;

import io.sifr.internal.sst.read.SstAccess;
import io.sifr.internal.view.ReadEpochs;

/**
 * What the SSTs of a store share.
 *
 * @param access how their blocks are read
 * @param epochs the epochs of point reads, which keep files from being deleted under them
 */
public record SstParts(SstAccess access, ReadEpochs epochs) {}
