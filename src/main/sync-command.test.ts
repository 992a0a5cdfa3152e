import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '#test/support/api-client.ts';
import { runCommand } from '#test/support/command.ts';
import { newProcessFixture, type ProcessFixture } from '#test/support/process-fixture.ts';

/** A demo with its own sandboxes and its embedded database. */
let fixture: ProcessFixture;
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  fixture = await newProcessFixture();
  const [autotask, quickbooks] = [await freePort(), await freePort()];
  variables = {
    DEMO: 'true',
    AUTOTASK_URL: '',
    QBO_API_URL: '',
    SECRET_KEY: '',
    AUTOTASK_INTEGRATION_CODE: '',
    QBO_CLIENT_ID: '',
    QBO_CLIENT_SECRET: '',
    QBO_WEBHOOK_VERIFIER: '',
    SANDBOX_AUTOTASK_PORT: String(autotask),
    SANDBOX_QBO_PORT: String(quickbooks),
  };
});
afterAll(() => fixture.close());

const freePort = () =>
  new Promise<number>((found) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
const run = (...words: readonly string[]) => runCommand(words, { folder: fixture.dataDir, ...variables });

test('syncs in a running demo with its own sandboxes, and names the demo that does not run', async () => {
  const product = await fixture.start(variables);
  const client = await signIn(product.url);
  await client.connectQuickBooks();
  await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  const { data } = JSON.parse((await run('client', 'list', '--json')).output) as {
    readonly data: { readonly clients: readonly JsonObject[] };
  };
  const id = String(data.clients[0]?.['id']);
  const synced = await run('sync', id, '--json');
  expect(JSON.parse(synced.output)).toMatchObject({ data: { job: { status: 'finished', total: expect.any(Number) } } });
  await product.stop();
  expect(await run('sync', id)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^The sandboxes of the demo do not respond at .*: start the demo, then run this again\.\n$/,
    ),
  });
});
