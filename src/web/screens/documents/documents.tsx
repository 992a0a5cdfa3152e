import { useParams } from 'react-router';
import { type Kind, kindNames } from '#core/kinds.ts';
import { documentPath, placeOf } from '../../components/document-link.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { DocumentPage } from './document-page.tsx';

const idPattern = /^\d{1,15}$/;

/** The page of one document (`/documents/invoice/48213`). */
export function Component() {
  const { kind = '', id = '' } = useParams();
  const type = kindNames.find((one: Kind) => one === kind);
  if (type === undefined || !idPattern.test(id))
    return (
      <Page title="Document">
        <Panel>
          <EmptyState icon="search">This address names no document. Search for its number with Ctrl-K.</EmptyState>
        </Panel>
      </Page>
    );
  const place = placeOf(type, Number(id));
  return <DocumentPage key={documentPath(place)} place={place} />;
}
