import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { Link } from 'react-router';
import { CenteredCard } from '../../components/centered-card.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { useCompany } from './company.ts';
import { ConnectButton } from './connect-button.tsx';
import { LandingSkeleton, OtherClient } from './landing.tsx';

/** Lets a user connect a client again after choosing “Reconnect” in QuickBooks. */
export function Component() {
  const { realmId, found } = useCompany();
  if (realmId !== null && found.isPending) return <LandingSkeleton title="Reconnect QuickBooks" />;
  if (found.data?.company === 'other') return <OtherClient client={found.data.client} />;
  return <Reconnect isFirst={found.data?.company === 'none'} />;
}

function Reconnect({ isFirst }: { isFirst: boolean }) {
  const title = isFirst ? 'Connect QuickBooks' : 'Reconnect QuickBooks';
  useTabTitle(title);
  const { accounting } = useEnvironment();
  const claims = useSession()?.claims;
  const client = claims?.client?.name ?? null;
  const mayConnect = client !== null && claims?.roles.includes('clientadmin') === true;
  const lead =
    client === null
      ? null
      : isFirst
        ? `Choose the ${accounting.short_label} company of ${client}.`
        : `Choose the QuickBooks company of ${client} again. Documents, mappings and settings do not change.`;
  return (
    <CenteredCard title={title} {...(lead !== null && { lead })}>
      {client === null && (
        <Notice tone="info">
          Connections belong to a client. Choose one under “Masquerade as Client” on the Overview.
        </Notice>
      )}
      {client !== null && !mayConnect && (
        <Notice tone="info">{`An administrator of ${client} can connect QuickBooks again.`}</Notice>
      )}
      {mayConnect && <ConnectButton service="qbo">{`Connect to ${accounting.label}`}</ConnectButton>}
      <Link to={client === null ? '/my' : '/connections'}>
        {client === null ? 'Open Tallybridge' : 'Open Connections'}
      </Link>
    </CenteredCard>
  );
}
