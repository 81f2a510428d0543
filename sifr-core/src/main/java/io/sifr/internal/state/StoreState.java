package io.sifr.internal.state;

import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.internal.view.ReadEpochs;

/**
 * The state of an open store, shared by its writers, its readers and its background work.
 *
 * @param lifecycle whether it is open
 * @param failure whether it may still write
 * @param writes the order of its writes, and how far they are visible
 * @param catalog the forests of its databases, as in the manifest
 * @param databases its databases
 * @param log its write-ahead log
 * @param counters its counters
 */
public record StoreState(
    Lifecycle lifecycle,
    FirstFailure failure,
    WriteOrder writes,
    CatalogStore catalog,
    Databases databases,
    StoreLog log,
    Counters counters) {

  /**
   * The objects that the SSTs of a store share.
   *
   * @param access how their blocks are read
   * @param epochs the epochs of point reads, which keep files from being deleted under them
   */
  public record SstParts(SstAccess access, ReadEpochs epochs) {}
}
