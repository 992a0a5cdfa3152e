import { Checkbox, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { MappingList } from './mapping-list.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { matching } from './rows.ts';
import { useMappingAddress } from './use-mapping-address.ts';
import type { Mappings } from './use-mappings.ts';
import { companyWords, mappingLabels } from './words.ts';
import { Button } from '../../ui/button.tsx';

interface Search {
  readonly text: string;
  readonly isActiveOnly: boolean;
}

/**
 * Companies of the PSA, searched by name, and their customers or vendors. The search text is state of this component, so
 * that typing does not render the page above it.
 */
export function SearchedMappings({ namespace, mappings }: { namespace: 'Customer' | 'Vendor'; mappings: Mappings }) {
  const { psa } = useEnvironment();
  const { query, change } = useMappingAddress();
  const text = query.get('q');
  const isActiveOnly = query.get('inactive') === null;
  const rows = mappings.table.data?.rows;
  const found = useMemo(
    () => (text === null ? null : rows === undefined ? undefined : matching(rows, { text, isActiveOnly, group: null })),
    [rows, text, isActiveOnly],
  );
  return (
    <>
      <CompanySearch
        placeholder={companyWords.placeholder(namespace, psa.label)}
        found={found?.length ?? null}
        searched={{ text: text ?? '', isActiveOnly }}
        onSearch={(search) => change({ q: search.text, inactive: search.isActiveOnly ? null : 'shown' })}
      />
      <MappingList
        words={namespaceWords[namespace]}
        mappings={mappings}
        rows={found}
        listKey={JSON.stringify([text, isActiveOnly])}
      />
    </>
  );
}

/**
 * The form above the list. What is typed stays in here: the list below has thousands of rows and nothing to do with it
 * until it is searched for.
 *
 * @param found number of companies that the last search found; null before the first.
 * @param searched the search of the address.
 */
function CompanySearch({
  placeholder,
  found,
  searched,
  onSearch,
}: {
  placeholder: string;
  found: number | null;
  searched: Search;
  onSearch: (search: Search) => void;
}) {
  const [text, setText] = useState(searched.text);
  const [isActiveOnly, setActiveOnly] = useState(searched.isActiveOnly);
  return (
    <form
      className={styles.search}
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch({ text, isActiveOnly });
      }}
    >
      <TextInput
        type="search"
        aria-label={mappingLabels.companyName}
        placeholder={placeholder}
        data-search
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <span className={styles.check}>
        <Checkbox
          label={companyWords.activeOnly}
          checked={isActiveOnly}
          onChange={(event) => setActiveOnly(event.currentTarget.checked)}
        />
      </span>
      <Button type="submit" variant="default">
        {companyWords.search}
      </Button>
      {found !== null && (
        <span className={styles.count} role="status">
          {companyWords.results(found)}
        </span>
      )}
    </form>
  );
}
