import type { FastifyInstance } from 'fastify';
import { escaped } from '#core/values/html.ts';
import type { SentMail } from '#core/ports/mailer.ts';
import type { App } from '#flows/context.ts';
import { notFound, sendFailure } from './errors.ts';
import { page } from './pages.ts';
import { mailPolicy } from './security-headers.ts';

const path = '/demo/mails';

/**
 * Shows the emails of a demo, which are not delivered, so that users can follow their links. These pages exist only in
 * demo mode without a mail server.
 */
export function demoMailPages(server: FastifyInstance, { config, mailer }: App): void {
  const { sent } = mailer;
  if (!config.isDemo || sent === undefined) return;
  const html = 'text/html; charset=utf-8';

  server.get(path, { schema: { hide: true } }, async (_request, reply) => reply.type(html).send(listPage(sent())));

  server.get<{ Params: { number: string } }>(
    `${path}/:number`,
    { schema: { hide: true } },
    async ({ params }, reply) => {
      const mails = sent();
      const mail = /^\d{1,3}$/.test(params.number) ? mails[mails.length - Number(params.number)] : undefined;
      if (mail === undefined) return sendFailure(reply, notFound());
      return reply.header('content-security-policy', mailPolicy).type(html).send(mail.html);
    },
  );
}

function listPage(mails: readonly SentMail[]): string {
  const list = mails.map((mail, index) => itemOf(mail, mails.length - index)).join('\n');
  return page(
    'Emails of this demo',
    `<h1>Emails of this demo</h1>
<p>A demo has no mail server. This page shows the emails since its start, newest first; each email is also an
.eml file in the folder <code>mail</code> of its data. <a href="${path}">Refresh</a> · <a href="/">Open Tallybridge</a></p>
${mails.length === 0 ? '<p>No emails yet. Request one under <a href="/forgot-password">Forgot password</a>.</p>' : list}`,
    { isWide: true },
  );
}

/** @param number counted from the oldest, so that new emails do not change it. */
const itemOf = ({ to, subject, text, sentAt }: SentMail, number: number): string =>
  `<details open>
<summary><strong>${escaped(subject)}</strong> to ${escaped(to)}, <time datetime="${sentAt}">${sentAt.slice(0, 19).replace('T', ' ')} UTC</time></summary>
<pre>${linked(text)}</pre>
<p><a href="${path}/${number}">As a mail program shows it</a></p>
</details>`;

/** Turns the URLs in a text into links. */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => (index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');
