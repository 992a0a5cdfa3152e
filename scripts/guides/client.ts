/**
 * A client of the installation that the guides are tried on.
 *
 *   node scripts/guides/client.ts register MAILS   registers, connects both services, and sets up
 *   node scripts/guides/client.ts bill COUNT       bills copies of a sample invoice in Autotask
 *   node scripts/guides/client.ts watch           posts, and checks that events arrive before the end
 *   node scripts/guides/client.ts posted           checks that QuickBooks has each of them once
 *   node scripts/guides/client.ts post             posts until a signal, and checks that no document failed
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#core/values/json.ts';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { apiUser } from '#test/support/deployment.ts';
import { textOf } from '#test/support/rows.ts';
import { controlOf } from '#test/support/world.ts';

const url = 'https://tallybridge.example';
const [autotask, quickbooks] = [controlOf('http://127.0.0.1:4010'), controlOf('http://127.0.0.1:4020')];
const person = { first_name: 'Betty', last_name: 'Decker', email: 'betty.decker@northwind-msp.example' };
const password = 'Betty-Horse-12';
const sample = 48_213;
const firstId = 900_001;
/** A job that outlasts the restarts: invoices, and milliseconds that QuickBooks needs for each. */
const [longJob, slowItemMs] = [120, 500];

async function register(mails: string): Promise<void> {
  const { userName, secret } = await apiUser({ autotask });
  const access = { api_user: userName, api_secret: secret };
  const post = async (path: string, body: JsonObject): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/register/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return ((await answer.json()) as { data: JsonObject }).data;
  };
  const { company } = await post('validate-autotask-access', access);
  await post('validate-autotask-resource', { ...access, ...person });
  await post('complete-registration', { ...access, ...person, company: company ?? null, password });
  let token: string | undefined;
  for (let tries = 0; token === undefined; tries += 1) {
    if (tries > 100) throw new Error('no email with a link came');
    await delay(250);
    const received = JSON.parse(readFileSync(mails, 'utf8')) as { text: string }[];
    token = received.map(({ text }) => /confirm-email\?token=([\w-]+)/.exec(text)?.[1]).findLast((one) => one);
  }
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' };
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${url}/auth/confirm-email`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the address was not confirmed: ${await answer.text()}`);
  const api = await signIn(url, person.email, password);
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  const business = { source_entity: 'LineOfBusiness', target_entity: 'Class', source_value_label: null };
  await api.data('POST', '/api/my/xrefs/LineOfBusiness/multiple', {
    xrefs: [{ ...business, source_value: '1', target_value: '200', target_value_label: null }],
  });
  const { settings_valid: isValid } = await api.data('GET', '/api/my');
  if (isValid !== true) throw new Error('the settings are not complete');
}

const withoutId = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'id'));

const billed = async (): Promise<readonly number[]> =>
  (await autotask.list('Invoices')).map(({ id }) => Number(id)).filter((id) => id >= firstId);

/** @returns the ids of the new invoices. */
async function bill(count: number): Promise<readonly number[]> {
  const invoice = await autotask.item('Invoices', sample);
  const items = (await autotask.list('BillingItems')).filter(({ invoiceID }) => invoiceID === sample);
  const first = Math.max(firstId - 1, ...(await billed())) + 1;
  const ids = Array.from({ length: count }, (_, at) => first + at);
  for (const id of ids) {
    for (const [at, item] of items.entries())
      await autotask.put('BillingItems', id * 100 + at, { ...withoutId(item), invoiceID: id });
    const fresh = { batchID: id, invoiceNumber: '', webServiceDate: null, createDateTime: new Date().toISOString() };
    await autotask.put('Invoices', id, { ...withoutId(invoice), ...fresh });
  }
  return ids;
}

async function assertPostedOnce(): Promise<void> {
  const times = new Map((await billed()).map((id) => [id, 0]));
  for (const { PrivateNote } of await quickbooks.list('Invoice')) {
    const id = Number(/^Autotask invoice (\d+) /.exec(JSON.stringify(PrivateNote ?? '').slice(1))?.[1]);
    if (times.has(id)) times.set(id, (times.get(id) ?? 0) + 1);
  }
  const counts = [...times.values()];
  const [missing, doubled] = [counts.filter((one) => one === 0).length, counts.filter((one) => one > 1).length];
  if (missing + doubled > 0)
    throw new Error(`${missing} of ${times.size} invoices are missing, ${doubled} are doubled.`);
  console.log(`${times.size} invoices: 0 missing, 0 doubled`);
}

const readJob = async (api: ApiClient, id: string): Promise<JsonObject> =>
  (await api.data('GET', `/api/my/jobs/${id}`))['job'] as JsonObject;

/** Starts a long job and submits two new invoices every second. A refused call is repeated, as by a user. */
async function post(): Promise<void> {
  const end = new AbortController();
  process.on('SIGTERM', () => end.abort());
  await quickbooks.behave({ batch_item_ms: slowItemMs });
  const api = await signIn(url, person.email, password);
  const jobs: string[] = [];
  const submit = async (ids: readonly number[]): Promise<void> => {
    const { job } = await api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: ids });
    jobs.push(textOf(job as JsonObject, 'id'));
  };
  await submit(await bill(longJob));
  const waiting: number[] = [];
  while (!end.signal.aborted) {
    waiting.push(...(await bill(2)));
    const ids = [...waiting];
    await submit(ids).then(
      () => waiting.splice(0, ids.length),
      () => undefined,
    );
    await delay(1_000);
  }
  const status = textOf(await readJob(api, jobs[0] ?? ''), 'status');
  if (status !== 'running') throw new Error(`The long job is ${status}: it must outlast the restarts.`);
  await quickbooks.behave({ batch_item_ms: 0 });
  if (waiting.length > 0) await submit(waiting);
  for (const id of jobs) {
    let job = await readJob(api, id);
    for (; job['status'] === 'queued' || job['status'] === 'running'; job = await readJob(api, id)) await delay(500);
    if (job['status'] !== 'finished' || job['failed'] !== 0) throw new Error(`a job failed: ${JSON.stringify(job)}`);
  }
  await assertPostedOnce();
}

/** Posts a few invoices slowly, and follows the job’s events as the screens do. */
async function watch(): Promise<void> {
  await quickbooks.behave({ batch_item_ms: slowItemMs * 2 });
  const api = await signIn(url, person.email, password);
  const token = textOf(await api.data('POST', '/auth/login', { username: person.email, password }), 'token');
  const ids = await bill(3);
  const { job } = await api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: ids });
  const path = `/api/my/jobs/${textOf(job as JsonObject, 'id')}/events`;
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const arrivals: number[] = [];
  for await (const _chunk of answer.body ?? []) arrivals.push(performance.now());
  await quickbooks.behave({ batch_item_ms: 0 });
  const earlyMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  if (earlyMs < slowItemMs) throw new Error(`${arrivals.length} events arrived within ${Math.round(earlyMs)} ms.`);
  await assertPostedOnce();
}

const [command, option = ''] = process.argv.slice(2);
if (command === 'register') await register(option);
if (command === 'bill') await bill(Number(option));
if (command === 'watch') await watch();
if (command === 'posted') await assertPostedOnce();
if (command === 'post') await post();
