import { type Doc, docAt, isDoc, textAt } from './doc.ts';
import type { EntityKind } from './entities.ts';

/**
 * One record. `body` has its members as in requests, but without Id, SyncToken, MetaData and the names of references;
 * times are whole seconds, in milliseconds since 1970.
 */
export interface Entry {
  readonly id: string;
  syncToken: number;
  readonly createdAt: number;
  updatedAt: number;
  body: Doc;
  /** The last line id used. */
  lastLine: number;
  /** Counts writes to this record, to detect stale entries in the time order. */
  revision: number;
}

/** A removed record, for change data capture. */
export interface Tombstone {
  readonly id: string;
  readonly deletedAt: number;
}

interface Place {
  readonly entry: Entry;
  readonly at: number;
  readonly revision: number;
}

const indexed = ['DocNumber', 'CustomerRef', 'VendorRef', 'DisplayName', 'Name', 'SourceCurrencyCode'] as const;

/** Orders ids by number, with up to 19 digits. Other ids come last, by text. */
export function compareIds(a: string, b: string): number {
  const isNumberA = /^\d+$/.test(a);
  const isNumberB = /^\d+$/.test(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return isNumberA && a.length !== b.length ? a.length - b.length : a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the text under which an index stores a member: the id of a reference, otherwise the name in lower case. */
function keyOf(body: Doc, member: string): string | undefined {
  const value = body[member];
  return isDoc(value) ? textAt(docAt(body, member), 'value') : textAt(body, member);
}

/** Returns the position of the first element at or after a time, in elements sorted by time. */
function firstAt<Of>(sorted: readonly Of[], atMs: number, timeOf: (one: Of) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle];
    if (one !== undefined && timeOf(one) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The records of one entity of one company, with indexes by id, by common members and by time of change. */
export class Table {
  readonly kind: EntityKind;
  readonly #entries = new Map<string, Entry>();
  readonly #indexes = new Map<string, Map<string, Set<Entry>>>();
  #byTime: Place[] = [];
  #isTimeSorted = true;
  #byId: Entry[] | undefined;
  #byCreation: Entry[] | undefined;
  readonly tombstones: Tombstone[] = [];

  constructor(kind: EntityKind) {
    this.kind = kind;
    for (const member of indexed) if (kind.filters.has(member)) this.#indexes.set(member, new Map());
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  all(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Adds a record. Its id must be new. */
  add(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    this.#index(entry);
    const last = this.#byId?.at(-1);
    if (last === undefined || compareIds(last.id, entry.id) < 0) this.#byId?.push(entry);
    else this.#byId = undefined;
    this.#byCreation = undefined;
    this.#place(entry);
  }

  /** Replaces a record's body. */
  replace(entry: Entry, body: Doc): void {
    this.#unindex(entry);
    entry.body = body;
    this.#index(entry);
  }

  /** Sets a record's time of change, which moves it to the end of the time order. */
  touch(entry: Entry, atMs: number): void {
    entry.updatedAt = atMs;
    entry.revision += 1;
    this.#place(entry);
  }

  /** Removes a record and leaves a tombstone. */
  remove(entry: Entry, atMs: number): void {
    this.#entries.delete(entry.id);
    this.#unindex(entry);
    entry.revision += 1;
    this.#byId = undefined;
    this.#byCreation = undefined;
    this.tombstones.push({ id: entry.id, deletedAt: atMs });
  }

  hasIndex(member: string): boolean {
    return this.#indexes.has(member);
  }

  /** Returns the records with exactly this value in an indexed member. */
  find(member: string, value: string): ReadonlySet<Entry> {
    return this.#indexes.get(member)?.get(value.toLowerCase()) ?? new Set();
  }

  /** Returns every record by id. */
  byId(): readonly Entry[] {
    return (this.#byId ??= [...this.#entries.values()].sort((a, b) => compareIds(a.id, b.id)));
  }

  /**
   * Yields every record created at or after a time (milliseconds), the earliest first.
   *
   * @param compares orders records that were created at the same time
   */
  *created(fromMs: number, compares: (a: Entry, b: Entry) => number): Generator<Entry> {
    const all = (this.#byCreation ??= [...this.#entries.values()].sort((a, b) => a.createdAt - b.createdAt));
    for (let at = firstAt(all, fromMs, ({ createdAt }) => createdAt); at < all.length;) {
      const time = all[at]?.createdAt;
      let end = at;
      while (all[end]?.createdAt === time && end < all.length) end += 1;
      yield* all.slice(at, end).sort(compares);
      at = end;
    }
  }

  /** Yields every record changed within the bounds (both inclusive, milliseconds), the earliest change first. */
  *changed(fromMs: number, untilMs = Number.POSITIVE_INFINITY): Generator<Entry> {
    const places = this.#sorted();
    for (let at = firstAt(places, fromMs, ({ at: time }) => time); at < places.length; at += 1) {
      const place = places[at];
      if (place === undefined || place.at > untilMs) return;
      if (place.revision === place.entry.revision) yield place.entry;
    }
  }

  /** Yields every record, the latest change first. */
  *latestFirst(): Generator<Entry> {
    const places = this.#sorted();
    for (let at = places.length - 1; at >= 0; at -= 1) {
      const place = places[at];
      if (place !== undefined && place.revision === place.entry.revision) yield place.entry;
    }
  }

  #place(entry: Entry): void {
    const last = this.#byTime.at(-1);
    if (last !== undefined && last.at > entry.updatedAt) this.#isTimeSorted = false;
    this.#byTime.push({ entry, at: entry.updatedAt, revision: entry.revision });
  }

  #sorted(): readonly Place[] {
    if (this.#byTime.length > 64 && this.#byTime.length > 2 * this.#entries.size)
      this.#byTime = this.#byTime.filter(({ entry, revision }) => entry.revision === revision);
    if (!this.#isTimeSorted) {
      this.#byTime.sort((a, b) => a.at - b.at);
      this.#isTimeSorted = true;
    }
    return this.#byTime;
  }

  #index(entry: Entry): void {
    for (const [member, index] of this.#indexes) {
      const key = keyOf(entry.body, member)?.toLowerCase();
      if (key === undefined) continue;
      const set = index.get(key);
      if (set === undefined) index.set(key, new Set([entry]));
      else set.add(entry);
    }
  }

  #unindex(entry: Entry): void {
    for (const [member, index] of this.#indexes) {
      const key = keyOf(entry.body, member)?.toLowerCase();
      if (key === undefined) continue;
      const set = index.get(key);
      set?.delete(entry);
      if (set?.size === 0) index.delete(key);
    }
  }
}
