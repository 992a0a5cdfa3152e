/**
 * The only place that interprets QuickBooks Online's answers. It reads every known format (quickbooks reference 4.1:
 * service fault, gateway fault, XML of both, a fault inside 200). Codes decide; texts are localized, so only texts of
 * the gateway are used. Without a fault it is unknown whether a write was applied.
 */
import { nextReadMonth, readMonthZone } from '#core/metered-reads.ts';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { dayText, secondsBetween, startOfDay, type Instant } from '#core/values/dates.ts';
import { withoutTrailing } from '#core/values/text.ts';
import { parseExact } from '../exact-json.ts';
import { type HttpResult, scrub } from '../http-client.ts';
import { noteUnexpected } from '../unexpected.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Meaning = Pick<ServiceFailure, 'outcome' | 'next' | 'code' | 'cause'>;

const unavailable: Meaning = { outcome: 'unknown', next: 'try_again', code: 'QBO_UNAVAILABLE' };
const refusedAs = (code: string): Meaning => ({ outcome: 'not_applied', next: 'refuse', code });
const stopsRun = (code: string): Meaning => ({ outcome: 'not_applied', next: 'stop_run', code });
const reconnect: Meaning = { outcome: 'not_applied', next: 'reconnect', code: 'QBO_AUTH' };
const throttled: Meaning = { outcome: 'not_applied', next: 'try_again', code: 'QBO_THROTTLED' };

const readBlock: Meaning = { outcome: 'not_applied', next: 'try_again', code: 'QBO_READS_BLOCKED' };

/** QuickBooks requires a minute's wait after throttling, without naming a time (quickbooks reference section 3). */
const throttleWaitMs = 60_000;
const maxDetailLength = 900;
/**
 * Texts of a refusal that lasts until the next month. The real text is not documented; the App Partner Program calls
 * reads "CorePlus" calls.
 */
const monthlyLimit = /coreplus|monthly/i;

/** Meanings of fault codes (quickbooks reference 4.2); any other code of a refusal means `QBO_VALIDATION`. */
const meaningByCode: Readonly<Record<string, Meaning>> = {
  100: reconnect,
  110: reconnect,
  120: stopsRun('QBO_PERMISSION'),
  130: reconnect,
  // The company is temporarily unavailable [Q27].
  140: stopsRun('QBO_COMPANY_UNAVAILABLE'),
  150: stopsRun('QBO_COMPANY_UNAVAILABLE'),
  // The first call with this request id may still be running.
  600: unavailable,
  500: { ...refusedAs('QBO_VALIDATION'), cause: 'unsupported' },
  610: refusedAs('QBO_REFERENCE'),
  2210: { ...refusedAs('QBO_VALIDATION'), cause: 'bad_email' },
  2500: refusedAs('QBO_REFERENCE'),
  3001: throttled,
  // Wrong scope or company: the user must connect again.
  3100: { outcome: 'not_applied', next: 'reconnect', code: 'QBO_PERMISSION' },
  3200: reconnect,
  3202: reconnect,
  5010: { outcome: 'not_applied', next: 'try_again', code: 'QBO_STALE', cause: 'stale' },
  5020: stopsRun('QBO_PLAN'),
  5030: stopsRun('QBO_PLAN'),
  6140: { ...refusedAs('DUPLICATE_DOC_NUMBER'), cause: 'duplicate_number' },
  6190: stopsRun('QBO_SUBSCRIPTION'),
  6200: refusedAs('PERIOD_CLOSED'),
  6210: refusedAs('PERIOD_CLOSED'),
  6240: { ...refusedAs('QBO_VALIDATION'), cause: 'duplicate_name' },
  6250: refusedAs('QBO_REFERENCE'),
  7001: stopsRun('QBO_COMPANY_DELETED'),
  10000: unavailable,
};

/** Codes of refusals that need no other meaning than `QBO_VALIDATION` (quickbooks reference 4.2). */
const ordinaryCodes: ReadonlySet<string> = new Set(
  '2010 2020 2030 2040 2050 2130 2170 4000 4001 4002 6000 6070 6100 6420 6430 6450 6540'.split(' '),
);
/** Statuses with a known meaning [Q10, Q19, Q21]. */
const knownStatuses: ReadonlySet<number> = new Set([
  200, 201, 301, 302, 400, 401, 403, 404, 405, 408, 413, 429, 500, 502, 503, 504,
]);

/** Notes a status or code that this file does not know, so that the operator learns of it. */
function noteIfUnknown(operation: string, answer: unknown, status: number | undefined, vendorCode?: string): void {
  const of = { service: 'accounting', kind: 'unknown_code', operation } as const;
  if (status !== undefined && !knownStatuses.has(status))
    noteUnexpected({ ...of, fact: 'Q21', name: `status ${status}` }, answer);
  const isKnown = vendorCode === undefined || meaningByCode[vendorCode] !== undefined || ordinaryCodes.has(vendorCode);
  if (!isKnown) noteUnexpected({ ...of, fact: 'Q22', name: `code ${vendorCode}` }, answer);
}

interface FaultError {
  readonly code: string;
  readonly message: string;
  readonly detail: string;
}
interface Fault {
  readonly type: string;
  readonly errors: readonly FaultError[];
}

/**
 * Returns the JSON object from the result of a call.
 *
 * @param secrets never shown, even if the service repeats them.
 * @throws ServiceError for everything except a 2xx with a JSON object without a fault.
 */
export function readAnswer(operation: string, result: HttpResult, secrets: readonly string[]): JsonRecord {
  const fail = (meaning: Meaning, detail: string, more: Partial<ServiceFailure> = {}): ServiceError =>
    new ServiceError({
      service: 'accounting',
      operation,
      ...meaning,
      detail: scrub(detail, secrets).slice(0, maxDetailLength),
      ...(result.status !== undefined && { status: result.status }),
      ...(result.traceId !== undefined && { traceId: result.traceId }),
      ...more,
    });
  if (!result.isAnswered) {
    const outcome = result.isUnsent ? 'not_applied' : 'unknown';
    throw fail({ ...unavailable, outcome }, `QuickBooks did not respond: ${result.reason}.`);
  }
  const { status, text } = result;
  const body = parseOrUndefined(text);
  const fault = faultIn(body) ?? xmlFaultIn(text);
  if (status === 429 && monthlyLimit.test(text)) throw fail(readBlock, 'The monthly limit of reads is used up.');
  if (fault === undefined) {
    if (status >= 200 && status < 300 && isRecord(body)) return body;
    noteIfUnknown(operation, body, status);
    const meaning = meaningOfStatus(status);
    const waitMs = result.waitMs ?? (meaning === throttled ? throttleWaitMs : undefined);
    const detail =
      status >= 200 && status < 300
        ? 'QuickBooks returned no JSON object.'
        : `QuickBooks responded with status ${status}.`;
    throw fail(meaning, detail, waitMs === undefined ? {} : { waitMs });
  }
  const { meaning, vendorCode } = meaningOfFault(status, fault);
  noteIfUnknown(operation, body, status, vendorCode);
  const waitMs = result.waitMs ?? (meaning === throttled ? throttleWaitMs : undefined);
  throw fail(meaning, shownDetail(meaning, fault), {
    ...(vendorCode !== undefined && { vendorCode }),
    ...(waitMs !== undefined && meaning.next === 'try_again' && { waitMs }),
  });
}

/** Returns the fault of one item of a batch; null if there is none. An item has no separate status. */
export function faultOfItem(operation: string, item: JsonRecord): ServiceError | null {
  const fault = faultIn(item);
  if (fault === undefined) return null;
  const { meaning, vendorCode } = meaningOfFault(400, fault);
  noteIfUnknown(operation, item, undefined, vendorCode);
  const waitMs = meaning === throttled ? throttleWaitMs : undefined;
  return new ServiceError({
    service: 'accounting',
    operation,
    ...meaning,
    detail: shownDetail(meaning, fault).slice(0, maxDetailLength),
    ...(vendorCode !== undefined && { vendorCode }),
    ...(waitMs !== undefined && { waitMs }),
  });
}

/** The company accepts no documents because of its subscription; reading works. */
export const readOnlyCompany = (operation: string, status: string): ServiceError =>
  ourFailure(operation, stopsRun('QBO_SUBSCRIPTION'), `The QuickBooks subscription is ${status}: it is read-only.`);

/** Adds the plan's name to a refusal that depends on the plan. */
export const withPlan = ({ about }: ServiceError, plan: string): ServiceError =>
  new ServiceError({ ...about, detail: `${about.detail} (This company has ${plan}.)` });

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
  noteUnexpected({ service: 'accounting', kind: 'wrong_shape', fact: 'Q18', name, operation }, answer);
  return ourFailure(operation, unavailable, what);
}

/** Intuit blocks the reads of the application until the next month; nothing was read. */
export function readsBlocked(operation: string, now: Instant): ServiceError {
  const end = nextReadMonth(now);
  return new ServiceError({
    service: 'accounting',
    operation,
    ...readBlock,
    detail: `Intuit’s monthly limit of reads from QuickBooks is used up. Reads are blocked until ${dayText(end)}.`,
    waitMs: secondsBetween(now, startOfDay(end, readMonthZone)) * 1_000,
  });
}

/**
 * The limits would delay the call too long; nothing was sent.
 *
 * @param isPaused QuickBooks asked us to wait; otherwise our share of its limits is used up.
 */
export const limitReached = (operation: string, waitMs: number, isPaused = false): ServiceError =>
  new ServiceError({
    service: 'accounting',
    operation,
    ...throttled,
    detail: isPaused ? 'QuickBooks asked to pause all calls.' : 'The limit of calls to QuickBooks is used up.',
    waitMs,
  });

/** The service permanently refused our access: a user must connect again. */
export const consentLost = (operation: string, detail: string, status?: number): ServiceError =>
  new ServiceError({
    service: 'accounting',
    operation,
    ...reconnect,
    detail,
    ...(status !== undefined && { status }),
  });

/** The connection was ended or replaced while the call waited; nothing was sent. */
export const accessEnded = (operation: string, detail: string): ServiceError =>
  ourFailure(operation, stopsRun('QBO_AUTH'), detail);

/** Our app registration at the service is wrong; a user cannot fix it by connecting again. */
export const registrationRefused = (operation: string, detail: string): ServiceError =>
  ourFailure(operation, stopsRun('QBO_AUTH'), detail);

/** A list has fewer rows than QuickBooks counts, so no decision about money is made by it. */
export const incompleteList = (operation: string, what: string, counted: number, found: number): ServiceError =>
  ourFailure(
    operation,
    { ...unavailable, outcome: 'not_applied' },
    `QuickBooks counts ${counted.toLocaleString('en-US')} ${what} and returned ${found.toLocaleString('en-US')}, also when asked again. Nothing was posted. The next sync tries again.`,
  );

/** The call was stopped by us before it was sent. */
export const notSent = (operation: string, detail: string): ServiceError =>
  ourFailure(operation, { ...unavailable, outcome: 'not_applied' }, detail);

const ourFailure = (operation: string, meaning: Meaning, detail: string): ServiceError =>
  new ServiceError({ service: 'accounting', operation, ...meaning, detail: detail.slice(0, maxDetailLength) });

function meaningOfFault(status: number, { type, errors }: Fault): { meaning: Meaning; vendorCode: string | undefined } {
  // An answer may contain several errors; the first one with a known code decides.
  const decisive = errors.find(({ code }) => meaningByCode[code] !== undefined) ?? errors[0];
  const vendorCode = decisive?.code === '' ? undefined : decisive?.code;
  const known = decisive === undefined ? undefined : meaningByCode[decisive.code];
  const withMeaning = (meaning: Meaning) => ({ meaning, vendorCode });
  if (status === 429) return withMeaning(throttled);
  // During outages the gateway sends an authorization fault that contains another status.
  if (status >= 500 || /statusCode=5\d\d/.test(decisive?.message ?? '')) return withMeaning(unavailable);
  // The same code also means that the company has ended our access; the gateway's text is never translated.
  if (decisive?.code === '3100' && decisive.message.includes('ApplicationAuthorizationFailed'))
    return withMeaning(reconnect);
  // During outages QuickBooks does not find its own resources; every path that we call exists [Q74].
  if (decisive?.code === '500' && /could not find resource/i.test(`${decisive.message} ${decisive.detail}`))
    return withMeaning(unavailable);
  // QuickBooks has also refused a date in a closed period as a stale record (quickbooks reference 4.2).
  if (decisive?.code === '5010' && /period (has|is) closed|accounting cannot be updated/i.test(decisive.detail))
    return withMeaning(refusedAs('PERIOD_CLOSED'));
  if (known !== undefined) return withMeaning(known);
  if (status === 401) return withMeaning(reconnect);
  if (status === 403) return withMeaning(stopsRun('QBO_PERMISSION'));
  if (status === 408 || /^SystemFault$/i.test(type)) return withMeaning(unavailable);
  // 6000 also covers internal failures, identified only by their detail (quickbooks reference 4.2).
  if (decisive?.code === '6000' && /\(-30000\)|unexpected/i.test(decisive.detail)) return withMeaning(unavailable);
  return withMeaning(refusedAs('QBO_VALIDATION'));
}

function meaningOfStatus(status: number): Meaning {
  if (status === 429) return throttled;
  if (status === 401) return reconnect;
  return unavailable;
}

/** Returns the service's own message; that of an error inside the service names QuickBooks. */
const shownDetail = (meaning: Meaning, fault: Fault): string =>
  meaning.code === 'QBO_UNAVAILABLE'
    ? `QuickBooks reported an error: ${withoutTrailing(detailOf(fault), '.')}.`
    : detailOf(fault);

/** Returns the service's own message, unchanged. */
const detailOf = ({ errors }: Fault): string =>
  errors.map(({ message, detail }) => (detail === '' ? message : detail)).join(' ') || 'QuickBooks gave no reason.';

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Returns the `Fault` of the service, or the `fault` of the gateway, whose keys begin with lower-case letters. */
function faultIn(body: unknown): Fault | undefined {
  if (!isRecord(body)) return undefined;
  const fault = body.Fault ?? body.fault;
  if (!isRecord(fault)) return undefined;
  const listed = fault.Error ?? fault.error;
  const errors = (Array.isArray(listed) ? listed : [listed]).filter((one: unknown) => isRecord(one));
  return {
    type: textOf(fault.type),
    errors: errors.map((one) => ({
      code: textOf(one.code),
      message: textOf(one.Message ?? one.message),
      detail: textOf(one.Detail ?? one.detail),
    })),
  };
}

/** The gateway sometimes answers JSON requests with XML; only the fault matters. */
function xmlFaultIn(text: string): Fault | undefined {
  const [fault] = elementsIn(text, 'Fault');
  if (fault === undefined) return undefined;
  const errors = elementsIn(fault.content, 'Error').map(({ attributes, content }) => ({
    code: attribute(attributes, 'code'),
    message: element(content, 'Message'),
    detail: element(content, 'Detail'),
  }));
  return { type: attribute(fault.attributes, 'type'), errors };
}

/** Finds the elements with this name by plain searches: a pattern takes quadratic time on hostile text. */
function elementsIn(text: string, name: string): { readonly attributes: string; readonly content: string }[] {
  const found: { readonly attributes: string; readonly content: string }[] = [];
  const [open, close] = [`<${name}`, `</${name}>`];
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at)) {
    const attributesAt = at + open.length;
    const attributesEnd = text.indexOf('>', attributesAt);
    const end = text.indexOf(close, attributesEnd);
    if (attributesEnd < 0 || end < 0) break;
    at = end;
    // The beginning of another name, e.g. `<ErrorCode>`.
    if (!/[\s>]/.test(text[attributesAt] ?? '')) at = attributesAt;
    else
      found.push({ attributes: text.slice(attributesAt, attributesEnd), content: text.slice(attributesEnd + 1, end) });
  }
  return found;
}

function attribute(text: string, name: string): string {
  const [, after = ''] = text.split(` ${name}="`, 2);
  return unescapeXml(after.split('"', 1)[0] ?? '');
}
const element = (text: string, name: string): string => unescapeXml(elementsIn(text, name)[0]?.content ?? '');

const unescapeXml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
    .trim();

function parseOrUndefined(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
