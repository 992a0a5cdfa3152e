import type { Question } from '../ui/dialog.tsx';
import { countOf } from './format.ts';

/** Texts that Settings and Item Settings share, as specified. */
export const formWords = {
  connectFirst: (psa: string): string =>
    `You must be connected to both ${psa} and QuickBooks Online to modify settings.`,
  connections: 'Open Connections',
  save: 'Save',
  discard: 'Discard',
  refresh: 'Refresh',
  restore: 'Restore Defaults',
  restoreArmed: 'Click Again to Restore',
  /** The effect of the second click on Restore Defaults. */
  restoreEffect: (count: number): string =>
    count === 0
      ? 'All settings already have their defaults.'
      : `${countOf(count, 'setting')} will change to the default. You can undo this.`,
  restored: (count: number): string => `${countOf(count, 'setting was', 'settings were')} changed to the default.`,
  undo: 'Undo',
  undone: 'Your settings are back.',
  saved: 'Saved changes.',
  leave: {
    title: 'Leave without saving?',
    text: 'Your changes on this page are not saved.',
    confirmLabel: 'Leave without saving',
  } satisfies Question,
  recovered: 'Your session ended before you saved. Your changes are filled in again. Check and save them.',
  ended: (status: string): string => `This subscription is ${status}. Settings are read-only.`,
} as const;

/** How long messages are shown on both screens (specification 1, section 8). */
export const savedMs = 3_000;
