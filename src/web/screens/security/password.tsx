import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changePassword } from '#contract/calls/auth.ts';
import { call, CallError } from '../../data/call.ts';
import { startSession, useSession } from '../../data/current-session.ts';
import { clearErrors, showSuccess } from '../../components/flash.ts';
import { secondFactorQuery } from '../../data/screen-queries.ts';
import {
  meetsPasswordRules,
  NewPasswordFields,
  emptyPassword,
  passwordsDiffer,
} from '../../components/new-password.tsx';
import { DialogForm } from '../../components/dialog.tsx';
import { Panel } from '../../components/page.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { PasswordField } from '../../components/password-field.tsx';

/** Changes the password of the logged-in user. */
export function Password() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Panel title="Password">
      <Stack gap="md">
        <Text maw="68ch" c="soft">
          A new password logs you out on all other devices.
        </Text>
        <Group gap={12}>
          <Button variant="default" onClick={() => setOpen(true)}>
            Change password
          </Button>
        </Group>
      </Stack>
      <Modal opened={isOpen} onClose={close} title="Change password" closeButtonProps={{ 'aria-label': 'Close' }}>
        {isOpen && <ChangeForm onClose={close} />}
      </Modal>
    </Panel>
  );
}

const noInput = { password: '', code: '', new_password: emptyPassword };

function ChangeForm({ onClose }: { onClose: () => void }) {
  const circumstances = { email: useSession()?.claims.username ?? '' };
  const hasSecondFactor = useQuery(secondFactorQuery()).data?.is_on === true;
  const change = useMutation({
    mutationFn: async ({ password, code, new_password: chosen }: typeof noInput) => {
      clearErrors();
      if (chosen.password !== chosen.confirmation)
        throw new CallError('', { status: 400, fields: { new_password: passwordsDiffer } });
      const body = { password, new_password: chosen.password, ...(hasSecondFactor && { code }) };
      return (await call(changePassword, { body })).data.token;
    },
    onSuccess: (token) => {
      onClose();
      startSession(token);
      showSuccess('Your password was changed.');
    },
  });
  const { field, state, values } = useCallForm(noInput, change);
  const isComplete = values.password !== '' && meetsPasswordRules(values.new_password, circumstances);
  return (
    <DialogForm
      submitLabel="Change password"
      {...state}
      isDisabled={!isComplete}
      onSubmit={() => isComplete && change.mutate(values)}
      onCancel={onClose}
    >
      <PasswordField
        label="Current password"
        name="current_password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the current password' }}
        data-autofocus
        {...field('password')}
      />
      {hasSecondFactor && (
        <TextInput
          label="Code"
          description="From your authenticator app, or a recovery code."
          name="code"
          autoComplete="one-time-code"
          {...field('code')}
        />
      )}
      <NewPasswordFields circumstances={circumstances} {...field('new_password')} value={values.new_password} />
    </DialogForm>
  );
}
