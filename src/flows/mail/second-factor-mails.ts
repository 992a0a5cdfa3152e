import type { Mail } from '#core/ports/mailer.ts';
import { renderMail } from './template.ts';

/** The mails about two-step login. Each goes to the user it concerns. */

interface Recipient {
  readonly username: string;
  readonly appUrl: string;
}

const notYou =
  'If this was not you, set a new password now and contact your administrator: another person may have logged in as you.';

/** Returns the mail about a second factor that was turned on. */
export const secondFactorOnMail = ({ username, appUrl }: Recipient): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Two-step login is on',
      paragraphs: [
        `From now on ${username} logs in with the password and a code of an authenticator app. All other sessions were ended.`,
        'Keep the recovery codes where you can find them without your phone. Each works once.',
      ],
      after: [notYou],
    },
    appUrl,
  );

/** Returns the mail about a second factor that the user turned off. */
export const secondFactorOffMail = ({ username, appUrl }: Recipient): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Two-step login is off',
      paragraphs: [`From now on ${username} logs in with the password only.`],
      button: { label: 'Turn it on again', address: `${appUrl}/security` },
      after: [notYou],
    },
    appUrl,
  );

/** Returns the mail about a second factor that an operator removed because phone and codes were lost. */
export const secondFactorResetMail = ({ username, appUrl }: Recipient): Mail =>
  renderMail(
    {
      to: username,
      subject: 'Your two-step login was reset',
      paragraphs: [
        `The operator of Tallybridge has removed the second step from the login of ${username}, and all sessions were ended.`,
        'Log in with your password, and set up an authenticator app again.',
      ],
      button: { label: 'Log in', address: `${appUrl}/login` },
      after: ['If you did not request this, contact your administrator now.'],
    },
    appUrl,
  );

/** Returns the mail about new recovery codes. */
export const recoveryCodesReplacedMail = ({ username, appUrl }: Recipient): Mail =>
  renderMail(
    {
      to: username,
      subject: 'You have new recovery codes',
      paragraphs: [`The earlier recovery codes of ${username} no longer work.`],
      after: [notYou],
    },
    appUrl,
  );

/** Returns the mail about a login with a recovery code. */
export const recoveryCodeUsedMail = ({ username, appUrl }: Recipient, left: number): Mail =>
  renderMail(
    {
      to: username,
      subject: 'A recovery code was used',
      paragraphs: [
        `A recovery code was used to log in as ${username}.`,
        left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`,
      ],
      button: { label: 'Get new codes', address: `${appUrl}/security` },
      after: [notYou],
    },
    appUrl,
  );
