import { Anchor, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { addWebhookTarget, changeWebhookTarget } from '#contract/calls/webhook-targets.ts';
import type { WebhookTargetReply } from '#contract/webhook-targets.ts';
import { noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import { webhookTargetKinds, webhookTargetLabels, type WebhookTargetKind } from '#core/webhook-target.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showMessage } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
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
  const done = {
    changes: ['webhooks'],
    onError: () => undefined,
    onSuccess: () => {
      showMessage(before === null ? 'The webhook was added.' : 'Saved changes.', savedMs);
      onClose();
    },
  } as const;
  const add = useAction(addWebhookTarget, done);
  const change = useAction(changeWebhookTarget, done);
  const { field, state, values } = useCallForm<{
    kind: WebhookTargetKind;
    name: string;
    address: string;
    groups: NoticeGroup[];
  }>(
    {
      kind: before?.kind ?? 'slack',
      name: before?.name ?? '',
      address: '',
      groups: [...(before?.groups ?? usualGroups)],
    },
    before === null ? add : change,
  );
  const { name } = values;
  const groups = noticeGroups.filter((group) => values.groups.includes(group));
  const submit = () =>
    before === null
      ? add.mutate({ body: { ...values, groups } })
      : change.mutate({ params: { id: before.id }, body: { name, groups } });
  return (
    <DialogForm submitLabel={before === null ? 'Add webhook' : 'Save'} {...state} onSubmit={submit} onCancel={onClose}>
      {before === null && (
        <NativeSelect
          label="Chat"
          data-autofocus
          data={webhookTargetKinds.map((value) => ({ value, label: webhookTargetLabels[value] }))}
          {...field('kind')}
        />
      )}
      <TextInput
        label="Name"
        description="For example the channel."
        autoComplete="off"
        maxLength={60}
        data-autofocus={before !== null || undefined}
        {...field('name')}
      />
      {before === null && (
        <TextInput
          label="Address"
          description={
            <>
              Stored encrypted and not shown again.{' '}
              <Anchor inherit underline="always" href={guides[values.kind]} target="_blank" rel="noreferrer">
                How to create it
              </Anchor>
            </>
          }
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          {...field('address')}
        />
      )}
      <Checkbox.Group label="Notices" {...field('groups')}>
        <Stack gap="sm" mt="sm">
          {noticeGroups.map((group) => (
            <Checkbox key={group} value={group} label={groupTexts[group].label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
