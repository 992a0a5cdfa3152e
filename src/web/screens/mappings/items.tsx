import { Checkbox, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { Icon } from '../../ui/icons.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { matching } from './rows.ts';
import { type Mappings, useMappings } from './use-mappings.ts';

const tabs = [
  { key: 'ItemBilling', label: 'Invoices' },
  { key: 'ItemPurchasing', label: 'Purchase Orders' },
] as const;
type TabKey = (typeof tabs)[number]['key'];

/** Keys of local storage that remember the chosen type and category (specification 2, section 2). */
const storageKeys: Readonly<Record<TabKey, string>> = { ItemBilling: 'imbcuse', ItemPurchasing: 'improcat' };

/** Billing codes and products of the PSA and the items of the books they lead to. */
export function Component() {
  const { psa } = useEnvironment();
  const [tab, setTab] = useState<TabKey>('ItemBilling');
  const mappings = useMappings(tab);
  return (
    <MappingPage
      title="Item Mappings"
      lead={`${psa.label} billing codes and products are mapped to QuickBooks items. Without a mapping, an item is matched by its name or number, or made when the settings allow it; otherwise the invoice or purchase order errors out.`}
      what="item mappings"
      mappings={mappings}
    >
      <Tabs label="Items" tabs={tabs} open={tab} onOpen={setTab}>
        <FilteredMappings tab={tab} mappings={mappings} />
      </Tabs>
    </MappingPage>
  );
}

/** The list with its filter. That belongs in here: the mappings above are read with it and do not change with it. */
function FilteredMappings({ tab, mappings }: { tab: TabKey; mappings: Mappings }) {
  const [groups, setGroups] = useState<Readonly<Record<TabKey, string>>>(() => ({
    ItemBilling: localStorage.getItem(storageKeys.ItemBilling) ?? '',
    ItemPurchasing: localStorage.getItem(storageKeys.ItemPurchasing) ?? '',
  }));
  const [text, setText] = useState('');
  const [showsIds, setShowsIds] = useState(false);
  const table = mappings.table.isPlaceholderData ? undefined : mappings.table.data;
  const group = groups[tab];
  const rows = useMemo(
    () =>
      table === undefined
        ? undefined
        : matching(table.rows, { text, isActiveOnly: true, group: group === '' ? null : group }),
    [table, text, group],
  );
  const chooseGroup = (value: string) => {
    localStorage.setItem(storageKeys[tab], value);
    setGroups((before) => ({ ...before, [tab]: value }));
  };
  return (
    <>
      <search className={styles.search} aria-label="Filter the list">
        <SearchField placeholder="Name or number" value={text} onChange={setText} />
        <NativeSelect
          label={tab === 'ItemBilling' ? 'Billing Code Type' : 'Product Category'}
          data={[
            { value: '', label: 'All' },
            ...(table?.groups ?? []).map(({ value, text: name }) => ({ value, label: name })),
          ]}
          value={group}
          onChange={(event) => chooseGroup(event.currentTarget.value)}
          rightSection={<Icon name="down" size={14} />}
        />
        <span className={styles.check}>
          <Checkbox
            label="Show ids"
            checked={showsIds}
            onChange={(event) => setShowsIds(event.currentTarget.checked)}
          />
        </span>
      </search>
      <MappingList
        key={tab}
        words={namespaceWords[tab]}
        mappings={mappings}
        rows={rows}
        listKey={`${tab} ${group} ${text}`}
        showsIds={showsIds}
      />
    </>
  );
}
