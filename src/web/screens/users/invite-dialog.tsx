import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inviteUser } from '#contract/calls/users.ts';
import type { ClientRole } from '#core/roles.ts';
import { CallError } from '../../data/call.ts';
import { useAction } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';

/** Sends an invitation to a new user. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Invite user" size={440}>
      <Form onDone={onClose} />
    </Modal>
  );
}

function Form({ onDone }: { onDone: () => void }) {
  const [input, setInput] = useState<{ name: string; email: string; role: ClientRole }>({
    name: '',
    email: '',
    role: 'clientadmin',
  });
  const [error, setError] = useState<Error | null>(null);
  const invite = useAction(inviteUser, { changes: ['users'], onSuccess: onDone, onError: setError });
  const fields = error instanceof CallError ? error.fields : {};
  const hasFieldError = fields['name'] !== undefined || fields['email'] !== undefined;
  const submit = () => {
    setError(null);
    invite.mutate({ body: input });
  };
  return (
    <DialogForm
      submitLabel="Send invitation"
      isBusy={invite.isPending}
      onSubmit={submit}
      onCancel={onDone}
      error={error === null || hasFieldError ? null : error.message}
    >
      <p>The user gets an email with a link to choose a password. The link works for 7 days.</p>
      <TextInput
        data-autofocus
        label="Name"
        autoComplete="off"
        maxLength={100}
        value={input.name}
        onChange={(event) => setInput({ ...input, name: event.currentTarget.value })}
        error={fields['name']}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        value={input.email}
        onChange={(event) => setInput({ ...input, email: event.currentTarget.value })}
        error={fields['email']}
      />
      <NativeSelect
        label="Role"
        data={[
          { value: 'clientadmin', label: 'Administrator: full access' },
          { value: 'accountant', label: 'Accountant: reads everything and signs months' },
        ]}
        value={input.role}
        onChange={(event) =>
          setInput({ ...input, role: event.currentTarget.value === 'accountant' ? 'accountant' : 'clientadmin' })
        }
      />
    </DialogForm>
  );
}
