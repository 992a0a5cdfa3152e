import type { Json } from '#core/values/json.ts';

/** A value as it was read, and which version of its row or rows that was. */
interface Read<Value> {
  readonly version: string;
  readonly value: Value;
  /** Size as the database stores it, packed. */
  readonly bytes: number;
}

/** Shorter values are read as quickly as they are looked for. */
const usualLeastBytes = 8_192;
/** Packed bytes of all that is kept in this process; unpacked it is some ten times as much. */
const mostBytes = 3_000_000;

/**
 * Long values that this process has read lately, least lately used first out. They are told again only for the version
 * that the row has now, so that nothing old is ever told; whoever gets one must not change it.
 */
export class ReadValues<Value = Json> {
  readonly #kept = new Map<string, Read<Value>>();
  readonly #leastBytes: number;
  #bytes = 0;

  /** @param leastBytes shorter values are not kept. */
  constructor(leastBytes = usualLeastBytes) {
    this.#leastBytes = leastBytes;
  }

  /** Version that is kept; null for none. */
  versionOf(key: string): string | null {
    return this.#kept.get(key)?.version ?? null;
  }

  /** The kept value of a version; undefined when it has gone meanwhile. */
  take(key: string, version: string): Value | undefined {
    const found = this.#kept.get(key);
    if (found === undefined || found.version !== version) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  keep(key: string, read: Read<Value>): void {
    this.drop(key);
    if (read.bytes < this.#leastBytes || read.bytes > mostBytes) return;
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
