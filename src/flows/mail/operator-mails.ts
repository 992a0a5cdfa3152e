import {
  beyondSentence,
  costBeyond,
  dollars,
  isBlockedBeyond,
  nextReadMonth,
  type ReadAllowance,
  tiers,
} from '#core/metered-reads.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { dayText, type Instant } from '#core/values/dates.ts';
import { renderMail } from './template.ts';

/** Returns the mail for an application that has used a large part of the calls that its tier at Intuit includes. */
export function readLimitMail(
  { to, appUrl }: { readonly to: string; readonly appUrl: string },
  used: {
    readonly now: Instant;
    readonly reads: number;
    readonly allowance: ReadAllowance & { readonly calls: number };
    readonly percent: number;
  },
): Mail {
  const { allowance } = used;
  const [reads, share] = [used.reads, allowance.calls].map((count) => count.toLocaleString('en-US'));
  const isUsedUp = used.percent >= 100;
  const cost = costBeyond(used.reads, allowance);
  const advice = isBlockedBeyond(allowance)
    ? 'Move the application to a paid tier in the Intuit Developer Portal and set QBO_TIER, or see which clients read most.'
    : 'See which clients read most, or move the application to a larger tier in the Intuit Developer Portal and set QBO_TIER.';
  return renderMail(
    {
      to,
      subject: isUsedUp
        ? `This month's QuickBooks calls are used up`
        : `${used.percent}% of this month's QuickBooks calls are used`,
      paragraphs: [
        `Tallybridge has made ${reads} metered calls to QuickBooks this month. The ${tiers[allowance.tier].label} tier of Intuit's App Partner Program includes ${share} calls a month.`,
        `${isUsedUp ? 'The share is used up.' : 'This email comes before the share is used up.'} ${beyondSentence(allowance, dayText(nextReadMonth(used.now)))}`,
        ...(cost === null || cost === 0 ? [] : [`Calls beyond the share cost ${dollars(cost)} so far.`]),
        advice,
      ],
      button: { label: 'Open Clients', address: `${appUrl}/clients` },
    },
    appUrl,
  );
}
