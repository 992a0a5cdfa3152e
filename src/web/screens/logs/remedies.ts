import type { LogDetail } from '#contract/logs.ts';

/** A remedy and the problems that it fixes. */
export interface ToDo {
  readonly remedy: string;
  /** Name of the screen where the user applies the remedy, or null. */
  readonly screen: string | null;
  /** Messages of the problems, except those already shown. */
  readonly messages: readonly string[];
}

/** Returns each remedy of a log entry once, in the order of its first problem. @param shown text already on the page */
export function toDos(problems: LogDetail['problems'], shown: string): readonly ToDo[] {
  const remediable = problems.filter(({ remedy }) => (remedy ?? '') !== '');
  const alike = Map.groupBy(remediable, ({ screen, remedy }) => JSON.stringify([remedy, screen ?? null]));
  return [...alike.values()].map((group) => ({
    remedy: group[0]?.remedy ?? '',
    screen: group[0]?.screen ?? null,
    messages: [...new Set(group.map(({ message }) => message ?? ''))].filter((one) => !shown.includes(one)),
  }));
}
