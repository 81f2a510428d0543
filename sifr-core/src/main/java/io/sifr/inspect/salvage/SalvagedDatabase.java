package io.sifr.inspect.salvage;

/**
 * A rescued database.
 *
 * @param name its name in the new store
 * @param entries entries it has there
 * @param bytes bytes of their keys and values
 */
public record SalvagedDatabase(String name, long entries, long bytes) {}
