import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { createApiKey } from '#contract/calls/api-keys.ts';
import type { ApiKeyScope } from '#core/api-key.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { Secret } from '../../components/secret.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { useAction } from '../../data/queries.ts';

/** Creates an API key and shows it, once. */
export function CreateKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create API key" size={480}>
      <Content onDone={onClose} />
    </Modal>
  );
}

function Content({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  return secret === null ? (
    <Form onCreated={setSecret} onCancel={onDone} />
  ) : (
    <Secret what="API key" secret={secret} onDone={onDone} />
  );
}

const firstInput: { name: string; scope: ApiKeyScope; days: string } = { name: '', scope: 'read', days: '90' };
const scopes: { value: ApiKeyScope; label: string }[] = [
  { value: 'read', label: 'Read: documents, runs, logs and months' },
  { value: 'sync', label: 'Read and sync: also starts and cancels syncs' },
];
const periods = [30, 90, 180, 365].map((days) => ({ value: String(days), label: `${days} days` }));

function Form({ onCreated, onCancel }: { onCreated: (secret: string) => void; onCancel: () => void }) {
  const create = useAction(createApiKey, {
    changes: ['api-keys'],
    onSuccess: ({ secret }) => onCreated(secret),
    onError: () => undefined,
  });
  const { field, state, values } = useCallForm(firstInput, create);
  return (
    <DialogForm
      submitLabel="Create key"
      {...state}
      onSubmit={() => create.mutate({ body: { ...values, days: Number(values.days) } })}
      onCancel={onCancel}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="The program that uses the key, for example “Nightly report”."
        autoComplete="off"
        maxLength={60}
        {...field('name')}
      />
      <NativeSelect label="Allows" data={scopes} {...field('scope')} />
      <NativeSelect label="Expires after" data={periods} {...field('days')} />
    </DialogForm>
  );
}
