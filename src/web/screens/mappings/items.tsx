import { Checkbox, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { matching, rememberedGroup } from './rows.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import { type Mappings, useMappings } from './use-mappings.ts';
import { anyGroup, type ItemTab, itemTabs, itemWords, showIds, mappingLabels } from './words.ts';

/** Billing codes and products of the PSA and the items of the books they lead to. */
export function Component() {
  const { tabOf, change } = useMappingAddress();
  const tab = tabOf(itemTabs) ?? 'ItemBilling';
  const mappings = useMappings(tab);
  return (
    <MappingPage screen="items" mappings={mappings}>
      <Tabs
        label={mappingLabels.items}
        tabs={itemTabs}
        open={tab}
        onOpen={(to) => change({ tab: to, q: null, inactive: null })}
      >
        <FilteredMappings tab={tab} mappings={mappings} />
      </Tabs>
    </MappingPage>
  );
}

/** The list with its filter. That belongs in here: the mappings above are read with it and do not change with it. */
function FilteredMappings({ tab, mappings }: { tab: ItemTab; mappings: Mappings }) {
  const [groups, setGroups] = useState<Readonly<Record<ItemTab, string>>>(() => ({
    ItemBilling: localStorage.getItem(itemWords.ItemBilling.rememberedAs) ?? '',
    ItemPurchasing: localStorage.getItem(itemWords.ItemPurchasing.rememberedAs) ?? '',
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
            // An inactive item can still be mapped wrongly, so its mapping stays in the list.
            table.rows.filter((row) => row.is_active || row.xref !== null),
            { text, isActiveOnly: false, group: group === '' ? null : group },
          ),
    [table, text, group],
  );
  const chooseGroup = (value: string) => {
    localStorage.setItem(itemWords[tab].rememberedAs, value);
    setGroups((before) => ({ ...before, [tab]: value }));
  };
  return (
    <>
      <search className={styles.search} aria-label={mappingLabels.filterTheList}>
        <SearchField
          placeholder={mappingLabels.nameOrNumber}
          value={text}
          onChange={(typed) => change({ q: typed === '' ? null : typed })}
        />
        <NativeSelect
          label={itemWords[tab].chooser}
          data={[
            { value: '', label: anyGroup },
            ...(table?.groups ?? []).map(({ value, text: name }) => ({ value, label: name })),
          ]}
          value={group}
          onChange={(event) => chooseGroup(event.currentTarget.value)}
          rightSection={<Icon name="down" size={14} />}
        />
        <span className={styles.check}>
          <Checkbox label={showIds} checked={showsIds} onChange={(event) => setShowsIds(event.currentTarget.checked)} />
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
