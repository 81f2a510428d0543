package io.sifr.config;

/** The treatment of the files of an ingest. A symbolic link stands for the file that it names. */
public enum IngestFiles {
  /**
   * The store gives each file a second name in its own directory, which writes nothing but the
   * name. The file must not be changed afterwards, also not by the caller; the caller may delete
   * it. Where that is impossible, on another file system for example, files are copied.
   */
  LINK,

  /** The store copies each file. */
  COPY,

  /**
   * As {@link #LINK}; when all files are in the store their old names are deleted. Of a file that
   * was given by a symbolic link its own name is deleted; the link stays.
   */
  MOVE
}
