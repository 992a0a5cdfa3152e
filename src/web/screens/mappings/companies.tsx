import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { countOf } from '../../lib/format.ts';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import styles from './mappings.module.css';
import { namespaceWords } from './namespaces.ts';
import { matching } from './rows.ts';
import { type Mappings, useMappings } from './use-mappings.ts';

interface Search {
  readonly text: string;
  readonly isActiveOnly: boolean;
}

/** Companies of the PSA, searched by name, and the customers or vendors of the books they lead to. */
export function CompanyMappings({ namespace }: { namespace: 'Customer' | 'Vendor' }) {
  const { psa } = useEnvironment();
  const mappings = useMappings(namespace);
  const isCustomer = namespace === 'Customer';
  return (
    <MappingPage
      title={isCustomer ? 'Customer Mappings' : 'Vendor Mappings'}
      lead={
        isCustomer
          ? `For invoices, purchase orders and payments, ${psa.label} companies are mapped to QuickBooks customers. Mapping is optional: without it, mappings are created automatically by matching the company name to the customer’s display name.`
          : `For purchase orders, ${psa.label} vendor companies are mapped to QuickBooks vendors. Mapping is optional: without it, mappings are created automatically by matching the company name to the vendor’s display name.`
      }
      what={isCustomer ? 'customer mappings' : 'vendor mappings'}
      mappings={mappings}
    >
      <SearchedMappings
        namespace={namespace}
        mappings={mappings}
        placeholder={`Search ${psa.label} ${isCustomer ? 'Customer' : 'Vendor'} Companies`}
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
        aria-label="Company name"
        placeholder={placeholder}
        data-search
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <span className={styles.check}>
        <Checkbox
          label="Active Only"
          checked={isActiveOnly}
          onChange={(event) => setActiveOnly(event.currentTarget.checked)}
        />
      </span>
      <Button type="submit" variant="default">
        Search
      </Button>
      {found !== null && (
        <span className={styles.count} role="status">
          {countOf(found, 'result')}
        </span>
      )}
    </form>
  );
}
