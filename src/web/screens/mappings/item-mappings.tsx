import { Checkbox, Group, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useEnvironment } from '../../data/environment.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceLabels } from './namespaces.ts';
import { matching, rememberedGroup } from './rows.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { type Mappings, useMappings } from './use-mappings.ts';

const tabs = [
  { key: 'ItemBilling', label: 'Invoices' },
  { key: 'ItemPurchasing', label: 'Purchase Orders' },
] as const;
type ItemTab = (typeof tabs)[number]['key'];

/** Chooses a group of records; the browser remembers the choice (specification 2, “Item Mappings”). */
const groupChoosers = {
  ItemBilling: { label: 'Billing Code Type', storageKey: 'imbcuse' },
  ItemPurchasing: { label: 'Product Category', storageKey: 'improcat' },
} as const satisfies Readonly<Record<ItemTab, object>>;

/** Maps PSA billing codes and products to QuickBooks items. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const { psa } = useEnvironment();
  const tab = tabOf(tabs) ?? 'ItemBilling';
  const mappings = useMappings(tab);
  return (
    <MappingPage
      title="Item Mappings"
      lead={`${psa.label} billing codes and products are mapped to QuickBooks items. Unmapped items are matched by name or number, or created if your settings allow it. Otherwise the invoice or purchase order errors out.`}
      what="item mappings"
      mappings={mappings}
    >
      <Tabs label="Items" tabs={tabs} open={tab} onOpen={(to) => change({ tab: to, q: null, inactive: null })}>
        <FilteredMappings tab={tab} mappings={mappings} />
      </Tabs>
    </MappingPage>
  );
}

/** The list with its filter. A change of the filter does not render the page above. */
function FilteredMappings({ tab, mappings }: { tab: ItemTab; mappings: Mappings }) {
  const [groups, setGroups] = useState<Readonly<Record<ItemTab, string>>>(() => ({
    ItemBilling: localStorage.getItem(groupChoosers.ItemBilling.storageKey) ?? '',
    ItemPurchasing: localStorage.getItem(groupChoosers.ItemPurchasing.storageKey) ?? '',
  }));
  const { query, change } = useMappingAddress();
  const text = query.get('q') ?? '';
  const [showsIds, setShowsIds] = useState(false);
  const table = mappings.table.isPlaceholderData ? undefined : mappings.table.data;
  const group = rememberedGroup(groups[tab], table?.groups);
  const rows = useMemo(
    () =>
      table === undefined
        ? undefined
        : matching(
            // Inactive items with a mapping stay in the list so that users can correct them.
            table.rows.filter((row) => row.is_active || row.xref !== null),
            { text, isActiveOnly: false, group: group === '' ? null : group },
          ),
    [table, text, group],
  );
  const chooseGroup = (value: string) => {
    localStorage.setItem(groupChoosers[tab].storageKey, value);
    setGroups((before) => ({ ...before, [tab]: value }));
  };
  return (
    <>
      <search className={styles.search} aria-label="Filter the list">
        <SearchField
          placeholder="Name or number"
          value={text}
          onChange={(typed) => change({ q: typed === '' ? null : typed })}
        />
        <NativeSelect
          label={groupChoosers[tab].label}
          data={[
            { value: '', label: 'All' },
            ...(table?.groups ?? []).map(({ value, text: name }) => ({ value, label: name })),
          ]}
          value={group}
          onChange={(event) => chooseGroup(event.currentTarget.value)}
        />
        <Group component="span" mih="var(--tb-control)">
          <Checkbox
            label="Show ids"
            checked={showsIds}
            onChange={(event) => setShowsIds(event.currentTarget.checked)}
          />
        </Group>
      </search>
      <MappingList
        key={tab}
        labels={namespaceLabels[tab]}
        mappings={mappings}
        rows={rows}
        listKey={`${tab} ${group} ${text}`}
        showsIds={showsIds}
      />
    </>
  );
}
