import { describeNotice, type Notice } from '#core/notices.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { format } from '#core/values/decimal.ts';
import { plainName } from './names.ts';
import { renderMail } from './template.ts';

/**
 * Returns the mail that asks a user to approve or to sign, with a link to the documents or the month.
 *
 * @param timeZone IANA name of the client's time zone.
 */
export function requestMail(
  {
    to,
    appUrl,
    client,
    timeZone,
  }: { readonly to: string; readonly appUrl: string; readonly client: string; readonly timeZone: string },
  notice: Notice,
): Mail {
  const { title, detail, path } = describeNotice(notice, timeZone);
  const sums = 'sums' in notice ? notice.sums : [];
  const amounts = sums.map(({ currency, amount }) => `${currency ?? ''} ${format(amount)}`.trim()).join(' and ');
  return renderMail(
    {
      to,
      subject: title,
      paragraphs: [
        ...(detail === null ? [] : [detail]),
        `Client: ${plainName(client)}.${amounts === '' ? '' : ` Amount: ${amounts}.`}`,
      ],
      button: {
        label: notice.kind === 'approval_asked' ? 'Open the documents' : 'Open the month',
        address: `${appUrl}${path}`,
      },
      after: ['You get this email because a user of Tallybridge asked you.'],
    },
    appUrl,
  );
}
