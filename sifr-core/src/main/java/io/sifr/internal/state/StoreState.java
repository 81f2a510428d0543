package io.sifr.internal.state;

/**
 * What an open store is at a moment: shared by its writers, its readers and its background works.
 *
 * @param lifecycle whether it is open
 * @param failure whether it may still write
 * @param writes the order of its writes, and how far they are visible
 * @param catalog the forests of its databases, as the manifest knows them
 * @param databases its databases
 * @param log its write-ahead log
 * @param counters what it has done
 */
public record StoreState(
    Lifecycle lifecycle,
    Failure failure,
    WriteOrder writes,
    CatalogStore catalog,
    Databases databases,
    StoreLog log,
    Counters counters) {}
