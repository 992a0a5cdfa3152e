import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inviteUser } from '#contract/users.ts';
import type { ClientRole } from '#core/roles.ts';
import { CallError } from '../../lib/call.ts';
import { useAction } from '../../lib/queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { usersWords } from './words.ts';

/** Asks for name and email address, and sends an invitation. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={usersWords.inviteSomebody} size={440}>
      <Form onDone={onClose} />
    </Modal>
  );
}

function Form({ onDone }: { onDone: () => void }) {
  const [given, setGiven] = useState<{ name: string; email: string; role: ClientRole }>({
    name: '',
    email: '',
    role: 'clientadmin',
  });
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
      submitLabel={usersWords.sendInvitation}
      isBusy={invite.isPending}
      onSubmit={submit}
      onCancel={onDone}
      error={refusal === null || isAboutField ? null : refusal.message}
    >
      <p>{usersWords.theyGetAMail}</p>
      <TextInput
        data-autofocus
        label={usersWords.name}
        autoComplete="off"
        maxLength={100}
        value={given.name}
        onChange={(event) => setGiven({ ...given, name: event.currentTarget.value })}
        error={fields['name']}
      />
      <TextInput
        label={usersWords.email}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        value={given.email}
        onChange={(event) => setGiven({ ...given, email: event.currentTarget.value })}
        error={fields['email']}
      />
      <NativeSelect
        label={usersWords.theyMay}
        data={[
          { value: 'clientadmin', label: usersWords.doEverythingYouCan },
          { value: 'accountant', label: usersWords.readEverythingAndSign },
        ]}
        value={given.role}
        onChange={(event) =>
          setGiven({ ...given, role: event.currentTarget.value === 'accountant' ? 'accountant' : 'clientadmin' })
        }
        rightSection={<Icon name="down" size={14} />}
      />
    </DialogForm>
  );
}
