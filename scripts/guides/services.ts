/**
 * What an operator has besides the product: Autotask, QuickBooks, a mail server, databases, and a certificate. Runs until
 * it is killed, and writes into the folder: `variables` of install.md, `database-1` to `database-4` (their addresses),
 * `mails.json`, `proxy.pem` and `proxy.key`.
 *
 *   node scripts/guides/services.ts FOLDER HOST
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { Client } from 'pg';
import { startAutotaskSandbox, startQuickBooksSandbox } from '@tallybridge/sandbox';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { certificateFor } from '#test/support/certificate.ts';
import { deployment } from '#test/support/deployment.ts';
import { silentLogger } from '#test/support/logger.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { controlOf } from '#test/support/world.ts';

const [folder = '', host = '', hasNginx] = process.argv.slice(2);
const databases = 4;
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** Starts a database server with an empty database, by the statements of install.md; its superuser has their name. */
async function startDatabase(number: number): Promise<void> {
  const dataDir = join(folder, `postgres-${number}`);
  mkdirSync(dataDir);
  const { url } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create role operator login createrole password 'a-password-of-this-trial'`);
  await client.query(`create database product owner operator encoding 'UTF8' template template0`);
  await client.end();
  const address = new URL(url);
  address.username = 'operator';
  address.password = 'a-password-of-this-trial';
  address.pathname = '/product';
  write(`database-${number}`, address.href);
}

const [{ url: autotaskUrl }, { url: quickbooksUrl }, mailbox] = await Promise.all([
  startAutotaskSandbox({ port: 4010 }),
  startQuickBooksSandbox({ port: 4020, redirectUris: [`https://${host}/connect/qbo/callback`] }),
  startMailbox(),
]);
const services = { autotask: controlOf(autotaskUrl), quickbooks: controlOf(quickbooksUrl) };
setInterval(() => write('mails.json', JSON.stringify(mailbox.mails())), 250);
for (let number = 1; number <= databases; number += 1) await startDatabase(number);

const { cert, key } = certificateFor(host, 90);
write('proxy.pem', cert);
write('proxy.key', key);
if (hasNginx === undefined)
  createServer({ cert, key }, (incoming, response) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const outgoing = request({ host: '127.0.0.1', port: 3000, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  }).listen(443, '127.0.0.1');

const { AUTOTASK_INTEGRATION_CODE, QBO_DISCOVERY_URL, QBO_CLIENT_ID, QBO_CLIENT_SECRET, QBO_WEBHOOK_VERIFIER } =
  await deployment(services);
const variables: Readonly<Record<string, string | undefined>> = {
  AUTOTASK_INTEGRATION_CODE,
  QBO_DISCOVERY_URL,
  QBO_CLIENT_ID,
  QBO_CLIENT_SECRET,
  QBO_WEBHOOK_VERIFIER,
  AUTOTASK_URL: autotaskUrl,
  QBO_API_URL: quickbooksUrl,
  SMTP_URL: mailbox.url,
};
write(
  'variables',
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(''),
);
