import { submittableKinds, type SubmittableKind } from '../kinds.ts';
import type { MappingNamespace } from '../mapping/mapping.ts';
import { chooseAccount, isAccountFor } from './account-uses.ts';
import { applies, holds, type SettingsFacts } from './definition.ts';
import { definitionOf, settingKeys, type Settings } from './definitions.ts';

/** Something that must be chosen, and the screen where it is. */
export interface Missing {
  readonly text: string;
  readonly path: string;
}

/** Whether documents of a kind can succeed at all. */
export interface KindReadiness {
  readonly kind: SubmittableKind;
  /** It is synced by itself. */
  readonly isOn: boolean;
  /** Empty: it is ready. */
  readonly missing: readonly Missing[];
}

const switches = {
  invoice: 'inv_sync_active',
  purchase_order: 'po_sync_active',
  expense_report: 'exp_sync_active',
} as const satisfies Record<SubmittableKind, keyof Settings>;

/**
 * What has to be chosen before a kind can sync: everything without which each of its documents would be refused.
 *
 * @param mapped how many mappings there are of each namespace.
 */
export function kindReadiness(
  settings: Settings,
  facts: SettingsFacts,
  mapped: Readonly<Partial<Record<MappingNamespace, number>>>,
): readonly KindReadiness[] {
  return submittableKinds.map((kind) => ({
    kind,
    isOn: settings[switches[kind]],
    missing: facts.isConnected
      ? [...missingSettings(kind, settings, facts), ...missingElse(kind, facts, mapped)]
      : [{ text: 'Connect both services.', path: '/connections' }],
  }));
}

function missingSettings(kind: SubmittableKind, settings: Settings, facts: SettingsFacts): readonly Missing[] {
  return settingKeys.flatMap((key): Missing[] => {
    const definition = definitionOf(key);
    const { neededFor = [], shownWhen, availableWhen, tab } = definition;
    const isNeeded = neededFor.includes(kind) && holds(shownWhen, settings) && applies(availableWhen, facts);
    if (!isNeeded || definition.type !== 'account') return [];
    const account = facts.accounts.find(({ id }) => id === settings[key]);
    if (account !== undefined && isAccountFor(definition.accepts, account)) return [];
    return [{ text: definition.wrong ?? chooseAccount(definition.accepts), path: `/settings?tab=${tab}` }];
  });
}

function missingElse(
  kind: SubmittableKind,
  { modules, psaLabel }: SettingsFacts,
  mapped: Readonly<Partial<Record<MappingNamespace, number>>>,
): readonly Missing[] {
  if (kind === 'purchase_order' && modules?.procurement === false)
    return [{ text: `Enable Procurement in ${psaLabel}.`, path: '/settings?tab=purchase_orders' }];
  const isMapped = (mapped.ExpenseCategoryBillable ?? 0) + (mapped.ExpenseCategoryNonBillable ?? 0) > 0;
  if (kind === 'expense_report' && !isMapped)
    return [{ text: 'Map expense categories to accounts.', path: '/expense-xrefs' }];
  return [];
}
