import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { beginSecondFactor, confirmSecondFactor } from '#contract/calls/second-factor.ts';
import { call } from '../../data/call.ts';
import { startSession } from '../../data/current-session.ts';
import { clearErrors } from '../../components/flash.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Form, FormError } from '../../components/form.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { showCodes } from './new-codes.ts';
import { PasswordField } from '../../components/password-field.tsx';
import styles from './security.module.css';

/** Sets up an authenticator app: first the password, then the QR code and the first code from the app. */
export function SetUp() {
  const begin = useMutation({
    mutationFn: (body: { password: string }) => {
      clearErrors();
      return call(beginSecondFactor, { body });
    },
    onSuccess: (): void => reset(),
  });
  const { field, state, values, reset } = useCallForm({ password: '' }, begin);
  if (begin.data !== undefined) return <Confirm {...begin.data.data} />;
  return (
    <Form onSubmit={() => begin.mutate(values)} isBusy={begin.isPending}>
      <Text maw="68ch" c="soft">
        After your password, you enter a code from an authenticator app or password manager. This protects your account
        if someone learns your password.
      </Text>
      <FormError error={state.error} />
      <PasswordField
        maw={360}
        label="Your password"
        name="password"
        autoComplete="current-password"
        {...field('password')}
      />
      <Group gap={12}>
        <Button type="submit" loading={begin.isPending} disabled={values.password === ''}>
          Set up an app
        </Button>
      </Group>
    </Form>
  );
}

function Confirm({ secret, uri }: { secret: string; uri: string }) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const confirm = useMutation({
    mutationFn: () => {
      clearErrors();
      return call(confirmSecondFactor, { body: { code } });
    },
    onSuccess: ({ data }) => {
      startSession(data.token);
      showCodes({ codes: data.recovery_codes, areReplacing: false });
    },
    onError: () => field.current?.focus(),
  });
  useEffect(() => field.current?.focus(), []);
  return (
    <Form onSubmit={() => confirm.mutate()} isBusy={confirm.isPending}>
      <Group gap="xl" align="stretch">
        <QrCode text={uri} label="QR code for the authenticator app" />
        <Stack gap="md" miw={0}>
          <ol className={styles.steps}>
            <li>Scan the QR code with your authenticator app.</li>
            <li>Enter the six-digit code from the app.</li>
          </ol>
          <div>
            <Text c="dimmed" size="sm">
              No camera? Enter this key in the app:
            </Text>
            <Group gap="sm" mt={4}>
              <code className={styles.code}>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
              <CopyButton text={secret} label="Copy the key" />
            </Group>
          </div>
          <TextInput
            ref={field}
            maw={200}
            label="Code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={confirm.error?.message}
          />
        </Stack>
      </Group>
      <Group gap={12}>
        <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
          Turn on
        </Button>
        <Text span c="dimmed" size="sm">
          This ends your other sessions.
        </Text>
      </Group>
    </Form>
  );
}
