import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { replaceRecoveryCodes, turnOffSecondFactor } from '#contract/calls/second-factor.ts';
import { call } from '../../data/call.ts';
import { clearErrors, showSuccess } from '../../components/flash.ts';
import { refreshAll } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { showCodes } from './new-codes.ts';
import { PasswordField } from '../../components/password-field.tsx';

/** A change that needs the password and a code: new recovery codes, or turning off two-step login. */
export type ProtectedChange = 'codes' | 'off';

const texts = {
  codes: { title: 'New recovery codes', lead: 'The earlier codes stop working.', button: 'Get new codes' },
  off: { title: 'Turn off two-step login', lead: 'You will log in with only your password.', button: 'Turn off' },
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
  const verify = useMutation({
    mutationFn: async (body: { password: string; code: string }) => {
      clearErrors();
      if (change === 'codes') return (await call(replaceRecoveryCodes, { body })).data.recovery_codes;
      await call(turnOffSecondFactor, { body });
      return null;
    },
    onSuccess: (codes) => {
      void refreshAll('second-factor');
      onClose();
      if (codes === null) showSuccess('Two-step login is off.');
      else showCodes({ codes, areReplacing: true });
    },
  });
  const { field, state, values } = useCallForm({ password: '', code: '' }, verify);
  const { lead, button } = texts[change];
  return (
    <DialogForm
      submitLabel={button}
      {...state}
      isDanger={change === 'off'}
      isConfirm={false}
      isDisabled={values.password === '' || values.code.trim() === ''}
      onSubmit={() => verify.mutate(values)}
      onCancel={onClose}
    >
      <p>{lead}</p>
      <PasswordField
        label="Your password"
        name="password"
        autoComplete="current-password"
        {...field('password')}
        data-autofocus
      />
      <TextInput
        label="Code"
        description="From your authenticator app, or a recovery code."
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        {...field('code')}
      />
    </DialogForm>
  );
}
