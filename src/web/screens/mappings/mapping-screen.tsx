import type { ComponentType, ReactNode } from 'react';
import { Link } from 'react-router';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { useEnvironment } from '../../data/environment.ts';
import { countOf } from '../../data/format.ts';
import { Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { oneOf, useAddress } from '../../components/use-address.ts';
import { MappingList } from './mapping-list.tsx';
import { namespaceLabels, type NamespaceLabels } from './namespaces.ts';
import { type Mappings, useMappings } from './use-mappings.ts';

interface PageProps {
  title: string;
  /** @param psa label of the PSA */
  lead: (psa: string) => string;
  /** E.g. “item mappings”. */
  what: string;
}

/** The list of a namespace. */
export interface ListProps<Namespace extends MappingNamespace = MappingNamespace> {
  namespace: Namespace;
  mappings: Mappings;
}

/** A namespace of a screen. Its list shows all rows, or those of a search. */
interface NamespaceTab {
  readonly key: MappingNamespace;
  readonly label: string;
  readonly list?: ComponentType<ListProps<never>>;
}

/** A mapping screen. Several namespaces have a tab each. @param label names the tabs */
export function MappingScreen({
  tabs,
  label = '',
  ...page
}: PageProps & { tabs: readonly [NamespaceTab, ...NamespaceTab[]]; label?: string }) {
  const { query, change } = useAddress();
  const open =
    oneOf(
      query,
      'tab',
      tabs.map(({ key }) => key),
    ) ?? tabs[0].key;
  const mappings = useMappings(open);
  const List = (tabs.find(({ key }) => key === open)?.list ?? WholeList) as ComponentType<ListProps>;
  const list = <List key={open} namespace={open} mappings={mappings} />;
  return (
    <MappingPage {...page} mappings={mappings}>
      {tabs.length === 1 ? (
        list
      ) : (
        <Tabs label={label} tabs={tabs} open={open} onOpen={(tab) => change({ tab, q: '', inactive: '' })}>
          {list}
        </Tabs>
      )}
    </MappingPage>
  );
}

/** The frame of a mapping screen, with a notice while a service is not connected. */
export function MappingPage({
  title,
  lead,
  what,
  mappings,
  children,
}: PageProps & { mappings: Mappings; children: ReactNode }) {
  const { psa } = useEnvironment();
  return (
    <Page title={title} lead={lead(psa.label)}>
      <ReadOnlyNotice />
      {mappings.isKnown && !mappings.isConnected ? (
        <Notice
          tone="warning"
          action={<Link to="/connections">Open Connections</Link>}
        >{`Before managing your ${what}, you must connect to both ${psa.label} and QuickBooks Online`}</Notice>
      ) : (
        <Panel flush>{children}</Panel>
      )}
    </Page>
  );
}

/** All rows of a namespace. A notice explains that one of the services has no records, if that is usual for its kind. */
function WholeList({ namespace, mappings }: ListProps) {
  const labels: NamespaceLabels = namespaceLabels[namespace];
  const table = mappings.table.isPlaceholderData ? undefined : mappings.table.data;
  const isEmpty = table !== undefined && (table.rows.length === 0 || table.target_count === 0);
  return (
    <MappingList
      labels={labels}
      mappings={mappings}
      rows={table?.rows}
      listKey={namespace}
      before={
        isEmpty &&
        labels.targets !== undefined && (
          <Notice tone="info">
            {`${countOf(table.rows.length, labels.one, labels.many)} and ${countOf(table.target_count, ...labels.targets)} were found. Both must be present before anything can be mapped.`}
          </Notice>
        )
      }
    />
  );
}
