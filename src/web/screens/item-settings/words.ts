/** Sentences of Item Settings. */
export const itemSettingsWords = {
  title: 'Item Settings',
  lead: (psa: string): string =>
    `How an item of QuickBooks is found, or named when it is made, for lines of ${psa} invoices whose billing code has no mapping. A change applies to later syncs.`,
  panel: 'Naming conventions',
  saving: 'Saving item_settings...',
  reset: 'Item Settings reset to defaults.',
} as const;

/** Short labels of the screen and its dialogs. */
export const itemSettingLabels = {
  theItemSettings: 'The item settings',
} as const;
