import { groupOf, noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import { describeNotice, type Notice } from '#core/notices.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { format } from '#core/values/decimal.ts';
import { counted } from '#core/values/text.ts';
import { plainName } from './names.ts';
import { renderMail } from './template.ts';

interface Recipient {
  readonly to: string;
  readonly appUrl: string;
  readonly client: string;
  /** IANA name of the client's time zone. */
  readonly timeZone: string;
}

/** Maximum notices listed in a daily email; the others are only counted. */
const maxListed = 20;

const after = (why: string, appUrl: string): readonly string[] => [
  `${why} Choose your emails under Notices: ${appUrl}/notices?tab=preferences`,
];

/** Returns the email about one notice, with a link to the screen with the next action. */
export function noticeMail({ to, appUrl, client, timeZone }: Recipient, notice: Notice): Mail {
  const { title, detail, path } = describeNotice(notice, timeZone);
  const amounts = amountsOf(notice);
  const isRequest = groupOf(notice.kind) === 'requests';
  return renderMail(
    {
      to,
      subject: title,
      paragraphs: [
        ...(detail === null ? [] : [detail]),
        `Client: ${plainName(client)}.${amounts === '' ? '' : ` Amount: ${amounts}.`}`,
      ],
      button: { label: buttonOf(path), address: `${appUrl}${path}` },
      after: after(
        isRequest
          ? 'You get this email because a user of Tallybridge asked you.'
          : 'You get this email because you chose emails about these notices.',
        appUrl,
      ),
    },
    appUrl,
  );
}

const buttonOf = (path: string): string =>
  path.startsWith('/month-end/')
    ? 'Open the month'
    : path.startsWith('/runs/')
      ? 'Open the run'
      : path === '/connections'
        ? 'Open Connections'
        : path === '/api-keys'
          ? 'Open API Keys'
          : path === '/webhooks'
            ? 'Open Webhooks'
            : 'Open the documents';

const amountsOf = (notice: Notice): string =>
  ('sums' in notice ? notice.sums : [])
    .map(({ currency, amount }) => `${currency ?? ''} ${format(amount)}`.trim())
    .join(' and ');

const groupNames: Readonly<Record<NoticeGroup, string>> = {
  failed_documents: 'Failed documents',
  failed_runs: 'Failed runs',
  sync_paused: 'Paused syncs',
  connection_lost: 'Lost connections',
  expiring: 'Expiring access',
  approval: 'Waiting for approval',
  requests: 'Requests',
  month_signed: 'Signed months',
};

/** Returns the daily email: the number of notices of each kind, and a list with links. */
export function dailyMail({ to, appUrl, client, timeZone }: Recipient, notices: readonly Notice[]): Mail {
  const counts = noticeGroups.flatMap((group) => {
    const count = notices.filter(({ kind }) => groupOf(kind) === group).length;
    return count === 0 ? [] : [`${groupNames[group]}: ${count}.`];
  });
  const more = notices.length - maxListed;
  return renderMail(
    {
      to,
      subject: `${counted(notices.length, 'new notice')} in Tallybridge`,
      paragraphs: [`Client: ${plainName(client)}.`, counts.join(' ')],
      links: notices.slice(0, maxListed).map((notice) => {
        const { title, detail, path } = describeNotice(notice, timeZone);
        const amounts = amountsOf(notice);
        const note = [detail, amounts === '' ? null : `Amount: ${amounts}.`].filter((one) => one !== null).join(' ');
        return { label: title, note, address: `${appUrl}${path}` };
      }),
      ...(more > 0 && { more: `And ${more} more.` }),
      button: { label: 'Open Notices', address: `${appUrl}/notices` },
      after: after('You get this email once a day if you have unread notices.', appUrl),
    },
    appUrl,
  );
}
