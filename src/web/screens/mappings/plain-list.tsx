import { useEnvironment } from '../../data/environment.ts';
import { countOf } from '../../data/format.ts';
import { Notice } from '../../components/notice.tsx';
import { MappingList } from './mapping-list.tsx';
import { MappingPage } from './mapping-page.tsx';
import { namespaceLabels } from './namespaces.ts';
import { useMappings } from './use-mappings.ts';

/** A mapping screen with a short list and inline editing. It shows a notice if one of the services has no records. */
export function PlainMappings({
  namespace,
  title,
  lead,
  what,
  target,
}: {
  namespace: 'LineOfBusiness' | 'Location' | 'TaxRegion';
  title: string;
  lead: (psa: string) => string;
  what: string;
  /** Singular and plural of the QuickBooks records. */
  target: readonly [one: string, many: string];
}) {
  const labels = namespaceLabels[namespace];
  const { psa } = useEnvironment();
  const mappings = useMappings(namespace);
  const { data } = mappings.table;
  const isEmpty = data !== undefined && (data.rows.length === 0 || data.target_count === 0);
  return (
    <MappingPage title={title} lead={lead(psa.label)} what={what} mappings={mappings}>
      <MappingList
        labels={labels}
        mappings={mappings}
        rows={data?.rows}
        listKey={namespace}
        before={
          isEmpty && (
            <Notice tone="info">
              {`${countOf(data.rows.length, labels.one, labels.many)} and ${countOf(data.target_count, ...target)} were found. Both must be present before anything can be mapped.`}
            </Notice>
          )
        }
      />
    </MappingPage>
  );
}
