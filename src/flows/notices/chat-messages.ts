import { describeNotice, type Notice } from '#core/notices.ts';
import { format } from '#core/values/decimal.ts';
import type { ChatKind } from '#core/chat.ts';

/** The content of a message, before it has the format of a chat. */
export interface ChatMessage {
  readonly title: string;
  readonly lines: readonly string[];
  readonly link: { readonly label: string; readonly address: string };
}

/**
 * @param of.timeZone IANA name of the client's time zone
 * @param mayBePosted the chat may have the message already
 */
export function messageOf(
  notice: Notice,
  { client, timeZone, appUrl }: { readonly client: string; readonly timeZone: string; readonly appUrl: string },
  mayBePosted = false,
): ChatMessage {
  const { title, detail, path } = describeNotice(notice, timeZone);
  const amounts = ('sums' in notice ? notice.sums : []).map(({ currency, amount }) =>
    `${currency ?? ''} ${format(amount)}`.trim(),
  );
  return {
    title,
    lines: [
      ...(detail === null ? [] : [detail]),
      ...(amounts.length === 0 ? [] : [`Amount: ${amounts.join(' and ')}`]),
      `Client: ${client}`,
      ...(mayBePosted ? ['Sent again after an interruption: you may have this message already.'] : []),
    ],
    link: { label: 'Open in Tallybridge', address: `${appUrl}${path}` },
  };
}

/** The message that a test sends. */
export const testMessage = (client: string, by: string, appUrl: string): ChatMessage => ({
  title: 'Test message',
  lines: [`${by} sent this from Tallybridge. Notices of ${client} will appear here.`],
  link: { label: 'Open Notices', address: `${appUrl}/notices?tab=chats` },
});

/** Returns the JSON body of a message. */
export const bodyFor = (kind: ChatKind, message: ChatMessage): string =>
  JSON.stringify(kind === 'slack' ? slackBody(message) : teamsBody(message));

/** Slack reads `&`, `<` and `>` as markup: mentions, links and commands. */
const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function slackBody({ title, lines, link }: ChatMessage) {
  const text = [
    `*${escapedForSlack(title)}*`,
    ...lines.map(escapedForSlack),
    `<${escapedForSlack(link.address)}|${escapedForSlack(link.label)}>`,
  ];
  return { text: text.join('\n') };
}

/** An Adaptive Card for the Teams Workflows webhook. Text runs show any text as it is, without Markdown. */
function teamsBody({ title, lines, link }: ChatMessage) {
  const block = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(title, { weight: 'Bolder', size: 'Medium' }), ...lines.map((line) => block(line))],
    actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.address }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
