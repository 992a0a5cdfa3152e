import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { beginSecondFactor, confirmSecondFactor } from '#contract/second-factor.ts';
import { call, CallError } from '../../lib/call.ts';
import { startSession } from '../../lib/current-session.ts';
import { clearErrors } from '../../lib/flash.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { showCodes } from './fresh-codes.ts';
import styles from './security.module.css';
import { securityWords } from './words.ts';

/** Sets up an authenticator app: the password, then the picture and the first code. */
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
      <p className={styles.words}>{securityWords.afterYourPasswordYou}</p>
      {begin.error !== null && fieldError === undefined && (
        <Notice tone="bad" role="alert">
          {begin.error.message}
        </Notice>
      )}
      <PasswordInput
        className={styles.field ?? ''}
        label={securityWords.yourPassword}
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': securityWords.showPassword }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={fieldError}
      />
      <div className={styles.actions}>
        <Button type="submit" loading={begin.isPending} disabled={password === ''}>
          {securityWords.setUpAnApp}
        </Button>
      </div>
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
      <div className={styles.setUp}>
        <QrCode text={uri} label={securityWords.pictureForTheAuthenticator} />
        <div className={styles.stack}>
          <ol className={styles.steps}>
            <li>{securityWords.openTheAppAnd}</li>
            <li>{securityWords.enterTheSixDigits}</li>
          </ol>
          <div>
            <p className={styles.aside}>{securityWords.noCameraTypeThis}</p>
            <p className={styles.secret}>
              <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
              <CopyButton text={secret} label={securityWords.copyTheKey} />
            </p>
          </div>
          <TextInput
            ref={field}
            className={styles.code ?? ''}
            label={securityWords.code}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={confirm.error?.message}
          />
        </div>
      </div>
      <div className={styles.actions}>
        <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
          {securityWords.turnOn}
        </Button>
        <span className={styles.aside}>{securityWords.yourOtherSessionsEnd}</span>
      </div>
    </form>
  );
}
