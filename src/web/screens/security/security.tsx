import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactorReply } from '#contract/second-factor.ts';
import { useSession } from '../../lib/current-session.ts';
import { secondFactorQuery } from '../../lib/queries.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { Alerts } from './alerts.tsx';
import { EmailProof } from './email-proof.tsx';
import { showCodes, useFreshCodes } from './fresh-codes.ts';
import { Password } from './password.tsx';
import { ProveDialog, type Proving } from './prove-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Requirement } from './requirement.tsx';
import { SetUp } from './set-up.tsx';
import styles from './security.module.css';

/** How the person signs in: the second step is set up, renewed and turned off here. */
export function Component() {
  const claims = useSession()?.claims;
  const factor = useQuery(secondFactorQuery());
  const freshCodes = useFreshCodes();
  const isActing = claims?.actor !== null && claims?.actor !== undefined;

  return (
    <Page title="Security" lead="How you log in, and what is mailed to you.">
      {claims?.mustSetUp === true && (
        <Notice tone="info">
          {factor.data?.required_by === 'client'
            ? 'Your company requires two-step login of everybody. Set it up, then go on.'
            : 'System administrators log in with two steps. Set the second one up, then go on.'}
        </Notice>
      )}
      {isActing && (
        <Notice tone="info">You act as a client. Return to your own session to change how you log in yourself.</Notice>
      )}
      {!isActing && <EmailProof />}
      {!isActing && claims?.mustSetUp !== true && <Password />}
      {factor.isError && factor.data === undefined && (
        <Panel>
          <FailedState what="Your login" error={factor.error} onRetry={() => void factor.refetch()} />
        </Panel>
      )}
      {factor.isPending && (
        <Panel title="Two-step login">
          <Skeleton width="70%" />
        </Panel>
      )}
      {factor.data !== undefined && !isActing && (
        <Panel title="Two-step login" actions={<StateBadge isOn={factor.data.is_on || freshCodes !== null} />}>
          {freshCodes !== null ? (
            <RecoveryCodes fresh={freshCodes} onDone={() => showCodes(null)} />
          ) : factor.data.is_on ? (
            <TurnedOn factor={factor.data} />
          ) : (
            <SetUp />
          )}
        </Panel>
      )}
      {factor.data?.client_requires !== null &&
        factor.data?.client_requires !== undefined &&
        claims?.roles.includes('clientadmin') === true && <Requirement isRequired={factor.data.client_requires} />}
      {claims?.roles.includes('clientadmin') === true && !isActing && <Alerts />}
    </Page>
  );
}

const StateBadge = ({ isOn }: { isOn: boolean }) => (
  <ToneBadge tone={isOn ? 'ok' : 'plain'}>{isOn ? 'On' : 'Off'}</ToneBadge>
);

/** The second step while it is on: recovery codes left, and the buttons for new ones and for turning it off. */
function TurnedOn({ factor }: { factor: SecondFactorReply }) {
  const [asked, setAsked] = useState<Proving | null>(null);
  const left = factor.recovery_codes_left;
  return (
    <div className={styles.stack}>
      <p className={styles.words}>
        You log in with your password and a code of your authenticator app
        {factor.since !== null && (
          <>
            , since <When at={factor.since} />
          </>
        )}
        .
      </p>
      {left <= 3 && (
        <Notice tone="warning">
          {left === 0
            ? 'No recovery code is left.'
            : left === 1
              ? '1 recovery code is left.'
              : `${left} recovery codes are left.`}{' '}
          Without one you cannot log in when your phone is lost.
        </Notice>
      )}
      <div className={styles.actions}>
        <Button variant="default" onClick={() => setAsked('codes')}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => setAsked('off')} disabled={factor.required_by !== null}>
          Turn off
        </Button>
        <span className={styles.aside}>
          {factor.required_by === 'client'
            ? 'Your company requires two-step login.'
            : factor.required_by === 'deployment'
              ? 'System administrators cannot turn it off.'
              : `${left} recovery codes left`}
        </span>
      </div>
      <ProveDialog asked={asked} onClose={() => setAsked(null)} />
    </div>
  );
}
