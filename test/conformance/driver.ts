/** The control API of the sandboxes, as the conformance tests use it. */
export interface SandboxDriver {
  /** Restores the sample world (domain reference 17): no faults, an empty journal, default switches. */
  reset(): Promise<void>;
  fault(rule: FaultRule): Promise<void>;
  /** Sets switches for unconfirmed behavior of the real service. */
  behave(switches: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Returns requests since the last {@link SandboxDriver.reset} or {@link SandboxDriver.forget}, without control calls.
   */
  journal(): Promise<readonly JournalEntry[]>;
  forget(): Promise<void>;
  list(entity: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Changes a record as a user of that service would. */
  put(entity: string, id: string | number, change: Readonly<Record<string, unknown>>): Promise<void>;
  advance(seconds: number): Promise<void>;
  /** Sets whether the published limits apply; they do after a reset. */
  enforceLimits(enforced: boolean): Promise<void>;
}

export interface JournalEntry {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number | null;
  readonly applied: boolean;
  readonly fault: string | null;
  readonly request_body: string;
}

export interface FaultRule {
  readonly match: { readonly method?: string; readonly path?: string };
  readonly skip?: number;
  readonly times?: number;
  readonly action: FaultAction;
}

export interface FaultAction {
  readonly delay_ms?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly apply?: boolean;
  readonly reset?: 'before' | 'after' | 'late';
  readonly apply_after_seconds?: number;
  readonly hang_ms?: number;
  readonly truncate?: number;
  readonly clean?: boolean;
  readonly bytes_per_second?: number;
}

const html = { 'Content-Type': 'text/html' };

/**
 * Answers that do not reveal whether the request was carried out (reliability reference 1.4, table N), by row. Each
 * exists with the request applied and not applied, if the sandbox supports both.
 */
export const unclear: readonly (readonly [name: string, action: FaultAction, isApplied: boolean])[] = [
  ['N1 a timeout, applied', { hang_ms: 3_000 }, true],
  ['N1 a timeout, not applied', { hang_ms: 3_000, apply: false }, false],
  ['N3 a connection cut before the request', { reset: 'before' }, false],
  ['N3 a connection cut after the request was applied', { reset: 'after' }, true],
  ['N3 a connection cut during the response', { truncate: 20 }, true],
  ['N7 an empty 500', { status: 500, body: '' }, false],
  ['N7 a 500 although applied', { status: 500, body: '', apply: true }, true],
  ['N7 a 502', { status: 502, headers: html, body: '<html>bad gateway</html>' }, false],
  ['N7 a 503 although applied', { status: 503, headers: html, body: '<html>busy</html>', apply: true }, true],
  ['N7 a 504', { status: 504, headers: html, body: '<html>time-out</html>' }, false],
  ['N8 an HTML page with 200', { status: 200, headers: html, body: '<html>maintenance</html>' }, false],
  ['N8 an empty 200 although applied', { status: 200, body: '', apply: true }, true],
  ['N8 JSON that is not an object', { status: 200, body: [] }, false],
  ['N8 invalid gzip', { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: 'garbage' }, false],
  ['N9 truncated JSON with a clean end', { truncate: 20, clean: true }, true],
  [
    'N9 duplicate keys',
    { status: 200, body: '{"Invoice":{"Id":"1"},"Invoice":{"Id":"2"},"items":[],"items":[]}' },
    false,
  ],
  ['N9 a response of 30 MB', { status: 200, body: 'x'.repeat(30 * 1024 * 1024) }, false],
  ['N11 a redirect', { status: 307, headers: { Location: 'http://127.0.0.1:9/' }, body: '' }, false],
];
