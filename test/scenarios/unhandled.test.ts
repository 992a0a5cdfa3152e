import { afterEach, beforeEach, expect, test } from 'vitest';
import { signIn } from '../support/api-client.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
beforeEach(async () => {
  fixture = await newProcessFixture();
});
afterEach(() => fixture.close());

test('an unhandled rejection is logged and counted, and does not end the process', async () => {
  const product = await fixture.start({ TALLYBRIDGE_CRASH: 'store.addSession:1:before:reject' });
  const api = await signIn(product.url);
  await expect.poll(() => product.output()).toContain('process.unhandled_rejection');
  expect(product.output()).toContain('a rejection planted by this test');
  expect(await (await fetch(`${product.url}/metrics`)).text()).toContain('tallybridge_unhandled_rejections_total 1');
  expect(await api.data('GET', '/api/my')).toMatchObject({ status: expect.any(String) });
});
