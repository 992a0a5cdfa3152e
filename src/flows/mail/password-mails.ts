import type { Mail } from '#core/ports/mailer.ts';
import { renderMail } from './template.ts';

/** The mails about a password. Each goes to the owner of the password and names no other person. */

interface Recipient {
  readonly username: string;
  readonly appUrl: string;
}

const ignoreSentence =
  'If you did not request this, ignore this email: your password does not change, and only you received the link.';

/** Returns the mail to a person who requested a new password. */
export const resetMail = ({ username, appUrl }: Recipient, link: string, minutes: number): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Set a new password',
      paragraphs: [`A new password was requested for ${username}.`],
      button: { label: 'Set a new password', address: link },
      after: [`The link works once, for ${minutes} minutes.`, ignoreSentence],
    },
    appUrl,
  );

/** Returns the mail to a user whose sessions and password were ended by a system administrator. */
export const forcedResetMail = ({ username, appUrl }: Recipient, link: string, minutes: number): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Please set a new password',
      paragraphs: [
        `A system administrator of Tallybridge has ended all sessions of ${username}. The old password no longer works.`,
      ],
      button: { label: 'Set a new password', address: link },
      after: [
        `The link works once, for ${minutes} minutes. Afterwards get a new one with "Forgot password" on the login page: ${appUrl}/forgot-password`,
      ],
    },
    appUrl,
  );

/** Returns the mail about a changed password, so that the user notices a change by another person. */
export const passwordChangedMail = ({ username, appUrl }: Recipient): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Your password was changed',
      paragraphs: [
        `The password of ${username} was changed, and all sessions were ended.`,
        'If this was not you, set a new password now and contact your administrator.',
      ],
      button: { label: 'Set a new password', address: `${appUrl}/forgot-password` },
    },
    appUrl,
  );
