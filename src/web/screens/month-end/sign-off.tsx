import { Button, Checkbox, Divider, Group, Stack, Text, Textarea, Fieldset } from '@mantine/core';
import { useState } from 'react';
import { signClose } from '#contract/calls/closes.ts';
import type { CloseReply } from '#contract/closes.ts';
import type { SignatureKind } from '#core/reconciliation/close.ts';
import { formatMoney } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { AskMenu } from '../../components/ask-menu.tsx';
import { Icon } from '../../components/icons.tsx';
import { Notice } from '../../components/notice.tsx';
import { Columns, Panel } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Note } from '../../components/note.tsx';

const signatureLabels = { preparer: 'Prepared', reviewer: 'Reviewed' } as const;

/** Section E: the checklist and both signatures. */
export function SignOff({ close, month }: { close: CloseReply; month: string }) {
  const [checked, setChecked] = useState<readonly string[]>([]);
  const [reason, setReason] = useState('');
  const isReadOnly = useReadOnly();
  const sign = useAction(signClose, { changes: ['closes'] });
  const isOpen = close.obstacles.length > 0;
  const isChecked = close.checklist.every(({ key }) => checked.includes(key));
  const mayPress = isChecked && (!isOpen || reason.trim().length > 2);
  const signAs = (as: SignatureKind) =>
    sign.mutate({
      params: { month },
      body: { close_id: close.id ?? '', as, checked: [...checked], ...(isOpen && { reason }) },
    });
  return (
    <Panel title="E  Sign-off">
      <Stack gap="md">
        <Signatures close={close} />
        {close.signatures.length === 1 && close.state !== 'signed' && !isReadOnly && (
          <Group>
            <AskMenu label="Ask for the second signature" about={{ for: 'signature', month }} />
          </Group>
        )}
        {close.may_sign_as.length > 0 && !isReadOnly && (
          <>
            {isOpen && (
              <Notice tone="warning">
                {`Open points: ${close.obstacles
                  .map(({ label, currency, amount }) => `${label} ${formatMoney(amount, currency)}`)
                  .join(', ')}. You can sign with a reason.`}
              </Notice>
            )}
            <Checklist close={close} checked={checked} onChange={setChecked} />
            {isOpen && (
              <Textarea
                label="Reason for signing with open points"
                autosize
                minRows={2}
                maxLength={1_000}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            <Group gap={12} align="stretch">
              {close.may_sign_as.map((as) => (
                <Button
                  key={as}
                  variant={as === 'preparer' || close.may_sign_as.length === 1 ? 'filled' : 'default'}
                  disabled={!mayPress}
                  loading={sign.isPending}
                  leftSection={<Icon name="check" size={16} />}
                  onClick={() => signAs(as)}
                >
                  {`Sign as ${as}`}
                </Button>
              ))}
            </Group>
          </>
        )}
        {close.state === 'signed' && <ClosingDate isSet={close.accounting_closed} />}
      </Stack>
    </Panel>
  );
}

/** Whether the closing date in QuickBooks protects the signed month. */
function ClosingDate({ isSet }: { isSet: boolean }) {
  if (isSet)
    return (
      <Text c="dimmed" size="xs">
        The books are closed through the end of the month.
      </Text>
    );
  return (
    <Notice
      tone="ok"
      action={
        <Button
          component="a"
          variant="default"
          href="https://qbo.intuit.com/app/settings?p=advanced"
          target="_blank"
          rel="noreferrer"
        >
          Open QuickBooks settings
        </Button>
      }
    >
      Signed. Now set the closing date in QuickBooks to the last day of the month.
    </Notice>
  );
}

/** Both signatures, or who must sign. */
function Signatures({ close }: { close: CloseReply }) {
  return (
    <Columns min={280}>
      {(['preparer', 'reviewer'] as const).map((as) => {
        const signature = close.signatures.find((one) => one.as === as);
        return (
          <Stack key={as} gap={2} style={{ overflowWrap: 'anywhere' }}>
            <Divider mb={6} />
            <Text span fw={signature === undefined ? 500 : 600} {...(signature === undefined && { c: 'dimmed' })}>
              {signature === undefined
                ? `Not ${signatureLabels[as].toLowerCase()} yet`
                : `${signatureLabels[as]} by ${signature.by}`}
            </Text>
            <Note>
              {signature !== undefined ? (
                <RelativeTime at={signature.at} />
              ) : as === 'preparer' ? (
                'The user who prepared the month'
              ) : close.two_people ? (
                'A second user who reviewed the month'
              ) : (
                'The user who reviewed the month; can be the same user'
              )}
            </Note>
            {signature !== undefined && signature.reason !== null && <Note>{`Reason: ${signature.reason}`}</Note>}
          </Stack>
        );
      })}
    </Columns>
  );
}

interface ChecklistProps {
  close: CloseReply;
  checked: readonly string[];
  onChange: (checked: readonly string[]) => void;
}

/** The points that the user checks before signing. */
function Checklist({ close, checked, onChange }: ChecklistProps) {
  return (
    <Fieldset variant="unstyled" legend="Before you sign">
      <Stack gap={12} pt={12}>
        {close.checklist.map(({ key, label }) => (
          <Checkbox
            key={key}
            label={label}
            checked={checked.includes(key)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...checked, key] : checked.filter((one) => one !== key))
            }
          />
        ))}
      </Stack>
    </Fieldset>
  );
}
