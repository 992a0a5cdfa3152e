import { Anchor, Button, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { removeSignInProvider, requireSignInProvider, testSignInProvider } from '#contract/calls/sign-in-provider.ts';
import type { SignInProviderReply } from '#contract/sign-in-provider.ts';
import { providerLabels } from '#core/sign-in-provider.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { DialogForm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { showSuccess } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Panel } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { useSession } from '../../data/current-session.ts';
import { useAction } from '../../data/queries.ts';
import { signInProviderQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { ProviderDialog } from './provider-dialog.tsx';
import { seenProvider } from './seen-provider.ts';

/** Lets an administrator choose where the client’s users log in: at Microsoft, Google or another provider. */
export function CompanySignIn({ isActing }: { isActing: boolean }) {
  const settings = useQuery(signInProviderQuery());
  const [isEditing, setEditing] = useState(false);
  const isReadOnly = useReadOnly() || isActing;
  if (settings.isLoadingError) return <FailedPanel what="Company sign-in" of={settings} />;
  if (settings.data === undefined)
    return (
      <Panel title="Company sign-in">
        <Skeleton width="70%" />
      </Panel>
    );
  const { provider, administrators, redirect_uri: redirectUri } = settings.data;
  return (
    <Panel title="Company sign-in" actions={provider === null ? undefined : <StateBadge provider={provider} />}>
      {provider === null ? (
        <Stack gap="md">
          <Text maw="68ch" c="soft">
            Your users can log in with their Microsoft or Google account instead of a password. A user who is removed
            there is logged out here within an hour.{' '}
            <Anchor inherit underline="always" href="/help/guide/company-sign-in">
              How to set it up
            </Anchor>
          </Text>
          <Group gap={12}>
            <Button variant="default" disabled={isReadOnly} onClick={() => setEditing(true)}>
              Set up company sign-in
            </Button>
          </Group>
        </Stack>
      ) : (
        <Provider
          provider={provider}
          administrators={administrators}
          isReadOnly={isReadOnly}
          isActing={isActing}
          onEdit={() => setEditing(true)}
        />
      )}
      <Modal
        opened={isEditing}
        onClose={() => setEditing(false)}
        title="Company sign-in"
        size={560}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isEditing && (
          <ProviderDialog provider={provider} redirectUri={redirectUri} onClose={() => setEditing(false)} />
        )}
      </Modal>
    </Panel>
  );
}

const StateBadge = ({ provider }: { provider: SignInProviderReply }) => (
  <ToneBadge tone={provider.tested_at === null ? 'info' : 'ok'}>
    {provider.tested_at === null ? 'Not tested' : provider.is_required ? 'Required' : 'On'}
  </ToneBadge>
);

interface ProviderProps {
  provider: SignInProviderReply;
  administrators: readonly string[];
  isReadOnly: boolean;
  isActing: boolean;
  onEdit: () => void;
}

function Provider({ provider, administrators, isReadOnly, isActing, onEdit }: ProviderProps) {
  const test = useAction(testSignInProvider, { onSuccess: ({ url }) => window.location.assign(url) });
  const remove = useAction(removeSignInProvider, {
    changes: ['sign-in-provider'],
    onSuccess: () => showSuccess('Company sign-in was removed.'),
  });
  const { tested_at: testedAt } = provider;
  return (
    <Stack gap="md">
      <Facts>
        <dt>Provider</dt>
        <dd>{provider.kind === 'other' ? 'Other' : providerLabels[provider.kind]}</dd>
        <dt>Issuer</dt>
        <dd>{provider.issuer}</dd>
        <dt>Email domains</dt>
        <dd>{provider.domains.join(', ')}</dd>
        <dt>Second step</dt>
        <dd>{provider.covers_second_step ? 'Checked by the provider' : 'Checked by Tallybridge'}</dd>
        <dt>Last test</dt>
        <dd>{testedAt === null ? 'Not since the last change' : <RelativeTime at={testedAt} />}</dd>
      </Facts>
      {testedAt === null && (
        <Notice tone="info">Test the sign-in with your own account. After that, you can require it.</Notice>
      )}
      <Group gap={12}>
        <Button
          variant={testedAt === null ? 'filled' : 'default'}
          disabled={isReadOnly}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          Test sign-in
        </Button>
        <Button variant="default" disabled={isReadOnly} onClick={onEdit}>
          Change
        </Button>
        {!isReadOnly && (
          <ConfirmButton
            label="Remove"
            armedLabel="Remove it"
            effect="Users log in with their passwords again. Sessions that began with company sign-in end."
            busy={remove.isPending}
            onConfirm={() => remove.mutate({ body: { was: seenProvider(provider) } })}
          />
        )}
      </Group>
      <Requirement
        provider={provider}
        administrators={administrators}
        isDisabled={isActing ? !provider.is_required : isReadOnly || testedAt === null}
      />
    </Stack>
  );
}

interface RequirementProps {
  provider: SignInProviderReply;
  administrators: readonly string[];
  isDisabled: boolean;
}

/** The switch that rejects passwords, with the choice of the administrator who can still use one. */
function Requirement({ provider, administrators, isDisabled }: RequirementProps) {
  const [isAsking, setAsking] = useState(false);
  const save = useAction(requireSignInProvider, {
    changes: ['sign-in-provider'],
  });
  return (
    <>
      <Switch
        label="Require company sign-in for all users"
        description={
          provider.is_required
            ? `Passwords are rejected, except for ${provider.break_glass ?? 'no administrator'}.`
            : 'Users with a password session are logged out. One administrator can still log in with a password.'
        }
        checked={provider.is_required}
        disabled={isDisabled || save.isPending}
        onChange={(event) =>
          event.currentTarget.checked ? setAsking(true) : save.mutate({ body: { is_required: false } })
        }
      />
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Require company sign-in?"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isAsking && (
          <RequireForm provider={provider} administrators={administrators} onClose={() => setAsking(false)} />
        )}
      </Modal>
    </>
  );
}

interface RequireFormProps {
  provider: SignInProviderReply;
  administrators: readonly string[];
  onClose: () => void;
}

function RequireForm({ provider, administrators, onClose }: RequireFormProps) {
  // Requires the provider that the user saw when the form was opened.
  const [seen] = useState(() => seenProvider(provider));
  const own = useSession()?.claims.username ?? '';
  const save = useAction(requireSignInProvider, {
    changes: ['sign-in-provider'],
    onSuccess: onClose,
    onError: () => undefined,
  });
  const { field, state, values } = useCallForm(
    { break_glass: administrators.includes(own) ? own : (administrators[0] ?? '') },
    save,
  );
  return (
    <DialogForm
      submitLabel="Require it"
      {...state}
      onSubmit={() => save.mutate({ body: { is_required: true, ...values, was: seen } })}
      onCancel={onClose}
    >
      <p>All users log in with company sign-in. Everyone who logged in with a password is logged out.</p>
      <NativeSelect
        label="Can still log in with a password"
        description="One administrator, in case the provider does not work. Turn on two-step login for this account."
        data={[...administrators]}
        data-autofocus
        {...field('break_glass')}
      />
    </DialogForm>
  );
}
