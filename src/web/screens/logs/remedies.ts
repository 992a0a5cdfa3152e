import type { LogDetail } from '#contract/logs.ts';

/** What a person is to do, and what it mends. */
export interface ToDo {
  readonly remedy: string;
  /** The screen where it is done, by its name; null when none is. */
  readonly screen: string | null;
  /** What went wrong, unless it was told before. */
  readonly messages: readonly string[];
}

/** The remedies of a log entry, each once, in the order of their first problem. @param told what was said already. */
export function toDos(problems: LogDetail['problems'], told: string): readonly ToDo[] {
  const remediable = problems.filter(({ remedy }) => (remedy ?? '') !== '');
  const alike = Map.groupBy(remediable, ({ screen, remedy }) => JSON.stringify([remedy, screen ?? null]));
  return [...alike.values()].map((group) => ({
    remedy: group[0]?.remedy ?? '',
    screen: group[0]?.screen ?? null,
    messages: [...new Set(group.map(({ message }) => message ?? ''))].filter((one) => !told.includes(one)),
  }));
}
