import type { Mail } from '#core/ports/mailer.ts';
import { renderMail } from './template.ts';
import { quietName } from './names.ts';

/** The mails to people who are invited. The name that somebody typed for them is not in them: it could be anything. */

interface Invitation {
  readonly to: string;
  /** Name of the client. */
  readonly client: string;
  /** User name of whoever invites, or words for it. */
  readonly inviter: string;
  readonly appUrl: string;
}

const about =
  'Tallybridge keeps Autotask and QuickBooks Online in step: invoices, purchase orders, expense reports and payments.';

/** Mail to a person without an account who is to join a client. */
export const invitationMail = ({ to, client, inviter, appUrl }: Invitation, link: string, days: number): Mail =>
  renderMail(
    {
      to,
      subject: `You are invited to ${quietName(client)} on Tallybridge`,
      paragraphs: [`${inviter} invites you to work on the Tallybridge account of ${quietName(client)}.`, about],
      button: { label: 'Accept the invitation', address: link },
      after: [
        `You choose your password there; your user name is ${to}. The link works once, for ${days} days.`,
        'If you do not know what this is about, you need not do anything. Nobody got the link but you.',
      ],
    },
    appUrl,
  );

/** Mail to a person who is to join a client and has an account already, of which the inviter is not told. */
export const invitedElsewhereMail = ({ to, client, inviter, appUrl }: Invitation): Mail =>
  renderMail(
    {
      to,
      subject: `You are invited to ${quietName(client)} on Tallybridge`,
      paragraphs: [
        `${inviter} invites you to work on the Tallybridge account of ${quietName(client)}.`,
        `${to} has an account of Tallybridge already, and an account belongs to one company. Nobody at ${quietName(client)} is told of it.`,
        'To accept, ask for an invitation to another email address. Or have your present account removed by an administrator of its company, and ask to be invited again.',
      ],
      after: ['If you do not want to join, you need not do anything.'],
    },
    appUrl,
  );
