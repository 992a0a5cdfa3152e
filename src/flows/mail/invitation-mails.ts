import type { Mail } from '#core/ports/mailer.ts';
import { renderMail } from './template.ts';
import { plainName } from './names.ts';

/** The mails to invited people. They omit the name that the inviter entered, because it could be anything. */

interface Invitation {
  readonly to: string;
  /** Name of the client. */
  readonly client: string;
  /** User name of the inviter, or a phrase for it. */
  readonly inviter: string;
  /** The PSA's label. */
  readonly psa: string;
  readonly appUrl: string;
}

const about = (psa: string) =>
  `Tallybridge keeps ${psa} and QuickBooks Online in step: invoices, purchase orders, expense reports and payments.`;

/** Returns the invitation of a person without an account. */
export const invitationMail = ({ to, client, inviter, psa, appUrl }: Invitation, link: string, days: number): Mail =>
  renderMail(
    {
      to,
      subject: `You are invited to ${plainName(client)} on Tallybridge`,
      paragraphs: [`${inviter} invites you to work on the Tallybridge account of ${plainName(client)}.`, about(psa)],
      button: { label: 'Accept the invitation', address: link },
      after: [
        `Choose your password there; your user name is ${to}. The link works once, for ${days} days.`,
        'If you did not expect this invitation, ignore this email. Only you received the link.',
      ],
    },
    appUrl,
  );

/** Returns the invitation of a person who already has an account. The inviter does not learn about the account. */
export const invitedElsewhereMail = ({ to, client, inviter, appUrl }: Invitation): Mail =>
  renderMail(
    {
      to,
      subject: `You are invited to ${plainName(client)} on Tallybridge`,
      paragraphs: [
        `${inviter} invites you to work on the Tallybridge account of ${plainName(client)}.`,
        `${to} already has a Tallybridge account, and an account belongs to one company. ${plainName(client)} is not notified.`,
        'To accept, ask for an invitation to another email address, or ask the administrator of your current account to remove it and then ask for a new invitation.',
      ],
      after: ['If you do not want to join, ignore this email.'],
    },
    appUrl,
  );
