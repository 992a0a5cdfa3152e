import { Button, Code, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { createApiKey } from '#contract/calls/api-keys.ts';
import type { ApiKeyScope } from '#core/api-key.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogButtons, DialogForm } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Modal } from '../../components/modal.tsx';
import { Notice } from '../../components/notice.tsx';
import { CallError } from '../../data/call.ts';
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
    <>
      <Notice tone="warning">Copy the key now. It cannot be shown again.</Notice>
      <Group my="md" gap="sm" wrap="nowrap">
        <Code block flex={1} aria-label="API key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <CopyButton text={secret} label="Copy API key" />
      </Group>
      <DialogButtons>
        <Button data-autofocus onClick={onDone}>
          Done
        </Button>
      </DialogButtons>
    </>
  );
}

function Form({ onCreated, onCancel }: { onCreated: (secret: string) => void; onCancel: () => void }) {
  const [input, setInput] = useState<{ name: string; scope: ApiKeyScope; days: number }>({
    name: '',
    scope: 'read',
    days: 90,
  });
  const [error, setError] = useState<Error | null>(null);
  const create = useAction(createApiKey, {
    changes: ['api-keys'],
    onSuccess: ({ secret }) => onCreated(secret),
    onError: setError,
  });
  const nameError = error instanceof CallError ? error.fields['name'] : undefined;
  return (
    <DialogForm
      submitLabel="Create key"
      isBusy={create.isPending}
      onSubmit={() => {
        setError(null);
        create.mutate({ body: input });
      }}
      onCancel={onCancel}
      error={error === null || nameError !== undefined ? null : error.message}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="The program that uses the key, for example “Nightly report”."
        autoComplete="off"
        maxLength={60}
        value={input.name}
        onChange={(event) => setInput({ ...input, name: event.currentTarget.value })}
        error={nameError}
      />
      <NativeSelect
        label="Allows"
        data={[
          { value: 'read', label: 'Read: documents, runs, logs and months' },
          { value: 'sync', label: 'Read and sync: also starts and cancels syncs' },
        ]}
        value={input.scope}
        onChange={(event) => setInput({ ...input, scope: event.currentTarget.value === 'sync' ? 'sync' : 'read' })}
        rightSection={<Icon name="down" size={14} />}
      />
      <NativeSelect
        label="Expires after"
        data={[30, 90, 180, 365].map((days) => ({ value: String(days), label: `${days} days` }))}
        value={String(input.days)}
        onChange={(event) => setInput({ ...input, days: Number(event.currentTarget.value) })}
        rightSection={<Icon name="down" size={14} />}
      />
    </DialogForm>
  );
}
