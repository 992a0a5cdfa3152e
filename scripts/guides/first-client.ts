import { TOTP } from 'otpauth';
import type { JsonObject } from '#core/values/json.ts';
import { type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { apiUser } from '#test/support/deployment.ts';
import { eventually } from './eventually.ts';
import { assertSays, GuideError, headingsOf, sectionOf } from './documents.ts';
import { shown } from './shown.ts';
import { publicUrl, type Outside } from './outside.ts';
import type { Transcript } from './transcript.ts';

const document = 'docs/guide/start.md';
const person = { first_name: 'Betty', last_name: 'Decker', email: 'betty.decker@northwind-msp.example' };
const accountant = 'accountant@ledger.example';
const password = 'Betty-Horse-12';
/** Sample invoices: two good ones, and one whose header differs from its lines by 10.00. */
const [good, other, wrong] = [48_213, 48_214, 48_309] as const;

/** A step of the guide: its section, its words, and the same calls as the screens make. Returns what a user sees. */
type Step = readonly [heading: string, words: string, act: (client: Progress) => Promise<string>];

interface Progress {
  readonly outside: Outside;
  /** Number of emails that came before. */
  readonly olderMails: number;
  api: ApiClient;
  /** Session of the administrator after the second step was turned on. */
  token: string;
}

/**
 * Follows docs/guide/start.md to the first live invoices.
 *
 * @returns the session of the administrator
 * @throws GuideError if a step failed, or the guide has other steps.
 */
export async function followStart(transcript: Transcript, outside: Outside): Promise<string> {
  assertSteps();
  const noClient = (): never => {
    throw new Error('no user is logged in');
  };
  const olderMails = outside.mailbox.mails().length;
  const client: Progress = {
    outside,
    olderMails,
    api: { call: noClient, data: noClient, connectQuickBooks: noClient },
    token: '',
  };
  for (const [heading, words, act] of steps) {
    await transcript.step({ document, heading }, words, () => act(client));
  }
  return client.token;
}

/** @throws GuideError if the guide does not have exactly these steps any more. */
export function assertSteps(): void {
  for (const [heading, words] of steps) assertSays(sectionOf(document, heading), words);
  const others = headingsOf(document).filter((heading) => !steps.some(([known]) => known === heading));
  if (others.length > 0) throw new GuideError(`${document}, “${others.join('”, “')}”: no step is tried.`);
}

async function post(path: string, body: JsonObject): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(publicUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const envelope = (await answer.json()) as JsonObject;
  if (envelope['success'] !== true) throw new Error(JSON.stringify(envelope));
  return (envelope['data'] ?? {}) as JsonObject;
}

const accessOf = async (outside: Outside) => {
  const { userName, secret } = await apiUser(outside);
  return { api_user: userName, api_secret: secret };
};

const counts = ({ succeeded, failed, skipped }: JsonObject) =>
  `${shown(succeeded)} synced, ${shown(failed)} failed, ${shown(skipped)} skipped`;

/** Submits a sync as the screens do, and waits for its end. */
export async function sync(api: ApiClient, path: string, body: JsonObject): Promise<JsonObject> {
  const { job } = (await api.data('POST', path, body)) as { job: JsonObject };
  return eventually(async () => {
    const { job: now } = (await api.data('GET', `/api/my/jobs/${shown(job['id'])}`)) as { job: JsonObject };
    if (['queued', 'running'].includes(shown(now['status']))) throw new Error(`the job is ${shown(now['status'])}`);
    return now;
  });
}

/** Returns the token in the link of the newest email to an address. */
const tokenFor = ({ outside, olderMails }: Progress, to: string, link: RegExp): Promise<string> =>
  eventually(() => {
    const mails = outside.mailbox.mails().slice(olderMails);
    const [, token] = link.exec(mails.findLast((mail) => mail.to === to)?.text ?? '') ?? [];
    if (token === undefined) throw new Error(`${to} got no email with a link`);
    return token;
  });

async function confirmEmail(client: Progress): Promise<string> {
  const token = await tokenFor(client, person.email, /\/auth\/confirm-email\?token=([\w-]+)/);
  const answer = await fetch(`${publicUrl}/auth/confirm-email`, {
    method: 'POST',
    headers: { origin: publicUrl, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token }),
  });
  const text = await answer.text();
  if (!text.includes('Your address is confirmed')) throw new Error(`${answer.status}: ${text}`);
  return 'Your address is confirmed';
}

async function testConnections({ api }: Progress): Promise<string> {
  const results: string[] = [];
  for (const service of ['autotask', 'qbo']) {
    const { is_connected: isConnected, message } = await api.data('PUT', `/api/my/connections/${service}/test`);
    if (isConnected !== true) throw new Error(shown(message));
    results.push(shown(message));
  }
  return results.join('\n');
}

async function connectionNames({ api }: Progress): Promise<string> {
  const { connections } = (await api.data('GET', '/api/my')) as { connections: readonly JsonObject[] };
  const wrongOnes = connections.filter(({ status }) => status !== 'active');
  if (connections.length !== 2 || wrongOnes.length > 0) throw new Error(JSON.stringify(connections));
  return connections
    .map(({ service, name, status }) => `${shown(service)}: ${shown(name)}, ${shown(status)}`)
    .join('\n');
}

/** Accepts the proposals, and chooses the income account, which only the user knows. */
async function checkSettings({ api }: Progress): Promise<string> {
  const { detected } = (await api.data('GET', '/api/my/setup/detected')) as { detected: readonly JsonObject[] };
  const proposals = detected.flatMap(({ proposal }) => (proposal === null ? [] : [proposal as JsonObject]));
  const accepted = Object.fromEntries(proposals.map(({ key, value }) => [shown(key), value ?? null]));
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2', ...accepted });
  const { settings_valid: isValid } = await api.data('GET', '/api/my');
  if (isValid !== true) throw new Error('the settings are not complete');
  return `${detected.length} settings detected, ${proposals.length} accepted`;
}

/** Accepts the certain suggestions, and maps every expense category to an account. */
async function map({ api }: Progress): Promise<string> {
  const results: string[] = [];
  const namespaces = [
    'Customer',
    'ItemBilling',
    'LineOfBusiness',
    'ExpenseCategoryBillable',
    'ExpenseCategoryNonBillable',
  ] as const;
  for (const namespace of namespaces) {
    const { suggested_xrefs: suggested } = (await api.data('GET', `/api/my/xrefs/suggest/${namespace}`)) as {
      suggested_xrefs: readonly JsonObject[];
    };
    const { rows } = (await api.data('GET', `/api/my/mappings/${namespace}`)) as { rows: readonly JsonObject[] };
    const { options } = (await api.data('GET', `/api/my/mappings/${namespace}/targets`)) as {
      options: readonly JsonObject[];
    };
    const isNeeded = namespace.startsWith('ExpenseCategory');
    const certain = suggested.filter(({ score }) => Number(score) >= 95);
    const xrefs = rows.flatMap((row) => {
      const found = certain.find((one) => one['source_value'] === row['source_value'])?.['target_value'];
      const target = found ?? (isNeeded ? options[0]?.['value'] : undefined);
      return target === undefined || row['xref'] !== null ? [] : [xrefOf(namespace, row, shown(target))];
    });
    if (xrefs.length > 0) await api.data('POST', `/api/my/xrefs/${namespace}/multiple`, { xrefs });
    results.push(`${namespace}: ${xrefs.length} of ${rows.length} mapped`);
  }
  return results.join('\n');
}

const xrefOf = (namespace: MappingNamespace, row: JsonObject, target: string): JsonObject => ({
  source_entity: mappingNamespaces[namespace].source,
  source_value: row['source_value'] ?? '',
  source_value_label: row['label'] ?? null,
  target_entity: mappingNamespaces[namespace].target,
  target_value: target,
  target_value_label: null,
  was: null,
});

async function testEachKind({ api, outside }: Progress): Promise<string> {
  const before = JSON.stringify(await outside.quickbooks.list('Invoice'));
  const results: string[] = [];
  for (const kind of ['invoices', 'purchase-orders', 'expense-reports']) {
    const job = await sync(api, `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
    if (Number(job['succeeded']) === 0) throw new Error(`no ${kind} passed the test: ${JSON.stringify(job)}`);
    results.push(`${kind}: ${counts(job)}`);
  }
  if (JSON.stringify(await outside.quickbooks.list('Invoice')) !== before)
    throw new Error('a test wrote to QuickBooks');
  return results.join('\n');
}

const testChosen = ({ api }: Progress, ids: readonly number[]) =>
  sync(api, '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: ids });

async function compare(client: Progress): Promise<string> {
  const job = await testChosen(client, [good]);
  const { documents } = (await client.api.data('GET', `/api/my/jobs/${shown(job['id'])}/review`)) as {
    documents: readonly JsonObject[];
  };
  if (documents.length !== 1) throw new Error(JSON.stringify(documents));
  return counts(job);
}

async function fixFailure(client: Progress): Promise<string> {
  const before = await testChosen(client, [wrong]);
  if (before['failed'] !== 1) throw new Error(`invoice ${wrong} did not fail: ${JSON.stringify(before)}`);
  await client.outside.autotask.put('Invoices', wrong, { invoiceTotal: 500 });
  const after = await testChosen(client, [wrong]);
  if (after['succeeded'] !== 1) throw new Error(JSON.stringify(after));
  return `before: ${counts(before)}\nafter: ${counts(after)}`;
}

async function postReviewed(client: Progress): Promise<string> {
  const ids = [good, other, wrong];
  const { id } = await testChosen(client, ids);
  const review = await client.api.data('GET', `/api/my/jobs/${shown(id)}/review`);
  if ((review['documents'] as readonly unknown[]).length !== ids.length) throw new Error(JSON.stringify(review));
  const body = { mode: 'live', invoice_ids: ids, reviewed: shown(id) };
  const job = await sync(client.api, '/api/my/invoices/sync/submit', body);
  if (job['succeeded'] !== ids.length) throw new Error(JSON.stringify(job));
  return counts(job);
}

async function lookAtQuickBooks({ outside }: Progress): Promise<string> {
  const invoices = await outside.quickbooks.list('Invoice');
  return [good, other, wrong]
    .map((id) => {
      const found = invoices.filter(({ PrivateNote }) => shown(PrivateNote).startsWith(`Autotask invoice ${id} `));
      if (found.length !== 1) throw new Error(`invoice ${id} is in QuickBooks ${found.length} times`);
      return `Autotask invoice ${id}: ${shown(found[0]?.['TotalAmt'])}`;
    })
    .join('\n');
}

async function goLive({ api }: Progress): Promise<string> {
  const { settings } = await api.data('POST', '/api/my/settings/', {
    inv_sync_active: true,
    po_sync_active: true,
    exp_sync_active: true,
  });
  return `sync start date: ${(settings as JsonObject)['sync_start_date'] === null ? 'empty' : 'today'}`;
}

async function inviteAccountant(client: Progress): Promise<string> {
  await client.api.data('POST', '/api/my/users/invitations', {
    email: accountant,
    name: 'Ada Ledger',
    role: 'accountant',
  });
  const token = await tokenFor(client, accountant, /\/invitation\/([\w-]+)/);
  await post('/auth/accept-invitation', { token, password: 'Ada-Ledger-12' });
  await signIn(publicUrl, accountant, 'Ada-Ledger-12');
  return `${accountant} accepted the invitation and logged in`;
}

async function turnOnSecondFactor(client: Progress): Promise<string> {
  const { secret } = await client.api.data('POST', '/api/my/second-factor/begin', { password });
  const code = new TOTP({ secret: shown(secret) }).generate();
  const { recovery_codes: codes, token } = await client.api.data('POST', '/api/my/second-factor/confirm', { code });
  client.token = shown(token);
  return `on, ${(codes as readonly string[]).length} recovery codes`;
}

async function lookAtAttention({ token }: Progress): Promise<string> {
  const answer = await fetch(`${publicUrl}/api/my/attention`, { headers: { authorization: `Bearer ${token}` } });
  const { data } = (await answer.json()) as { data: { groups: readonly JsonObject[] } };
  return `${data.groups.length} causes`;
}

const steps: readonly Step[] = [
  [
    '1. Create the API user',
    'Create it in four steps',
    async ({ outside }) => `user name and secret of ${(await accessOf(outside)).api_user}`,
  ],
  [
    '2. Register',
    'Open the address of your Tallybridge and choose **Register**',
    async () => {
      const page = await fetch(`${publicUrl}/register`);
      if (!page.ok) throw new Error(`status ${page.status}`);
      return /<title>.*<\/title>/.exec(await page.text())?.[0] ?? '';
    },
  ],
  [
    '2. Register',
    '**Connect API**: enter user name and secret of the API user.',
    async ({ outside }) => {
      const { company } = await post('/register/validate-autotask-access', await accessOf(outside));
      return shown((company as JsonObject)['companyName']);
    },
  ],
  [
    '2. Register',
    '**Verify User**: enter your name and email as they appear in Autotask.',
    async ({ outside }) => {
      await post('/register/validate-autotask-resource', { ...(await accessOf(outside)), ...person });
      return person.email;
    },
  ],
  [
    '2. Register',
    '**Password**: choose a password.',
    async (client) => {
      const access = await accessOf(client.outside);
      const { company } = await post('/register/validate-autotask-access', access);
      await post('/register/complete-registration', { ...access, ...person, company: company ?? null, password });
      client.api = await signIn(publicUrl, person.email, password);
      return `${person.email} is logged in`;
    },
  ],
  ['2. Register', 'You get an email. Open its link', confirmEmail],
  [
    '3. Connect QuickBooks',
    'Under **Connections**, press **Connect** for QuickBooks',
    async (client) => {
      // A session knows the confirmed address from the next login on.
      client.api = await signIn(publicUrl, person.email, password);
      await client.api.connectQuickBooks();
      return 'connected through the consent page';
    },
  ],
  ['3. Connect QuickBooks', 'Check its name on the screen afterward.', connectionNames],
  ['3. Connect QuickBooks', 'Press **Test** to check a connection at any time.', testConnections],
  ['4. Follow Setup', '| Connect | both services, as above |', connectionNames],
  ['4. Follow Setup', '| Check | accept or change the settings that Tallybridge suggests', checkSettings],
  ['4. Follow Setup', '| Match | map expense categories to accounts, and accept suggested', map],
  ['4. Follow Setup', '| Test | test each kind of document; nothing is written |', testEachKind],
  ['5. Test and sync', 'Compare one invoice of each kind with Autotask.', compare],
  ['5. Test and sync', 'Fix failures under **Needs attention**, and test again.', fixFailure],
  ['5. Test and sync', 'Then press **Sync Now** and choose **Live** for a few invoices.', postReviewed],
  ['5. Test and sync', 'Look at the result in QuickBooks.', lookAtQuickBooks],
  ['4. Follow Setup', '| Go live | turn on automatic syncs |', goLive],
  ['6. Afterward', 'Invite your accountant under *Users*', inviteAccountant],
  ['6. Afterward', 'turn on two-step login under *Security*', turnOnSecondFactor],
  ['6. Afterward', 'Look at *Needs attention*', lookAtAttention],
];
