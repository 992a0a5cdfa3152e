import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { replaceRecoveryCodes, turnOffSecondFactor } from '#contract/second-factor.ts';
import { call, CallError } from '../../lib/call.ts';
import { clearErrors, showMessage } from '../../lib/flash.ts';
import { refreshAll } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Modal } from '../../ui/modal.tsx';
import { showCodes } from './fresh-codes.ts';
import styles from './security.module.css';
import { securityWords } from './words.ts';

/** A deed for which the person proves that they may: new recovery codes, or turning the second step off. */
export type Proving = 'codes' | 'off';

const words = {
  codes: { title: securityWords.newRecoveryCodes, lead: securityWords.theEarlierOnesDo, button: 'Get new codes' },
  off: {
    title: securityWords.turnTwoStepLogin,
    lead: securityWords.yourPasswordAloneIs,
    button: 'Turn off',
  },
} as const;

/** Asks for password and code once more before the second step is changed. */
export function ProveDialog({ asked, onClose }: { asked: Proving | null; onClose: () => void }) {
  return (
    <Modal
      opened={asked !== null}
      onClose={onClose}
      title={asked === null ? '' : words[asked].title}
      closeButtonProps={{ 'aria-label': securityWords.close }}
    >
      {asked !== null && <Proof asked={asked} onClose={onClose} />}
    </Modal>
  );
}

function Proof({ asked, onClose }: { asked: Proving; onClose: () => void }) {
  const [given, setGiven] = useState({ password: '', code: '' });
  const prove = useMutation({
    mutationFn: async () => {
      clearErrors();
      if (asked === 'codes') return (await call(replaceRecoveryCodes, { body: given })).data.recovery_codes;
      await call(turnOffSecondFactor, { body: given });
      return null;
    },
    onSuccess: (codes) => {
      void refreshAll('second-factor');
      onClose();
      if (codes === null) showMessage(securityWords.isOff);
      else showCodes({ codes, areReplacing: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  const fields = prove.error instanceof CallError ? prove.error.fields : {};
  const { lead, button } = words[asked];
  return (
    <form className={styles.stack} onSubmit={submit} noValidate aria-busy={prove.isPending}>
      <p className={styles.words}>{lead}</p>
      {prove.error !== null && Object.keys(fields).length === 0 && (
        <Notice tone="bad" role="alert">
          {prove.error.message}
        </Notice>
      )}
      <PasswordInput
        label={securityWords.yourPassword}
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': securityWords.showPassword }}
        value={given.password}
        onChange={(event) => setGiven({ ...given, password: event.currentTarget.value })}
        error={fields['password']}
        data-autofocus
      />
      <TextInput
        label={securityWords.code}
        description={securityWords.ofYourAuthenticatorApp}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        value={given.code}
        onChange={(event) => setGiven({ ...given, code: event.currentTarget.value })}
        error={fields['code']}
      />
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={onClose}>
          {securityWords.cancel}
        </Button>
        <Button
          type="submit"
          {...(asked === 'off' && { color: 'red' })}
          loading={prove.isPending}
          disabled={given.password === '' || given.code.trim() === ''}
        >
          {button}
        </Button>
      </div>
    </form>
  );
}
