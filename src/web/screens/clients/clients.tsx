import { ViewsMenu } from '../../components/list-views.tsx';
import { Page } from '../../components/page.tsx';
import { ClientList } from './client-list.tsx';

/** The list of clients as a screen. */
export const Component = () => (
  <Page
    title="Clients"
    lead="How the syncs of each client are going. Their documents are visible only as the client."
    actions={<ViewsMenu list="clients" />}
  >
    <ClientList />
  </Page>
);
