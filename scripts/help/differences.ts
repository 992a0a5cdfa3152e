import { differenceClasses, differenceClassNames } from '#core/reconciliation/difference-classes.ts';

/** Titles of the groups, in the order of the proof. */
const groups = {
  missing: 'In Autotask only',
  one_side: 'Voided, deleted or duplicated',
  cut_off: 'Dated in another month',
  amount: 'Different amounts',
  only_in_accounting: 'In QuickBooks only',
  detail: 'Same amount, another detail',
} as const;

/** Returns the Markdown of all reasons for differences in a month. */
export function differencesPart(): string {
  const rows = Object.entries(groups).map(([group, title]) => {
    const labels = differenceClassNames
      .map((name) => differenceClasses[name])
      .filter((one) => one.group === group)
      .map(({ label }) => label.replaceAll('the PSA', 'Autotask').replaceAll('PSA', 'Autotask'));
    return `| ${title} | ${labels.join('<br>')} |`;
  });
  return ['| Group | Reasons |', '|---|---|', ...rows].join('\n');
}
