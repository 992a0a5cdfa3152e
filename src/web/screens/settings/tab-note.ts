import type { SettingTab } from '#core/settings/definition.ts';

/** The facts that the notes depend on; null while they load. */
export interface NoteFacts {
  readonly psa: string;
  readonly hasProcurement: boolean | null;
  readonly isMultiCurrency: { readonly psa: boolean; readonly accounting: boolean } | null;
}

/** Returns the note at the top of a tab (specification 1, “Settings”); null without one. */
export function noteOf(
  tab: SettingTab,
  { psa, hasProcurement, isMultiCurrency }: NoteFacts,
): { readonly tone: 'info' | 'warning'; readonly text: string } | null {
  if (tab === 'purchase_orders')
    return hasProcurement === false
      ? {
          tone: 'warning',
          text: `You must enable Procurement in ${psa} to use the Purchase Orders portion of the app.`,
        }
      : { tone: 'info', text: `Procurement must be enabled in ${psa}.` };
  if (tab !== 'invoices' || isMultiCurrency === null || isMultiCurrency.psa === isMultiCurrency.accounting) return null;
  const onOrOff = (isOn: boolean): string => (isOn ? 'on' : 'off');
  return {
    tone: 'info',
    text: `Multicurrency is ${onOrOff(isMultiCurrency.psa)} in ${psa} and ${onOrOff(isMultiCurrency.accounting)} in QuickBooks. All multicurrency settings are ignored on invoice sync.`,
  };
}
