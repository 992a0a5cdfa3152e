import { Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inviteUser } from '#contract/users.ts';
import { CallError } from '../../lib/call.ts';
import { useAction } from '../../lib/queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';

/** Asks for name and e-mail address, and sends an invitation. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Invite somebody" size={440}>
      <Form onDone={onClose} />
    </Modal>
  );
}

function Form({ onDone }: { onDone: () => void }) {
  const [given, setGiven] = useState({ name: '', email: '' });
  const [refusal, setRefusal] = useState<Error | null>(null);
  const invite = useAction(inviteUser, { changes: ['users'], onSuccess: onDone, onError: setRefusal });
  const fields = refusal instanceof CallError ? refusal.fields : {};
  const isAboutField = fields['name'] !== undefined || fields['email'] !== undefined;
  const submit = () => {
    setRefusal(null);
    invite.mutate({ body: given });
  };
  return (
    <DialogForm
      submitLabel="Send invitation"
      isBusy={invite.isPending}
      onSubmit={submit}
      onCancel={onDone}
      error={refusal === null || isAboutField ? null : refusal.message}
    >
      <p>
        They get a mail with a link to choose a password, and can then do what you can do here. The link works for 7
        days.
      </p>
      <TextInput
        data-autofocus
        label="Name"
        autoComplete="off"
        maxLength={100}
        value={given.name}
        onChange={(event) => setGiven({ ...given, name: event.currentTarget.value })}
        error={fields['name']}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        value={given.email}
        onChange={(event) => setGiven({ ...given, email: event.currentTarget.value })}
        error={fields['email']}
      />
    </DialogForm>
  );
}
