/** One request and its response. Bodies are text; bytes that are not UTF-8 become replacement characters. */
export interface JournalEntry {
  /** 1 for the first request since the start; never reused. */
  readonly sequence: number;
  /** Time at which the request was complete, by the sandbox's clock, ISO 8601 UTC. */
  readonly time: string;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty when it was missing. */
  readonly query: string;
  /** Owner of the credentials; null when they were missing or wrong. */
  owner: string | null;
  /** The status sent; null when the connection was cut first. */
  status: number | null;
  /** Real milliseconds from the last byte of the request to the last byte of the response. */
  duration_ms: number;
  /** Whether this request changed data; becomes true when a late write is applied. */
  applied: boolean;
  /** Id of the fault rule that applied; null without one. */
  fault: string | null;
  readonly request_body: string;
  response_body: string;
}

/** Every received request in order, in bounded memory: the oldest entries are dropped first. */
export interface Journal {
  /** Opens an entry; the caller fills in later values. */
  open(entry: JournalEntry): JournalEntry;
  /** Call this after an entry's bodies have changed. */
  settle(entry: JournalEntry, responseBody: string): void;
  /** The next sequence number. */
  nextSequence(): number;
  /** The entries after sequence `since`, oldest first, at most `limit` of them. */
  since(since: number, limit?: number): readonly JournalEntry[];
  /** The sequence number of the latest request; 0 without one. */
  last(): number;
  /** Deletes the entries; the numbers continue. */
  clear(): void;
}

export interface JournalOptions {
  readonly maxEntries?: number | undefined;
  /** Maximum characters of all bodies together. */
  readonly maxBodyCharacters?: number | undefined;
  /** Maximum characters stored of one body; the rest is cut off. */
  readonly maxCharactersPerBody?: number | undefined;
}

/** Creates an empty journal. Defaults: 20,000 entries, 64 million characters in all, one million per body. */
export function createJournal(options: JournalOptions = {}): Journal {
  const maxEntries = options.maxEntries ?? 20_000;
  const maxBodyCharacters = options.maxBodyCharacters ?? 64_000_000;
  const maxCharactersPerBody = options.maxCharactersPerBody ?? 1_000_000;
  let entries: JournalEntry[] = [];
  let first = 0;
  let last = 0;
  let characters = 0;

  const sizeOf = (entry: JournalEntry): number => entry.request_body.length + entry.response_body.length;
  const cut = (text: string): string =>
    text.length > maxCharactersPerBody ? `${text.slice(0, maxCharactersPerBody)}…` : text;

  const trim = (): void => {
    for (let oldest = entries[first]; oldest !== undefined; oldest = entries[first]) {
      const count = entries.length - first;
      if (count <= 1 || (count <= maxEntries && characters <= maxBodyCharacters)) break;
      characters -= sizeOf(oldest);
      first += 1;
    }
    if (first > 1000 && first > entries.length / 2) {
      entries = entries.slice(first);
      first = 0;
    }
  };

  return {
    open(entry) {
      const shortened = { ...entry, request_body: cut(entry.request_body), response_body: cut(entry.response_body) };
      entries.push(shortened);
      characters += sizeOf(shortened);
      trim();
      return shortened;
    },
    settle(entry, responseBody) {
      const isKept = (entries[first]?.sequence ?? Infinity) <= entry.sequence && entry.sequence <= last;
      const before = entry.response_body.length;
      entry.response_body = cut(responseBody);
      if (isKept) characters += entry.response_body.length - before;
      trim();
    },
    nextSequence() {
      last += 1;
      return last;
    },
    since(since, limit = Infinity) {
      // Sequences have no gaps, so the index of an entry follows from its number.
      const lead = entries[first]?.sequence ?? 1;
      const from = first + Math.max(0, since + 1 - lead);
      return entries.slice(from, limit === Infinity ? undefined : from + limit);
    },
    last: () => last,
    clear() {
      entries = [];
      first = 0;
      characters = 0;
    },
  };
}
