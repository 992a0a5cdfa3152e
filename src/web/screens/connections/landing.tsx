import { masquerade } from '#contract/auth.ts';
import { startSession, useSession } from '../../lib/current-session.ts';
import { switchUser } from '../../lib/log-out.ts';
import { useAction } from '../../lib/queries.ts';
import { Link, useLocation } from '../../lib/router.tsx';
import { Button } from '../../ui/button.tsx';
import { CenteredCard, CenteredPage } from '../../ui/centered-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import type { Company } from './company.ts';
import { landingWords as words } from './words.ts';

/** Shown until the company of the address is known. */
export function LandingSkeleton({ title }: { title: string }) {
  return (
    <CenteredPage>
      <CenteredCard title={title} isBusy>
        <Skeleton width="90%" height={14} />
        <Skeleton width="100%" height={34} />
      </CenteredCard>
    </CenteredPage>
  );
}

/** Shown to a user whose client is not connected to the company. A system administrator can act as the right client. */
export function OtherClient({ client }: { client: Company['client'] }) {
  useTabTitle(words.otherCompany);
  const claims = useSession()?.claims;
  const { pathname, search } = useLocation();
  const act = useAction(masquerade, { onSuccess: ({ token }) => startSession(token) });
  const own = claims?.client?.name ?? null;
  return (
    <CenteredPage>
      <CenteredCard title={words.otherCompany}>
        <Notice tone="warning">
          {client === null ? words.notTheCompanyOf(own ?? '') : words.companyOf(client.name)}
        </Notice>
        {client === null ? (
          <Button onClick={() => switchUser(`${pathname}${search}`)}>{words.logInAsAnother}</Button>
        ) : (
          <Button loading={act.isPending} onClick={() => act.mutate({ body: { client_id: client.id } })}>
            {words.actAs(client.name)}
          </Button>
        )}
        <Link to="/my">{words.openTallybridge}</Link>
      </CenteredCard>
    </CenteredPage>
  );
}
