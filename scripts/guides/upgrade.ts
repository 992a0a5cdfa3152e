import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#core/values/json.ts';
import { blockOf, GuideError, sectionOf } from './documents.ts';
import { shown } from './shown.ts';
import { followStart } from './first-client.ts';
import { publicUrl } from './outside.ts';
import { assertPostedOnce, bill, syncNew } from './syncing.ts';
import { newTranscript } from './transcript.ts';
import { followInstall, runLine, type Trial } from './trial.ts';

const document = 'docs/operate/upgrade.md';
/** Invoices of the job that runs during the restarts. */
const jobInvoices = 120;
/** Milliseconds that QuickBooks needs for each posted object, so that the job outlasts the restarts. */
const slowItemMs = 500;

/** Installs the previous release on a new machine, with a client. @returns the session of its administrator. */
export async function installPrevious(trial: Trial, commit: string): Promise<string> {
  const { transcript, outside, machine } = trial;
  let token = '';
  await machine.renew();
  await outside.renew();
  await transcript.step(
    { document, heading: 'Upgrade' },
    `the previous release (commit ${commit.slice(0, 8)})`,
    async () => {
      const silent = { ...trial, transcript: newTranscript(() => undefined) };
      await followInstall(silent, 'previous');
      token = await followStart(silent.transcript, outside);
      return 'installed like above, on another new machine and database, with the first client';
    },
  );
  return token;
}

/** Upgrades while a job runs and documents are posted, rolls back, and upgrades again. */
export async function followUpgrade(
  trial: Trial,
  { clientId, token }: { clientId: string; token: string },
): Promise<void> {
  const section = sectionOf(document, 'Upgrade');
  const forward = blockOf(section, 2);
  const replace = { 'git clone …': `git clone --quiet --branch present ${trial.source}` };
  for (const line of blockOf(section)) await runLine(trial, section, line, { replace });
  await trial.outside.quickbooks.behave({ batch_item_ms: slowItemMs });
  const posting = await startPosting(trial, token);
  for (const line of forward) {
    if (line === 'systemctl restart tallybridge-worker') await posting.assertRunning();
    await runLine(trial, section, line);
  }
  await trial.outside.quickbooks.behave({ batch_item_ms: 0 });
  assertReleases(trial, 'tallybridge-1.1');
  await trial.transcript.step(section, 'Processes of the previous release keep working', () => posting.finish());
  await syncNew(trial, clientId, 5);

  const rollback = sectionOf(document, 'Rollback');
  for (const line of blockOf(rollback)) await runLine(trial, rollback, line);
  assertReleases(trial, 'tallybridge-1.0');
  await syncNew(trial, clientId, 5);
  for (const line of forward) await runLine(trial, section, line);
  assertReleases(trial, 'tallybridge-1.1');
  await syncNew(trial, clientId, 5);
}

function assertReleases({ machine }: Trial, folder: string): void {
  for (const name of machine.services())
    if (!machine.programOf(name).startsWith(`/opt/${folder}/`))
      throw new GuideError(`${document}: ${name} runs ${machine.programOf(name)} instead of ${folder}.`);
}

/** Posting while processes restart. */
interface Posting {
  /** @throws GuideError if the job has ended already. */
  assertRunning(): Promise<void>;
  /** Waits for all jobs, and checks every invoice. Returns the counts. */
  finish(): Promise<string>;
}

/** Starts a long job, and submits two new invoices every second. */
async function startPosting({ outside }: Trial, token: string): Promise<Posting> {
  const posted: number[] = [];
  const waiting: number[] = [];
  const jobs: string[] = [];
  let refused = 0;
  const call = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
    const answer = await fetch(publicUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: status ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: JsonObject }).data;
  };
  const submit = async (ids: readonly number[]): Promise<void> => {
    const { job } = await call('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: ids });
    jobs.push(shown((job as JsonObject)['id']));
  };
  const readJob = async (id: string) => (await call('GET', `/api/my/jobs/${id}`))['job'] as JsonObject;
  const first = await bill(outside, jobInvoices);
  posted.push(...first);
  await submit(first);
  const end = new AbortController();
  const loop = (async () => {
    while (!end.signal.aborted) {
      waiting.push(...(await bill(outside, 2)));
      // A call that the restarting server refused is made again with the next one, as a user would.
      const ids = [...waiting];
      await submit(ids).then(
        () => posted.push(...waiting.splice(0, ids.length)),
        () => (refused += 1),
      );
      await delay(1_000);
    }
  })();
  return {
    async assertRunning() {
      const { status, done } = await readJob(jobs[0] ?? '');
      if (status !== 'running') throw new GuideError(`the job is ${shown(status)} before the workers restart`);
      if (done === jobInvoices) throw new GuideError('the job has posted everything before the workers restart');
    },
    async finish() {
      end.abort();
      await loop;
      let failed = 0;
      for (const id of jobs) {
        let job = await readJob(id);
        for (; job['status'] === 'queued' || job['status'] === 'running'; job = await readJob(id)) await delay(500);
        failed += Number(job['failed']) + (job['status'] === 'finished' ? 0 : 1);
      }
      if (failed > 0) throw new GuideError(`${failed} documents or jobs failed`);
      await assertPostedOnce(outside, posted);
      return `${posted.length} invoices posted in ${jobs.length} jobs: 0 failed, 0 missing, 0 doubled\n${refused} calls refused while the only server restarted`;
    },
  };
}
