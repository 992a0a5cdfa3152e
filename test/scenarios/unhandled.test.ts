import { afterEach, beforeEach, expect, test } from 'vitest';
import { signIn } from '../support/api-client.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
beforeEach(async () => {
  fixture = await newProcessFixture();
});
afterEach(() => fixture.close());

test('a promise that fails and that nobody waits for is logged and counted, and ends no process', async () => {
  const product = await fixture.start({ TALLYBRIDGE_CRASH: 'store.addSession:1:before:reject' });
  const api = await signIn(product.url);
  await expect.poll(() => product.output()).toContain('process.unhandled_rejection');
  expect(product.output()).toContain('a promise that a test let fail');
  expect(await (await fetch(`${product.url}/metrics`)).text()).toContain('tallybridge_unhandled_rejections_total 1');
  expect(await api.data('GET', '/api/my')).toMatchObject({ status: expect.any(String) });
});
