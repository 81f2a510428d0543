/** Tells Linux what stores of Sifr are about to read. */
module io.sifr.nativereads {
  requires io.sifr;
  requires static org.jspecify;

  provides io.sifr.spi.ReadAnnouncer with
      io.sifr.nativereads.LinuxReadAnnouncer;
}
