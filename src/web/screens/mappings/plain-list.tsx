import { Notice } from '../../ui/notice.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceWords } from './namespaces.ts';
import { useMappings } from './use-mappings.ts';
import { bothNeeded, type MappingScreen } from './words.ts';

/**
 * A mapping screen without a search: a short list whose rows are edited in their place. While either side has nothing,
 * it says how many of each were found.
 */
export function PlainMappings({
  namespace,
  screen,
  target,
}: {
  namespace: 'LineOfBusiness' | 'Location' | 'TaxRegion';
  screen: MappingScreen;
  /** One record of the books, and several. */
  target: readonly [one: string, many: string];
}) {
  const words = namespaceWords[namespace];
  const mappings = useMappings(namespace);
  const { data } = mappings.table;
  const isEmpty = data !== undefined && (data.rows.length === 0 || data.target_count === 0);
  return (
    <MappingPage screen={screen} mappings={mappings}>
      <MappingList
        words={words}
        mappings={mappings}
        rows={data?.rows}
        listKey={namespace}
        before={
          isEmpty && (
            <Notice tone="info">
              {bothNeeded([data.rows.length, [words.one, words.many]], [data.target_count, target])}
            </Notice>
          )
        }
      />
    </MappingPage>
  );
}
