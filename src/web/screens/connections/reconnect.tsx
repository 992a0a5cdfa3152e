import { useSession } from '../../lib/current-session.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { Link } from '../../lib/router.tsx';
import { CenteredCard, CenteredPage } from '../../ui/centered-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import { useCompany } from './company.ts';
import { ConnectButton } from './connect-button.tsx';
import { LandingSkeleton, OtherClient } from './landing.tsx';
import { connectionsWords, landingWords as words } from './words.ts';

/** Lets a user who asked for it in QuickBooks connect their client again. */
export function Component() {
  const { realmId, found } = useCompany();
  if (realmId !== null && found.isPending) return <LandingSkeleton title={words.reconnect} />;
  if (found.data?.company === 'other') return <OtherClient client={found.data.client} />;
  return <Reconnect isFirst={found.data?.company === 'none'} />;
}

function Reconnect({ isFirst }: { isFirst: boolean }) {
  const title = isFirst ? words.connect : words.reconnect;
  useTabTitle(title);
  const { accounting } = useEnvironment();
  const claims = useSession()?.claims;
  const client = claims?.client?.name ?? null;
  const mayConnect = client !== null && claims?.roles.includes('clientadmin') === true;
  const lead =
    client === null
      ? null
      : isFirst
        ? connectionsWords.booksOf(accounting.short_label, client)
        : words.sameCompany(client);
  return (
    <CenteredPage>
      <CenteredCard title={title} {...(lead !== null && { lead })}>
        {client === null && <Notice tone="info">{connectionsWords.connectionsBelongToA}</Notice>}
        {client !== null && !mayConnect && <Notice tone="info">{words.askAdministrator(client)}</Notice>}
        {mayConnect && <ConnectButton service="qbo">{connectionsWords.connectTo(accounting.label)}</ConnectButton>}
        <Link to={client === null ? '/my' : '/connections'}>
          {client === null ? words.openTallybridge : words.openConnections}
        </Link>
      </CenteredCard>
    </CenteredPage>
  );
}
