import type { BillingKind } from '../documents/invoice.ts';

/** Ways to name the item of a line whose billing code has no mapping (domain reference 4). */
export const namingConventions = {
  billing_code: 'Billing code',
  item_name: 'Item name',
  role: 'Role',
  role_billing_code: 'Role : Work type',
  billing_code_role: 'Work type : Role',
  contract: 'Contract name',
  product: 'Product name',
  fixed: 'One item for all',
} as const;

export type NamingConvention = keyof typeof namingConventions;

interface ItemSettingDefinition<Option extends NamingConvention = NamingConvention> {
  readonly label: string;
  readonly options: readonly Option[];
  readonly default: Option;
  /** Used by `fixed`, and whenever the chosen source of the name is empty. */
  readonly fixedName: string;
}

const naming = <const Option extends NamingConvention>(
  label: string,
  options: readonly Option[],
  initial: NoInfer<Option>,
  fixedName: string,
): ItemSettingDefinition<Option> => ({ label, options, default: initial, fixedName });

/** Every item setting, in the order of the screen. The keys are the kinds of billing items. */
export const itemSettingDefinitions = {
  labor: naming(
    'Labour',
    ['billing_code', 'role', 'role_billing_code', 'billing_code_role', 'fixed'],
    'billing_code',
    'Labor',
  ),
  ticket_purchase: naming('Ticket Purchases', ['fixed', 'contract', 'billing_code'], 'fixed', 'Ticket Purchase'),
  service: naming('Services/Bundles', ['item_name', 'billing_code', 'fixed'], 'item_name', 'Services'),
  subscription: naming('Subscriptions', ['billing_code', 'item_name', 'fixed'], 'billing_code', 'Subscriptions'),
  charge: naming('Charges', ['billing_code', 'product', 'item_name', 'fixed'], 'billing_code', 'Charges'),
  expense: naming('Expenses', ['billing_code', 'item_name', 'fixed'], 'billing_code', 'Expenses'),
  block_purchase: naming('Block Purchases', ['fixed', 'contract', 'billing_code'], 'fixed', 'Block Hours'),
  milestone: naming('Milestones', ['billing_code', 'item_name', 'fixed'], 'billing_code', 'Milestone'),
  retainer_purchase: naming('Retainer Purchase', ['fixed', 'contract', 'billing_code'], 'fixed', 'Retainer'),
  contract_setup_fee: naming(
    'Contract Setup Fee',
    ['fixed', 'contract', 'billing_code'],
    'fixed',
    'Contract Setup Fee',
  ),
} as const satisfies Readonly<Record<Exclude<BillingKind, 'other'>, ItemSettingDefinition>>;

export type ItemSettingKey = keyof typeof itemSettingDefinitions;

/** The naming convention that a tenant chose per kind of billing item. */
export type ItemSettings = {
  readonly [Key in ItemSettingKey]: (typeof itemSettingDefinitions)[Key]['options'][number];
};

export const itemSettingKeys = Object.keys(itemSettingDefinitions) as readonly ItemSettingKey[];

export const defaultItemSettings: ItemSettings = Object.fromEntries(
  itemSettingKeys.map((key) => [key, itemSettingDefinitions[key].default]),
) as unknown as ItemSettings;

/** One entry of the config reply. */
export interface ItemSettingConfig {
  readonly type: 'choice';
  readonly default: NamingConvention;
  readonly options: readonly { readonly value: NamingConvention; readonly text: string }[];
  readonly label: string;
  readonly help: string;
  readonly available: true;
}

/** The reply of `GET /api/my/item-settings/config`. */
export function itemSettingsConfig(): Readonly<Record<ItemSettingKey, ItemSettingConfig>> {
  const entries = itemSettingKeys.map((key): [ItemSettingKey, ItemSettingConfig] => {
    const definition: ItemSettingDefinition = itemSettingDefinitions[key];
    return [
      key,
      {
        type: 'choice',
        default: definition.default,
        options: definition.options.map((value) => ({ value, text: namingConventions[value] })),
        label: definition.label,
        help: helpOf(definition),
        available: true,
      },
    ];
  });
  return Object.fromEntries(entries) as Record<ItemSettingKey, ItemSettingConfig>;
}

// How many items come into being is what an administrator most regrets not having known.
function helpOf({ options, fixedName }: ItemSettingDefinition): string {
  const parts = [`“${namingConventions.fixed}” uses the item “${fixedName}”.`];
  if (options.includes('billing_code')) parts.push('“Billing code” makes one item per code.');
  if (options.includes('role_billing_code'))
    parts.push('Role and work type together make one item for each pair of them.');
  return parts.join(' ');
}
