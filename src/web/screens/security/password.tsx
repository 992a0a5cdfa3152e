import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changePassword } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { startSession, useSession } from '../../lib/current-session.ts';
import { clearErrors, showMessage } from '../../lib/flash.ts';
import { secondFactorQuery } from '../../lib/screen-queries.ts';
import { Button } from '../../ui/button.tsx';
import { isGood, NewPasswordFields, noPassword, passwordsDiffer } from '../../ui/new-password.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import { Modal } from '../../ui/modal.tsx';
import styles from './security.module.css';
import { securityWords } from './words.ts';

/** The password of whoever is signed in, which they change here while they know it. */
export function Password() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Panel title={securityWords.password}>
      <div className={styles.stack}>
        <p className={styles.words}>{securityWords.withANewPassword}</p>
        <div className={styles.actions}>
          <Button variant="default" onClick={() => setOpen(true)}>
            {securityWords.changePassword}
          </Button>
        </div>
      </div>
      <Modal
        opened={isOpen}
        onClose={close}
        title={securityWords.changePassword}
        closeButtonProps={{ 'aria-label': securityWords.close }}
      >
        {isOpen && <Change onClose={close} />}
      </Modal>
    </Panel>
  );
}

function Change({ onClose }: { onClose: () => void }) {
  const circumstances = { email: useSession()?.claims.username ?? '' };
  const [present, setPresent] = useState('');
  const [code, setCode] = useState('');
  const hasSecondFactor = useQuery(secondFactorQuery()).data?.is_on === true;
  const [chosen, setChosen] = useState(noPassword);
  const change = useMutation({
    mutationFn: async () => {
      clearErrors();
      if (chosen.password !== chosen.confirmation)
        throw new CallError('', { status: 400, fields: { new_password: passwordsDiffer } });
      const body = { password: present, new_password: chosen.password, ...(hasSecondFactor && { code }) };
      return (await call(changePassword, { body })).data.token;
    },
    onSuccess: (token) => {
      onClose();
      startSession(token);
      showMessage(securityWords.passwordChanged);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (present !== '' && isGood(chosen, circumstances)) change.mutate();
  };
  const fields = change.error instanceof CallError ? change.error.fields : {};
  return (
    <form className={styles.stack} onSubmit={submit} noValidate aria-busy={change.isPending}>
      {change.error !== null && Object.keys(fields).length === 0 && (
        <Notice tone="bad" role="alert">
          {change.error.message}
        </Notice>
      )}
      <PasswordInput
        label={securityWords.yourPresentPassword}
        name="present_password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': securityWords.showPresentPassword }}
        value={present}
        onChange={(event) => {
          setPresent(event.currentTarget.value);
          if (fields['password'] !== undefined) change.reset();
        }}
        error={fields['password']}
        data-autofocus
      />
      {hasSecondFactor && (
        <TextInput
          label={securityWords.code}
          description={securityWords.ofYourAuthenticatorApp}
          name="code"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            if (fields['code'] !== undefined) change.reset();
          }}
          error={fields['code']}
        />
      )}
      <NewPasswordFields
        value={chosen}
        onChange={(value) => {
          setChosen(value);
          if (fields['new_password'] !== undefined) change.reset();
        }}
        circumstances={circumstances}
        error={fields['new_password'] ?? null}
      />
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={onClose}>
          {securityWords.cancel}
        </Button>
        <Button type="submit" loading={change.isPending} disabled={present === '' || !isGood(chosen, circumstances)}>
          {securityWords.changePassword}
        </Button>
      </div>
    </form>
  );
}
