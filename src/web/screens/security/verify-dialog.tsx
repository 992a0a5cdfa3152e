import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { replaceRecoveryCodes, turnOffSecondFactor } from '#contract/calls/second-factor.ts';
import { call } from '../../data/call.ts';
import { clearErrors, showMessage } from '../../components/flash.ts';
import { refreshAll } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { fieldsOf } from '../../components/form.tsx';
import { Modal } from '../../components/modal.tsx';
import { showCodes } from './new-codes.ts';

/** A change that needs the password and a code: new recovery codes, or turning off two-step login. */
export type ProtectedChange = 'codes' | 'off';

const texts = {
  codes: { title: 'New recovery codes', lead: 'The earlier codes stop working.', button: 'Get new codes' },
  off: {
    title: 'Turn off two-step login',
    lead: 'You will log in with only your password.',
    button: 'Turn off',
  },
} as const;

/** Asks for the password and a code before a change of two-step login. */
export function VerifyDialog({ change, onClose }: { change: ProtectedChange | null; onClose: () => void }) {
  return (
    <Modal
      opened={change !== null}
      onClose={onClose}
      title={change === null ? '' : texts[change].title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {change !== null && <VerifyForm change={change} onClose={onClose} />}
    </Modal>
  );
}

function VerifyForm({ change, onClose }: { change: ProtectedChange; onClose: () => void }) {
  const [input, setInput] = useState({ password: '', code: '' });
  const verify = useMutation({
    mutationFn: async () => {
      clearErrors();
      if (change === 'codes') return (await call(replaceRecoveryCodes, { body: input })).data.recovery_codes;
      await call(turnOffSecondFactor, { body: input });
      return null;
    },
    onSuccess: (codes) => {
      void refreshAll('second-factor');
      onClose();
      if (codes === null) showMessage('Two-step login is off.');
      else showCodes({ codes, areReplacing: true });
    },
  });
  const fields = fieldsOf(verify.error);
  const { lead, button } = texts[change];
  return (
    <DialogForm
      submitLabel={button}
      error={verify.error}
      isDanger={change === 'off'}
      isConfirm={false}
      isDisabled={input.password === '' || input.code.trim() === ''}
      isBusy={verify.isPending}
      onSubmit={() => verify.mutate()}
      onCancel={onClose}
    >
      <p>{lead}</p>
      <PasswordInput
        label="Your password"
        name="password"
        autoComplete="current-password"
        value={input.password}
        onChange={(event) => setInput({ ...input, password: event.currentTarget.value })}
        error={fields['password']}
        data-autofocus
      />
      <TextInput
        label="Code"
        description="From your authenticator app, or a recovery code."
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        value={input.code}
        onChange={(event) => setInput({ ...input, code: event.currentTarget.value })}
        error={fields['code']}
      />
    </DialogForm>
  );
}
