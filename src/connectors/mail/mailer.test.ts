import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clockAt } from '#test/support/fake-ports.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { createMailer } from './mailer.ts';

const clock = clockAt('2025-03-03T15:00:00Z');
const from = 'Tallybridge <no-reply@msp.example>';
const mail = { to: 'ann@msp.example', subject: 'Réinitialiser', text: 'Open the link.', html: '<p>Open the link.</p>' };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test('writes each email to a complete .eml file without a server', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'mail-'));
  ends.push(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'mail');
  const mailer = createMailer({ target: { folder }, from, clock });
  await Promise.all([mailer.send(mail), mailer.send(mail)]);
  const names = await readdir(folder);
  expect(names).toHaveLength(2);
  expect(names.every((name) => name.endsWith('.eml'))).toBe(true);
  const text = await readFile(join(folder, names[0] ?? ''), 'utf8');
  expect(text).toContain('To: ann@msp.example');
  expect(text).toContain('From: Tallybridge <no-reply@msp.example>');
  expect(text).toContain('Open the link.');
  expect(text).toContain('Date: Mon, 03 Mar 2025 15:00:00');
});

test('sends the email to the configured server', async () => {
  const mailbox = await startMailbox();
  ends.push(() => mailbox.close());
  await createMailer({ target: { smtpUrl: mailbox.url }, from, clock }).send(mail);
  expect(mailbox.mails()).toMatchObject([{ to: 'ann@msp.example', text: expect.stringContaining('Open the link.') }]);
});
