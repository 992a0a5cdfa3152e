import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { connectProblems, type ConnectProblem } from '#contract/connect-problems.ts';
import type { ServiceKey } from '#contract/services.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { showSuccess } from '../../components/flash.ts';
import { queryClient, refreshAll, subscriptionQuery } from '../../data/queries.ts';
import { connectionOf, readinessOf } from '../../data/subscription.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Columns, FailedPanel, Page } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { isSetupShown } from '../../data/setup-steps.ts';
import { ConnectButton } from './connect-button.tsx';
import { PauseNotices } from './pause-notices.tsx';
import { ServicePanel } from './service-panel.tsx';

/** Connects and tests both services, and disconnects QuickBooks. */
export function Component() {
  const claims = useSession()?.claims;
  const subscription = useQuery(subscriptionQuery());
  const timeZone = useTimeZone();
  const client = claims?.client?.name ?? '';
  const problem = useConnectResult(client);
  const isReadOnly = useReadOnly();
  const mayConnect = claims?.roles.includes('clientadmin') === true && claims.client !== null && !isReadOnly;
  const { data } = subscription;

  return (
    <Page
      title="Connections"
      lead={`Tallybridge reads from your PSA and posts to QuickBooks. Connect both to map and sync. Times in ${zoneName(timeZone)}.`}
      actions={<RefreshButton isDisabled={subscription.isFetching} onPress={() => void refreshAll('subscription')} />}
    >
      {problem !== null && (
        <Notice
          tone="bad"
          role="alert"
          action={
            problem.code === 'different_company' &&
            problem.service !== null && (
              <ConnectButton service={problem.service} allowsDifferentCompany>
                Connect the other company
              </ConnectButton>
            )
          }
        >
          {problem.text}
        </Notice>
      )}
      {subscription.isLoadingError ? (
        <FailedPanel what="Your connections" of={subscription} />
      ) : data === null ? (
        <Notice tone="warning">
          {claims?.roles.includes('sysadmin') === true
            ? 'Connections belong to a client. Choose one under “Masquerade as Client” on the Overview.'
            : 'You do not have a current subscription.'}
        </Notice>
      ) : (
        <>
          <ReadOnlyNotice />
          {data !== undefined && <PauseNotices subscription={data} />}
          <Columns min={400}>
            {(['autotask', 'qbo'] as const).map((service) => (
              <ServicePanel
                key={service}
                service={service}
                connection={connectionOf(data, service)}
                isLoading={data === undefined}
                mayConnect={mayConnect}
                client={client}
              />
            ))}
          </Columns>
        </>
      )}
    </Page>
  );
}

interface ConnectFailure {
  readonly code: string;
  readonly text: string;
  readonly service: ServiceKey | null;
}

/**
 * Handles the return from a connect page: refreshes the subscription, confirms the connection or returns the problem, and
 * removes both from the address so that a reload does not repeat them.
 */
function useConnectResult(client: string): ConnectFailure | null {
  const { psa, accounting, version } = useEnvironment();
  const [query, setQuery] = useSearchParams();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<ConnectFailure | null>(null);
  const reload = query.get('reload');
  const error = query.get('error');
  if (error !== null && error !== problem?.code)
    setProblem({
      code: error,
      text: isKnown(error) ? connectProblems[error] : connectProblems.not_accepted,
      service: reload === 'autotask' || reload === 'qbo' ? reload : null,
    });
  useEffect(() => {
    // Without a version, the names of the services are placeholders.
    if ((reload === null && error === null) || version === '') return;
    void refreshAll('subscription').then(async () => {
      if (error !== null || (reload !== 'qbo' && reload !== 'autotask') || client === '') return;
      const subscription = queryClient.getQueryData(subscriptionQuery().queryKey);
      // The address can be an old bookmark, so the subscription decides.
      if (connectionOf(subscription, reload)?.status !== 'active') return;
      // The setup continues with its next step.
      const isNext = subscription && readinessOf(subscription).connectionsOk && isSetupShown(subscription);
      if (isNext === true && window.location.pathname === '/connections') await navigate('/setup', { replace: true });
      showSuccess(`${reload === 'qbo' ? accounting.short_label : psa.label} is connected to ${client}.`);
    });
    const rest = new URLSearchParams(query);
    for (const name of ['reload', 'error', 'message']) rest.delete(name);
    setQuery(rest, { replace: true });
  }, [reload, error, query, setQuery, navigate, client, psa, accounting, version]);
  return problem;
}

const isKnown = (code: string): code is ConnectProblem => Object.hasOwn(connectProblems, code);
