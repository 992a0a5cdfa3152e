import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import type { HttpResult } from '../http-client.ts';
import { takeUnexpected } from '../unexpected.ts';
import { readAnswer } from './errors.ts';
import { qboRecord, readShape } from './wire.ts';
import { responseOf } from '#test/cases/case-problems.ts';

const answered = (status: number, body: unknown, waitMs?: number): HttpResult => ({
  ...responseOf(status, body, waitMs),
  traceId: '1-tid',
});
/** Format A of the reference: a fault of the service. */
const fault = (code: string, detail = 'Detail.', type = 'ValidationFault') => ({
  Fault: { Error: [{ Message: 'Message', Detail: detail, code, element: '' }], type },
  time: '2025-03-03T07:00:00.000-08:00',
});
/** Format B: a fault of the gateway, with lower-case keys. */
const gateway = (code: string, message: string, type = 'AUTHENTICATION') => ({
  warnings: null,
  fault: { error: [{ message, detail: 'Token expired: x', code, element: null }], type },
  queryResponse: null,
});
/** Format C: XML. */
const xml = (code: string, message: string) =>
  `<?xml version="1.0"?><IntuitResponse xmlns="http://schema.intuit.com/finance/v3" time="2025-03-03"><Fault type="SERVICE">` +
  `<Error code="${code}"><Message>${message}</Message><Detail>a &amp; b</Detail></Error></Fault></IntuitResponse>`;

function failureOf(result: HttpResult, secrets: readonly string[] = []): ServiceFailure {
  try {
    readAnswer('create Invoice', result, secrets);
  } catch (error) {
    if (error instanceof ServiceError) return error.about;
    throw error;
  }
  throw new Error('expected a failure');
}

const meaning = (result: HttpResult) => {
  const { outcome, next, code } = failureOf(result);
  return `${outcome} ${next} ${code}`;
};

test('accepts only a 2xx response with a JSON object without a fault', () => {
  expect(readAnswer('x', answered(200, { Invoice: { Id: '1' } }), [])).toEqual({ Invoice: { Id: '1' } });
});

describe('a failure is', () => {
  const validation = 'not_applied refuse QBO_VALIDATION';
  const unknown = 'unknown try_again QBO_UNAVAILABLE';
  const throttled = 'not_applied try_again QBO_THROTTLED';
  const signIn = 'not_applied reconnect QBO_AUTH';
  const reference = 'not_applied refuse QBO_REFERENCE';
  const closed = 'not_applied refuse PERIOD_CLOSED';
  const closedText = 'Stale Object Error : The account period has closed and the account books cannot be updated.';
  const noResource =
    'Operation Could not find resource for relative : /v3/company/1/invoice of full path: x is not supported.';
  test.each<[string, HttpResult, string]>([
    ['a duplicate number', answered(400, fault('6140')), 'not_applied refuse DUPLICATE_DOC_NUMBER'],
    ['a duplicate name', answered(400, fault('6240')), validation],
    ['a wrong amount', answered(400, fault('6070')), validation],
    ['an unknown property', answered(400, fault('2010')), validation],
    ['a deleted record', answered(400, fault('610')), reference],
    ['a deleted reference', answered(400, fault('2500')), reference],
    ['an inactive customer', answered(400, fault('6250')), reference],
    ['closed books', answered(400, fault('6210')), closed],
    ['a closed period', answered(400, fault('6200')), closed],
    ['a stale object', answered(400, fault('5010')), 'not_applied try_again QBO_STALE'],
    ['a closed period called stale', answered(400, fault('5010', closedText)), closed],
    ['an invalid email address', answered(400, fault('2210')), validation],
    ['a feature that the company lacks', answered(400, fault('5030')), 'not_applied stop_run QBO_PLAN'],
    ['an ended subscription', answered(400, fault('6190')), 'not_applied stop_run QBO_SUBSCRIPTION'],
    ['an ended subscription inside 200', answered(200, fault('6190')), 'not_applied stop_run QBO_SUBSCRIPTION'],
    ['a feature that the plan lacks', answered(403, fault('5020')), 'not_applied stop_run QBO_PLAN'],
    ['a deleted company', answered(400, fault('7001')), 'not_applied stop_run QBO_COMPANY_DELETED'],
    ['an unavailable company', answered(400, fault('140')), 'not_applied stop_run QBO_COMPANY_UNAVAILABLE'],
    ['a company under maintenance', answered(401, xml('150', 'x')), 'not_applied stop_run QBO_COMPANY_UNAVAILABLE'],
    ['a resource missing during an outage', answered(400, fault('500', noResource)), unknown],
    ['a resource missing during an outage, in a batch', answered(200, fault('500', noResource.toUpperCase())), unknown],
    ['an unsupported operation', answered(400, fault('500', 'Operation void is not supported.')), validation],
    ['a user who lost rights', answered(401, fault('120')), 'not_applied stop_run QBO_PERMISSION'],
    ['a disconnected app', answered(403, gateway('3100', 'message=ApplicationAuthorizationFailed')), signIn],
    ['a missing scope', answered(403, gateway('3100', 'statusCode=403')), 'not_applied reconnect QBO_PERMISSION'],
    ['an authorization fault during an outage', answered(403, gateway('3100', 'statusCode=500')), unknown],
    ['an expired token', answered(401, gateway('3200', 'statusCode=401')), signIn],
    ['an expired token in XML', answered(401, xml('100', 'statusCode: 401')), signIn],
    ['the wrong cluster in XML', answered(401, xml('130', 'Wrong')), signIn],
    ['a bare 401', answered(401, ''), signIn],
    ['throttling in XML', answered(429, xml('3001', 'ThrottleExceeded')), throttled],
    ['throttling in JSON', answered(429, gateway('3001', 'ThrottleExceeded', 'SERVICE')), throttled],
    ['throttling sent as 403', answered(403, xml('3001', 'ThrottleExceeded')), throttled],
    ['throttling sent as 200', answered(200, gateway('3001', 'ThrottleExceeded', 'SERVICE')), throttled],
    ['a bare 429', answered(429, '<html>'), throttled],
    ['a request ID still in progress', answered(400, fault('600')), unknown],
    ['a system fault', answered(500, fault('10000', 'System Failure Error', 'SystemFault')), unknown],
    ['a system fault sent as 400', answered(400, fault('10000', 'x', 'SystemFault')), unknown],
    ['an internal error as 6000', answered(400, fault('6000', 'Unexpected Internal Error. (-30000)')), unknown],
    ['a business rule', answered(400, fault('6000', 'You must choose a customer.')), validation],
    ['502 with HTML', answered(502, '<html>'), unknown],
    ['503 with a fault', answered(503, fault('6000', 'You must')), unknown],
    ['400 without a fault', answered(400, 'no'), unknown],
    ['408', answered(408, ''), unknown],
    ['404 with HTML', answered(404, '<html>'), unknown],
    ['an HTML page with 200', answered(200, '<html>maintenance</html>'), unknown],
    ['an empty 200', answered(200, ''), unknown],
    ['truncated JSON with a clean end', answered(200, '{"Invoice":{"Id":"1"'), unknown],
    ['a redirect', answered(302, ''), unknown],
    [
      'no response',
      { isAnswered: false, isUnsent: false, reason: 'ECONNRESET', status: undefined, traceId: undefined },
      unknown,
    ],
    [
      'no connection',
      { isAnswered: false, isUnsent: true, reason: 'ECONNREFUSED', status: undefined, traceId: undefined },
      'not_applied try_again QBO_UNAVAILABLE',
    ],
  ])('%s', (_what, result, expected) => {
    expect(meaning(result)).toBe(expected);
  });
});

test('uses the most specific of several errors and includes all messages', () => {
  const several = {
    Fault: {
      Error: [
        { Message: 'a', Detail: 'Required parameter X is missing', code: '2020' },
        { Message: 'b', Detail: 'DocNumber=7 is assigned to TxnType=Invoice with TxnId=17984', code: '6140' },
      ],
      type: 'ValidationFault',
    },
  };
  const about = failureOf(answered(400, several));
  expect(about).toMatchObject({ code: 'DUPLICATE_DOC_NUMBER', vendorCode: '6140', traceId: '1-tid', status: 400 });
  expect(about.detail).toContain('TxnId=17984');
  expect(about.detail).toContain('Required parameter X is missing');
});

test('ignores texts: the same code in another language has the same meaning', () => {
  const french = fault('6140', 'Vous devez indiquer un autre numéro. DocNumber=X TxnType=Facture TxnId=5');
  expect(failureOf(answered(400, french)).code).toBe('DUPLICATE_DOC_NUMBER');
});

test('waits for the requested time when throttled, otherwise a minute', () => {
  expect(failureOf(answered(429, xml('3001', 'x'), 5_000)).waitMs).toBe(5_000);
  expect(failureOf(answered(429, xml('3001', 'x'))).waitMs).toBe(60_000);
});

test('removes a token that the gateway repeats', () => {
  const repeated = gateway('3200', 'x');
  repeated.fault.error[0] = { message: 'm', detail: 'Malformed bearer token: tok-1', code: '3200', element: null };
  expect(failureOf(answered(401, repeated), ['tok-1']).detail).toBe('Malformed bearer token: …');
});

test('notes statuses, codes and shapes that it does not know, without values, and no others', () => {
  takeUnexpected();
  for (const code of ['6000', '6240', '2050', '3200', '4001']) failureOf(answered(400, fault(code, 'Maple Clinic')));
  for (const status of [401, 403, 429, 500, 503]) failureOf(answered(status, ''));
  expect(takeUnexpected()).toEqual([]);
  failureOf(answered(400, fault('9999', 'Maple Clinic')));
  failureOf(answered(400, fault('9999', 'Acme Dental')));
  failureOf(answered(418, ''));
  expect(() => readShape('read Invoice', qboRecord, { Id: '1', DocNumber: 'T-1' })).toThrow('SyncToken');
  const noted = takeUnexpected();
  expect(noted).toMatchObject([
    { kind: 'unknown_code', fact: 'Q22', name: 'code 9999', count: 2, operation: 'create Invoice' },
    { kind: 'unknown_code', fact: 'Q21', name: 'status 418', count: 1 },
    { kind: 'wrong_shape', fact: 'Q18', name: 'SyncToken', shape: '{ Id: text, DocNumber: text }' },
  ]);
  expect(JSON.stringify(noted)).not.toMatch(/Maple|Acme|T-1/);
});
