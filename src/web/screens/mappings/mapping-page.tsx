import type { ReactNode } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
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
        <Notice tone="warning">{`Before managing your ${what}, you must connect to both ${psa.label} and QuickBooks Online`}</Notice>
      ) : (
        <Panel flush>{children}</Panel>
      )}
    </Page>
  );
}
