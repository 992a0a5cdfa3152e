import type { Mail } from '#core/ports/mailer.ts';
import { quietName } from './names.ts';
import { renderMail } from './template.ts';

/** Returns the mail for a company that registered with this address. */
export const emailProofMail = (
  { to, client, appUrl }: { readonly to: string; readonly client: string; readonly appUrl: string },
  link: string,
  hours: number,
): Mail =>
  renderMail(
    {
      to,
      subject: 'Confirm your email address',
      paragraphs: [
        `Somebody, hopefully you, registered ${quietName(client)} at Tallybridge with the address ${to}.`,
        'Until you confirm it, everything can be set up and tried out, and nothing is posted to the books.',
      ],
      button: { label: 'Confirm the address', address: link },
      after: [
        `The link works once, for ${hours} hours.`,
        'If you do not know what this is about, do not confirm it: you need not do anything.',
      ],
    },
    appUrl,
  );
