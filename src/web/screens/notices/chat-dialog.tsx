import { Anchor, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { addChat, changeChat } from '#contract/calls/chats.ts';
import type { ChatReply } from '#contract/chats.ts';
import { noticeGroupLabels, noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import { chatKinds, chatLabels, type ChatKind } from '#core/chat.ts';
import { listText } from '#core/values/text.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showSuccess } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { useDialogEdits } from '../../components/use-edits.ts';
import { toSend } from '../../data/edits.ts';
import { useAction } from '../../data/queries.ts';
import { groupTexts } from './group-texts.ts';

/** Adds a chat, or changes the name of one and what it gets. */
export const ChatDialog = ({ editing, onClose }: { editing: ChatReply | 'new' | null; onClose: () => void }) => (
  <Modal
    opened={editing !== null}
    onClose={onClose}
    title={editing === 'new' || editing === null ? 'Add chat' : 'Edit chat'}
    size={480}
  >
    {editing !== null && <Content before={editing === 'new' ? null : editing} onClose={onClose} />}
  </Modal>
);

const usualGroups: readonly NoticeGroup[] = ['failed_documents', 'sync_paused', 'connection_lost'];
/** Where each product explains how to create the address. */
const guides: Readonly<Record<ChatKind, string>> = {
  slack: 'https://api.slack.com/messaging/webhooks',
  teams:
    'https://support.microsoft.com/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
};

function Content({ before, onClose }: { before: ChatReply | null; onClose: () => void }) {
  const done = {
    changes: ['webhooks'],
    onError: () => undefined,
    onSuccess: () => {
      showSuccess(before === null ? 'The chat was added.' : 'Saved changes.', savedMs);
      onClose();
    },
  } as const;
  const add = useAction(addChat, done);
  const change = useAction(changeChat, done);
  const saved = {
    kind: before?.kind ?? 'slack',
    name: before?.name ?? '',
    address: '',
    groups: before?.groups ?? usualGroups,
  };
  const form = useDialogEdits(saved, before === null ? add : change);
  const { draft, errorOf, state } = form;
  const kind = chatKinds.find((one) => one === draft['kind']) ?? 'slack';
  const groups = groupsIn(draft['groups']);
  const [name, address] = [String(draft['name']), String(draft['address'])];
  const submit = () => {
    if (before === null) return add.mutate({ body: { kind, name, address, groups } });
    const { changes, was } = toSend(saved, form.edits);
    const body = { ...('name' in changes && { name }), ...('groups' in changes && { groups }), was };
    return change.mutate({ params: { id: before.id }, body });
  };
  return (
    <DialogForm submitLabel={before === null ? 'Add chat' : 'Save'} {...state} onSubmit={submit} onCancel={onClose}>
      {before === null && (
        <NativeSelect
          label="Chat"
          data-autofocus
          data={chatKinds.map((value) => ({ value, label: chatLabels[value] }))}
          value={kind}
          error={errorOf('kind')}
          onChange={(event) => form.change('kind', event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Name"
        description="For example the channel."
        autoComplete="off"
        maxLength={60}
        data-autofocus={before !== null || undefined}
        value={name}
        error={errorOf('name')}
        onChange={(event) => form.change('name', event.currentTarget.value)}
      />
      <ConflictChoice name="name" form={form} saved={saved.name} own={name} />
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
          error={errorOf('address')}
          onChange={(event) => form.change('address', event.currentTarget.value)}
        />
      )}
      <Groups form={form} saved={saved.groups} groups={groups} />
    </DialogForm>
  );
}

interface GroupsProps {
  form: ReturnType<typeof useDialogEdits>;
  saved: readonly NoticeGroup[];
  groups: NoticeGroup[];
}

/** The notices that the chat gets. */
const Groups = ({ form, saved, groups }: GroupsProps) => (
  <>
    <Checkbox.Group
      label="Notices"
      value={groups}
      error={form.errorOf('groups')}
      errorProps={{ mt: 'sm' }}
      onChange={(chosen) => form.change('groups', groupsIn(chosen))}
    >
      <Stack gap="sm" mt="sm">
        {noticeGroups.map((group) => (
          <Checkbox key={group} value={group} label={groupTexts[group].label} />
        ))}
      </Stack>
    </Checkbox.Group>
    <ConflictChoice
      name="groups"
      form={form}
      saved={listText(saved, noticeGroupLabels)}
      own={listText(groups, noticeGroupLabels)}
    />
  </>
);

/** Returns the chosen groups in their order. */
const groupsIn = (chosen: unknown): NoticeGroup[] =>
  noticeGroups.filter((group) => Array.isArray(chosen) && chosen.includes(group));
