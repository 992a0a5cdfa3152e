import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import type { Mappings } from './use-mappings.ts';

/** The frame of a mapping screen, with a notice while a service is not connected. @param what e.g. “item mappings” */
export function MappingPage({
  title,
  lead,
  what,
  mappings,
  children,
}: {
  title: string;
  lead: string;
  what: string;
  mappings: Pick<Mappings, 'isConnected' | 'isKnown'>;
  children: ReactNode;
}) {
  const { psa } = useEnvironment();

  return (
    <Page title={title} lead={lead}>
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
