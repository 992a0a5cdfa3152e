import { kinds } from '#core/kinds.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { momentText, type Instant } from '#core/values/dates.ts';
import type { AlertItem } from '#core/records/alerts.ts';
import { renderMail } from './template.ts';
import { plainName } from './names.ts';

/** The mails that are sent automatically to a client's administrators (domain reference 11.4). */

interface Recipient {
  readonly to: string;
  readonly appUrl: string;
  readonly client: string;
  /** IANA name of the client's time zone. */
  readonly timeZone: string;
}

/** Maximum documents listed for one kind of problem; the others are only counted. */
const namedDocuments = 5;

const after = ({ appUrl }: Recipient): readonly string[] => [
  `You get this email because you are an administrator in Tallybridge. You get at most one per hour. Choose your emails under Notices: ${appUrl}/notices?tab=preferences`,
];

/** Returns the mail for a service that rejects our credentials. */
export const connectionLostMail = (recipient: Recipient, label: string): Mail =>
  renderMail(
    {
      to: recipient.to,
      subject: `${label} needs to be reconnected`,
      paragraphs: [
        `${label} needs to be reconnected. Until then, documents of ${plainName(recipient.client)} are not synced. Nothing is lost: they are synced after you reconnect.`,
      ],
      button: { label: 'Open Connections', address: `${recipient.appUrl}/connections` },
      after: after(recipient),
    },
    recipient.appUrl,
  );

/** Returns the mail for a service that has limited our calls or not responded for 15 minutes. */
export const servicePausedMail = (
  recipient: Recipient,
  label: string,
  { since, nextTryAt }: { readonly since: Instant; readonly nextTryAt: Instant | null },
): Mail =>
  renderMail(
    {
      to: recipient.to,
      subject: `${label} has paused the sync of ${plainName(recipient.client)}`,
      paragraphs: [
        `Since ${momentText(since, recipient.timeZone)} ${label} limits calls or fails. Documents of ${plainName(recipient.client)} wait; none is lost or posted twice.`,
        nextTryAt === null
          ? 'Tallybridge tries again automatically with the next sync.'
          : `Tallybridge tries again automatically after ${momentText(nextTryAt, recipient.timeZone)}.`,
      ],
      button: { label: 'Open Connections', address: `${recipient.appUrl}/connections` },
      after: after(recipient),
    },
    recipient.appUrl,
  );

/** Returns the mail for syncs that are stalled by a bug. */
export const stallMail = (recipient: Recipient, since: Instant): Mail =>
  renderMail(
    {
      to: recipient.to,
      subject: `The sync of ${plainName(recipient.client)} is stalled`,
      paragraphs: [
        `Since ${momentText(since, recipient.timeZone)} documents of ${plainName(recipient.client)} are not synced because of a defect in Tallybridge. Nothing is lost or posted twice; they are synced after the fix.`,
        'Contact support. You do not need to change anything in either service.',
      ],
      button: { label: 'Open the Overview', address: `${recipient.appUrl}/` },
      after: after(recipient),
    },
    recipient.appUrl,
  );

/**
 * Returns the mail about the problems of automatic syncs since the last mail, with one paragraph per kind of problem.
 */
export function digestMail(recipient: Recipient, items: readonly AlertItem[]): Mail {
  const groups = new Map<string, AlertItem[]>();
  for (const item of items) {
    const code = item.codes[0] ?? item.message.split(':', 1)[0] ?? '';
    groups.set(code, [...(groups.get(code) ?? []), item]);
  }
  const documents = items.length === 1 ? '1 document' : `${items.length} documents`;
  return renderMail(
    {
      to: recipient.to,
      subject: items.length === 1 ? 'A document needs attention' : `${documents} need attention`,
      paragraphs: [
        `In the automatic syncs of ${plainName(recipient.client)}, ${documents} ${items.length === 1 ? 'needs' : 'need'} attention.`,
        ...[...groups.values()].flatMap(paragraphsOf),
      ],
      button: { label: 'Open the logs', address: `${recipient.appUrl}/logs?success=false&manual=false` },
      after: after(recipient),
    },
    recipient.appUrl,
  );
}

function paragraphsOf(items: readonly AlertItem[]): readonly string[] {
  const named = items.slice(0, namedDocuments).map(({ type, psaId, number, message }) => {
    const name = `${kinds[type].label} ${psaId}${number === null ? '' : ` (${number})`}`;
    return `${name}: ${message}`;
  });
  const more = items.length - named.length;
  const remedy = items[0]?.remedy ?? null;
  return [
    ...named,
    ...(more === 0 ? [] : [more === 1 ? 'And 1 more of the same kind.' : `And ${more} more of the same kind.`]),
    ...(remedy === null ? [] : [`What to do: ${remedy}`]),
  ];
}
