import type { ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceWords } from './namespaces.ts';
import { useMappings } from './use-mappings.ts';

/**
 * A mapping screen without a search: a short list whose rows are edited in their place. While either side has nothing,
 * it says how many of each were found.
 */
export function PlainMappings({
  namespace,
  title,
  lead,
  what,
  sourceNoun,
  targetNoun,
}: {
  namespace: 'LineOfBusiness' | 'Location' | 'TaxRegion';
  title: string;
  lead: ReactNode;
  what: string;
  /** In the plural. */
  sourceNoun: string;
  targetNoun: string;
}) {
  const mappings = useMappings(namespace);
  const { data } = mappings.table;
  const isEmpty = data !== undefined && (data.rows.length === 0 || data.target_count === 0);
  return (
    <MappingPage title={title} lead={lead} what={what} mappings={mappings}>
      <MappingList
        words={namespaceWords[namespace]}
        mappings={mappings}
        rows={data?.rows}
        listKey={namespace}
        before={
          isEmpty && (
            <Notice tone="info">
              {data.rows.length} {sourceNoun} and {data.target_count} {targetNoun} were found. Both must be present
              before anything can be mapped.
            </Notice>
          )
        }
      />
    </MappingPage>
  );
}
