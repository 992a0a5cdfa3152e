import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import type { HttpResult } from '../http-client.ts';
import { readAnswer } from './errors.ts';
import { responseOf } from '#test/cases/case-problems.ts';

function failureOf(result: HttpResult, secrets: readonly string[] = []): ServiceFailure {
  try {
    readAnswer('write to the invoice', result, secrets);
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

test('accepts only a 2xx response with a JSON object without errors', () => {
  expect(readAnswer('x', responseOf(200, { itemId: 7 }), [])).toEqual({ itemId: 7 });
  expect(readAnswer('x', responseOf(200, { items: [], errors: [] }), [])).toEqual({ items: [], errors: [] });
  expect(readAnswer('x', responseOf(204, ''), [])).toEqual({});
});

describe('a failure is', () => {
  const refused = 'not_applied refuse PSA_VALIDATION';
  const unknown = 'unknown try_again PSA_UNAVAILABLE';
  const throttled = 'not_applied try_again PSA_LIMIT';
  const signIn = 'not_applied reconnect PSA_AUTH';
  test.each<[string, HttpResult, string]>([
    ['a validation error sent as 500', responseOf(500, { errors: ['invoiceNumber is too long.'] }), refused],
    ['an error inside a 200', responseOf(200, { errors: ['No.'], itemId: null }), refused],
    ['errors as objects', responseOf(400, { errors: [{ message: 'No.' }] }), refused],
    ['a rejected method', responseOf(405, { Message: "The resource does not support http method 'GET'." }), refused],
    ['a missing permission as 500', responseOf(500, { errors: ['You lack adequate permission.'] }), refused],
    ['403', responseOf(403, ''), refused],
    ['401 without a body', responseOf(401, ''), signIn],
    ['401 with HTML', responseOf(401, '<html>no</html>'), signIn],
    ['an invalid integration code', responseOf(500, { errors: ['IntegrationCode is invalid.'] }), signIn],
    ['an integration code that is named last', responseOf(500, { errors: ['Invalid integration code.'] }), signIn],
    ['an invalid tracking identifier', responseOf(500, { errors: ['The tracking identifier is invalid.'] }), signIn],
    [
      'an invalid integration code with another message',
      responseOf(500, { errors: ['The integration code is not valid.'] }),
      signIn,
    ],
    ['429', responseOf(429, ''), throttled],
    [
      'the thread limit sent as 500',
      responseOf(500, { errors: ['Itgenatr005: thread threshold exceeded'] }),
      throttled,
    ],
    ['the hourly limit sent as 500', responseOf(500, { errors: ['The request threshold was exceeded.'] }), throttled],
    ['an empty 500', responseOf(500, ''), unknown],
    ['a 500 about no rule', responseOf(500, { errors: ['An unexpected error occurred.'] }), unknown],
    ['a 500 about a timeout', responseOf(500, { errors: ['Execution Timeout Expired.  The timeout…'] }), unknown],
    ['a 500 about a deadlock', responseOf(500, { errors: ['Transaction (Process ID 7) was deadlocked.'] }), unknown],
    ['a 500 about a null', responseOf(500, { errors: ['Object reference not set to an instance of x.'] }), unknown],
    ['a 500 of the server itself', responseOf(500, { Message: 'An error has occurred.' }), unknown],
    ['a rule beside a generic text', responseOf(500, { errors: ['An error occurred.', 'Name is required.'] }), refused],
    ['a rule in generic words', responseOf(500, { errors: ['An error occurred: Name is required.'] }), refused],
    ['an HTML 500', responseOf(500, '<html>error</html>'), unknown],
    ['502', responseOf(502, '<html>'), unknown],
    ['503 with JSON', responseOf(503, { errors: ['Down.'] }), unknown],
    ['an HTML page with 200', responseOf(200, '<html>maintenance</html>'), unknown],
    ['an empty 200', responseOf(200, ''), unknown],
    ['a list instead of an object', responseOf(200, '[]'), unknown],
    ['truncated JSON with a clean end', responseOf(200, '{"items":[{"id":1'), unknown],
    ['a redirect', responseOf(307, ''), unknown],
    [
      'no response',
      { isAnswered: false, isUnsent: false, reason: 'ECONNRESET', status: undefined, traceId: undefined },
      unknown,
    ],
    [
      'no connection',
      { isAnswered: false, isUnsent: true, reason: 'ECONNREFUSED', status: undefined, traceId: undefined },
      'not_applied try_again PSA_UNAVAILABLE',
    ],
  ])('%s', (_what, result, expected) => {
    expect(meaning(result)).toBe(expected);
  });
});

test('uses the requested wait, a minute without one, a second for the thread limit', () => {
  expect(failureOf(responseOf(429, '', 7_000)).waitMs).toBe(7_000);
  expect(failureOf(responseOf(429, '')).waitMs).toBe(60_000);
  expect(failureOf(responseOf(500, { errors: ['Itgenatr005'] })).waitMs).toBe(1_000);
});

test("includes the service's message without repeated secrets", () => {
  const about = failureOf(responseOf(500, { errors: ['Bad key hush-hush for field X.'] }), ['hush-hush']);
  expect(about.detail).toBe('Bad key … for field X.');
});
