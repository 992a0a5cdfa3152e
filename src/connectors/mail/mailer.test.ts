import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clockAt } from '#test/support/fake-ports.ts';
import { createMailer } from './mailer.ts';

const clock = clockAt('2025-03-03T15:00:00Z');
const from = 'Tallybridge <no-reply@msp.example>';
const mail = { to: 'ann@msp.example', subject: 'Réinitialiser', text: 'Open the link.', html: '<p>Open the link.</p>' };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test('without a server each mail becomes one whole .eml file', async () => {
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

test('with a server the mail is handed to it', async () => {
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isData = false;
    socket.write('220 ready\r\n');
    socket.on('data', (chunk) => {
      const text = chunk.toString('utf8');
      said.push(text);
      if (isData) {
        if (!text.endsWith('\r\n.\r\n')) return;
        isData = false;
        socket.write('250 taken\r\n');
      } else if (/^DATA/i.test(text)) {
        isData = true;
        socket.write('354 go on\r\n');
      } else if (/^QUIT/i.test(text)) socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  await createMailer({ target: { smtpUrl: `smtp://127.0.0.1:${port}` }, from, clock }).send(mail);
  expect(said.join('')).toContain('RCPT TO:<ann@msp.example>');
  expect(said.join('')).toContain('Open the link.');
});
