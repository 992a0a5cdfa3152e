import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { GuideError } from './documents.ts';
import { certificateFile } from './machine.ts';
import { startAutotaskSandbox, startQuickBooksSandbox } from '@tallybridge/sandbox';
import type { JsonObject } from '#core/values/json.ts';
import type { Certificate } from '#test/support/certificate.ts';
import { deployment } from '#test/support/deployment.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { controlOf, type Control } from '#test/support/world.ts';

/** The public name of the product in the guides. */
export const publicHost = 'tallybridge.example';
export const publicUrl = `https://${publicHost}`;
const serverPort = 3000;

/** Everything that an operator has besides the product: both services, a mail server, and a proxy with TLS. */
export interface Outside {
  readonly autotask: Control;
  readonly quickbooks: Control;
  readonly mailbox: Mailbox;
  /** Resets both services, without their limits. */
  renew(): Promise<void>;
  /** Values for the variables of install.md. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts them on this machine. They end with this process. */
export async function startOutside({ cert, key }: Certificate): Promise<Outside> {
  const [{ url: autotaskUrl }, { url: quickbooksUrl }, mailbox] = await Promise.all([
    startAutotaskSandbox({ port: 4010 }),
    startQuickBooksSandbox({ port: 4020, redirectUris: [enteredAtIntuit('Redirect URI')] }),
    startMailbox(),
  ]);
  const [autotask, quickbooks] = [controlOf(autotaskUrl), controlOf(quickbooksUrl)];
  await startProxy({ cert, key });
  await registerWebhooks(quickbooksUrl);
  const { AUTOTASK_INTEGRATION_CODE, QBO_DISCOVERY_URL, QBO_CLIENT_ID, QBO_CLIENT_SECRET, QBO_WEBHOOK_VERIFIER } =
    await deployment({ autotask, quickbooks });
  return {
    autotask,
    quickbooks,
    mailbox,
    async renew() {
      await Promise.all([autotask.reset({}), quickbooks.reset({})]);
      await registerWebhooks(quickbooksUrl);
      // A refused call waits for a minute, which only costs time here.
      await tell(quickbooksUrl, 'PUT', 'limits', { enforce: false });
    },
    variables: definedOf({
      AUTOTASK_INTEGRATION_CODE,
      QBO_DISCOVERY_URL,
      QBO_CLIENT_ID,
      QBO_CLIENT_SECRET,
      QBO_WEBHOOK_VERIFIER,
      AUTOTASK_URL: autotaskUrl,
      QBO_API_URL: quickbooksUrl,
      SMTP_URL: mailbox.url,
      NODE_EXTRA_CA_CERTS: certificateFile,
    }),
  };
}

const registerWebhooks = (quickbooksUrl: string): Promise<void> =>
  tell(quickbooksUrl, 'POST', 'webhooks', { url: enteredAtIntuit('Webhooks endpoint') });

async function tell(url: string, method: string, path: string, body: JsonObject): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/__sandbox/${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: status ${answer.status}`);
}

/** Returns the address of a field at Intuit, from register-with-intuit.md. */
function enteredAtIntuit(field: string): string {
  const document = 'docs/operate/register-with-intuit.md';
  const text = readFileSync(join(import.meta.dirname, '..', '..', document), 'utf8');
  const [, address] = new RegExp(`^\\| ${field} \\| \`([^\`]+)\``, 'm').exec(text) ?? [];
  if (address === undefined) throw new GuideError(`${document} has no field “${field}” any more.`);
  return address;
}

const definedOf = (values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));

/** Ends TLS in front of the server, as docs/operate/proxy.md requires. */
async function startProxy({ cert, key }: Certificate): Promise<void> {
  const proxy = createServer({ cert, key }, (incoming, response) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const { method, url } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: serverPort, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((listening) => proxy.listen(443, '127.0.0.1', listening));
}
