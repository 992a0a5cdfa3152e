import { Checkbox, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { matching } from './rows.ts';
import { type Mappings, useMappings } from './use-mappings.ts';
import { companyWords, mappingLabels } from './words.ts';
import { Button } from '../../ui/button.tsx';

interface Search {
  readonly text: string;
  readonly isActiveOnly: boolean;
}

/** Companies of the PSA, searched by name, and the customers or vendors of the books they lead to. */
export function CompanyMappings({ namespace }: { namespace: 'Customer' | 'Vendor' }) {
  const { psa } = useEnvironment();
  const mappings = useMappings(namespace);
  return (
    <MappingPage screen={namespace === 'Customer' ? 'customers' : 'vendors'} mappings={mappings}>
      <SearchedMappings
        namespace={namespace}
        mappings={mappings}
        placeholder={companyWords.placeholder(namespace, psa.label)}
      />
    </MappingPage>
  );
}

/** The list and its search. The text belongs in here: the mappings above are read with it and do not change with it. */
function SearchedMappings({
  namespace,
  mappings,
  placeholder,
}: {
  namespace: 'Customer' | 'Vendor';
  mappings: Mappings;
  placeholder: string;
}) {
  const [searched, setSearched] = useState<Search | null>(null);
  const rows = mappings.table.data?.rows;
  const found = useMemo(
    () => (searched === null ? null : rows === undefined ? undefined : matching(rows, { ...searched, group: null })),
    [rows, searched],
  );
  return (
    <>
      <CompanySearch placeholder={placeholder} found={found?.length ?? null} onSearch={setSearched} />
      <MappingList
        words={namespaceWords[namespace]}
        mappings={mappings}
        rows={found}
        listKey={JSON.stringify(searched)}
      />
    </>
  );
}

/**
 * The form above the list. What is typed stays in here: the list below has thousands of rows and nothing to do with it
 * until it is searched for.
 *
 * @param found how many the last search found; null before the first.
 */
function CompanySearch({
  placeholder,
  found,
  onSearch,
}: {
  placeholder: string;
  found: number | null;
  onSearch: (search: Search) => void;
}) {
  const [text, setText] = useState('');
  const [isActiveOnly, setActiveOnly] = useState(true);
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
