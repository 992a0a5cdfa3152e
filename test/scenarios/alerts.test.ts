import { beforeEach, expect, test } from 'vitest';
import type { SentMail } from '#core/ports/mailer.ts';
import { mailLane, type TakenMessage } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { sendDigest } from '#flows/alerts/send-digests.ts';
import { eachWorld } from '#test/support/each-world.ts';

const world = eachWorld({ settings: { inv_sync_active: true, inv_create_item_automatically: false } });
beforeEach(async () => {
  const person = { passwordHash: '', roles: ['clientadmin'], tenantId: world.tenant.tenantId, isActive: true } as const;
  for (const name of ['ada', 'ben', 'cy']) {
    const { id } = await world.app.store.addUser({ ...person, username: `${name}@northwind-msp.example` });
    if (name === 'ben')
      await world.store.changeNoticePreferences(id, world.clock.now(), () => ({
        channels: { failed_documents: 'app', sync_paused: 'off', connection_lost: 'app' },
        digestHour: 8,
      }));
  }
  await world.app.store.addUser({ ...person, username: 'gone@northwind-msp.example', isActive: false });
});

const sent = (): readonly SentMail[] => world.app.mailer.sent?.() ?? [];
/** Runs the workers' periodic tasks, with N workers at the same time. */
async function housekeep(workers = 1): Promise<void> {
  const times = Array.from({ length: workers });
  const pending = await world.app.store.tenantsWithAlerts(world.clock.now(), 10);
  for (const id of pending) await Promise.all(times.map(() => sendDigest(world.app, id)));
  await Promise.all(times.map(() => sendOutbox(world.app, mailLane)));
}

test('reports failures of automatic syncs once, in one email, to subscribed administrators', async () => {
  await world.cycle();
  const failed = (await world.logs()).filter(({ success }) => !success);
  expect(failed.length).toBeGreaterThan(1);
  await housekeep(4);
  expect(
    sent()
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['ada@northwind-msp.example', 'cy@northwind-msp.example']);
  const [mail] = sent();
  expect(mail?.subject).toBe(`${failed.length} documents need attention`);
  for (const { message, psaId } of failed.slice(0, 2)) {
    expect(mail?.text.replaceAll('\n', ' ')).toContain(String(psaId));
    expect(mail?.text.replaceAll('\n', ' ')).toContain(message);
  }
  expect(mail?.text).toContain('What to do:');
  expect(mail?.html).toContain('Open the logs');

  // Later cycles and a user's own sync report nothing new.
  await world.cycle();
  await world.advance(3_600);
  await world.sync('invoice', { mode: 'live', psaIds: failed.slice(0, 1).map(({ psaId }) => psaId) });
  await world.cycle();
  await housekeep();
  expect(sent()).toHaveLength(2);
});

test('sends alerts to the addresses in the settings instead of the administrators', async () => {
  await world.saveSettings({ alert_emails: ['accounting@northwind-msp.example'] });
  await world.cycle();
  await housekeep();
  expect(sent().map(({ to }) => to)).toEqual(['accounting@northwind-msp.example']);
});

test('sends at most one alert per hour and collects later failures for the next one', async () => {
  await world.cycle();
  await housekeep();
  const before = sent().length;
  await world.saveSettings({ exp_sync_active: true });
  await world.cycle();
  expect((await world.logs()).some(({ type, success }) => type === 'expense_report' && !success)).toBe(true);
  await housekeep();
  expect(sent()).toHaveLength(before);
  await world.advance(3_600);
  await housekeep();
  expect(sent().length).toBe(before + 2);
  expect(sent()[0]?.text).toContain('Expense report');
});

test('reports a lost connection immediately, and again only after a day', async () => {
  await world.saveSettings({ inv_sync_active: false, void_sync_active: false, pay_sync_active: true });
  const lost = { status: 'inactive', problem: 'QuickBooks Online needs to be reconnected.' } as const;
  const lose = async () => {
    await world.store.markConnection('accounting', { status: 'active', problem: null });
    await world.store.markConnection('accounting', lost);
    await world.store.markConnection('accounting', lost);
    await housekeep(3);
  };
  await lose();
  expect(
    sent()
      .map(({ subject, to }) => `${subject} ${to}`)
      .sort(),
  ).toEqual([
    'QuickBooks Online needs to be reconnected ada@northwind-msp.example',
    'QuickBooks Online needs to be reconnected cy@northwind-msp.example',
  ]);
  await lose();
  expect(sent()).toHaveLength(2);
  await world.advance(86_400);
  await lose();
  expect(sent()).toHaveLength(4);
  // A user's own disconnect is not reported.
  await world.store.markConnection('accounting', { status: 'active', problem: null });
  await world.store.markConnection('accounting', { status: 'inactive', problem: null });
  await world.advance(86_400);
  await housekeep();
  expect(sent()).toHaveLength(4);
});

test('a service that refuses calls for 15 minutes is reported by one email', async () => {
  const wait = { status: 429, headers: { 'Retry-After': '3600' }, body: '' };
  const fail = async () => {
    await expect((await world.tenant.accounting()).identify()).rejects.toThrow();
    await housekeep(3);
  };
  await world.quickbooks.fault({ match: {}, action: wait });
  await fail();
  world.clock.advance(14 * 60);
  await fail();
  expect(sent()).toEqual([]);
  world.clock.advance(61);
  await fail();
  expect(
    sent()
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['ada@northwind-msp.example', 'cy@northwind-msp.example']);
  expect(sent()[0]?.subject).toContain('QuickBooks Online has paused the sync');
  world.clock.advance(1_200);
  await fail();
  expect(sent(), 'one email for each pause').toHaveLength(2);
});

const mailedTo = (message: TakenMessage | null) => (message?.kind === 'mail' ? message.to : undefined);

test('sends an email again after its sender died, but only once, and retries a rejected one', async () => {
  const { store } = world.app;
  await world.store.markConnection('accounting', { status: 'inactive', problem: 'lost' });
  await sendDigest(world.app, world.tenant.tenantId);
  const taken = await store.takeMessage(mailLane, world.clock.now());
  const other = await store.takeMessage(mailLane, world.clock.now());
  expect([taken, other].map(mailedTo).sort()).toEqual(['ada@northwind-msp.example', 'cy@northwind-msp.example']);
  expect(await store.takeMessage(mailLane, world.clock.now()), 'no other worker takes it').toBeNull();
  if (taken === null || other === null) throw new Error('no mail');
  await store.endMessage(other.id, world.clock.now());
  world.clock.advance(601);
  expect((await store.takeMessage(mailLane, world.clock.now()))?.id).toBe(taken.id);
  world.clock.advance(601);
  expect(await store.takeMessage(mailLane, world.clock.now())).toBeNull();

  world.clock.advance(86_400);
  await world.store.markConnection('accounting', { status: 'active', problem: null });
  await world.store.markConnection('accounting', { status: 'inactive', problem: 'lost' });
  await sendDigest(world.app, world.tenant.tenantId);
  const mailer = { send: () => Promise.reject(new Error('451 try later')) };
  expect(await sendOutbox({ ...world.app, mailer }, mailLane)).toBe(0);
  expect(await sendOutbox(world.app, mailLane), 'not immediately').toBe(0);
  world.clock.advance(61);
  expect(await sendOutbox(world.app, mailLane)).toBe(2);
});
