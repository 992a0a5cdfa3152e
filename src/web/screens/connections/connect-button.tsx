import { Button } from '@mantine/core';
import { useState } from 'react';
import { connectTicket } from '#contract/calls/auth.ts';
import { connectAccounting, connectPsaPage } from '#contract/calls/connections.ts';
import { addressOf } from '#contract/define.ts';
import type { ServiceKey } from '#contract/services.ts';
import { currentSession } from '../../data/current-session.ts';
import { useAction } from '../../data/queries.ts';
import { Icon } from '../../components/icons.tsx';

/**
 * Opens the page that connects a service. It fetches a one-time ticket first, because an address must never contain a
 * session token.
 */
export function ConnectButton({
  service,
  children,
  isSubtle = false,
  allowsDifferentCompany = false,
  disabled = false,
}: {
  service: ServiceKey;
  children: string;
  isSubtle?: boolean;
  allowsDifferentCompany?: boolean;
  disabled?: boolean;
}) {
  const [isLeaving, setLeaving] = useState(false);
  const ticket = useAction(connectTicket, {
    onSuccess: ({ ticket: token }) => {
      setLeaving(true);
      window.location.assign(connectAddress(service, token));
    },
  });
  return (
    <Button
      variant={isSubtle ? 'default' : 'filled'}
      loading={ticket.isPending || isLeaving}
      disabled={disabled}
      rightSection={<Icon name="external" size={16} />}
      onClick={() => ticket.mutate({ body: { service, allow_different_company: allowsDifferentCompany } })}
    >
      {children}
    </Button>
  );
}

function connectAddress(service: ServiceKey, token: string): string {
  if (service === 'qbo') return addressOf(connectAccounting, { query: { token } });
  const claims = currentSession()?.claims;
  return addressOf(connectPsaPage, {
    query: { token, tenant_id: claims?.psaTenantId ?? '', resource_id: claims?.psaResourceId ?? '' },
  });
}
