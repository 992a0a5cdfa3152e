/** Words that Settings and Item Settings share, to the letter of the specification. */
export const formWords = {
  connectFirst: (psa: string): string =>
    `You must be connected to both ${psa} and QuickBooks Online to modify settings.`,
  save: 'Save',
  discard: 'Discard',
  restore: 'Restore Defaults',
  restoreArmed: 'Click Again to Restore',
  saved: 'Saved changes.',
} as const;

/** Flashes of both screens stay this long (specification 1, section 8). */
export const savedMs = 3_000;
