import { nextReadMonth } from '#core/metered-reads.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { dayText, type Instant } from '#core/values/dates.ts';
import { renderMail } from './template.ts';

/** Returns the mail for an application that has used a large part of the reads that Intuit allows per month. */
export function readLimitMail(
  { to, appUrl }: { readonly to: string; readonly appUrl: string },
  used: { readonly now: Instant; readonly reads: number; readonly limit: number; readonly percent: number },
): Mail {
  const [reads, limit] = [used.reads, used.limit].map((count) => count.toLocaleString('en-US'));
  return renderMail(
    {
      to,
      subject: `${used.percent}% of this month's QuickBooks reads are used`,
      paragraphs: [
        `Tallybridge has read QuickBooks ${reads} times this month. Intuit allows this application ${limit} reads a month. After that Intuit blocks all reads until ${dayText(nextReadMonth(used.now))}; posting continues, but payments, changes and the month-end close wait.`,
        'To prevent this, move the application to a paid tier of the Intuit App Partner Program, or see which clients read most.',
      ],
      button: { label: 'Open Clients', address: `${appUrl}/clients` },
    },
    appUrl,
  );
}
