import { expect, test } from 'vitest';
import { noticeKinds } from '#core/notices.ts';
import { decimal } from '#core/values/decimal.ts';
import { bodyFor, messageOf, testMessage } from './chat-messages.ts';

const about = { client: 'A & B <Ltd>', timeZone: 'America/Chicago', appUrl: 'https://app.example' };
const failed = messageOf(
  {
    kind: 'documents_failed',
    count: 2,
    sums: [
      { currency: 'USD', amount: decimal('1234.5') },
      { currency: null, amount: decimal('7') },
    ],
    cause: 'Pay <!channel> [here](https://evil.example) & now',
  },
  about,
);

test('a message has the title, the detail, exact amounts, the client and a link', () => {
  expect(failed).toEqual({
    title: '2 documents need attention',
    lines: [
      'Pay <!channel> [here](https://evil.example) & now',
      'Amount: USD 1,234.50 and 7.00',
      'Client: A & B <Ltd>',
    ],
    link: { label: 'Open in Tallybridge', address: 'https://app.example/needs-attention' },
  });
  expect(noticeKinds.length).toBeGreaterThan(8);
});

test('Slack gets one text in which no value becomes markup', () => {
  expect(JSON.parse(bodyFor('slack', failed))).toEqual({
    text: [
      '*2 documents need attention*',
      'Pay &lt;!channel&gt; [here](https://evil.example) &amp; now',
      'Amount: USD 1,234.50 and 7.00',
      'Client: A &amp; B &lt;Ltd&gt;',
      '<https://app.example/needs-attention|Open in Tallybridge>',
    ].join('\n'),
  });
});

test('Teams gets an Adaptive Card with plain text runs and one button', () => {
  const run = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
  expect(JSON.parse(bodyFor('teams', testMessage('Northwind', 'ada', 'https://app.example')))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'RichTextBlock',
              inlines: [{ type: 'TextRun', text: 'Test message', weight: 'Bolder', size: 'Medium' }],
            },
            run('ada sent this from Tallybridge. Notices of Northwind will appear here.'),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open Notices', url: 'https://app.example/notices?tab=chats' }],
        },
      },
    ],
  });
});
