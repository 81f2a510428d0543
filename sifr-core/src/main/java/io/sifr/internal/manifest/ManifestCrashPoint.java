package io.sifr.internal.manifest;

import io.sifr.internal.io.CrashPoint;

/** Steps from one manifest to the next. */
public enum ManifestCrashPoint implements CrashPoint {
  /** A new manifest is written, synced and read back; CURRENT names the old one. */
  MANIFEST_WRITTEN,
  /** CURRENT names the new manifest; the old one still exists. */
  MANIFEST_SWAPPED,
  /** The old manifests, and what a crash left of new ones, are deleted. */
  MANIFEST_OLD_DELETED
}
