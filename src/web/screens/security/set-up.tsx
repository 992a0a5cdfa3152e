import { Box, Button, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { beginSecondFactor, confirmSecondFactor } from '#contract/calls/second-factor.ts';
import { call, CallError } from '../../data/call.ts';
import { startSession } from '../../data/current-session.ts';
import { clearErrors } from '../../components/flash.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { showCodes } from './new-codes.ts';
import styles from './security.module.css';

/** Sets up an authenticator app: first the password, then the QR code and the first code from the app. */
export function SetUp() {
  const [password, setPassword] = useState('');
  const begin = useMutation({
    mutationFn: () => {
      clearErrors();
      return call(beginSecondFactor, { body: { password } });
    },
    onSuccess: () => setPassword(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  if (begin.data !== undefined) return <Confirm {...begin.data.data} />;
  const fieldError = begin.error instanceof CallError ? begin.error.fields['password'] : undefined;
  return (
    <form className={styles.stack} onSubmit={submit} noValidate aria-busy={begin.isPending}>
      <Box component="p" maw="68ch" m={0} c="soft">
        After your password, you enter a code from an authenticator app or password manager. This protects your account
        if someone learns your password.
      </Box>
      {begin.error !== null && fieldError === undefined && (
        <Notice tone="bad" role="alert">
          {begin.error.message}
        </Notice>
      )}
      <PasswordInput
        maw={360}
        label="Your password"
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={fieldError}
      />
      <Group gap={12}>
        <Button type="submit" loading={begin.isPending} disabled={password === ''}>
          Set up an app
        </Button>
      </Group>
    </form>
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form className={styles.stack} onSubmit={submit} noValidate aria-busy={confirm.isPending}>
      <Group gap="xl" align="stretch">
        <QrCode text={uri} label="QR code for the authenticator app" />
        <div className={styles.stack}>
          <ol className={styles.steps}>
            <li>Scan the QR code with your authenticator app.</li>
            <li>Enter the six-digit code from the app.</li>
          </ol>
          <div>
            <Text c="dimmed" size="sm">
              No camera? Enter this key in the app:
            </Text>
            <p className={styles.secret}>
              <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
              <CopyButton text={secret} label="Copy the key" />
            </p>
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
        </div>
      </Group>
      <Group gap={12}>
        <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
          Turn on
        </Button>
        <Text span c="dimmed" size="sm">
          This ends your other sessions.
        </Text>
      </Group>
    </form>
  );
}
