import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnedReply, PersonReply } from '#contract/users.ts';
import { handedOverByDefault, ownedKinds, type OwnedKind } from '#core/owned.ts';
import { counted } from '#core/values/text.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { FailedState } from '../../components/states.tsx';
import { ownedQuery, usersQuery } from '../../data/screen-queries.ts';

/** A user who is about to leave, with the call that follows. */
export interface Leaving {
  readonly person: PersonReply;
  readonly title: string;
  /** The consequence, in a sentence. */
  readonly text: string;
  /** The verb, e.g. “Deactivate”. */
  readonly confirmLabel: string;
}

/** What happens to everything that the user owns. */
export interface Choice {
  readonly hand_over: OwnedKind[];
  readonly to?: string;
}

interface LeaveDialogProps {
  leaving: Leaving | null;
  error: Error | null;
  isBusy: boolean;
  onConfirm: (choice: Choice) => void;
  onClose: () => void;
}

/**
 * Asks before a user is deactivated or removed, and what happens to the API keys, webhooks, chats and invitations of the
 * user.
 *
 * @param leaving null keeps the dialog closed.
 */
export function LeaveDialog({ leaving, ...form }: LeaveDialogProps) {
  const [shown, setShown] = useState(leaving);
  // While the dialog closes, it still shows the last question.
  if (leaving !== null && leaving !== shown) setShown(leaving);
  return (
    <Modal opened={leaving !== null} onClose={form.onClose} title={shown?.title ?? ''} size={520}>
      {shown !== null && <Content key={shown.person.id} leaving={shown} {...form} />}
    </Modal>
  );
}

const texts: Readonly<Record<OwnedKind, { readonly one: string; readonly remove: string; readonly keep: string }>> = {
  api_key: { one: 'API key', remove: 'Revoke', keep: 'Hand over (the user may still know the key)' },
  webhook_endpoint: { one: 'webhook', remove: 'Delete', keep: 'Hand over' },
  chat: { one: 'chat', remove: 'Remove', keep: 'Hand over' },
  invitation: { one: 'invitation', remove: 'Withdraw', keep: 'Hand over' },
};

function Content({ leaving, error, isBusy, onConfirm, onClose }: LeaveDialogProps & { leaving: Leaving }) {
  const { person, text, confirmLabel } = leaving;
  const owned = useQuery({ ...ownedQuery(person.id), staleTime: 0 });
  const users = useQuery(usersQuery({ state: 'active', page_size: 200 }));
  const [handOver, setHandOver] = useState(handedOverByDefault);
  const administrators = (users.data?.users ?? []).filter(({ id, role }) => role === 'clientadmin' && id !== person.id);
  const you = administrators.find(({ is_you: isYou }) => isYou) ?? administrators[0];
  const [chosen, setChosen] = useState<string | null>(null);
  const to = chosen ?? you?.email;
  if (owned.isLoadingError) return <FailedState what="API keys, webhooks and chats of this user" of={owned} />;
  const found = owned.data ?? [];
  const kinds = ownedKinds.filter((kind) => found.some((one) => one.kind === kind));
  return (
    <DialogForm
      error={error}
      submitLabel={confirmLabel}
      isDanger
      isConfirm={kinds.length === 0}
      isDisabled={!owned.isSuccess}
      isBusy={isBusy}
      onSubmit={() => onConfirm({ hand_over: [...handOver], ...(to !== undefined && { to }) })}
      onCancel={onClose}
    >
      <p>{text}</p>
      {kinds.length > 0 && (
        <Stack gap="md">
          {kinds.map((kind) => (
            <NativeSelect
              key={kind}
              label={labelOf(kind, found)}
              description={namesOf(kind, found)}
              data={[
                { value: 'remove', label: texts[kind].remove },
                { value: 'keep', label: texts[kind].keep },
              ]}
              value={handOver.includes(kind) ? 'keep' : 'remove'}
              onChange={({ currentTarget: { value } }) =>
                setHandOver([...handOver.filter((one) => one !== kind), ...(value === 'keep' ? [kind] : [])])
              }
            />
          ))}
          {kinds.some((kind) => handOver.includes(kind)) && (
            <NativeSelect
              label="New owner"
              styles={{ input: { textOverflow: 'ellipsis' } }}
              data={administrators.map(({ email, name, is_you: isYou }) => ({
                value: email,
                label: `${name === '' ? email : `${name} (${email})`}${isYou ? ', you' : ''}`,
              }))}
              value={to ?? ''}
              onChange={({ currentTarget: { value } }) => setChosen(value)}
            />
          )}
          {kinds.includes('webhook_endpoint') && handOver.includes('webhook_endpoint') && (
            <Text size="sm" c="dimmed">
              The user may still know the secrets of webhooks. Replace them under Webhooks.
            </Text>
          )}
        </Stack>
      )}
    </DialogForm>
  );
}

const ofKind = (kind: OwnedKind, owned: readonly OwnedReply[]) => owned.filter((one) => one.kind === kind);

const labelOf = (kind: OwnedKind, owned: readonly OwnedReply[]): string =>
  counted(ofKind(kind, owned).length, texts[kind].one);

/** Names that are listed before “and N more”. */
const maxNames = 5;

function namesOf(kind: OwnedKind, owned: readonly OwnedReply[]): string {
  const names = ofKind(kind, owned).map(({ name }) => name);
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
