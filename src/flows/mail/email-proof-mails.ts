import type { Mail } from '#core/ports/mailer.ts';
import { plainName } from './names.ts';
import { renderMail } from './template.ts';

interface Recipient {
  readonly to: string;
  readonly client: string;
  readonly appUrl: string;
  /** The user asked for a new password, which needs a confirmed address. */
  readonly forPassword: boolean;
}

/** Returns the mail for a company that registered with this address. */
export const emailProofMail = ({ to, client, appUrl, forPassword }: Recipient, link: string, hours: number): Mail =>
  renderMail(
    {
      to,
      subject: 'Confirm your email address',
      paragraphs: [
        ...(forPassword
          ? [
              `A new password was requested for ${to}. Confirm the address first, then request it again with “Forgot password”: ${appUrl}/forgot-password`,
            ]
          : []),
        `${plainName(client)} was registered at Tallybridge with the address ${to}.`,
        'Until you confirm it, you can set up and test everything, but nothing is posted to QuickBooks.',
      ],
      button: { label: 'Confirm the address', address: link },
      after: [`The link works once, for ${hours} hours.`, 'If you did not register, ignore this email.'],
    },
    appUrl,
  );
