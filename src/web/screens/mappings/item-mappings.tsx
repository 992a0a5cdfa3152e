import { Checkbox, Group, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { SearchField } from '../../components/search-field.tsx';
import { useAddress } from '../../components/use-address.ts';
import { MappingList } from './mapping-list.tsx';
import { type ListProps, MappingScreen } from './mapping-screen.tsx';
import styles from './mappings.module.css';
import { namespaceLabels } from './namespaces.ts';
import { matching, rememberedGroup } from './rows.ts';

/** Chooses a group of records; the browser remembers the choice (specification 2, “Item Mappings”). */
const groupChoosers = {
  ItemBilling: { label: 'Billing Code Type', storageKey: 'imbcuse' },
  ItemPurchasing: { label: 'Product Category', storageKey: 'improcat' },
} as const;

/** Maps PSA billing codes and products to QuickBooks items. */
export const Component = () => (
  <MappingScreen
    title="Item Mappings"
    lead={(psa) =>
      `${psa} billing codes and products are mapped to QuickBooks items. Unmapped items are matched by name or number, or created if your settings allow it. Otherwise the invoice or purchase order errors out.`
    }
    what="item mappings"
    label="Items"
    tabs={[
      { key: 'ItemBilling', label: 'Invoices', list: FilteredMappings },
      { key: 'ItemPurchasing', label: 'Purchase Orders', list: FilteredMappings },
    ]}
  />
);

/** The list with its filter. A change of the filter does not render the page above. */
function FilteredMappings({ namespace, mappings }: ListProps<keyof typeof groupChoosers>) {
  const { label, storageKey } = groupChoosers[namespace];
  const [remembered, setRemembered] = useState(() => localStorage.getItem(storageKey) ?? '');
  const { query, change } = useAddress();
  const text = query.get('q') ?? '';
  const [showsIds, setShowsIds] = useState(false);
  const table = mappings.table.isPlaceholderData ? undefined : mappings.table.data;
  const group = rememberedGroup(remembered, table?.groups);
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
    localStorage.setItem(storageKey, value);
    setRemembered(value);
  };
  return (
    <>
      <search className={styles.search} aria-label="Filter the list">
        <SearchField placeholder="Name or number" value={text} onChange={(q) => change({ q })} />
        <NativeSelect
          label={label}
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
        labels={namespaceLabels[namespace]}
        mappings={mappings}
        rows={rows}
        listKey={`${namespace} ${group} ${text}`}
        showsIds={showsIds}
      />
    </>
  );
}
