import type { ReactNode } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import type { Mappings } from './use-mappings.ts';

/**
 * A mapping screen: what it is for, and why nothing can be mapped while a service is missing.
 *
 * @param what what is managed here, e.g. “customer mappings”.
 */
export function MappingPage({
  title,
  lead,
  what,
  mappings,
  children,
}: {
  title: string;
  lead: ReactNode;
  what: string;
  mappings: Pick<Mappings, 'isConnected' | 'isKnown'>;
  children: ReactNode;
}) {
  const { psa } = useEnvironment();
  return (
    <Page title={title} lead={lead}>
      {mappings.isKnown && !mappings.isConnected ? (
        <Notice tone="warning">
          Before managing your {what}, you must connect to both {psa.label} and QuickBooks Online
        </Notice>
      ) : (
        <Panel flush>{children}</Panel>
      )}
    </Page>
  );
}
