import type { Json } from '#core/values/json.ts';

/** A value as it was read, and which version of its row that was. */
interface Read {
  readonly version: string;
  readonly value: Json;
  /** As the database stores it, packed. */
  readonly bytes: number;
}

/** Shorter values are read as quickly as they are looked for. */
const leastBytes = 8_192;
/** Packed bytes of all that is kept in this process; unpacked it is some ten times as much. */
const mostBytes = 3_000_000;

/**
 * Long values that this process has read lately, least lately used first out. They are told again only for the version
 * that the row has now, so that nothing old is ever told; whoever gets one must not change it.
 */
export class ReadValues {
  readonly #kept = new Map<string, Read>();
  #bytes = 0;

  /** Version that is kept; null for none. */
  versionOf(key: string): string | null {
    return this.#kept.get(key)?.version ?? null;
  }

  /** The kept value of a version; undefined when it has gone meanwhile. */
  take(key: string, version: string): Json | undefined {
    const found = this.#kept.get(key);
    if (found === undefined || found.version !== version) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  keep(key: string, read: Read): void {
    this.drop(key);
    if (read.bytes < leastBytes || read.bytes > mostBytes) return;
    this.#kept.set(key, read);
    this.#bytes += read.bytes;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= mostBytes) return;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
