import { NativeSelect, TextInput } from '@mantine/core';
import { inviteUser } from '#contract/calls/users.ts';
import type { ClientRole } from '#core/roles.ts';
import { useAction } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';

/** Sends an invitation to a new user. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Invite user" size={440}>
      <Form onDone={onClose} />
    </Modal>
  );
}

const firstInput: { name: string; email: string; role: ClientRole } = { name: '', email: '', role: 'clientadmin' };
const roles: { value: ClientRole; label: string }[] = [
  { value: 'clientadmin', label: 'Administrator: full access' },
  { value: 'accountant', label: 'Accountant: reads everything and signs months' },
];

function Form({ onDone }: { onDone: () => void }) {
  const invite = useAction(inviteUser, { changes: ['users'], onSuccess: onDone, onError: () => undefined });
  const { field, state, values } = useCallForm(firstInput, invite);
  return (
    <DialogForm
      submitLabel="Send invitation"
      {...state}
      onSubmit={() => invite.mutate({ body: values })}
      onCancel={onDone}
    >
      <p>The user gets an email with a link to choose a password. The link works for 7 days.</p>
      <TextInput data-autofocus label="Name" autoComplete="off" maxLength={100} {...field('name')} />
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        {...field('email')}
      />
      <NativeSelect label="Role" data={roles} {...field('role')} />
    </DialogForm>
  );
}
