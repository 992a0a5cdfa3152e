import type { LogDetail } from '#contract/logs.ts';

/** A step that a person is to take, and the problems that it mends. */
export interface ToDo {
  readonly remedy: string;
  /** The screen where it is done, by its name; null when none is. */
  readonly screen: string | null;
  /** Messages of the problems that it mends, without the one that the page shows already. */
  readonly messages: readonly string[];
}

/** The remedies of a log entry, each once, in the order of their first problem. @param shown text that the page shows */
export function toDos(problems: LogDetail['problems'], shown: string): readonly ToDo[] {
  const remediable = problems.filter(({ remedy }) => (remedy ?? '') !== '');
  const alike = Map.groupBy(remediable, ({ screen, remedy }) => JSON.stringify([remedy, screen ?? null]));
  return [...alike.values()].map((group) => ({
    remedy: group[0]?.remedy ?? '',
    screen: group[0]?.screen ?? null,
    messages: [...new Set(group.map(({ message }) => message ?? ''))].filter((one) => !shown.includes(one)),
  }));
}
