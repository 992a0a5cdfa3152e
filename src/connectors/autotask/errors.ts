/**
 * The only place that interprets Autotask's answers. The status alone is not enough: refusals use status 500, and
 * throttling uses several statuses (autotask reference sections 2 and 3).
 */
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { withoutTrailing } from '#core/values/text.ts';
import { parseExact } from '../exact-json.ts';
import { type HttpResult, scrub } from '../http-client.ts';
import { noteUnexpected } from '../unexpected.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Wait after status 429 or the hourly limit if the answer names no time; the limit's window rolls slowly. */
const limitWaitMs = 60_000;
const maxDetailLength = 600;

type Meaning = Pick<ServiceFailure, 'outcome' | 'next' | 'code'> & { readonly waitMs?: number };

const unavailable: Meaning = { outcome: 'unknown', next: 'try_again', code: 'PSA_UNAVAILABLE' };
const refused: Meaning = { outcome: 'not_applied', next: 'refuse', code: 'PSA_VALIDATION' };
const denied: Meaning = { outcome: 'not_applied', next: 'refuse', code: 'PSA_VALIDATION' };
const signIn: Meaning = { outcome: 'not_applied', next: 'reconnect', code: 'PSA_AUTH' };
const throttled: Meaning = { outcome: 'not_applied', next: 'try_again', code: 'PSA_LIMIT' };

/**
 * Returns the JSON object from the result of a call.
 *
 * @param secrets never shown, even if the service repeats them.
 * @throws ServiceError for everything except a 2xx with a JSON object without errors.
 */
export function readAnswer(operation: string, result: HttpResult, secrets: readonly string[]): JsonRecord {
  if (!result.isAnswered) {
    const meaning: Meaning = result.isUnsent ? { ...unavailable, outcome: 'not_applied' } : unavailable;
    throw failure(operation, meaning, `Autotask did not respond: ${result.reason}.`, result.status, secrets);
  }
  const { status, text } = result;
  const body = parseOrUndefined(text);
  if (status >= 200 && status < 300) {
    // Some deletes and updates answered 204 without a body (autotask reference section 2).
    if (status === 204 && text === '') return {};
    if (!isRecord(body)) throw failure(operation, unavailable, 'Autotask returned no JSON object.', status, secrets);
    const texts = errorTexts(body);
    if (texts.length === 0) return body;
    throw failure(operation, meaningOf(status, texts, result.waitMs), texts.join(' '), status, secrets);
  }
  const texts = isRecord(body) ? errorTexts(body) : [];
  if (!knownStatuses.has(status))
    noteUnexpected({ service: 'psa', kind: 'unknown_code', fact: 'A11', name: `status ${status}`, operation }, body);
  const meaning = meaningOf(status, texts, result.waitMs);
  const words = texts.join(' ');
  const isError = meaning.code === 'PSA_UNAVAILABLE';
  const said = isError ? `Autotask reported an error: ${withoutTrailing(words, '.')}.` : words;
  const detail = texts.length > 0 ? said : `Autotask responded with status ${status}.`;
  throw failure(operation, meaning, detail, status, secrets);
}

/**
 * Returns the error for an answer of unexpected shape, whose meaning is unknown, and notes it for the operator.
 *
 * @param noted the members and the answer, if they are known.
 */
export function wrongShape(
  operation: string,
  what: string,
  noted: { readonly name: string; readonly answer: unknown } = { name: what, answer: undefined },
): ServiceError {
  const { name, answer } = noted;
  const of = name.includes('not in order')
    ? ({ kind: 'not_sorted', fact: 'A16' } as const)
    : ({ kind: 'wrong_shape', fact: 'A28' } as const);
  noteUnexpected({ service: 'psa', ...of, name, operation }, answer);
  return failure(operation, unavailable, `Autotask responded in an unknown format: ${what}.`, undefined, []);
}

/**
 * The limits would delay the call too long.
 *
 * @param isPaused Autotask asked us to wait; otherwise our share of its hourly limit is used up.
 */
export const limitReached = (operation: string, waitMs: number, isPaused = false): ServiceError => {
  const detail = isPaused ? 'Autotask asked to pause all calls.' : 'The limit of calls to Autotask is used up.';
  return failure(operation, { ...throttled, waitMs }, detail, undefined, []);
};

/** Labels of the fields that we write, as users know them. */
const fieldLabels: Readonly<Record<string, string>> = {
  invoiceNumber: 'invoice number',
  webServiceDate: 'sync date',
  paidDate: 'paid date',
  externalPONumber: 'external PO number',
  quickBooksReferenceNumber: 'QuickBooks reference number',
};

/** Autotask accepted a value and did not store it [A23]. */
export const notStored = (
  operation: string,
  {
    noun,
    id,
    name,
    sent,
  }: { readonly noun: string; readonly id: number; readonly name: string; readonly sent: string | null },
): ServiceError => {
  const label = fieldLabels[name] ?? name;
  const what = sent === null || sent === '' ? `to clear the ${label}` : `the ${label} ${sent}`;
  const detail = `Autotask accepted ${what} of ${noun} ${id} and did not store it.`;
  const meaning: Meaning = { outcome: 'not_applied', next: 'stop_run', code: 'PSA_NOT_STORED' };
  return failure(operation, meaning, detail, undefined, []);
};

/** The call was stopped by us before it was sent. */
export const notSent = (operation: string, detail: string): ServiceError =>
  failure(operation, { ...unavailable, outcome: 'not_applied' }, detail, undefined, []);

/** Autotask rejected the sign-in, without a reliable reason [A15]. */
export const signInRejected = (operation: string): ServiceError =>
  signInRefused(operation, 'Autotask rejected the API user, its password, or the tracking identifier of Tallybridge.');

/** The zone service does not know the user. */
export const signInRefused = (operation: string, detail: string): ServiceError =>
  failure(operation, signIn, detail, 401, []);

/** Messages about a wrong integration code, also called tracking identifier, e.g. `IntegrationCode is invalid.` */
function isIntegrationRejected(text: string): boolean {
  const at = text.search(/integration\s*code|tracking\s*identifier/i);
  if (at < 0) return false;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return (
    /\b(?:invalid|missing|unknown)\b/i.test(before) || /\b(?:invalid|not valid|missing|required|unknown)/i.test(after)
  );
}

/** Texts of a server that failed, such as the defaults of .NET and SQL Server. They name no rule or field [A11]. */
const genericTexts = [
  /^an? (?:(?:unexpected|internal|unknown|unhandled|unspecified|server) )*error (?:has |was )?(?:occurred|encountered)(?: while processing (?:your|the) request)?\.?(?: please (?:try|contact)\b[^:]*)?$/i,
  /^(?:internal server error|unexpected error|unknown error|server error|(?:an? )?(?:internal )?error)[.!]?$/i,
  /^(?:the )?(?:service|server|system|database) is (?:temporarily |currently )?(?:unavailable|busy|overloaded)\b/i,
  /^(?:something went wrong|please try (?:again|later)|object reference not set\b)/i,
  /^(?:execution |connection |request |the (?:operation|request|wait operation) (?:has )?)?timed?[ -]?out\b/i,
  /\bdeadlocked\b/i,
] as const;

const isGeneric = (text: string): boolean => genericTexts.some((pattern) => pattern.test(text.trim()));

/** Statuses with a known meaning; a redirect leads to another zone [A4]. */
const knownStatuses: ReadonlySet<number> = new Set([
  200, 201, 301, 302, 307, 308, 400, 401, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 504,
]);

function meaningOf(status: number, texts: readonly string[], waitMs: number | undefined): Meaning {
  const text = texts.join(' ');
  // More than three concurrent calls: ends within a second, with any status.
  if (/Itgenatr005|thread threshold/i.test(text)) return { ...throttled, waitMs: waitMs ?? 1_000 };
  if (status === 429 || /threshold|request limit|rate limit/i.test(text))
    return { ...throttled, waitMs: waitMs ?? limitWaitMs };
  // A wrong tracking identifier is answered with 401, or with 500 and this text [A15].
  if (status === 401 || isIntegrationRejected(text)) return signIn;
  if (status === 403) return denied;
  const wait = waitMs === undefined ? {} : { waitMs };
  if (status === 408 || status === 502 || status === 503 || status === 504) return { ...unavailable, ...wait };
  // Most missing permissions are reported as 500 with a text.
  if (/permission/i.test(text) && !/no matching records/i.test(text)) return denied;
  if (texts.length > 0 && !(status >= 500 && texts.every(isGeneric))) return refused;
  if (status === 404) return { ...unavailable, outcome: 'not_applied' };
  return { ...unavailable, ...wait };
}

/** `errors` contains texts, or objects with `message`; a refused verb uses a capital `Message` instead. */
function errorTexts(body: JsonRecord): string[] {
  const errors = Array.isArray(body.errors) ? body.errors : [];
  const texts = errors.map((one: unknown) => (isRecord(one) ? one.message : one)).filter((one) => isText(one));
  if (texts.length > 0) return texts;
  const message = body.Message ?? body.message;
  return isText(message) ? [message] : [];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function parseOrUndefined(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function failure(
  operation: string,
  meaning: Meaning,
  detail: string,
  status: number | undefined,
  secrets: readonly string[],
): ServiceError {
  return new ServiceError({
    service: 'psa',
    operation,
    ...meaning,
    detail: scrub(detail, secrets).slice(0, maxDetailLength),
    ...(status !== undefined && { status }),
  });
}
