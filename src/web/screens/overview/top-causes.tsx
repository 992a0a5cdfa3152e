import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { countOf } from '../../data/format.ts';
import { attentionQuery } from '../../data/queries.ts';
import { Link } from 'react-router';
import { StateIcon } from '../../components/badge.tsx';
import { Panel, Rows } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { describeDocuments, documentsOf } from '../needs-attention/summaries.ts';
import { Note } from '../../components/note.tsx';
import { loadLater, OnDemand } from '../../components/load-later.tsx';

const CauseDialog = loadLater(async () => (await import('./cause-dialog.tsx')).CauseDialog);

const shownCauses = 3;

/** Verbs for the first fix of a cause. */
const verbs: Readonly<Record<string, string>> = {
  map: 'Map',
  create_as: 'Create',
  reconnect: 'Reconnect',
  clear_status: 'Clear status',
  update_accounting: 'Update',
};

function verbOf({ repairs: [first] }: AttentionGroupReply): string {
  if (first?.['do'] === 'choose_setting')
    return String(first['key']).endsWith('_account') ? 'Choose account' : 'Change setting';
  return verbs[String(first?.['do'])] ?? 'Fix';
}

/**
 * The three causes with the largest amounts that need a user, each with its fix.
 *
 * @param onReview receives the ids of the test jobs to review before posting
 */
export function TopCauses({ onReview }: { onReview: (jobIds: readonly string[]) => void }) {
  const attention = useQuery(attentionQuery());
  const [open, setOpen] = useState<AttentionGroupReply | null>(null);
  // The server lists the causes with the largest amounts first.
  const groups = (attention.data?.groups ?? []).filter(({ state }) => state === 'needs_you');
  const count = documentsOf(groups).length;
  return (
    <Panel
      title="Needs attention"
      flush
      actions={
        groups.length > 0 && (
          <Anchor component={Link} to="/needs-attention" size="sm">
            Show all {count > 0 && countOf(count, 'document')}
          </Anchor>
        )
      }
    >
      {groups.length === 0 ? (
        <EmptyState icon="check">Nothing needs attention.</EmptyState>
      ) : (
        <Rows>
          {groups.slice(0, shownCauses).map((group) => (
            <Group component="li" key={group.key} gap={12} wrap="nowrap" mih={72} px="md" py="sm">
              <StateIcon state="needs_you" />
              <Stack component="span" gap={0} flex={1} miw={0}>
                <Text span size="sm" fw={500} lineClamp={2} title={group.message}>
                  {group.message.replace(/\.$/, '')}
                </Text>
                <Note>{describeDocuments(group.documents)}</Note>
              </Stack>
              <Button
                variant="default"
                size="xs"
                aria-label={`${verbOf(group)}: ${group.message}`}
                onClick={() => setOpen(group)}
              >
                {verbOf(group)}
              </Button>
            </Group>
          ))}
        </Rows>
      )}
      <OnDemand isNeeded={open !== null}>
        <CauseDialog
          group={open === null ? null : (groups.find(({ key }) => key === open.key) ?? open)}
          onReview={onReview}
          onClose={() => setOpen(null)}
        />
      </OnDemand>
    </Panel>
  );
}
