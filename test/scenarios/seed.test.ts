import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/api-client.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import { seed } from '../../scripts/seed.ts';

let fixture: ProcessFixture;
beforeAll(async () => {
  fixture = await newProcessFixture();
}, 120_000);
afterAll(() => fixture.close());

test('a filled demo has posted, failed, changed and deleted documents, and a month that lists them', async () => {
  const { url } = await fixture.start();
  const { autotask, quickbooks } = fixture;
  const { posted, failed, months } = await seed({
    url,
    autotask: autotask.url,
    quickbooks: quickbooks.url,
    invoices: 5,
  });
  expect(posted).toBeGreaterThanOrEqual(7);
  expect(failed).toBeGreaterThan(0);
  const api = await signIn(url);
  // Around the first of a month the two belong to different months.
  const named = async () => {
    const found = await Promise.all(months.map((month) => api.call('GET', `/api/my/closes/${month}`)));
    return found.flatMap(({ data }) => {
      const close = (data as { close?: { exceptions?: readonly { class: string }[] } } | undefined)?.close;
      return (close?.exceptions ?? []).map((one) => one.class);
    });
  };
  await expect
    .poll(named, { timeout: 60_000 })
    .toEqual(expect.arrayContaining(['edited_in_psa', 'deleted_in_accounting']));
}, 180_000);
