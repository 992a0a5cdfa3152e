import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactorReply } from '#contract/second-factor.ts';
import { useSession } from '../../data/current-session.ts';
import { zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { secondFactorQuery } from '../../data/screen-queries.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { Skeleton } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ConfirmEmailNotice } from './confirm-email-notice.tsx';
import { showCodes, useNewCodes } from './new-codes.ts';
import { Password } from './password.tsx';
import { VerifyDialog, type ProtectedChange } from './verify-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RequireTwoStep } from './require-two-step.tsx';
import { SetUp } from './set-up.tsx';
import { CompanySignIn } from './company-sign-in.tsx';

/** Password and two-step login of the logged-in user. */
export function Component() {
  const claims = useSession()?.claims;
  const factor = useQuery(secondFactorQuery());
  const newCodes = useNewCodes();
  const timeZone = useTimeZone();
  const hasTimes = factor.data?.is_on === true && factor.data.since !== null && newCodes === null;
  const isActing = claims?.actor !== null && claims?.actor !== undefined;

  return (
    <Page
      title="Security"
      lead={`${claims?.roles.includes('clientadmin') === true ? 'Your password, two-step login and company sign-in.' : 'Your password and two-step login.'}${hasTimes ? ` Times in ${zoneName(timeZone)}.` : ''}`}
    >
      <ReadOnlyNotice />
      {claims?.mustSetUp === true && (
        <Notice tone="info">
          {factor.data?.required_by === 'client'
            ? 'Your company requires two-step login. Set it up to continue.'
            : 'System administrators need two-step login. Set it up to continue.'}
        </Notice>
      )}
      {isActing && (
        <Notice tone="info">You are acting as a client. To change your own login, return to your session.</Notice>
      )}
      {!isActing && <ConfirmEmailNotice />}
      {!isActing && claims?.mustSetUp !== true && <Password />}
      {factor.isLoadingError && <FailedPanel what="Your login settings" of={factor} />}
      {factor.isPending && (
        <Panel title="Two-step login">
          <Skeleton width="70%" />
        </Panel>
      )}
      {factor.data !== undefined && !isActing && (
        <Panel title="Two-step login" actions={<StateBadge isOn={factor.data.is_on || newCodes !== null} />}>
          {newCodes !== null ? (
            <RecoveryCodes newCodes={newCodes} onDone={() => showCodes(null)} />
          ) : factor.data.is_on ? (
            <TurnedOn factor={factor.data} />
          ) : (
            <SetUp />
          )}
        </Panel>
      )}
      {factor.data?.client_requires !== null &&
        factor.data?.client_requires !== undefined &&
        claims?.roles.includes('clientadmin') === true && <RequireTwoStep isRequired={factor.data.client_requires} />}
      {claims?.roles.includes('clientadmin') === true && <CompanySignIn isActing={isActing} />}
    </Page>
  );
}

const StateBadge = ({ isOn }: { isOn: boolean }) => (
  <ToneBadge tone={isOn ? 'ok' : 'plain'}>{isOn ? 'On' : 'Off'}</ToneBadge>
);

/** Two-step login while it is on: the recovery codes left, and buttons to replace them or turn it off. */
function TurnedOn({ factor }: { factor: SecondFactorReply }) {
  const [change, setChange] = useState<ProtectedChange | null>(null);
  const left = factor.recovery_codes_left;
  return (
    <Stack gap="md">
      <Text maw="68ch" c="soft">
        You log in with your password and a code from your authenticator app.
        {factor.since !== null && (
          <>
            {' '}
            Turned on <RelativeTime at={factor.since} />.
          </>
        )}
      </Text>
      {left <= 3 && (
        <Notice tone="warning">
          {left === 0
            ? 'No recovery code is left.'
            : left === 1
              ? '1 recovery code is left.'
              : `${left} recovery codes are left.`}{' '}
          Without one, you cannot log in if you lose your phone.
        </Notice>
      )}
      <Group gap={12}>
        <Button variant="default" onClick={() => setChange('codes')}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => setChange('off')} disabled={factor.required_by !== null}>
          Turn off
        </Button>
        <Text span c="dimmed" size="sm">
          {factor.required_by === 'client'
            ? 'Your company requires two-step login.'
            : factor.required_by === 'deployment'
              ? 'System administrators cannot turn it off.'
              : `${left} recovery codes left`}
        </Text>
      </Group>
      <VerifyDialog change={change} onClose={() => setChange(null)} />
    </Stack>
  );
}
