import type { ReactNode } from 'react';
import { useEnvironment } from '../../lib/environment.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
import type { Mappings } from './use-mappings.ts';
import { connectFirst, type MappingScreen, pageWords } from './words.ts';

/** A mapping screen: what it is for, and why nothing can be mapped while a service is missing. */
export function MappingPage({
  screen,
  mappings,
  children,
}: {
  screen: MappingScreen;
  mappings: Pick<Mappings, 'isConnected' | 'isKnown'>;
  children: ReactNode;
}) {
  const { psa } = useEnvironment();
  const { title, lead, what } = pageWords[screen];
  return (
    <Page title={title} lead={lead(psa.label)}>
      <ReadOnlyNotice />
      {mappings.isKnown && !mappings.isConnected ? (
        <Notice tone="warning">{connectFirst(what, psa.label)}</Notice>
      ) : (
        <Panel flush>{children}</Panel>
      )}
    </Page>
  );
}
