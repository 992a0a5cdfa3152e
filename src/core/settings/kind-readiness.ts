import { submittableKinds, type SubmittableKind } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { ExpenseCategory } from '../planning/expense-categories.ts';
import { applies, wrongAccount, holds, isAccountFor, type SettingsFacts } from './definition.ts';
import { definitionOf, settingKeys, withDefaultAccounts, type Settings } from './definitions.ts';

/** A choice that is missing, and the screen where it is made. */
export interface Missing {
  readonly text: string;
  readonly path: string;
}

/** Expense categories, which have no account but the one they are mapped to. */
export interface ExpenseCategories {
  /** Mappings of both namespaces of categories. */
  readonly mappings: readonly Mapping[];
  /** Categories of what waits to be synced; empty while that is not known. */
  readonly waiting: readonly ExpenseCategory[];
}

/** Whether documents of a kind can succeed. */
export interface KindReadiness {
  readonly kind: SubmittableKind;
  /** The kind is synced automatically. */
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
 * Choices that are missing before a kind can sync: everything without which each of its documents would be refused, and
 * the accounts of the expense categories that wait.
 */
export function kindReadiness(
  settings: Settings,
  facts: SettingsFacts,
  categories: ExpenseCategories,
): readonly KindReadiness[] {
  const inForce = withDefaultAccounts(settings, facts);
  return submittableKinds.map((kind) => ({
    kind,
    isOn: settings[switches[kind]],
    missing: facts.isConnected
      ? [...missingSettings(kind, inForce, facts), ...missingElse(kind, facts, categories)]
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
    return [{ text: wrongAccount(definition, account), path: `/settings?tab=${tab}` }];
  });
}

function missingElse(kind: SubmittableKind, facts: SettingsFacts, categories: ExpenseCategories): readonly Missing[] {
  if (kind === 'purchase_order' && facts.modules?.procurement === false)
    return [{ text: `Enable Procurement in ${facts.psaLabel}.`, path: '/settings?tab=purchase_orders' }];
  return kind === 'expense_report' ? missingCategories(categories, facts) : [];
}

/** A mapping whose account is inactive or gone is as good as none (domain reference 10.3). */
function missingCategories({ mappings, waiting }: ExpenseCategories, { accounts }: SettingsFacts): readonly Missing[] {
  const path = '/expense-mappings';
  const usable = new Set(accounts.filter(({ isActive }) => isActive).map(({ id }) => id));
  const mapped = new Set(
    mappings
      .filter(({ targetValue }) => usable.has(targetValue))
      .map((mapping) => `${mapping.namespace} ${mapping.sourceValue}`),
  );
  if (mapped.size === 0) return [{ text: 'Map expense categories to accounts.', path }];
  const left = waiting.filter(({ namespace, id }) => !mapped.has(`${namespace} ${id}`));
  if (left.length === 0) return [];
  const names = left.map(
    ({ name, namespace }) => `“${name}” (${namespace === 'ExpenseCategoryBillable' ? 'billable' : 'non-billable'})`,
  );
  return [{ text: `Map these expense categories to accounts: ${someOf(names)}.`, path }];
}

/** Maximum names that are listed; the others are counted. */
const maxNames = 3;

const someOf = (names: readonly string[]): string =>
  names.length <= maxNames
    ? names.join(', ')
    : `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`;
