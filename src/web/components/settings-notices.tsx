import type { ComponentProps } from 'react';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from './confirm-button.tsx';
import { Notice } from './notice.tsx';
import { statusText } from '#core/tenant.ts';
import { useEnvironment } from '../data/environment.ts';
import { countOf } from '../data/format.ts';
import { subscriptionQuery } from '../data/queries.ts';
import { readinessOf } from '../data/subscription.ts';

/** Returns whether settings cannot be changed now, because the subscription has ended or a service is not connected. */
export function useSettingsAccess() {
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const ended =
    subscription?.status === 'suspended' || subscription?.status === 'cancelled' ? subscription.status : null;
  return {
    subscription,
    connectionsOk,
    ended,
    isReadOnly: subscription !== undefined && (!connectionsOk || ended !== null),
  };
}

interface FormState {
  isRecovered: boolean;
  isBusy: boolean;
  /** The values before the last Restore Defaults; null if there is nothing to undo. */
  before: object | null;
  undo: () => void;
}

/** Notices above a form of settings: why it is read-only, and what was filled in or restored. */
export function SettingsNotices({ form: { isRecovered, isBusy, before, undo } }: { form: FormState }) {
  const { psa } = useEnvironment();
  const { ended, isReadOnly } = useSettingsAccess();
  return (
    <>
      {ended !== null ? (
        <Notice tone="warning">This subscription is {statusText(ended)}. Settings are read-only.</Notice>
      ) : (
        isReadOnly && (
          <Notice tone="warning" action={<Link to="/connections">Open Connections</Link>}>
            You must be connected to both {psa.label} and QuickBooks Online to modify settings.
          </Notice>
        )
      )}
      {isRecovered && (
        <Notice tone="info">
          Your session ended before you saved. Your changes are filled in again. Check and save them.
        </Notice>
      )}
      {before !== null && (
        <Notice
          tone="info"
          role="status"
          action={
            <Button variant="default" size="xs" disabled={isBusy} onClick={undo}>
              Undo
            </Button>
          }
        >
          {countOf(Object.keys(before).length, 'setting was', 'settings were')} changed to the default.
        </Notice>
      )}
    </>
  );
}

/** Restores the defaults. @param count number of settings that differ from their default */
export const RestoreButton = ({
  count,
  ...button
}: Pick<ComponentProps<typeof ConfirmButton>, 'onConfirm' | 'busy' | 'disabled'> & { count: number }) => (
  <ConfirmButton
    label="Restore Defaults"
    armedLabel="Click Again to Restore"
    effect={`${countOf(count, 'setting')} will change to the default. You can undo this.`}
    isIdle={count === 0}
    {...button}
  />
);
