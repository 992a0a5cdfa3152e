import { Box, Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { withChanges } from '../../components/use-address.ts';
import { MappingList } from './mapping-list.tsx';
import type { ListProps } from './mapping-screen.tsx';
import styles from './mappings.module.css';
import { namespaceLabels } from './namespaces.ts';
import { matching } from './rows.ts';
import { countOf } from '../../data/format.ts';

interface Search {
  readonly text: string;
  readonly isActiveOnly: boolean;
}

/**
 * Maps the companies found by a search. The search is in the address and is read here, so that a change does not render the
 * page above.
 */
export function SearchedMappings({ namespace, mappings }: ListProps<'Customer' | 'Vendor'>) {
  const { psa } = useEnvironment();
  const [query, setQuery] = useSearchParams();
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
        placeholder={`Search ${psa.label} ${namespace} Companies`}
        found={found?.length ?? null}
        searched={{ text: text ?? '', isActiveOnly }}
        onSearch={(search) => {
          const next = withChanges(query, { inactive: search.isActiveOnly ? '' : 'shown' });
          // Unlike no search, an empty one finds all companies.
          next.set('q', search.text);
          setQuery(next, { replace: true, preventScrollReset: true });
        }}
      />
      <MappingList
        labels={namespaceLabels[namespace]}
        mappings={mappings}
        rows={found}
        listKey={JSON.stringify([text, isActiveOnly])}
      />
    </>
  );
}

interface CompanySearchProps {
  placeholder: string;
  found: number | null;
  searched: Search;
  onSearch: (search: Search) => void;
}

/**
 * The search form. It keeps the typed text in its own state, so that typing does not render thousands of rows.
 *
 * @param found number of companies found; null before the first search
 * @param searched the search in the address
 */
function CompanySearch({ placeholder, found, searched, onSearch }: CompanySearchProps) {
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
        aria-label="Company name"
        placeholder={placeholder}
        data-search
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group component="span" mih="var(--tb-control)">
        <Checkbox
          label="Active Only"
          checked={isActiveOnly}
          onChange={(event) => setActiveOnly(event.currentTarget.checked)}
        />
      </Group>
      <Button type="submit" variant="default">
        Search
      </Button>
      {found !== null && (
        <Box component="span" ml="auto" c="dimmed" role="status">
          {countOf(found, 'result')}
        </Box>
      )}
    </form>
  );
}
