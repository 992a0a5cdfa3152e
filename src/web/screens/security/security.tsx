import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactorReply } from '#contract/second-factor.ts';
import { useSession } from '../../lib/current-session.ts';
import { secondFactorQuery } from '../../lib/screen-queries.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
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
import { securityWords } from './words.ts';

/** How the person signs in: the second step is set up, renewed and turned off here. */
export function Component() {
  const claims = useSession()?.claims;
  const factor = useQuery(secondFactorQuery());
  const freshCodes = useFreshCodes();
  const isActing = claims?.actor !== null && claims?.actor !== undefined;

  return (
    <Page title={securityWords.security} lead={securityWords.howYouLogIn}>
      <ReadOnlyNotice />
      {claims?.mustSetUp === true && (
        <Notice tone="info">
          {factor.data?.required_by === 'client'
            ? securityWords.yourCompanyRequiresTwo
            : securityWords.systemAdministratorsLogIn}
        </Notice>
      )}
      {isActing && <Notice tone="info">{securityWords.youActAsA}</Notice>}
      {!isActing && <EmailProof />}
      {!isActing && claims?.mustSetUp !== true && <Password />}
      {factor.isError && factor.data === undefined && (
        <Panel>
          <FailedState what={securityWords.yourLogin} error={factor.error} onRetry={() => void factor.refetch()} />
        </Panel>
      )}
      {factor.isPending && (
        <Panel title={securityWords.twoStepLogin}>
          <Skeleton width="70%" />
        </Panel>
      )}
      {factor.data !== undefined && !isActing && (
        <Panel
          title={securityWords.twoStepLogin}
          actions={<StateBadge isOn={factor.data.is_on || freshCodes !== null} />}
        >
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
      {/* Below what comes late and is higher then than its shape. */}
      {claims?.roles.includes('clientadmin') === true && !isActing && !factor.isPending && <Alerts />}
    </Page>
  );
}

const StateBadge = ({ isOn }: { isOn: boolean }) => (
  <ToneBadge tone={isOn ? 'ok' : 'plain'}>{isOn ? securityWords.on : securityWords.off}</ToneBadge>
);

/** The second step while it is on: recovery codes left, and the buttons for new ones and for turning it off. */
function TurnedOn({ factor }: { factor: SecondFactorReply }) {
  const [asked, setAsked] = useState<Proving | null>(null);
  const left = factor.recovery_codes_left;
  return (
    <div className={styles.stack}>
      <p className={styles.words}>
        {securityWords.withApp}
        {factor.since !== null && (
          <>
            {' '}
            {securityWords.turnedOn} <When at={factor.since} />.
          </>
        )}
      </p>
      {left <= 3 && (
        <Notice tone="warning">
          {left === 0
            ? securityWords.noRecoveryCodeIs
            : left === 1
              ? securityWords.oneRecoveryCodeIs
              : securityWords.codesAreLeft(left)}{' '}
          {securityWords.withoutCode}
        </Notice>
      )}
      <div className={styles.actions}>
        <Button variant="default" onClick={() => setAsked('codes')}>
          {securityWords.newRecoveryCodes}
        </Button>
        <Button variant="default" onClick={() => setAsked('off')} disabled={factor.required_by !== null}>
          {securityWords.turnOff}
        </Button>
        <span className={styles.aside}>
          {factor.required_by === 'client'
            ? securityWords.yourCompanyRequiresTwoStep
            : factor.required_by === 'deployment'
              ? securityWords.systemAdministratorsCannotTurn
              : securityWords.codesLeft(left)}
        </span>
      </div>
      <ProveDialog asked={asked} onClose={() => setAsked(null)} />
    </div>
  );
}
