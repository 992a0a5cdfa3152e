import { Anchor, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addWebhookTarget, changeWebhookTarget } from '#contract/calls/webhook-targets.ts';
import type { WebhookTargetReply } from '#contract/webhook-targets.ts';
import { noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import { webhookTargetKinds, webhookTargetLabels, type WebhookTargetKind } from '#core/webhook-target.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showMessage } from '../../components/flash.ts';
import { fieldsOf } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Modal } from '../../components/modal.tsx';
import { useAction } from '../../data/queries.ts';
import { groupTexts } from './group-texts.ts';

/** Adds a webhook, or changes the name of one and what it gets. */
export const ChatDialog = ({
  editing,
  onClose,
}: {
  editing: WebhookTargetReply | 'new' | null;
  onClose: () => void;
}) => (
  <Modal
    opened={editing !== null}
    onClose={onClose}
    title={editing === 'new' || editing === null ? 'Add webhook' : 'Edit webhook'}
    size={480}
  >
    {editing !== null && <Content before={editing === 'new' ? null : editing} onClose={onClose} />}
  </Modal>
);

const usualGroups: readonly NoticeGroup[] = ['failed_documents', 'sync_paused', 'connection_lost'];
/** Where each product explains how to create the address. */
const guides: Readonly<Record<WebhookTargetKind, string>> = {
  slack: 'https://api.slack.com/messaging/webhooks',
  teams:
    'https://support.microsoft.com/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
};

function Content({ before, onClose }: { before: WebhookTargetReply | null; onClose: () => void }) {
  const [kind, setKind] = useState<WebhookTargetKind>(before?.kind ?? 'slack');
  const [name, setName] = useState(before?.name ?? '');
  const [address, setAddress] = useState('');
  const [groups, setGroups] = useState<readonly NoticeGroup[]>(before?.groups ?? usualGroups);
  const [error, setError] = useState<Error | null>(null);
  const done = {
    changes: ['webhooks'],
    onError: setError,
    onSuccess: () => {
      showMessage(before === null ? 'The webhook was added.' : 'Saved changes.', savedMs);
      onClose();
    },
  } as const;
  const add = useAction(addWebhookTarget, done);
  const change = useAction(changeWebhookTarget, done);
  const fields = fieldsOf(error);
  const submit = () => {
    setError(null);
    if (before === null) add.mutate({ body: { kind, name, address, groups: [...groups] } });
    else change.mutate({ params: { id: before.id }, body: { name, groups: [...groups] } });
  };
  return (
    <DialogForm
      submitLabel={before === null ? 'Add webhook' : 'Save'}
      isBusy={add.isPending || change.isPending}
      onSubmit={submit}
      onCancel={onClose}
      error={error}
    >
      {before === null && (
        <NativeSelect
          label="Chat"
          data-autofocus
          data={webhookTargetKinds.map((value) => ({ value, label: webhookTargetLabels[value] }))}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value === 'teams' ? 'teams' : 'slack')}
          rightSection={<Icon name="down" size={14} />}
        />
      )}
      <TextInput
        label="Name"
        description="For example the channel."
        autoComplete="off"
        maxLength={60}
        data-autofocus={before !== null || undefined}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fields['name']}
      />
      {before === null && (
        <TextInput
          label="Address"
          description={
            <>
              Stored encrypted and not shown again.{' '}
              <Anchor inherit underline="always" href={guides[kind]} target="_blank" rel="noreferrer">
                How to create it
              </Anchor>
            </>
          }
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={fields['address']}
        />
      )}
      <Checkbox.Group
        label="Notices"
        value={[...groups]}
        onChange={(values) => setGroups(noticeGroups.filter((group) => values.includes(group)))}
        error={fields['groups']}
      >
        <Stack gap="sm" mt="sm">
          {noticeGroups.map((group) => (
            <Checkbox key={group} value={group} label={groupTexts[group].label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
