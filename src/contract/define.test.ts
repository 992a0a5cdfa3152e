import { expect, expectTypeOf, test } from 'vitest';
import { addressOf, type BodyOf, type DataOf, type QueryOf, type RequestOf } from './define.ts';
import { readJob } from './jobs.ts';
import { listLogs, readLog } from './logs.ts';
import type { readAccounts } from './quickbooks.ts';
import type { submitAll } from './sync.ts';

test('types requests and responses of a call', () => {
  expectTypeOf<RequestOf<typeof submitAll>['params']>().toEqualTypeOf<{
    kind: 'invoices' | 'purchase-orders' | 'expense-reports' | 'payments' | 'voids';
  }>();
  expectTypeOf<RequestOf<typeof submitAll>>().toExtend<{ readonly body?: { mode?: 'test' | 'live' | undefined } }>();
  expectTypeOf<BodyOf<typeof submitAll>>().toEqualTypeOf<{
    mode: 'test' | 'live';
    force: boolean;
    confirmed?: number | undefined;
  }>();
  expectTypeOf<QueryOf<typeof readAccounts>>().toEqualTypeOf<{ refresh: boolean }>();
  expectTypeOf<RequestOf<typeof readAccounts>>().toExtend<{ readonly query?: { refresh?: boolean | undefined } }>();
  expectTypeOf<DataOf<typeof readJob>['job']['total']>().toEqualTypeOf<number | null>();
  expectTypeOf<DataOf<typeof listLogs>['total']>().toEqualTypeOf<number>();
  expectTypeOf<RequestOf<typeof readLog>['query']>().toEqualTypeOf<{ key: string }>();
});

test('encodes parameters in a URL and omits undefined ones', () => {
  expect(addressOf(readJob, { params: { id: 'a/b?c' } })).toBe('/api/my/jobs/a%2Fb%3Fc');
  expect(addressOf(readLog, { query: { key: 'invoice/48213/2025-03-03T15:00:00.000Z' } })).toBe(
    '/api/my/logs?key=invoice%2F48213%2F2025-03-03T15%3A00%3A00.000Z',
  );
  expect(addressOf(listLogs, { query: { page: 2, success: false, type: undefined } })).toBe(
    '/api/my/logs?page=2&success=false',
  );
  expect(() => addressOf(readJob)).toThrow('no value for :id');
});
