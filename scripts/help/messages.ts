import { problems, type ProblemCode, type Treatment } from '#core/problems.ts';
import { messageTexts } from './message-texts.ts';

/** Sections of the page, in its order. */
const sections: Readonly<Record<Treatment, { readonly title: string; readonly text: string }>> = {
  person: {
    title: 'You must act',
    text: 'The document is *Failed*. Fix the cause and sync it again: automatic syncs skip it until then. Autotask shows `ERROR` where a field for it exists.',
  },
  held: {
    title: 'On hold',
    text: 'The document waits and syncs automatically when the cause is fixed. Autotask shows no error.',
  },
  transient: {
    title: 'Retried automatically',
    text: 'The next sync tries again. After five failures in a row, Autotask shows `ERROR` and the document appears under *Needs attention*.',
  },
  stops_run: {
    title: 'Stops the sync',
    text: 'The sync stops, reports the cause once, and resumes automatically after the fix. No document fails.',
  },
  warning: { title: 'Warnings', text: 'The document is synced. The log entry lists the warning.' },
};

/** Labels of the screens on which messages are fixed. */
const screenLabels: Readonly<Record<string, string>> = {
  '/customer-mappings': 'Customer Mappings',
  '/vendor-mappings': 'Vendor Mappings',
  '/item-mappings': 'Item Mappings',
  '/expense-mappings': 'Expense Mappings',
  '/lines-of-business': 'Lines of Business',
  '/locations': 'Locations',
  '/tax-regions': 'Tax Regions',
  '/settings': 'Settings',
  '/connections': 'Connections',
};

/** Returns the Markdown of all messages, grouped by what happens to the document. */
export function messagesPart(): string {
  const codes = Object.keys(messageTexts) as ProblemCode[];
  return (Object.keys(sections) as Treatment[])
    .map((treatment) => {
      const { title, text } = sections[treatment];
      const parts = codes.filter((code) => problems[code].treatment === treatment).map(messagePart);
      return [`## ${title}`, text, ...parts].join('\n\n');
    })
    .join('\n\n');
}

function messagePart(code: ProblemCode): string {
  const { meaning, fix } = messageTexts[code];
  const { screen } = problems[code];
  const label = screen === null ? undefined : screenLabels[screen];
  const link = label === undefined ? '' : ` <a href="${screen}" target="_self">Open ${label}</a>`;
  const advice = fix === null ? 'Nothing to do.' : `**Fix:** ${fix}${link}`;
  return `### ${code} {#${code}}\n\n${meaning}\n\n${advice}`;
}
