import type { Json } from '#core/values/json.ts';

/** A value that was read, with the version of its row or rows. */
interface Read<Value> {
  readonly version: string;
  readonly value: Value;
  /** Size as stored (compressed) in the database. */
  readonly bytes: number;
}

/** Smaller values are not worth caching: reading them is as fast as checking their version. */
const defaultMinBytes = 8_192;
/** Maximum compressed bytes of this process's cache; uncompressed, it takes about ten times as much. */
const maxBytes = 3_000_000;

/**
 * Cache of large values that this process has read; drops the least recently used first. A value is returned only for
 * the row's current version, so it is never stale. The caller must not change the value.
 */
export class ReadValues<Value = Json> {
  readonly #values = new Map<string, Read<Value>>();
  readonly #minBytes: number;
  #bytes = 0;

  /** @param minBytes smaller values are not cached. */
  constructor(minBytes = defaultMinBytes) {
    this.#minBytes = minBytes;
  }

  /** Returns the cached version; null if there is none. */
  versionOf(key: string): string | null {
    return this.#values.get(key)?.version ?? null;
  }

  /** Returns the cached value of a version; undefined if it was dropped in the meantime. */
  get(key: string, version: string): Value | undefined {
    const found = this.#values.get(key);
    if (found === undefined || found.version !== version) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found.value;
  }

  set(key: string, read: Read<Value>): void {
    this.drop(key);
    if (read.bytes < this.#minBytes || read.bytes > maxBytes) return;
    this.#values.set(key, read);
    this.#bytes += read.bytes;
    for (const [oldest] of this.#values) {
      if (this.#bytes <= maxBytes) return;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}
